"""Waits for a camera that disappeared, a board that is not found or a full disk, while everything else goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from calibration.calibrate import CalibrationError
from calibration.profile import Profile
from referee.frames.frame import Source, SourceError
from referee.log import DiskRefused, Line
from referee.pipeline.frame_referee import FrameReferee
from referee.seeing import Seeing

PAUSES_S = (1.0, 2.0, 4.0, 8.0)
"""Pauses between attempts, s; the last one repeats. Each attempt calibrates from new pictures, which costs seconds."""
PATIENCE_POLL_S = 0.1
"""Interval at which it checks for a request to end, s."""

Trouble = SourceError | CalibrationError | DiskRefused


class RetryPolicy:
    """Decides what to wait for, and waits. It is an audience, since only a source that has delivered once is waited
    for.
    """

    def __init__(self, report: Callable[[Trouble], None], ending: Callable[[], bool], from_the_start: bool = False,
                 sleep: Callable[[float], None] = time.sleep) -> None:  # fmt: skip
        """`report` is called once with the reason for waiting. `ending` is polled. `from_the_start` waits before any
        frame too.
        """
        self._report, self._ending, self._sleep = report, ending, sleep
        self._waits = from_the_start
        self._attempt, self._reported = 0, ""
        self._seeing: Seeing | None = None

    @property
    def profile(self) -> Profile | None:
        """The last known board; None before it was ever found."""
        return self._seeing.watch.profile if self._seeing is not None else None

    def began(self, source: Source, frame_referee: FrameReferee, log: Path) -> None:
        self._waits = source.live or self._waits
        self._seeing = frame_referee.seeing

    def on_line(self, line: Line) -> None:
        return

    def on_frame(self, frame_referee: FrameReferee) -> None:
        self._attempt, self._reported = 0, ""

    def ended(self, frame_referee: FrameReferee, whole: bool) -> None:
        return

    def forget_board(self) -> None:
        """Forgets the last known board, which is no longer valid."""
        self._seeing = None

    def wait(self, trouble: Trouble, sooner: Callable[[], bool] | None = None) -> bool:
        """Pauses before the next attempt, at most until `sooner()` is true; False if the command is to end instead.

        Raises `trouble` if it is not to be waited for.
        """
        if not self._waits:
            raise trouble
        pause = PAUSES_S[min(self._attempt, len(PAUSES_S) - 1)]
        self._attempt += 1
        if str(trouble) != self._reported:
            self._reported = str(trouble)
            self._report(trouble)
        for _ in range(round(pause / PATIENCE_POLL_S)):
            if self._ending():
                return False
            if sooner is not None and sooner():
                return True
            self._sleep(PATIENCE_POLL_S)
        return not self._ending()
