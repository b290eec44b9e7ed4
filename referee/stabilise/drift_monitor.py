"""Drift monitor: loss of focus, and small drifts, where somebody pushed the camera or the board."""

from __future__ import annotations

import math

from calibration.geometry.picture import Picture
from calibration.profile import Profile
from referee.stabilise.baseline_monitor import BaselineMonitor, BaselineReading, RigidMotion
from referee.stabilise.camera_shake import SWINGS_MM

DRIFT_EVERY_S = 0.2
"""Interval between measurements."""
FOCUS_STEP = 0.12
"""Relative change of the edges' steepness that is reported. Encoders and lamps change it by 0.08 at most. Discs are
still measured well at half the steepness, so people have time to act."""
DRIFTED_MM = 0.6
"""Displacement at the base lines that spoils placements near a limit."""


class DriftMonitor:
    """Watches the base lines. A change counts once two consecutive readings agree on it."""

    def __init__(self, profile: Profile, pictures: list[Picture]) -> None:
        self._meter = BaselineMonitor(profile, pictures)
        self._half = profile.board.half
        self._next = 0.0
        self._reported = self._sharpest = 1.0
        self._before: BaselineReading | None = None
        self._base: RigidMotion | None = (0.0, 0.0, 0.0)
        self.refocused: float | None = None
        """Sharpness relative to the sharpest, if the last reading found a change; else None."""
        self.drifted = False
        """Whether the last two readings agree that the board's picture rests elsewhere than before."""
        self.stands = False
        """Whether the last reading found the base lines, or most of them, where they were."""
        self.rested = 0.0
        """Time of the last reading without motion, s."""

    @property
    def is_soft(self) -> bool:
        """Tells whether the picture was reported as less sharp than it has been."""
        return self._reported < (1 - FOCUS_STEP) * self._sharpest

    def relocate(self, profile: Profile) -> None:
        """Follows a camera that has moved. The next offset of the lines is the calibration's and counts as zero."""
        self._meter.relocate(profile.camera)
        self._before, self.drifted, self.stands = None, False, False
        self._next, self._base = 0.0, None

    def watch(self, picture: Picture, t: float, swings: bool = False) -> None:
        """Measures the picture of time t if one is due; `swings`: whether the camera moved a moment ago."""
        if t < self._next:
            self.refocused = None
            return
        self._next = t + DRIFT_EVERY_S
        now, before = self._meter.measure(picture), self._before
        self._before, self.refocused, self.drifted = now, None, False
        self.stands = now is not None and self._base is not None and self._apart(self._base, now.moved) <= DRIFTED_MM
        if now is None or before is None:
            return
        self._notice_focus(before.sharpness, now.sharpness)
        if not swings:
            self._notice_motion(t, before.moved, now.moved)

    def _notice_focus(self, before: float, now: float) -> None:
        """Compares sharpness. A rise at the start is the encoder's and is not reported."""
        low, high = min(before, now), max(before, now)
        is_soft = self.is_soft
        self._sharpest = max(self._sharpest, low)
        if high < (1 - FOCUS_STEP) * self._reported or (is_soft and low > (1 + FOCUS_STEP) * self._reported):
            self._reported = now
            self.refocused = now / self._sharpest
        elif not is_soft:
            self._reported = max(self._reported, low)

    def _notice_motion(self, t: float, before: RigidMotion, now: RigidMotion) -> None:
        if self._apart(before, now) > SWINGS_MM:
            return
        if self._base is None:
            self._base = now
        self.drifted = self._apart(self._base, now) > DRIFTED_MM
        if not self.drifted:
            self.rested = t

    def _apart(self, a: RigidMotion, b: RigidMotion) -> float:
        """Returns the greatest difference (mm) of two motions at a cushion."""
        return math.hypot(b[0] - a[0], b[1] - a[1]) + abs(b[2] - a[2]) * self._half
