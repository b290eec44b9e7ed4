"""Motion: where the board looks otherwise than a moment ago, and whether that is more than lamps and encoders stir."""

from __future__ import annotations

from collections import deque

import cv2
import numpy as np

from calibration.picture import U8
from referee.detect.gate import Gate, Mask, Sight
from referee.detect.hands import Scene
from referee.detect.light import Light, relit

LAG_S = 0.1
"""Stillness is judged against the look this long before, so that a coin creeping to its rest is seen to move."""
REST_S = 0.15
"""Nothing moves freely for this long: the pieces rest."""
STILL_MM2 = 60.0
"""Changes of less area than this are noise."""
SPECK_CELLS = 3
"""Noise changes lattice cells alone or in pairs; the rim of a disc that moves changes so many side by side."""
FLICKER_MM2, FLICKER_RATE = 500.0, 0.05
"""Smaller changes between strokes are averaged at this rate: what compression and lamps always stir is no motion."""


class Motion:
    """Compares each frame with one shortly before it."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._looks: deque[tuple[float, U8, Light]] = deque()
        self._flicker = self._last = 0.0

    def forget(self) -> None:
        """The camera has moved: what was seen before tells nothing of motion."""
        self._looks.clear()

    def since(self, sight: Sight) -> Mask:
        """Where the board looks otherwise than a moment ago."""
        self._looks.append((sight.t, sight.yuv, sight.light))
        while len(self._looks) > 1 and self._looks[1][0] <= sight.t - LAG_S:
            self._looks.popleft()
        _, before, light = self._looks[0]
        return self._gate.differs(sight.yuv, relit(before, light, sight.light))

    def rest(self, t: float) -> None:
        """A frame at time t between strokes looks as the last one did, and as much stirs in it."""
        self._looks.append((t, *self._looks[-1][1:]))
        self._average(self._last)

    def stirs(self, motion: Mask, scene: Scene, idle: bool) -> bool:
        """Whether anything on the board moves that is not a hand or right beside one; `idle` between strokes."""
        free = np.asarray(cv2.subtract(cv2.bitwise_and(motion, self._gate.inside), scene.near_hand), np.uint8)
        area = cv2.countNonZero(_unspecked(free)) * self._gate.lattice.step**2
        self._last = area
        if idle:
            self._average(area)
        return area > STILL_MM2 + 2.5 * self._flicker

    def _average(self, area_mm2: float) -> None:
        if area_mm2 < FLICKER_MM2:
            self._flicker += FLICKER_RATE * (area_mm2 - self._flicker)


def _unspecked(mask: Mask) -> Mask:
    """A mask of 0 and 255 without the cells that have hardly another beside them."""
    beside = cv2.boxFilter(mask & 1, -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT)
    _, kept = cv2.threshold(beside, SPECK_CELLS - 1, 255, cv2.THRESH_BINARY)
    return np.asarray(cv2.bitwise_and(mask, kept), np.uint8)
