"""Builds a board guess from corners marked by a user, for pictures in which the search fails."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.find_board.edge_maps import EdgeMaps
from calibration.find_board.hypotheses import Hypothesis
from calibration.fit_board.mark_samples import MarkLayout
from calibration.geometry.camera import F64

CORNER_LEAST_SHARE = 0.1
"""Least size of the outline as a share of the picture's smaller side: at each corner the cross product of the adjacent
sides must exceed its square. Smaller ones are a user's slip."""


def guess_at_corners(edges: EdgeMaps, corners_px: F64, layout: MarkLayout) -> Hypothesis:
    """Returns the guess with the playing surface's corners TL, TR, BR, BL at (4, 2) px of the full picture."""
    small = (np.asarray(corners_px, np.float64) + 0.5) * edges.scale - 0.5
    k = edges.lens.k
    straight = cv2.undistortPoints(small.reshape(-1, 1, 2), k, edges.lens.dist, R=None, P=k).reshape(-1, 2)
    board = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]], np.float32) * np.float32(layout.half)
    h = cv2.getPerspectiveTransform(board, np.asarray(straight, np.float32))
    return Hypothesis(np.asarray(h, np.float64), 0.0)


def outline_a_board(corners_px: F64, size: tuple[int, int]) -> bool:
    """Tells whether corners (4, 2) px go clockwise round a large enough area near a picture of (width, height)."""
    sides = np.roll(corners_px, -1, axis=0) - corners_px
    after = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0]
    width, height = size
    near = np.all((corners_px > (-width, -height)) & (corners_px < (2 * width, 2 * height)))
    return bool(near and turns.min() > (CORNER_LEAST_SHARE * min(size)) ** 2)


def mirrored_corners(corners_px: F64, width: int) -> F64:
    """Returns the corners in the picture flipped left to right, again as TL, TR, BR, BL."""
    flipped = np.array(corners_px, np.float64)
    flipped[:, 0] = width - 1 - flipped[:, 0]
    return np.asarray(flipped[[1, 0, 3, 2]])
