"""Fours of red spots as the base circles of two opposite sides: they lay the board down under any perspective."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64
from calibration.geometry.homography import project

LEAST_SIDE = 0.2
"""Two circles of a base line lie at least so far apart, share of the picture's height: a board fills a third of it."""
ROLLED = np.pi / 4
"""South is the side nearest the picture's bottom: its base line, from left to right, is turned by less than this from
the picture's rows, as west's is from its columns.
"""
ASKEW_RAD, TAPER = np.radians(45.0), 1.8
"""Two opposite base lines differ by less in direction, and in length by less than this factor, as a camera shows them
that looks on a board at less than 35 degrees from straight down."""
PLACE_MM = 14.0
"""A third circle confirms two sides when its spot lies so near: makers set circles up to 8 mm off the book's places."""
LEAST_MORE = 2
"""Of the four circles of the other two sides so many confirm; coins and wear may hide some, and chance puts a spot near
one of them in one of ten fours."""
SIDE_MOST = 60
"""Fours handed on, those with the most circles and the nearest first."""


def opposite_sides(spots: F64, circles: F64, height: float) -> F64:
    """Homographies (n, 3, 3), board mm -> px, that put the `circles` (8, 2), left and right of each seat in turn from
    south, on some of the `spots` (m, 2): those of two opposite sides exactly, others near.
    """
    facing = [_facing(spots, circles, height, side) for side in range(2)]
    h, off = (np.concatenate(both) for both in zip(*facing, strict=True))
    more, near = (off < PLACE_MM).sum(axis=1), np.minimum(off, PLACE_MM).sum(axis=1)
    best = np.lexsort((near, -more))
    return np.asarray(h[best[more[best] >= LEAST_MORE][:SIDE_MOST]])


def _facing(spots: F64, circles: F64, height: float, side: int) -> tuple[F64, F64]:
    """Homographies (n, 3, 3) that put the circles of one `side` and of the one opposite on spots, and how far (mm) from
    the nearest spot they put each of the others (n, 4).
    """
    own = np.array([0, 1, 4, 5]) + 2 * side
    one, other = _pairs(spots, height, side * np.pi / 2)
    corners = np.concatenate([spots[one], spots[other]], axis=1)
    h = _through(circles[own], corners[_may_face(corners)])
    places = project(h, np.delete(circles, own, axis=0))
    far = np.linalg.norm(places[:, :, None] - spots, axis=3).min(axis=2, initial=np.inf)
    return h, far / _scale(h)[:, None]


def _pairs(spots: F64, height: float, turn: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Spots (n, 2) that may be the left and right circles of a side whose base line is turned by about `turn` in the
    picture, each with two (n, 2) that may be those of the side opposite.
    """
    along = spots[None] - spots[:, None]
    off = np.arctan2(along[..., 1], along[..., 0]) - turn
    off = np.abs((off + np.pi) % (2 * np.pi) - np.pi)
    left, right = np.nonzero((off < ROLLED) & (np.hypot(along[..., 0], along[..., 1]) > LEAST_SIDE * height))
    one, other = (i.ravel() for i in np.indices((len(left), len(left))))
    # Who sits opposite has as the left circle what is on the right here.
    return np.stack([left[one], right[one]], 1), np.stack([right[other], left[other]], 1)


def _may_face(corners: F64) -> NDArray[np.bool_]:
    """Whether four spots (n, 4, 2), going round, may be two base lines that face each other with the board between."""
    side = np.roll(corners, -1, axis=1) - corners
    after = np.roll(side, -1, axis=1)
    turns = _cross(side, after)
    # Seen from above one goes round from left to right and on against the clock.
    round_about = (turns < 0).all(axis=1)
    return round_about & _alike(side[:, 0], -side[:, 2]) & _alike(side[:, 1], -side[:, 3])


def _alike(one: F64, other: F64) -> NDArray[np.bool_]:
    """Whether vectors (n, 2) differ from others as opposite sides of a board may."""
    turn = np.abs(np.arctan2(_cross(one, other), np.sum(one * other, axis=1)))
    longer, shorter = (f(np.linalg.norm(one, axis=1), np.linalg.norm(other, axis=1)) for f in (np.maximum, np.minimum))
    return np.asarray((turn < ASKEW_RAD) & (longer < TAPER * shorter))


def _through(rectangle: F64, corners: F64) -> F64:
    """Homographies (n, 3, 3) that take the corners (4, 2) of a rectangle to fours of others (n, 4, 2).

    Each is that of the unit square, in closed form (Heckbert, Fundamentals of texture mapping, 1989, section 2.2.3).
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
    """How far (...) vectors b (..., 2) turn from a, towards the picture's bottom where positive, times both lengths."""
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _scale(h: F64) -> F64:
    """Pixels per mm (n,) in the board's middle, of the direction in which they are fewer."""
    middle = h[:, :2, 2] / h[:, 2:, 2]
    across = (h[:, :2, :2] - middle[:, :, None] * h[:, 2:, :2]) / h[:, 2:, 2:]
    return np.asarray(np.linalg.norm(across, axis=1).min(axis=1))
