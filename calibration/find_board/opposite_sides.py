"""Guesses the board's pose from four red spots taken for the base circles of two opposite sides.

Four circles determine the homography under any perspective; circles of the other two sides confirm it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.find_board.squares import LEAST_SIDE
from calibration.geometry.camera import F64
from calibration.geometry.homography import project

ROLLED = np.pi / 4
"""Greatest rotation of the south base line from the picture's rows, and of the west one from its columns: south is the
side nearest the picture's bottom.
"""
ASKEW_RAD, TAPER = np.radians(45.0), 1.8
"""Greatest difference in direction, and greatest ratio of lengths, of two opposite base lines in the picture, for a
camera tilted by less than 35 degrees from straight down."""
PLACE_MM = 14.0
"""Greatest distance (mm) of a spot that confirms another circle: makers' circles lie up to 8 mm off the book's."""
LEAST_MORE = 2
"""Least number of the other two sides' four circles that must be confirmed. Coins and wear may hide some, and in one of
ten fours a spot lies near one of them by chance."""
SIDE_MOST = 60
"""Greatest number of guesses returned, those with the most and nearest circles first."""


def opposite_sides(spots: F64, circles: F64, height: float) -> F64:
    """Returns homographies (n, 3, 3), board mm -> px, that place `circles` (8, 2) mm on `spots` (m, 2) px, best first.

    Circles are left and right of each seat in turn from south. Those of two opposite sides coincide with spots, at
    least `LEAST_MORE` others lie near one.
    """
    facing = [_facing(spots, circles, height, side) for side in range(2)]
    h, off = (np.concatenate(both) for both in zip(*facing, strict=True))
    more, near = (off < PLACE_MM).sum(axis=1), np.minimum(off, PLACE_MM).sum(axis=1)
    best = np.lexsort((near, -more))
    return np.asarray(h[best[more[best] >= LEAST_MORE][:SIDE_MOST]])


def _facing(spots: F64, circles: F64, height: float, side: int) -> tuple[F64, F64]:
    """Returns homographies (n, 3, 3) that place the circles of `side` and of its opposite on spots, and the distances
    (n, 4) in mm of the other circles from the nearest spot.
    """
    own = np.array([0, 1, 4, 5]) + 2 * side
    one, other = _pairs(spots, height, side * np.pi / 2)
    corners = np.concatenate([spots[one], spots[other]], axis=1)
    h = _through(circles[own], corners[_may_face(corners)])
    places = project(h, np.delete(circles, own, axis=0))
    far = np.linalg.norm(places[:, :, None] - spots, axis=3).min(axis=2, initial=np.inf)
    return h, far / _scale(h)[:, None]


def _pairs(spots: F64, height: float, turn: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns pairs of spots, as indices (n, 2), that may be the left and right circles of a side whose base line is
    rotated by about `turn` in the picture, and the pairs (n, 2) that may be those of the opposite side.
    """
    along = spots[None] - spots[:, None]
    off = np.arctan2(along[..., 1], along[..., 0]) - turn
    off = np.abs((off + np.pi) % (2 * np.pi) - np.pi)
    left, right = np.nonzero((off < ROLLED) & (np.hypot(along[..., 0], along[..., 1]) > LEAST_SIDE * height))
    one, other = (i.ravel() for i in np.indices((len(left), len(left))))
    # Left and right are swapped for the opposite player.
    return np.stack([left[one], right[one]], 1), np.stack([right[other], left[other]], 1)


def _may_face(corners: F64) -> NDArray[np.bool_]:
    """Tells whether four spots (n, 4, 2), in order, may be two base lines on opposite sides of a board."""
    side = np.roll(corners, -1, axis=1) - corners
    after = np.roll(side, -1, axis=1)
    turns = _cross(side, after)
    # Seen from above the order is counterclockwise.
    round_about = (turns < 0).all(axis=1)
    return round_about & _alike(side[:, 0], -side[:, 2]) & _alike(side[:, 1], -side[:, 3])


def _alike(one: F64, other: F64) -> NDArray[np.bool_]:
    """Tells whether vectors (n, 2) are alike enough in direction and length to be opposite sides of a board."""
    turn = np.abs(np.arctan2(_cross(one, other), np.sum(one * other, axis=1)))
    longer, shorter = (f(np.linalg.norm(one, axis=1), np.linalg.norm(other, axis=1)) for f in (np.maximum, np.minimum))
    return np.asarray((turn < ASKEW_RAD) & (longer < TAPER * shorter))


def _through(rectangle: F64, corners: F64) -> F64:
    """Returns homographies (n, 3, 3) from the corners (4, 2) of a rectangle to quadrilaterals (n, 4, 2).

    Each is composed with that of the unit square, in closed form (Heckbert, Fundamentals of texture mapping, 1989,
    section 2.2.3).
    """
    a, b, c, d = (corners[:, i] for i in range(4))
    total, left, down = a - b + c - d, b - c, d - c
    whole = _cross(left, down)
    g, k = _cross(total, down) / whole, _cross(left, total) / whole
    first = np.concatenate([b - a + g[:, None] * b, g[:, None]], 1)
    second = np.concatenate([d - a + k[:, None] * d, k[:, None]], 1)
    third = np.concatenate([a, np.ones((len(a), 1))], 1)
    origin, along, up = rectangle[0], rectangle[1] - rectangle[0], rectangle[3] - rectangle[0]
    from_unit = np.column_stack([along, up, origin])
    return np.asarray(np.stack([first, second, third], 2) @ np.linalg.inv(np.vstack([from_unit, [0.0, 0.0, 1.0]])))


def _cross(a: F64, b: F64) -> F64:
    """Returns the cross products (...) of vectors (..., 2); positive where b is clockwise of a in the picture."""
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _scale(h: F64) -> F64:
    """Returns the pixels per mm (n,) in the board's middle, the smaller of the board's two axes."""
    middle = h[:, :2, 2] / h[:, 2:, 2]
    across = (h[:, :2, :2] - middle[:, :, None] * h[:, 2:, :2]) / h[:, 2:, 2:]
    return np.asarray(np.linalg.norm(across, axis=1).min(axis=1))
