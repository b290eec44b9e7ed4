"""Motion: where the board looks otherwise than a moment ago, and whether that is more than lamps and encoders stir."""

from __future__ import annotations

from collections import deque

import cv2

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
FLICKER_MM2, FLICKER_RATE = 500.0, 0.05
"""Smaller changes between strokes are averaged at this rate: what compression and lamps always stir is no motion."""


class Motion:
    """Compares each frame with one shortly before it."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._looks: deque[tuple[float, U8, Light]] = deque()
        self._flicker = 0.0

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
        """A frame at time t looks as the last one did."""
        self._looks.append((t, *self._looks[-1][1:]))

    def stirs(self, motion: Mask, scene: Scene, idle: bool) -> bool:
        """Whether anything on the board moves that is not a hand or right beside one; `idle` between strokes."""
        free = cv2.subtract(cv2.bitwise_and(motion, self._gate.inside), scene.near_hand)
        area = cv2.countNonZero(free) * self._gate.lattice.step**2
        if idle and area < FLICKER_MM2:
            self._flicker += FLICKER_RATE * (area - self._flicker)
        return area > STILL_MM2 + 2.5 * self._flicker
