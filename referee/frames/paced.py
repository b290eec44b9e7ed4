"""Plays a recording at its original speed, for `referee run FILE`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from referee.frames.frame import Frame, Source
from referee.frames.source_wrapper import ForwardingSource

MOST_AHEAD_S = 2.0
"""Time (s) by which a frame may be ahead; beyond it time stamps jumped or the camera paused."""


class PacedSource(ForwardingSource):
    """Yields each frame of another source at its time or later; never skips one, so it may fall behind and catch up."""

    def __init__(self, source: Source, *, clock: Callable[[], float] = time.monotonic,
                 wait: Callable[[float], None] = time.sleep) -> None:  # fmt: skip
        """`clock` returns seconds from any origin; `wait` returns after the given seconds."""
        super().__init__(source)
        self._clock, self._wait = clock, wait
        self.behind_s = 0.0
        """Delay of the last frame behind its time (s)."""

    @property
    def live(self) -> bool:
        return False

    def __iter__(self) -> Iterator[Frame]:
        start: float | None = None
        for frame in self._source:
            if start is None:
                start = self._clock() - frame.t
            ahead = start + frame.t - self._clock()
            self.behind_s = max(0.0, -ahead)
            if ahead > MOST_AHEAD_S:
                # A jump of the time stamps is skipped, since nobody wants to wait for it.
                start -= ahead
            elif ahead > 0:
                self._wait(ahead)
            yield frame
