"""Guesses the board's pose from its red base circles, for boards whose lines are worn away or out of view."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.find_board.edge_maps import F32
from calibration.find_board.opposite_sides import PLACE_MM, opposite_sides
from calibration.fit_board.mark_samples import Mark, MarkLayout, expected
from calibration.geometry.camera import F64

CIRCLE_RADII_PX = (4.5, 7.0, 10.0, 14.0)
"""Radii of base discs in the small picture, in px, from a small board to one that fills the height."""
BLOBS = 28
"""Greatest number of red spots used: eight circles, coins, ornaments and some clutter."""
LEAST_RED = 2.0
"""Least redness of a spot above its surroundings, in grey levels."""
MATCH_MM = 28.0
"""Greatest distance (mm) of a spot from a circle's place predicted without perspective."""
LEAST_CIRCLES = 5
"""Least number of circles matched: four spots always fit some homography; the fifth confirms it."""
TILTS_RAD, CIRCLE_WAYS, CIRCLE_HEIGHT_MM = np.radians((15.0, 27.0)), 8, 1150.0
"""Tilts tried for an oblique view, number of tilt directions, and the camera's assumed height in mm."""
CIRCLE_LEAST_BOARD = 0.3
"""Least side of a board as a share of the picture's height."""


def circle_guesses(red: F32, layout: MarkLayout, aslant: bool = False, spots: F64 | None = None) -> F64:
    """Returns homographies (n, 3, 3), board mm -> small pixels, that place the base circles on red spots.

    `aslant` also tries oblique views in which no two opposite sides show all their circles. `spots` are the
    `red_spots`, if already detected.
    """
    spots = red_spots(red) if spots is None else spots
    if len(spots) < LEAST_CIRCLES:
        return np.empty((0, 3, 3))
    circles = circle_centres(layout)
    sides = opposite_sides(spots, circles, min(red.shape))
    guesses = [_through(spots, circles, *_matched(_placed(h, circles), spots, PLACE_MM * _px_per_mm(h))) for h in sides]
    for tilt in _tilts() if aslant else (np.eye(3),):
        for h in _similarities(spots, _placed(tilt, circles), layout, min(red.shape)):
            guesses.append(_fitted(h @ tilt, spots, circles))
    return np.array([g for g in guesses if g is not None]).reshape(-1, 3, 3)


def _tilts() -> list[F64]:
    """Returns homographies (3, 3), board mm -> mm in an oblique view, for each tilt and direction tried."""
    tilts = []
    for tilt in TILTS_RAD:
        for way in np.arange(CIRCLE_WAYS) * (2 * np.pi / CIRCLE_WAYS):
            r = cv2.Rodrigues(tilt * np.array([np.cos(way), np.sin(way), 0.0]))[0]
            tilts.append(np.vstack([np.column_stack([r[:2, :2], np.zeros(2)]), [*(r[2, :2] / CIRCLE_HEIGHT_MM), 1.0]]))
    return tilts


def _placed(h: F64, points: F64) -> F64:
    """Maps points (n, 2) by a homography (3, 3)."""
    return np.asarray(cv2.perspectiveTransform(points[None], h)[0], np.float64)


def red_spots(red: F32) -> F64:
    """Detects round red spots; returns their middles (n, 2) in px, the reddest first."""
    best = np.full(red.shape, -np.inf, np.float32)
    for radius in CIRCLE_RADII_PX:
        inner = cv2.GaussianBlur(red, (0, 0), radius / 1.6)
        best = np.maximum(best, inner - cv2.GaussianBlur(red, (0, 0), radius * 1.3))
    size = 2 * int(CIRCLE_RADII_PX[0]) + 1
    peak = (best >= cv2.dilate(best, np.ones((size, size), np.uint8))) & (best > LEAST_RED)
    y, x = np.nonzero(peak)
    order = np.argsort(-best[y, x], kind="stable")[:BLOBS]
    return np.stack([x[order], y[order]], 1).astype(np.float64)


def circle_centres(layout: MarkLayout) -> F64:
    """Returns the base circles' centres (8, 2) in mm: left and right of each seat in turn."""
    disc = expected(layout, 100.0, 1, (Mark.DISC,))
    return np.array([disc.middles[disc.part == p, :2].mean(axis=0) for p in range(8)])


def _similarities(spots: F64, circles: F64, layout: MarkLayout, height: int) -> list[F64]:
    """Returns similarity transforms that take any two spots for a base line's circles, south nearest the bottom."""
    out = []
    base = circles[1] - circles[0]
    span, askew = float(np.hypot(*base)), float(np.arctan2(base[1], base[0]))
    for a in range(len(spots)):
        for b in range(len(spots)):
            along = spots[b] - spots[a]
            scale = float(np.hypot(*along)) / span
            roll = np.arctan2(along[1], along[0])
            if abs(roll) > np.pi / 4 or 2 * layout.half * scale < CIRCLE_LEAST_BOARD * height:
                continue
            c, s = scale * np.cos(roll + askew), scale * np.sin(roll + askew)
            # The board's y points up, the picture's down.
            turn = np.array([[c, s], [s, -c]])
            middle = spots[a] - turn @ circles[0]
            out.append(np.vstack([np.column_stack([turn, middle]), [0.0, 0.0, 1.0]]))
    return out


def _fitted(h: F64, spots: F64, circles: F64) -> F64 | None:
    """Refits `h` to the spots nearest to the circles' predicted places; returns None if fewer than five match."""
    places = _placed(h, circles)
    near, nearest = _matched(places, spots, MATCH_MM * _px_per_mm(h))
    if len(near) < LEAST_CIRCLES - 1:
        return None
    # An affine step first: with fixed perspective a wrong spot cannot distort the guess much.
    rows = np.column_stack([places, np.ones(len(places))])
    moved = np.linalg.lstsq(rows[near], spots[nearest], rcond=None)[0]
    near, nearest = _matched(rows @ moved, spots, MATCH_MM * _px_per_mm(h))
    return None if len(near) < LEAST_CIRCLES else _through(spots, circles, near, nearest)


def _through(spots: F64, circles: F64, near: NDArray[np.int64], nearest: NDArray[np.int64]) -> F64 | None:
    """Returns the homography from the circles indexed by `near` to the spots indexed by `nearest`, or None."""
    fitted = cv2.findHomography(circles[near], spots[nearest], 0)[0]
    return None if fitted is None else np.asarray(fitted, np.float64)


def _px_per_mm(h: F64) -> float:
    """Returns the scale in the middle of the board."""
    return float(np.hypot(*h[:2, 0]))


def _matched(places: F64, spots: F64, reach: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns indices of circles, predicted at `places` (8, 2), and of mutually nearest spots within `reach` px."""
    far = np.linalg.norm(places[:, None] - spots[None], axis=2)
    nearest = far.argmin(axis=1)
    mine = far.argmin(axis=0)[nearest] == np.arange(len(places))
    near = np.flatnonzero(mine & (far.min(axis=1) < reach))
    return near, nearest[near]
