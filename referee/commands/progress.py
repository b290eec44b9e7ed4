"""A line on the terminal that says how far a recording has been refereed."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from referee.log import Line
from referee.pipeline.run_match import NoAudience

PROGRESS_EVERY_S = 0.5
"""Time between two updates of the line, s."""
CLEAR = "\r\x1b[K"


class ProgressLine(NoAudience):
    """An audience that writes its line to standard error, if that is a terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._strokes = 0
        self._next = 0.0
        self._begun = time.monotonic()

    def __enter__(self) -> Self:
        self._write("looking for the board")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        if self._shown:
            print(CLEAR, end="", file=sys.stderr, flush=True)

    def on_line(self, line: Line) -> None:
        self._strokes += line["type"] == "stroke"

    def at(self, t: float) -> bool:
        """Shows that the recording is refereed up to `t` (s); returns False, since it stops nothing."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + PROGRESS_EVERY_S
            pace = t / max(now - self._begun, PROGRESS_EVERY_S)
            strokes = f"{self._strokes} stroke" + ("" if self._strokes == 1 else "s")
            self._write(f"{t:.0f} s refereed, {strokes}, {pace:.1f} times as fast as played; Ctrl-C ends")
        return False

    def _write(self, text: str) -> None:
        if self._shown:
            print(f"{CLEAR}{text}", end="", file=sys.stderr, flush=True)
