"""Poses of the camera over time: the board appears elsewhere in the picture after the camera was pushed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from calibration.geometry.camera import Camera

POSE_LATE_S = 1.0
"""Greatest delay, in seconds, until a push is noticed by the base lines: two measurements of them must agree."""


@dataclass(frozen=True, slots=True, eq=False)
class CameraPose:
    """Span of time in which the camera stood still."""

    since: float | None
    """Seconds on the log's clock; None = since the start."""
    until: float | None
    """None = it stands so still."""
    camera: dict[str, Any]
    """OpenCV's camera model, as in the log's header."""

    def contains(self, t: float) -> bool:
        """Tells whether t lies in the span."""
        return (self.since is None or self.since <= t) and (self.until is None or t <= self.until)

    def meets(self, start: float, end: float) -> bool:
        """Tells whether the span overlaps that from `start` to `end`."""
        return (self.since is None or self.since <= end) and (self.until is None or start <= self.until)


class CameraPoses:
    """Collects the poses of the camera. Call `update` for each frame; `over` may be called by another thread."""

    def __init__(self) -> None:
        self._past: tuple[CameraPose, ...] = ()
        self._now: tuple[float | None, Camera] | None = None
        self._doubt = float("inf")

    def update(self, t: float, camera: Camera, doubt: float) -> None:
        """Records the camera that the vision uses at t.

        `doubt`: time (s) since which it may be wrong, else infinite.
        """
        since, before = self._now or (None, camera)
        if before is not camera:
            self._past = (*self._past, CameraPose(since, min(self._doubt, t - POSE_LATE_S), before.as_dict()))
            since = t
        self._now, self._doubt = (since, camera), doubt

    def over(self, start: float, end: float) -> tuple[CameraPose, ...]:
        """Returns the poses from `start` to `end` (s); empty if the camera did not move."""
        if self._now is None:
            return ()
        since, camera = self._now
        here = [pose for pose in (*self._past, CameraPose(since, None, camera.as_dict())) if pose.meets(start, end)]
        return () if len(here) == 1 and here[0].contains(start) and here[0].contains(end) else tuple(here)
