"""Motion detection: where the board differs from a moment ago by more than lamps and encoders explain."""

from __future__ import annotations

from collections import deque
from statistics import median_high

import cv2
import numpy as np

from calibration.geometry.picture import U8
from referee.foreground.background import BackgroundModel, ForegroundFrame, Mask
from referee.foreground.illumination import Illumination, relit
from referee.foreground.noise import unspecked
from referee.foreground.segmentation import Segmentation

LAG_S = 0.1
"""Age of the frame compared with, so that a coin creeping to rest counts as moving."""
REST_S = 0.13
"""Time without free motion after which the pieces rest."""
STILL_MM2 = 60.0
"""Area of change below which it is noise."""
FLICKER_MM2, FLICKER_LAST = 500.0, 64
"""Greatest area of the permanent flicker of lamps and compression, and the comparisons between strokes whose median it
is: hands set things in motion then, with pauses."""
PLAINLY_MM2, TOGETHER_MM = 700.0, 60.0
"""Area that is motion wherever it is; and side of the square that holds a single disc's change. An encoder's key frame
changes cells all over the board.
"""


def are_at_rest(since: float, t: float) -> bool:
    """Tells whether the pieces rest at t if nothing has moved freely since a time (s)."""
    return t - since >= REST_S


def moment_of(t: float) -> float:
    """Returns the time of a motion that the comparison at t shows: the middle between its two frames."""
    return t - LAG_S / 2


class MotionDetector:
    """Compares each frame with one `LAG_S` before it."""

    def __init__(self, background: BackgroundModel) -> None:
        self._background = background
        self._recent: deque[tuple[float, U8, Illumination]] = deque()
        self._areas: deque[float] = deque([0.0] * FLICKER_LAST, maxlen=FLICKER_LAST)
        """Areas of change at the last comparisons between strokes, mm2."""

    def forget(self) -> None:
        """Drops earlier frames: the camera has moved."""
        self._recent.clear()

    def add(self, foreground: ForegroundFrame) -> None:
        """Adds a frame."""
        self._recent.append((foreground.t, foreground.yuv, foreground.light))
        while len(self._recent) > 1 and self._recent[1][0] <= foreground.t - LAG_S:
            self._recent.popleft()

    def repeat_last(self, t: float) -> None:
        """Repeats the last frame at t: nothing new between strokes."""
        self._recent.append((t, *self._recent[-1][1:]))
        self._areas.append(self._areas[-1])

    def since(self) -> Mask:
        """Returns cells that differ from a moment ago, in the present light."""
        (_, before, then), (_, now, light) = self._recent[0], self._recent[-1]
        return self._background.differs(now, relit(before, then, light))

    def stirs(self, motion: Mask, scene: Segmentation) -> bool:
        """Tells whether anything moves on the board between strokes, apart from hands."""
        self._areas.append(self._area(unspecked(self._free(motion, scene, self._background.inside))))
        return self._areas[-1] > self._least

    def goes_on(self, scene: Segmentation) -> bool:
        """Tells whether anything moves on the board during a stroke, apart from hands.

        Pockets are left out, because fallen discs move there.
        """
        return self._is_enough(unspecked(self._free(self.since(), scene, self._background.surface)))

    def _is_enough(self, moved: Mask) -> bool:
        """Tells whether the moved cells have a disc's area within a disc's extent."""
        area, least = self._area(moved), self._least
        if area <= least or area > PLAINLY_MM2:
            return area > least
        side = round(TOGETHER_MM / self._background.lattice.step)
        sums = cv2.boxFilter(moved & 1, cv2.CV_32F, (side, side), normalize=False, borderType=cv2.BORDER_CONSTANT)
        return float(sums.max()) * self._background.lattice.step**2 > least

    def _free(self, motion: Mask, scene: Segmentation, within: Mask) -> Mask:
        """Returns the motion `within` a mask, apart from hands."""
        return np.asarray(cv2.subtract(cv2.bitwise_and(motion, within), scene.near_hand), np.uint8)

    def _area(self, moved: Mask) -> float:
        """Returns the area of a mask, mm2."""
        return cv2.countNonZero(moved) * self._background.lattice.step**2

    @property
    def _least(self) -> float:
        """Least area of change that is motion, mm2."""
        return STILL_MM2 + 2.5 * min(FLICKER_MM2, median_high(self._areas))
