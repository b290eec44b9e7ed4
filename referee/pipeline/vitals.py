"""Health of the vision process: frames judged and lost, delay of the judging, and state of the camera."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any

from referee.board_condition.condition import as_dict
from referee.frames.frame import SIMULATOR, ReportsCondition, Source
from referee.frames.paced import PacedSource
from referee.log import Line
from referee.pipeline.frame_referee import FrameReferee
from referee.replay.retention import MEGABYTE
from referee.setup.verdict import mm_per_px

VITALS_EVERY_S = 2.0
"""Interval of `health` messages, in seconds."""
OVER_S = 10.0
"""Time over which rates and delays are computed, in seconds."""
PROMPT_OVER_S = 60.0
"""Time, in seconds, whose promptest frame is the reference of delays; clocks drift by less than a frame in it."""
DRIFT = 1e-4
"""Greatest relative drift between a camera's clock and the computer's: crystals keep 50 parts in a million each."""


class CameraState(StrEnum):
    """State of the camera, as far as its process knows it."""

    STARTING = "starting"
    JUDGING = "judging"
    AWAY = "away"
    """It gives no pictures; the process waits for it."""
    NO_BOARD = "no_board"
    """It gives pictures in which no board is found; the process waits for one."""
    NO_LOG = "no_log"
    """It may give pictures, but the match log cannot be written; the process waits for space on the disk."""
    SET_UP = "set_up"
    """A set-up is under way, so nothing is judged."""
    ENDED = "ended"


class Vitals:
    """An audience that publishes a `health` message every two seconds, and at once when the camera's state changes.

    A frame's delay counts from its exposure, less the constant part that the promptest frame of the last minute has too
    (readout, transport, and judging of a frame on which nothing happens): sources do not report that part.
    """

    def __init__(self, publish: Callable[[dict[str, Any]], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._publish, self._clock = publish, clock
        self._source: dict[str, Any] = {"source": None, "nominal_fps": None, "log": None, "mm_per_px": None}
        self._camera: ReportsCondition | None = None
        self._frames: deque[tuple[float, float, int]] = deque()
        """Frames of the last minute: time of judging, lateness against its own time (s), number of frames lost before
        it."""
        self._judged = self._lost = self._counted = self._unrecorded = 0
        """Frames judged and lost since the process began, lost ones already counted of the present `FrameReferee`, and
        frames missing from its recording."""
        self._paced: PacedSource | None = None
        self._least: float | None = None
        """Least lateness of a frame since the match began (s), increased by the possible drift of the clocks."""
        self._passport: dict[str, Any] = {}
        self._troubles: list[str] = []
        self._next = float("-inf")
        self._called: float | None = None
        self._ruling_s: float | None = None

    def began(self, source: Source, frame_referee: FrameReferee, log: Path) -> None:
        self._camera = source if isinstance(source, ReportsCondition) else None
        self._paced, self._least = source if isinstance(source, PacedSource) else None, None
        scale = None if source.name == SIMULATOR else round(mm_per_px(frame_referee.seeing.profile), 2)
        self._source = {"source": source.name, "nominal_fps": source.fps, "log": str(log), "mm_per_px": scale}
        self._frames.clear()
        self._called, self._counted = None, 0

    def on_line(self, line: Line) -> None:
        if line["type"] == "stroke":
            self._called = line["t_called"]
        elif line["type"] == "ruling" and self._called is not None and self._frames:
            self._ruling_s = round(self._clock() - self._called - self._promptest(), 4)
            self._called = None

    def on_frame(self, frame_referee: FrameReferee) -> None:
        now = self._clock()
        lost, self._counted = frame_referee.dropped - self._counted, frame_referee.dropped
        self._troubles = sorted(kind.value for kind in frame_referee.troubles)
        self._unrecorded, self._passport = frame_referee.unrecorded, as_dict(frame_referee.passport)
        self._judged, self._lost = self._judged + 1, self._lost + lost
        since = now - self._frames[-1][0] if self._frames else 0.0
        self._least = min(
            now - frame_referee.t, now - frame_referee.t if self._least is None else self._least + DRIFT * since
        )
        self._frames.append((now, now - frame_referee.t, lost))
        while self._frames[0][0] < now - PROMPT_OVER_S:
            self._frames.popleft()
        if now >= self._next:
            self._report(CameraState.JUDGING)

    def ended(self, frame_referee: FrameReferee, whole: bool) -> None:
        self._report(CameraState.ENDED if whole else CameraState.AWAY)

    def waits(self, state: CameraState, why: str) -> None:
        """Publishes why nothing can be judged now."""
        self._report(state, why)

    def _report(self, state: CameraState, why: str | None = None) -> None:
        now = self._clock()
        self._next = now + VITALS_EVERY_S
        recent = [frame for frame in self._frames if frame[0] >= now - OVER_S]
        self._publish({"type": "health", "camera": state.value, "why": why, **self._source, **self._rates(recent),
                       "ruling_s": self._ruling_s, "frames": self._judged, "lost": self._lost,
                       "troubles": self._troubles,
                       "unrecorded": self._unrecorded,
                       "passport": self._passport,
                       "condition": self._camera.condition if self._camera else {},
                       "memory_mb": memory_mb()})  # fmt: skip

    def _rates(self, recent: list[tuple[float, float, int]]) -> dict[str, Any]:
        lost = sum(frame[2] for frame in recent)
        span = recent[-1][0] - recent[0][0] if len(recent) > 1 else 0.0
        behind = sorted(frame[1] for frame in recent)
        prompt = self._promptest() if recent else 0.0
        middle, worst = (behind[len(behind) // 2], behind[-1]) if behind else (None, None)
        return {
            "fps": round((len(recent) - 1) / span, 2) if span else None,
            "lost_share": round(lost / (lost + len(recent)), 4) if recent else None,
            "behind_s": self._behind(recent),
            "delay_s": None if middle is None else round(middle - prompt, 4),
            "delay_worst_s": None if worst is None else round(worst - prompt, 4),
        }

    def _behind(self, recent: list[tuple[float, float, int]]) -> float | None:
        """Returns the delay (s) of the judging behind the pace of a recording.

        For a camera it is the growth of the delay since the match began.
        """
        if not recent or self._least is None:
            return None
        if self._paced is not None:
            return round(self._paced.behind_s, 1)
        return round(recent[-1][1] - self._least, 1)

    def _promptest(self) -> float:
        return min(frame[1] for frame in self._frames)


def memory_mb() -> int | None:
    """Returns the memory that this process holds (MB); None where Linux does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") // MEGABYTE
