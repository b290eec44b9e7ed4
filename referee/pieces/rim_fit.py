"""Fits a rim: the circle that best explains the edges along a fan of rays around a disc's centre."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64
from calibration.geometry.picture import F32
from calibration.rings import CHROMA_GAIN

RIM_REACH_MM = 4.0
"""Distance inside and outside of the expected outline at which edges are searched, in mm."""
EDGE_PRIOR_MM = 2.5
"""Distance from the expected outline, in mm, at which an edge's weight is a third."""
RAY_WEIGHT_CAP = 1.5
"""Greatest weight of a ray's edge, as a multiple of the median ray's, so that few printed lines do not attract the
disc."""
SHADOW_WEIGHT = 2.0
"""Reduces edges outside a dark disc's rim: at one width their weight is a third of one on the rim or inside."""
PALE_GROWTH = -0.2
"""Expected growth (mm) of a pale disc's radius, whose rounded rim darkens inside its outline; a dark one's is 0."""
RADIUS_PRIOR = 0.1
"""Weight of the expected growth relative to a disc's own edges, which weigh ten times as much if all around."""
SIGMA_LEAST, SCATTER_SHARE = 0.12, 0.85
"""Standard deviation (mm) of a perfect fit, and the share of the edges' scatter that is added to it; measured."""
NO_EDGE_SIGMA_MM = 2.0
"""Standard deviation (mm) of a place without any edge: that of the search."""


def parabolas(along: F64) -> F64:
    """Returns Lagrange's weights (3, k) of values at -1, 0 and 1 for the places between."""
    return np.array([along * (along - 1) / 2, 1 - along**2, along * (along + 1) / 2])


class Fan:
    """The rays along which a disc's outline is searched."""

    def __init__(self, rays: int, step_mm: float) -> None:
        turn = np.arange(rays) * (2 * np.pi / rays)
        self.rim: F64 = np.stack([np.cos(turn), np.sin(turn), np.ones(rays)], -1)
        """Derivatives (rays, 3) of an outline's distance on each ray by the shift in x and in y and by the growth."""
        self.steps: F32 = np.arange(-RIM_REACH_MM, RIM_REACH_MM + step_mm / 2, step_mm, dtype=np.float32)
        """Distances (mm) from the expected outline at which edges are searched."""
        self.ones: F32 = np.ones_like(self.steps)
        """Sums over the steps: a matrix product takes a third of the time of a sum."""
        self.parabolas: F64 = parabolas(self.steps.astype(np.float64) / RIM_REACH_MM)
        """Weights (3, steps) of both ends and the middle of a ray's reach at each step."""


FAN = Fan(36, 0.5)
WIDTHS_MM, FITS = (1.6, 0.8, 0.4), 4
"""Width (mm) of the Gaussian around the rim by which edges are weighed in each round, from coarse to fine; and the
number of fits in a round, each around the rim of the one before."""


def edges_along(tones: F32, light: NDArray[np.bool_]) -> F32:
    """Returns the edge strength (n, rays, steps) along each ray from `tones` (3, n, rays, steps).

    At a pale disc's rim luma falls: its wall and the shadow at its foot are darker.
    """
    y, u, v = _slopes(tones)
    y[light] = np.minimum(y[light], 0.0)
    return np.asarray((y**2 + CHROMA_GAIN**2 * (u**2 + v**2)) * np.exp(-((FAN.steps / EDGE_PRIOR_MM) ** 2)), np.float32)


def _slopes(tones: F32) -> F32:
    """Returns the rise of the smoothed tones (3, n, rays, steps) at each step along each ray."""
    smooth = np.asarray(cv2.GaussianBlur(tones.reshape(-1, tones.shape[-1]), (5, 1), 0.8), np.float32)
    slopes = np.empty_like(smooth)
    np.subtract(smooth[:, 2:], smooth[:, :-2], out=slopes[:, 1:-1])
    slopes[:, 1:-1] *= 0.5
    slopes[:, 0], slopes[:, -1] = smooth[:, 1] - smooth[:, 0], smooth[:, -1] - smooth[:, -2]
    return slopes.reshape(tones.shape)


def fit_circles(edges: F32, trust: F64, rim: F64, light: NDArray[np.bool_], width: float) -> F64:
    """Returns shifts in x and y and growths (n, 3) mm of the circles that best explain `edges` (n, rays, steps).

    Each fit weighs edges within about `width` mm of the rim of the fit before, the first of `rim` (n, 3). `trust` (n,
    rays) weighs rays. Outside a dark disc lies its shadow, as dark as it, so edges there weigh less.
    """
    firm = RADIUS_PRIOR * len(FAN.rim)
    growth, ridge = np.where(light, firm * PALE_GROWTH, 0.0), np.diag((1e-3, 1e-3, 1e-3 + firm))
    outwards = np.where(light, 0.0, SHADOW_WEIGHT / width)[:, None]
    for _ in range(FITS):
        found, drawn = _edges_near_rim(edges, rim, width)
        weight = _ray_weights(drawn, trust) / (1 + outwards * np.maximum(found - rim @ FAN.rim.T, 0.0))
        held = (weight[..., None] * FAN.rim).transpose(0, 2, 1)
        left, right = held @ FAN.rim + ridge, (held @ found[..., None])[..., 0]
        right[:, 2] += growth
        rim = np.linalg.solve(left, right[..., None])[..., 0]
    return np.asarray(rim)


def _ray_weights(drawn: F64, trust: F64) -> F64:
    """Returns each ray's weight (n, rays) by its edge strength, relative to the other rays of its disc."""
    # The median of an even number, in a fifth of the time that NumPy's takes.
    ordered, half = np.sort(drawn, 1), drawn.shape[1] // 2
    middle = (ordered[:, half - 1 : half] + ordered[:, half : half + 1]) / 2
    return np.asarray(trust * np.minimum(np.sqrt(drawn / (middle + 1e-9)), RAY_WEIGHT_CAP))


def place_sigmas(edges: F32, trust: F64, rim: F64) -> F64:
    """Returns the standard deviation (n,) mm of the places of rims (n, 3), from the scatter of all edges around."""
    found, drawn = _edges_near_rim(edges, rim, WIDTHS_MM[0])
    weight = _ray_weights(drawn, trust)
    total = weight.sum(1)
    scatter = np.sqrt((weight * (found - rim @ FAN.rim.T) ** 2).sum(1) / np.maximum(total, 1e-9))
    return np.asarray(np.where(total > 0, np.hypot(SIGMA_LEAST, SCATTER_SHARE * scatter), NO_EDGE_SIGMA_MM))


def _edges_near_rim(edges: F32, rim: F64, width: float) -> tuple[F64, F64]:
    """Returns the edge's place on each ray (n, rays), mm from the outline, near rims (n, 3), and its strength."""
    expected = (rim @ FAN.rim.T).astype(np.float32)[..., None]
    off = (FAN.steps - expected) / np.float32(width)
    near = edges * np.exp(off * off * np.float32(-0.5))
    drawn = near @ FAN.ones
    return np.asarray((near @ FAN.steps) / np.maximum(drawn, 1e-9), np.float64), np.asarray(drawn, np.float64)
