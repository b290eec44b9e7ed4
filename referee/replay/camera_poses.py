"""Where the camera stood when: one that is pushed aside shows the board elsewhere before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from calibration.geometry.camera import Camera

POSE_LATE_S = 1.0
"""A push is noticed at most so late by the base lines, of which two looks must agree."""


@dataclass(frozen=True, slots=True, eq=False)
class CameraPose:
    """A time through which the camera stood still."""

    since: float | None
    """Seconds on the log's clock; None = from the beginning."""
    until: float | None
    """None = it stands there yet."""
    camera: dict[str, Any]
    """How it stood: OpenCV's model as in the log's header."""

    def holds(self, t: float) -> bool:
        """Whether the camera stood so at t."""
        return (self.since is None or self.since <= t) and (self.until is None or t <= self.until)

    def meets(self, start: float, end: float) -> bool:
        """Whether it stood so at any time from `start` to `end`."""
        return (self.since is None or self.since <= end) and (self.until is None or start <= self.until)


class CameraPoses:
    """Call `see` for each frame; `over` may be asked by another thread."""

    def __init__(self) -> None:
        self._past: tuple[CameraPose, ...] = ()
        self._now: tuple[float | None, Camera] | None = None
        self._doubt = float("inf")

    def see(self, t: float, camera: Camera, doubt: float) -> None:
        """The vision takes the camera to stand so at t; `doubt` is since when that may be wrong, infinite when not."""
        since, before = self._now or (None, camera)
        if before is not camera:
            self._past = (*self._past, CameraPose(since, min(self._doubt, t - POSE_LATE_S), before.as_dict()))
            since = t
        self._now, self._doubt = (since, camera), doubt

    def over(self, start: float, end: float) -> tuple[CameraPose, ...]:
        """How it stood from `start` to `end` (s); empty where it did not move."""
        if self._now is None:
            return ()
        since, camera = self._now
        here = [pose for pose in (*self._past, CameraPose(since, None, camera.as_dict())) if pose.meets(start, end)]
        return () if len(here) == 1 and here[0].holds(start) and here[0].holds(end) else tuple(here)
