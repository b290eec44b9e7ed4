"""Makes the planes in which marks are measured, and mixes them for edges that the ink plane does not show.

A pale net in a pocket may be as bright as the wood beside it, but its hue almost always differs. All edges of one kind
(the four pockets) are processed together. The ends of their cross profiles lie certainly inside and certainly outside,
and Fisher's linear discriminant separates these two classes.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.find_board.edge_maps import F32
from calibration.geometry.camera import F64
from calibration.geometry.picture import Picture

END = 0.25
"""Share of a cross profile, at each end, that lies wholly on one side of the edge."""
HUE_CLEAR = 2.0
"""Least difference between the two sides, in standard deviations within the sides, at which a mix is used."""
PROFILE_TONE = 1.8
"""Exponent from picture levels to light. Blur mixes light, so an edge's middle is where light is half way; in levels it
appears displaced to the dark side. Cameras' tone curves lie between 1 and 2.2."""
NOISE_LEVELS = 1.0
"""Least standard deviation assumed for each plane, in levels: a small sample may show none by chance."""


@dataclass(frozen=True, slots=True, eq=False)
class Planes:
    """Image planes in which marks are measured, all of the picture's size (h, w)."""

    ink: F32
    """Plane (0-255) in which print is darker than wood: `tone`, or its negative where pale print is on a dark board."""
    tone: F32
    """Plane (0-255, roughly green) in which black and red print are both darker than pale wood."""
    u: F32
    v: F32


def planes_of(picture: Picture, pale_print: bool = False) -> Planes:
    """Returns the planes of `picture`, with chroma enlarged to luma's size."""
    size = (picture.width, picture.height)
    u, v = (np.asarray(cv2.resize(p, size, interpolation=cv2.INTER_LINEAR), np.float32) for p in (picture.u, picture.v))
    y = picture.y.astype(np.float32)
    tone = np.asarray(y - 0.8 * (v - 128.0) - 0.3 * (u - 128.0), np.float32)
    return Planes(negative(tone) if pale_print else tone, tone, u, v)


def negative(tone: F32) -> F32:
    """Returns levels (h, w) whose light is as much below white as that of `tone` is above black."""
    light = (np.clip(tone, 0.0, 255.0) / np.float32(255.0)) ** np.float32(PROFILE_TONE)
    return np.asarray(255.0 * (1.0 - light) ** np.float32(1.0 / PROFILE_TONE), np.float32)


def is_ink_enough(ink: F64, rising: float) -> bool:
    """Tells whether ink profiles (n, taps) rise (`rising` 1) or fall (`rising` -1) on average, or are unknown.

    Ink is preferred, because luma is sharper than chroma, unless its step has the wrong sign for this kind of edge.
    """
    ends = _ends(ink[None])
    if ends is None:
        return True
    return bool(_step(ends, rising)[0][0] > 0.0)


def clearest_mix(levels: F64, rising: float) -> F64:
    """Returns the mix (n, taps) of ink, u and v profiles (3, n, taps) that rises or falls most clearly.

    The mix is scaled to ink's mean and its scatter beside the edge, so that contrasts remain shares of the same
    brightness. Returns ink unchanged where no mix separates the sides.
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
    """Returns levels at the inner and outer ends, each (planes, points); None if fewer than 2 profiles are known."""
    known = levels[:, ~np.isnan(levels).any(axis=(0, 2))]
    if known.shape[1] < 2:
        return None
    end = int(END * known.shape[2])
    return known[:, :, :end].reshape(len(levels), -1), known[:, :, -end:].reshape(len(levels), -1)


def _step(ends: tuple[F64, F64], rising: float) -> tuple[F64, F64]:
    """Returns the bright side's mean minus the dark side's (planes,), and the covariance within the sides."""
    inner, outer = ends
    scatter = np.atleast_2d((np.cov(inner) + np.cov(outer)) / 2)
    return rising * (outer.mean(axis=1) - inner.mean(axis=1)), scatter + NOISE_LEVELS**2 * np.eye(len(inner))
