"""Camera bump: the whole picture differs from the bare board, and shifted it would fit."""

from __future__ import annotations

import cv2
import numpy as np

from referee.foreground.background import BackgroundModel, ForegroundFrame
from referee.foreground.segmentation import Segmentation

UPSET_SHARE = 0.04
"""Least share of differing board, hands and known pieces left out, after a bump."""
SMEARED_SHARE = 0.02
"""Least share of it that belongs to no disc but to edges and prints. A break strews nothing but discs."""
CHECK_EVERY_S = 0.15
BUMP_MM = 1.0
"""Least shift of a bumped camera, and greatest difference of two measurements of one at rest."""


class BumpDetector:
    """Detects a bumped camera by phase correlation."""

    def __init__(self, background: BackgroundModel) -> None:
        self._background = background
        self._window = cv2.createHanningWindow(background.lattice.shape[::-1], cv2.CV_32F)
        self._board = cv2.countNonZero(background.inside)
        """Cells of the playing surface."""
        self._next = 0.0
        self._last: tuple[float, float] | None = None

    def is_upset(self, foreground: ForegroundFrame, scene: Segmentation, explained: np.ndarray) -> bool:
        """Tells whether so much of the board differs that strokes cannot be judged."""
        if cv2.countNonZero(foreground.solid) <= UPSET_SHARE * self._board:
            return False
        differs = cv2.bitwise_and(foreground.solid, self._background.inside)
        differs = cv2.bitwise_and(differs, cv2.bitwise_not(cv2.bitwise_or(scene.near_hand, explained)))
        share = cv2.countNonZero(differs) / self._board
        discs = sum(b.area_mm2 for b in scene.blobs) / (2 * self._background.half) ** 2
        return share > UPSET_SHARE and share - discs > SMEARED_SHARE

    def has_moved(self, foreground: ForegroundFrame) -> bool:
        """Tells whether the board's picture has moved and is at rest again."""
        if foreground.t < self._next or self._background.empty is None:
            return False
        self._next = foreground.t + CHECK_EVERY_S
        now, then = (np.asarray(p, np.float32) for p in (foreground.yuv[0], self._background.empty[0]))
        (dx, dy), _ = cv2.phaseCorrelate(then, now, self._window)
        before, self._last = self._last, (dx, dy)
        step = self._background.lattice.step
        if float(np.hypot(dx, dy)) * step < BUMP_MM or before is None:
            return False
        return float(np.hypot(dx - before[0], dy - before[1])) * step < BUMP_MM
