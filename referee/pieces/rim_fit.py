"""A rim: the circle that explains best the edges along the rays of a fan about a disc."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64
from calibration.geometry.picture import F32

RIM_REACH_MM = 4.0
"""Edges are sought so far inside and outside of the expected outline."""
LIKELY_MM = 2.5
"""An edge this far from where it was first expected counts a third."""
CAP = 1.5
"""A ray's edge counts at most so many times the middle one's, lest a few printed lines draw the disc to them."""
SHADOW = 2.0
"""An edge one width outside a dark disc's fitted rim counts a third of one that lies on it or within."""
CHROMA_GAIN = 2.0
"""Coins differ less in the chroma planes, which are cleaner than luma."""
PALE_GROWTH = -0.2
"""A pale disc's rounded rim darkens this far (mm) within its outline, a dark one's is seen where it ends."""
FIRM = 0.1
"""How firmly that is held against a disc's own edges, which outweigh it tenfold when they are drawn all around."""
SIGMA_LEAST, RIM_SIGMA_SHARE = 0.12, 0.85
"""Standard deviation (mm) of places that look perfect, and what the scatter of a disc's edges adds to it: measured."""
BLIND_MM = 2.0
"""Standard deviation of a place about which no edge is drawn at all: as good as the search that found it."""


def _parabolas(along: F64) -> F64:
    """Lagrange's weights (3, k) of what stands at -1, 0 and 1 for the places between."""
    return np.array([along * (along - 1) / 2, 1 - along**2, along * (along + 1) / 2])


class Fan:
    """The rays along which a disc's outline is sought, and how closely."""

    def __init__(
        self, rays: int, step_mm: float, widths_mm: Sequence[float], fits: int, *, on_board: bool = False
    ) -> None:
        self.widths_mm = widths_mm
        """Width of the bell about the rim by which edges are weighed in each round: to find it, then to place it."""
        self.fits = fits
        """Fits a round, each about the rim that the one before found."""
        self.on_board = on_board
        """Whether edges are weighed by how much they lie between something else and the board (`Disc.ground`)."""
        turn = np.arange(rays) * (2 * np.pi / rays)
        self.rim: F64 = np.stack([np.cos(turn), np.sin(turn), np.ones(rays)], -1)
        """How far (rays, 3) an outline moves along each ray for a mm of shift in x and in y and of growth."""
        self.steps: F32 = np.arange(-RIM_REACH_MM, RIM_REACH_MM + step_mm / 2, step_mm, dtype=np.float32)
        """Edges are sought at these distances (mm) from the expected outline."""
        self.ones: F32 = np.ones_like(self.steps)
        """What sums over the steps: a product takes a third of the time of a sum."""
        self.ways: F64 = _parabolas(self.steps.astype(np.float64) / RIM_REACH_MM)
        """What both ends and the middle of a ray's reach (3, steps) weigh at each of them."""


RIM_FINE = Fan(72, 0.25, (1.6, 0.8, 0.4), 4)
QUICK = Fan(36, 0.5, (1.6, 0.8, 0.4), 4)
"""For discs at rest, and at a fourth of the time for the many of a stroke."""
OUTER = Fan(72, 0.25, (1.6, 0.8, 0.4), 4, on_board=True)
OUTER_ROUGH = Fan(36, 0.5, (1.6, 0.8, 0.4), 4, on_board=True)
"""For strikers, on which rings are printed that are drawn as well as the rim a few millimetres outside of them."""


def edges_along(tones: F32, light: NDArray[np.bool_], fan: Fan) -> F32:
    """How much of an edge (n, rays, steps) lies along each ray of which `tones` (3, n, rays, steps) are known.

    A pale disc's rim is where luma falls: its wall and the shade at its foot are darker.
    """
    y, u, v = _slopes(tones)
    y[light] = np.minimum(y[light], 0.0)
    return np.asarray((y**2 + CHROMA_GAIN**2 * (u**2 + v**2)) * np.exp(-((fan.steps / LIKELY_MM) ** 2)), np.float32)


def _slopes(tones: F32) -> F32:
    """How much planes' tones (3, n, rays, steps), smoothed, rise each step along each ray."""
    smooth = np.asarray(cv2.GaussianBlur(tones.reshape(-1, tones.shape[-1]), (5, 1), 0.8), np.float32)
    slopes = np.empty_like(smooth)
    np.subtract(smooth[:, 2:], smooth[:, :-2], out=slopes[:, 1:-1])
    slopes[:, 1:-1] *= 0.5
    slopes[:, 0], slopes[:, -1] = smooth[:, 1] - smooth[:, 0], smooth[:, -1] - smooth[:, -2]
    return slopes.reshape(tones.shape)


def fitted(edges: F32, trust: F64, rim: F64, light: NDArray[np.bool_], width: float, fan: Fan) -> F64:
    """Shifts in x and y and growths (n, 3) mm of circles that explain `edges` (n, rays, steps) best.

    Each step looks only at edges about `width` mm from the rim of the step before, the first from `rim` (n, 3);
    `trust` (n, rays) weighs rays. Beyond a dark disc lies its shadow, as dark: edges there count less.
    """
    firm = FIRM * len(fan.rim)
    growth, ridge = np.where(light, firm * PALE_GROWTH, 0.0), np.diag((1e-3, 1e-3, 1e-3 + firm))
    outwards = np.where(light, 0.0, SHADOW / width)[:, None]
    for _ in range(fan.fits):
        found, drawn = _near_rim(edges, rim, width, fan)
        weight = _weight(drawn, trust) / (1 + outwards * np.maximum(found - rim @ fan.rim.T, 0.0))
        held = (weight[..., None] * fan.rim).transpose(0, 2, 1)
        left, right = held @ fan.rim + ridge, (held @ found[..., None])[..., 0]
        right[:, 2] += growth
        rim = np.linalg.solve(left, right[..., None])[..., 0]
    return np.asarray(rim)


def _weight(drawn: F64, trust: F64) -> F64:
    """What each ray (n, rays) counts whose edge is drawn so strongly, against the others of its disc."""
    # The median of an even number, in a fifth of the time that NumPy's takes.
    ordered, half = np.sort(drawn, 1), drawn.shape[1] // 2
    middle = (ordered[:, half - 1 : half] + ordered[:, half : half + 1]) / 2
    return np.asarray(trust * np.minimum(np.sqrt(drawn / (middle + 1e-9)), CAP))


def sigma_of(edges: F32, trust: F64, rim: F64, fan: Fan) -> F64:
    """Standard deviation (n,) mm of the places of rims (n, 3): by the scatter of all edges about them, near or not."""
    found, drawn = _near_rim(edges, rim, fan.widths_mm[0], fan)
    weight = _weight(drawn, trust)
    total = weight.sum(1)
    scatter = np.sqrt((weight * (found - rim @ fan.rim.T) ** 2).sum(1) / np.maximum(total, 1e-9))
    return np.asarray(np.where(total > 0, np.hypot(SIGMA_LEAST, RIM_SIGMA_SHARE * scatter), BLIND_MM))


def _near_rim(edges: F32, rim: F64, width: float, fan: Fan) -> tuple[F64, F64]:
    """Where edges lie on each ray (n, rays), mm from where expected, near rims (n, 3), and how strong (n, rays)."""
    expected = (rim @ fan.rim.T).astype(np.float32)[..., None]
    off = (fan.steps - expected) / np.float32(width)
    near = edges * np.exp(off * off * np.float32(-0.5))
    drawn = near @ fan.ones
    return np.asarray((near @ fan.steps) / np.maximum(drawn, 1e-9), np.float64), np.asarray(drawn, np.float64)
