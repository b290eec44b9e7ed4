"""A recording at the speed at which it happened, for `referee run FILE`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Self

from referee.frames.frame import Frame, Source


class Paced:
    """Gives each frame of another source not before its time; never skips one, so it may fall behind and catch up."""

    live = False

    def __init__(self, source: Source, *, clock: Callable[[], float] = time.monotonic,
                 wait: Callable[[float], None] = time.sleep) -> None:  # fmt: skip
        """`clock` gives seconds from any origin, `wait` returns after so many seconds."""
        self._source, self._clock, self._wait = source, clock, wait

    @property
    def name(self) -> str:
        return self._source.name

    @property
    def fps(self) -> float | None:
        return self._source.fps

    def __enter__(self) -> Self:
        self._source.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self._source.__exit__(kind, error, trace)

    def __iter__(self) -> Iterator[Frame]:
        start: float | None = None
        for frame in self._source:
            if start is None:
                start = self._clock() - frame.t
            ahead = start + frame.t - self._clock()
            if ahead > 0:
                self._wait(ahead)
            yield frame
