"""A recording at the speed at which it happened, for `referee run FILE`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from referee.frames.frame import Frame, Source
from referee.frames.source_wrapper import Passed

LEAP_S = 2.0
"""A frame this far ahead (s) comes of stamps that jump, or of a camera that paused."""


class Paced(Passed):
    """Gives each frame of another source not before its time; never skips one, so it may fall behind and catch up."""

    def __init__(self, source: Source, *, clock: Callable[[], float] = time.monotonic,
                 wait: Callable[[float], None] = time.sleep) -> None:  # fmt: skip
        """`clock` gives seconds from any origin, `wait` returns after so many seconds."""
        super().__init__(source)
        self._clock, self._wait = clock, wait
        self.behind_s = 0.0
        """How much later than its time the last frame was given (s)."""

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
            if ahead > LEAP_S:
                # Stamps that jump are no pause that anybody wants to sit through.
                start -= ahead
            elif ahead > 0:
                self._wait(ahead)
            yield frame
