"""Edges that ink does not show: the mix of luma and chroma in which an edge's two sides differ most.

A pale net in a pocket may be as bright as the wood beside it, but hardly ever is of its hue. All edges of one kind (the
four pockets) are taken together; what lies at the ends of their cross profiles is certainly inside and certainly
outside, and Fisher's linear discriminant parts the two.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.find_board.edge_maps import F32
from calibration.geometry.camera import F64
from calibration.geometry.picture import Picture

END = 0.25
"""Share of a cross profile at each end that lies wholly to one side of the edge."""
HUE_CLEAR = 2.0
"""A mix parts two sides when it differs by this much between them, in their own scatter."""
NOISE_LEVELS = 1.0
"""Scatter that each plane has at least: equal levels in a small sample are no proof of none."""


@dataclass(frozen=True, slots=True, eq=False)
class Planes:
    """What marks are seen in, all of the picture's size (h, w)."""

    ink: F32
    """0-255: a plane in which black and red print on pale wood are both dark, roughly green."""
    u: F32
    v: F32


def planes_of(picture: Picture) -> Planes:
    """The planes of `picture`; chroma drawn up to luma's size."""
    size = (picture.width, picture.height)
    u, v = (np.asarray(cv2.resize(p, size, interpolation=cv2.INTER_LINEAR), np.float32) for p in (picture.u, picture.v))
    y = picture.y.astype(np.float32)
    return Planes(np.asarray(y - 0.8 * (v - 128.0) - 0.3 * (u - 128.0), np.float32), u, v)


def told_by(ink: F64, rising: float) -> bool:
    """Whether profiles of ink (n, taps) rise (`rising` 1) or fall (-1) on the whole, or are unknown.

    Luma is sharper than chroma: ink is kept unless it says the opposite of what such an edge is like.
    """
    ends = _ends(ink[None])
    if ends is None:
        return True
    return bool(_step(ends, rising)[0][0] > 0.0)


def parted(levels: F64, rising: float) -> F64:
    """Of profiles (3, n, taps) of ink, u and v the mix (n, taps) that rises or falls most clearly.

    Mean and scatter beside the edge stay those of ink, so that contrasts remain shares of the same brightness. Ink
    itself where no mix parts the sides either.
    """
    ends = _ends(levels)
    if ends is None:
        return np.asarray(levels[0])
    step, scatter = _step(ends, rising)
    axis = np.linalg.solve(scatter, step)
    best = float(np.sqrt(step @ axis))
    if best < HUE_CLEAR:
        return np.asarray(levels[0])
    axis *= np.sqrt(scatter[0, 0]) / best
    middle = np.nanmean(levels, axis=(1, 2))
    return np.asarray(np.tensordot(axis, levels - middle[:, None, None], 1) + middle[0])


def _ends(levels: F64) -> tuple[F64, F64] | None:
    """What lies at both ends of the profiles, each (planes, points); None when too few are known."""
    known = levels[:, ~np.isnan(levels).any(axis=(0, 2))]
    if known.shape[1] < 2:
        return None
    end = int(END * known.shape[2])
    return known[:, :, :end].reshape(len(levels), -1), known[:, :, -end:].reshape(len(levels), -1)


def _step(ends: tuple[F64, F64], rising: float) -> tuple[F64, F64]:
    """How much brighter the bright side is (planes,), and the scatter (planes, planes) within the sides."""
    inner, outer = ends
    scatter = np.atleast_2d((np.cov(inner) + np.cov(outer)) / 2)
    return rising * (outer.mean(axis=1) - inner.mean(axis=1)), scatter + NOISE_LEVELS**2 * np.eye(len(inner))
