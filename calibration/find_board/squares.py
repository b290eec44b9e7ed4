"""Selects sets of four lines that may be a square's sides, seen from above or obliquely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64

PARALLEL_RAD = np.radians(16.0)
"""Greatest angle between opposite sides, seen from above; a board tilted by 12 degrees stays below it."""
LEAST_SIDE = 0.2
"""Least side of a square, and least distance of a base line's two circles, as a share of the picture's height: front
base lines of a board that fills 35 % of it."""
MOST_ASPECT = 1.2
"""Greatest ratio of a square's sides, seen from above; a tilt of 12 degrees stays below it."""
ASLANT_RAD = np.radians(40.0)
"""Greatest angle between opposite sides of a board seen obliquely."""
FOCALS = (0.75, 1.05, 1.5, 2.2)
"""Focal lengths of common cameras and phones, as multiples of the picture's smaller side."""
SKEW = 0.12
"""Greatest `_skew` of a square seen obliquely through the best of these lenses."""


def squares(lines: F64, height: int) -> F64:
    """Returns corners (n, 4, 2) SW SE NE NW of all near-squares between the lines (m, 3)."""
    corners = _fours(lines, height, PARALLEL_RAD)
    sides = _sides(corners)
    return ordered_corners(corners[sides.max(1) < MOST_ASPECT * sides.min(1)])


def aslant_squares(lines: F64, k: F64) -> F64:
    """Returns corners (n, 4, 2) SW SE NE NW of all fours of lines that may be a square under a camera matrix `k`."""
    height = 2 * float(k[:2, 2].min())
    corners = _fours(lines, height, ASLANT_RAD)
    corners = corners[_is_convex(corners) & (_sides(corners).min(1) > LEAST_SIDE * height)]
    return ordered_corners(corners[_skew(corners - k[:2, 2], height) < SKEW])


def _sides(corners: F64) -> F64:
    """Returns the lengths (n, 4) of the sides."""
    return np.asarray(np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2))


def _is_convex(corners: F64) -> NDArray[np.bool_]:
    """Tells whether quadrilaterals (n, 4, 2) turn the same way at all corners."""
    side = np.roll(corners, -1, axis=1) - corners
    after = np.roll(side, -1, axis=1)
    turn = side[..., 0] * after[..., 1] - side[..., 1] * after[..., 0]
    return np.asarray(np.abs(np.sign(turn).sum(1)) == turn.shape[1])


def _skew(corners: F64, height: float) -> F64:
    """Returns the deviation (n,) from a square of corners (n, 4, 2), in px from the principal point.

    It is the larger of the absolute cosine between the sides and the absolute logarithm of their ratio, for the best
    of the focal lengths. The sides' directions are the first columns of a homography (Zhang, A flexible new technique
    for camera calibration, 2000, section 2.3).
    """
    a, b, c, d = (np.concatenate([corners[:, i], np.ones((len(corners), 1))], 1) for i in range(4))
    # Weights under which the corners form a parallelogram: a, b, c, d as a, a + u, a + u + v, a + v.
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
    """Returns corners (n, 4, 2), in order, of two pairs of lines, each parallel and both square to within an angle."""
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
    """Returns the intersections (n, 2) of lines (n, 3) in normal form; far away where parallel."""
    det = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    det = np.where(np.abs(det) < 1e-6, 1e-6, det)
    x = (a[:, 2] * b[:, 1] - b[:, 2] * a[:, 1]) / det
    y = (a[:, 0] * b[:, 2] - b[:, 0] * a[:, 2]) / det
    return np.stack([x, y], -1)


def ordered_corners(corners: F64) -> F64:
    """Reorders corners so that the first two (SW, SE) span the side nearest the picture's bottom."""
    following = np.roll(corners, -1, axis=1)
    area = np.sum(corners[..., 0] * following[..., 1] - corners[..., 1] * following[..., 0], 1)
    clockwise = np.where((area > 0)[:, None, None], corners, corners[:, ::-1])
    lowest = np.argmax((clockwise + np.roll(clockwise, -1, axis=1))[..., 1], axis=1)
    # Clockwise in the picture the bottom side runs from SE to SW, then NW, NE.
    index = (lowest[:, None] + np.array([1, 0, 3, 2])) % 4
    return np.asarray(np.take_along_axis(clockwise, index[..., None], axis=1))
