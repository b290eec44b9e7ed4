"""Whether the camera has moved against the board: the whole picture differs, and shifted it would fit."""

from __future__ import annotations

import cv2
import numpy as np

from referee.foreground.background import Gate, Sight
from referee.foreground.segmentation import Scene

UPSET_SHARE = 0.04
"""Share of the board that differs from the empty one, hands and known pieces apart, when all is out of place."""
SMEARED_SHARE = 0.02
"""So much of it is no patch of a disc's size but edges and prints. A break strews nothing but discs."""
CHECK_EVERY_S = 0.15
LEAST_SHIFT_MM = 1.5
SAME_SHIFT_MM = 1.0
"""Two measurements of a camera that has come to rest agree within this."""
LEAST_MATCH = 0.08
"""Share of the picture's energy that a real shift explains; unlike pictures give noise below this."""


class ShiftMeter:
    """Notices a bumped camera."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._window = cv2.createHanningWindow(gate.lattice.shape[::-1], cv2.CV_32F)
        self._board = cv2.countNonZero(gate.inside)
        """Cells of the playing surface."""
        self._next = 0.0
        self._last: tuple[float, float] | None = None

    def is_upset(self, sight: Sight, scene: Scene, explained: np.ndarray) -> bool:
        """Whether so much of the board differs that no stroke can be told."""
        if cv2.countNonZero(sight.solid) <= UPSET_SHARE * self._board:
            return False
        differs = cv2.bitwise_and(sight.solid, self._gate.inside)
        differs = cv2.bitwise_and(differs, cv2.bitwise_not(cv2.bitwise_or(scene.near_hand, explained)))
        share = cv2.countNonZero(differs) / self._board
        discs = sum(b.area_mm2 for b in scene.blobs) / (2 * self._gate.half) ** 2
        return share > UPSET_SHARE and share - discs > SMEARED_SHARE

    def has_moved(self, sight: Sight) -> bool:
        """Whether the board's picture has moved and now stands still."""
        if sight.t < self._next or self._gate.empty is None:
            return False
        self._next = sight.t + CHECK_EVERY_S
        now, then = (np.asarray(p, np.float32) for p in (sight.yuv[0], self._gate.empty[0]))
        (dx, dy), match = cv2.phaseCorrelate(then, now, self._window)
        before, self._last = self._last, (dx, dy)
        step = self._gate.lattice.step
        if match < LEAST_MATCH or float(np.hypot(dx, dy)) * step < LEAST_SHIFT_MM or before is None:
            return False
        return float(np.hypot(dx - before[0], dy - before[1])) * step < SAME_SHIFT_MM
