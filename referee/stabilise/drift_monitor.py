"""Slow and small changes that no piece shows: the lens loses its focus, the camera or the board is pushed aside."""

from __future__ import annotations

import math

from calibration.geometry.picture import Picture
from calibration.profile import Profile
from referee.stabilise.baseline_monitor import MarkMeter, MarkSight, Motion

EVERY_S = 0.2
"""Base lines are looked at this often."""
FOCUS_STEP = 0.12
"""A change of the edges' steepness by this share is told. Encoders and lamps change it by 0.08 at most; discs are still
placed and told apart well when they are half as steep, so people have time to see to it."""
NUDGED_MM = 0.6
"""A camera pushed by more than this over the base lines spoils placements near a limit."""
LEFT_MM = 1.0
"""A board found again lies at most this far from where its lines are seen: they were measured better at first."""
STOOD_S = 0.3
"""A camera that swings is seen to rest at the end of each swing; one that has been pushed rests for longer."""
SAME_MM = 0.2
"""Two looks at lines that rest agree within this."""

REST: Motion = (0.0, 0.0, 0.0)


class DriftWatch:
    """Looks at the base lines now and then; what two looks running agree upon is believed."""

    def __init__(self, profile: Profile, pictures: list[Picture]) -> None:
        self._meter = MarkMeter(profile, pictures)
        self._half = profile.board.half
        self._next = 0.0
        self._told = self._sharpest = 1.0
        self._before: MarkSight | None = None
        self._base: Motion | None = REST
        self.refocused: float | None = None
        """How sharp the picture is now against the sharpest, when the last look told that it has changed."""
        self.nudged = False
        """Whether the last two looks told that the board's picture rests elsewhere than before."""
        self.rested = 0.0
        """When it was last seen where it was."""

    @property
    def is_soft(self) -> bool:
        """Whether the picture was told to be less sharp than it can be."""
        return self._told < (1 - FOCUS_STEP) * self._sharpest

    def relocate(self, profile: Profile) -> None:
        """The board was found again under a camera that has moved; what lines are off by then is calibration's."""
        self._meter.relocate(profile.camera)
        self._before, self.nudged = None, False
        self._next, self._base = 0.0, None

    def look(self, picture: Picture, t: float, stood_s: float = math.inf) -> None:
        """Takes in the picture of time t, now and then, from a camera that has stood still for so long."""
        if t < self._next:
            self.refocused = None
            return
        self._next = t + EVERY_S
        now, before = self._meter.look(picture), self._before
        self._before, self.refocused, self.nudged = now, None, False
        if now is None or before is None:
            return
        self._notice_focus(before.sharpness, now.sharpness)
        if stood_s > STOOD_S:
            self._notice_motion(t, before.moved, now.moved)

    def _notice_focus(self, before: float, now: float) -> None:
        """Encoders take a while until still pictures are as sharp as they can be: that is no news."""
        low, high = min(before, now), max(before, now)
        is_soft = self.is_soft
        self._sharpest = max(self._sharpest, low)
        if high < (1 - FOCUS_STEP) * self._told or (is_soft and low > (1 + FOCUS_STEP) * self._told):
            self._told = now
            self.refocused = now / self._sharpest
        elif not is_soft:
            self._told = max(self._told, low)

    def _notice_motion(self, t: float, before: Motion | None, now: Motion | None) -> None:
        if before is None or now is None or self._apart(before, now) > SAME_MM:
            return
        if self._base is None:
            self._base = now if self._apart(REST, now) < LEFT_MM else REST
        self.nudged = self._apart(self._base, now) > NUDGED_MM
        if not self.nudged:
            self.rested = t

    def _apart(self, a: Motion, b: Motion) -> float:
        """How far (mm) two motions are apart at most at a cushion."""
        return math.hypot(b[0] - a[0], b[1] - a[1]) + abs(b[2] - a[2]) * self._half
