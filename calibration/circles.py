"""Where the board lies by its red base circles, for boards whose lines are worn away or cut off by the picture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import F64
from calibration.evidence import F32
from calibration.layout import Layout, Mark, expected

RADII_PX = (4.5, 7.0, 10.0, 14.0)
"""Base discs in the small picture, from a small board to one that fills the height."""
BLOBS = 28
"""Red spots considered: eight circles, coins, ornaments and some clutter."""
LEAST_RED = 2.0
"""Redness (grey levels) above the surroundings of the faintest spot."""
MATCH_MM = 28.0
"""Spots this near to their place by a guess without perspective may be the circles."""
LEAST_CIRCLES = 5
"""Four spots fit some homography always; the fifth confirms it."""
LEAST_BOARD = 0.3
"""A board's side is at least this share of the picture's height."""


def circle_guesses(red: F32, layout: Layout) -> F64:
    """Homographies (n, 3, 3), board mm -> small pixels, that lay the eight base circles on red spots."""
    spots = red_spots(red)
    if len(spots) < LEAST_CIRCLES:
        return np.empty((0, 3, 3))
    circles = _centres(layout)
    guesses = []
    for h in _similarities(spots, circles, layout, min(red.shape)):
        fitted = _fitted(h, spots, circles)
        if fitted is not None:
            guesses.append(fitted)
    return np.array(guesses).reshape(-1, 3, 3)


def red_spots(red: F32) -> F64:
    """Middles (n, 2) of round red spots, the reddest first."""
    best = np.full(red.shape, -np.inf, np.float32)
    for radius in RADII_PX:
        inner = cv2.GaussianBlur(red, (0, 0), radius / 1.6)
        best = np.maximum(best, inner - cv2.GaussianBlur(red, (0, 0), radius * 1.3))
    size = 2 * int(RADII_PX[0]) + 1
    peak = (best >= cv2.dilate(best, np.ones((size, size), np.uint8))) & (best > LEAST_RED)
    y, x = np.nonzero(peak)
    order = np.argsort(-best[y, x], kind="stable")[:BLOBS]
    return np.stack([x[order], y[order]], 1).astype(np.float64)


def _centres(layout: Layout) -> F64:
    """The base circles' centres (8, 2) mm: left and right of each seat in turn."""
    samples = expected(layout, 100.0, 1)
    disc = samples.select(samples.mark == Mark.DISC)
    return np.array([disc.middles[disc.part == p, :2].mean(axis=0) for p in range(8)])


def _similarities(spots: F64, circles: F64, layout: Layout, height: int) -> list[F64]:
    """Guesses without perspective: any two spots taken as the two circles of a base line, south nearest the bottom."""
    out = []
    span = circles[1, 0] - circles[0, 0]
    for a in range(len(spots)):
        for b in range(len(spots)):
            along = spots[b] - spots[a]
            scale = float(np.hypot(*along)) / span
            roll = np.arctan2(along[1], along[0])
            if abs(roll) > np.pi / 4 or 2 * layout.half * scale < LEAST_BOARD * height:
                continue
            c, s = scale * np.cos(roll), scale * np.sin(roll)
            # The board's y points up, the picture's down.
            turn = np.array([[c, s], [s, -c]])
            middle = spots[a] - turn @ circles[0]
            out.append(np.vstack([np.column_stack([turn, middle]), [0.0, 0.0, 1.0]]))
    return out


def _fitted(h: F64, spots: F64, circles: F64) -> F64 | None:
    """The homography through the spots nearest to the circles' places by `h`; None when fewer than five match."""
    near, nearest = _matched(h, spots, circles)
    if len(near) < LEAST_CIRCLES - 1:
        return None
    # An affine step first: with perspective left out a wrong spot cannot carry the guess away.
    rows = np.column_stack([circles[near], np.ones(len(near))])
    affine = np.vstack([np.linalg.lstsq(rows, spots[nearest], rcond=None)[0].T, [0.0, 0.0, 1.0]])
    near, nearest = _matched(affine, spots, circles)
    if len(near) < LEAST_CIRCLES:
        return None
    fitted = cv2.findHomography(circles[near], spots[nearest], 0)[0]
    return None if fitted is None else np.asarray(fitted, np.float64)


def _matched(h: F64, spots: F64, circles: F64) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Circles and the spots nearest to them, each spot at most once."""
    places = circles @ h[:2, :2].T + h[:2, 2]
    far = np.linalg.norm(places[:, None] - spots[None], axis=2)
    nearest = far.argmin(axis=1)
    mine = far.argmin(axis=0)[nearest] == np.arange(len(circles))
    near = np.flatnonzero(mine & (far.min(axis=1) < MATCH_MM * float(np.hypot(*h[:2, 0]))))
    return near, nearest[near]
