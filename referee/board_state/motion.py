"""Motion: where the board looks otherwise than a moment ago, and whether that is more than lamps and encoders stir."""

from __future__ import annotations

from collections import deque

import cv2
import numpy as np

from calibration.geometry.picture import U8
from referee.foreground.background import Gate, Mask, Sight
from referee.foreground.illumination import Light, relit
from referee.foreground.segmentation import Scene

LAG_S = 0.1
"""Stillness is judged against the look this long before, so that a coin creeping to its rest is seen to move."""
REST_S = 0.13
"""Nothing moves freely for this long: the pieces rest."""
STILL_MM2 = 60.0
"""Changes of less area than this are noise."""
SPECK_CELLS = 3
"""Noise changes lattice cells alone or in pairs; the rim of a disc that moves changes so many side by side."""
FLICKER_MM2, FLICKER_RATE = 500.0, 0.05
"""Smaller changes between strokes are averaged at this rate: what compression and lamps always stir is no motion."""
PLAINLY_MM2, TOGETHER_MM = 700.0, 60.0
"""More than a coin's area is motion wherever it is; less lies within a square of this side if it is one disc's: what an
encoder's new whole picture stirs is spread over the board.
"""
BANDS = 4
"""Parts of the board, one of which tells of most of the motion in a stroke."""
ALL = slice(None)


class Motion:
    """Compares each frame with one shortly before it."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._looks: deque[tuple[float, U8, Light]] = deque()
        self._flicker = self._last = 0.0
        rows = gate.lattice.shape[0]
        self._bands = [slice(i * rows // BANDS, (i + 1) * rows // BANDS) for i in range(BANDS)]
        self._busy = self._bands[0]
        """The rows in which most was last seen to move."""

    def forget(self) -> None:
        """The camera has moved: what was seen before tells nothing of motion."""
        self._looks.clear()

    def take(self, sight: Sight) -> None:
        """A frame looked at."""
        self._looks.append((sight.t, sight.yuv, sight.light))
        while len(self._looks) > 1 and self._looks[1][0] <= sight.t - LAG_S:
            self._looks.popleft()

    def rest(self, t: float) -> None:
        """A frame at time t between strokes looks as the last one did, and as much stirs in it."""
        self._looks.append((t, *self._looks[-1][1:]))
        self._average(self._last)

    def since(self) -> Mask:
        """Where the board looks otherwise than a moment ago."""
        return self._gate.differs(*self._compared())

    def stirs(self, motion: Mask, scene: Scene) -> bool:
        """Whether between strokes anything on the board moves that is not a hand or right beside one."""
        self._last = self._area(_unspecked(self._free(motion, scene, self._gate.inside)))
        self._average(self._last)
        return self._last > self._least

    def goes_on(self, scene: Scene) -> bool:
        """The same during a stroke, but for what stirs in a pocket, where discs have fallen.

        It is looked first where most moved last, and there mostly enough does.
        """
        now, before = self._compared()
        there = self._gate.differs(now[:, self._busy], before[:, self._busy])
        if self._is_enough(_unspecked(self._free(there, scene, self._gate.surface, self._busy))):
            return True
        free = self._free(self._gate.differs(now, before), scene, self._gate.surface)
        self._busy = max(self._bands, key=lambda rows: cv2.countNonZero(free[rows]))
        moved = _unspecked(free)
        self._last = self._area(moved)
        return self._is_enough(moved)

    def _is_enough(self, moved: Mask) -> bool:
        """Whether so much has moved, and so near together, that it is a disc."""
        area = self._area(moved)
        if area <= self._least or area > PLAINLY_MM2:
            return area > self._least
        side = round(TOGETHER_MM / self._gate.lattice.step)
        sums = cv2.boxFilter(moved & 1, cv2.CV_32F, (side, side), normalize=False, borderType=cv2.BORDER_CONSTANT)
        return float(sums.max()) * self._gate.lattice.step**2 > self._least

    def _compared(self) -> tuple[U8, U8]:
        """The last look, and the one before it as it would be in the same light."""
        (_, before, then), (_, now, light) = self._looks[0], self._looks[-1]
        return now, relit(before, then, light)

    def _free(self, motion: Mask, scene: Scene, within: Mask, rows: slice = ALL) -> Mask:
        """What of the motion in some rows lies `within` a mask and is neither a hand nor right beside one."""
        there = cv2.bitwise_and(motion, within[rows])
        return np.asarray(cv2.subtract(there, scene.near_hand[rows]), np.uint8)

    def _area(self, moved: Mask) -> float:
        """How much (mm2) a mask without specks covers; those at the edge of a part of the board may be more."""
        return cv2.countNonZero(moved) * self._gate.lattice.step**2

    @property
    def _least(self) -> float:
        """More area (mm2) than this that looks otherwise is motion."""
        return STILL_MM2 + 2.5 * self._flicker

    def _average(self, area_mm2: float) -> None:
        if area_mm2 < FLICKER_MM2:
            self._flicker += FLICKER_RATE * (area_mm2 - self._flicker)


def _unspecked(mask: Mask) -> Mask:
    """A mask of 0 and 255 without the cells that have hardly another beside them."""
    beside = cv2.boxFilter(mask & 1, -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT)
    _, kept = cv2.threshold(beside, SPECK_CELLS - 1, 255, cv2.THRESH_BINARY)
    return np.asarray(cv2.bitwise_and(mask, kept), np.uint8)
