"""Which fours of lines may be a square's sides, as a camera shows it from above or from aside."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64

PARALLEL_RAD = np.radians(16.0)
"""Opposite sides of a board under 12 degrees of tilt still lie nearer to parallel than this."""
LEAST_SIDE = 0.2
"""Smallest square looked for (front base lines of a board filling 35 % of the height), share of the height."""
ASPECT = 1.2
"""A square seen under 12 degrees of tilt has sides no more different than this."""
ASLANT_RAD = np.radians(40.0)
"""Opposite sides of a board that a camera sees aslant lie nearer to parallel than this."""
FOCALS = (0.75, 1.05, 1.5, 2.2)
"""Focal lengths (shares of the picture's smaller side) of the usual cameras and phones."""
SKEW = 0.12
"""A square seen aslant has right angles and equal sides, to within this, through one of these lenses."""


def squares(lines: F64, height: int) -> F64:
    """Corners (n, 4, 2) SW SE NE NW of all near-squares between the lines."""
    corners = _fours(lines, height, PARALLEL_RAD)
    sides = _sides(corners)
    return _ordered(corners[sides.max(1) < ASPECT * sides.min(1)])


def aslant_squares(lines: F64, k: F64) -> F64:
    """Corners (n, 4, 2) SW SE NE NW of all fours of lines that a camera like `k` (3, 3) might show of a square."""
    height = 2 * float(k[:2, 2].min())
    corners = _fours(lines, height, ASLANT_RAD)
    corners = corners[_is_convex(corners) & (_sides(corners).min(1) > LEAST_SIDE * height)]
    return _ordered(corners[_skew(corners - k[:2, 2], height) < SKEW])


def _sides(corners: F64) -> F64:
    """Lengths (n, 4) of the sides."""
    return np.asarray(np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2))


def _is_convex(corners: F64) -> NDArray[np.bool_]:
    """Whether one goes round corners (n, 4, 2) by turns to the same hand."""
    side = np.roll(corners, -1, axis=1) - corners
    after = np.roll(side, -1, axis=1)
    turn = side[..., 0] * after[..., 1] - side[..., 1] * after[..., 0]
    return np.asarray(np.abs(np.sign(turn).sum(1)) == turn.shape[1])


def _skew(corners: F64, height: float) -> F64:
    """How far (n,) corners (n, 4, 2) px from the principal point are from a square's through the best of some lenses:
    the larger of the cosine between its sides and of the logarithm of how much longer one is.

    The sides' directions are the first columns of a homography (Zhang, A flexible new technique for camera
    calibration, 2000, section 2.3).
    """
    a, b, c, d = (np.concatenate([corners[:, i], np.ones((len(corners), 1))], 1) for i in range(4))
    # Weights that make the corners of a parallelogram of the others: a, b, c, d as a, a + u, a + u + v, a + v.
    whole = np.linalg.det(np.stack([a, b, d], 1))
    wb, wd = (np.linalg.det(np.stack(rows, 1)) / whole for rows in ((a, c, d), (a, b, c)))
    wa = -np.linalg.det(np.stack([c, b, d], 1)) / whole
    u, v = wb[:, None] * b - wa[:, None] * a, wd[:, None] * d - wa[:, None] * a
    off = []
    for focal in FOCALS:
        lens = np.array([1.0, 1.0, focal * height])
        right, up = u * lens, v * lens
        long, high = np.linalg.norm(right, axis=1), np.linalg.norm(up, axis=1)
        off.append(np.maximum(np.abs(np.sum(right * up, 1)) / (long * high), np.abs(np.log(long / high))))
    return np.asarray(np.min(off, axis=0))


def _fours(lines: F64, height: float, parallel_rad: float) -> F64:
    """Corners (n, 4, 2), one after the other, between two pairs of lines that are parallel to within so much."""
    i, j = np.triu_indices(len(lines), 1)
    sign = np.where(np.sum(lines[i, :2] * lines[j, :2], 1) < 0, -1.0, 1.0)
    turned = lines[j] * sign[:, None]
    parallel = np.sum(lines[i, :2] * turned[:, :2], 1) > np.cos(parallel_rad)
    gap = np.abs(lines[i, 2] - turned[:, 2])
    apart = parallel & (gap > LEAST_SIDE * height)
    i, j, turned = i[apart], j[apart], turned[apart]
    if len(i) < 2:
        return np.empty((0, 4, 2))
    normal = lines[i, :2] + turned[:, :2]
    angle = np.arctan2(normal[:, 1], normal[:, 0])
    p, q = np.triu_indices(len(i), 1)
    off = np.abs((angle[p] - angle[q] + np.pi / 2) % np.pi - np.pi / 2)
    square = off > np.pi / 2 - parallel_rad
    p, q = p[square], q[square]
    return np.stack([_cross(lines[a[p]], lines[b[q]]) for a, b in ((i, i), (i, j), (j, j), (j, i))], 1)


def _cross(a: F64, b: F64) -> F64:
    """Intersections (n, 2) of lines (n, 3) in normal form; far away where parallel."""
    det = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    det = np.where(np.abs(det) < 1e-6, 1e-6, det)
    x = (a[:, 2] * b[:, 1] - b[:, 2] * a[:, 1]) / det
    y = (a[:, 0] * b[:, 2] - b[:, 0] * a[:, 2]) / det
    return np.stack([x, y], -1)


def _ordered(corners: F64) -> F64:
    """Corners round the square turned so that the first two (SW, SE) span the side nearest the picture's bottom."""
    following = np.roll(corners, -1, axis=1)
    area = np.sum(corners[..., 0] * following[..., 1] - corners[..., 1] * following[..., 0], 1)
    clockwise = np.where((area > 0)[:, None, None], corners, corners[:, ::-1])
    lowest = np.argmax((clockwise + np.roll(clockwise, -1, axis=1))[..., 1], axis=1)
    # Clockwise in the picture the bottom side runs from SE to SW, then NW, NE.
    index = (lowest[:, None] + np.array([1, 0, 3, 2])) % 4
    return np.asarray(np.take_along_axis(clockwise, index[..., None], axis=1))
