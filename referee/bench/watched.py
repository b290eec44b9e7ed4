"""A source that times how long its frames take to arrive and to be processed, beside yardsticks on the same frames."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from referee.bench.yardsticks import Yardstick, Yardsticks, i420
from referee.frames.frame import Frame, Source
from referee.frames.source_wrapper import ForwardingSource
from referee.seeing import FIRST_FRAMES

Around = Callable[[int], AbstractContextManager[object]]
"""A context entered while a frame, given by its number, is processed: a profiler."""


@dataclass(slots=True)
class FrameTimes:
    """Time by purpose, s."""

    decoding: float = 0.0
    ready: float = 0.0
    """Calibration and the first frames."""
    seeing: list[float] = field(default_factory=list)
    """Each later frame, from its delivery to the request for the next."""
    yardsticks: dict[Yardstick, list[float]] = field(default_factory=lambda: {y: [] for y in Yardstick})


class TimedSource(ForwardingSource):
    """Passes on a source's frames and times them. The referee does all its work on a frame before it requests
    the next.
    """

    def __init__(self, source: Source, yardsticks: Yardsticks | None = None, every: int = 1,
                 around: Around | None = None) -> None:  # fmt: skip
        super().__init__(source)
        self._yardsticks, self._every = yardsticks, every
        self._around = around or (lambda index: nullcontext())
        self.spent = FrameTimes()

    def __iter__(self) -> Iterator[Frame]:
        frames, mark = iter(self._source), time.perf_counter()
        while (frame := next(frames, None)) is not None:
            self.spent.decoding += time.perf_counter() - mark
            if self._yardsticks is not None and frame.index % self._every == 0:
                for name, seconds in self._yardsticks.seconds(i420(frame.picture)).items():
                    self.spent.yardsticks[name].append(seconds)
            with self._around(frame.index):
                start = time.perf_counter()
                yield frame
                mark = time.perf_counter()
            self._note(frame.index, mark - start)

    def _note(self, index: int, seconds: float) -> None:
        """Books a frame's time. The first frames are collected, calibrated at the last of them, and then processed
        together.
        """
        if index < FIRST_FRAMES:
            self.spent.ready += seconds
        else:
            self.spent.seeing.append(seconds)
