"""Whether the referee judges what it sees: people pause a match, go on with it, and end it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from referee.log.line import Line, LineError


class Running(StrEnum):
    """How far a match is; each change is one line of the log."""

    PLAYING = "playing"
    PAUSED = "paused"
    """What happens on the board counts for nothing."""
    ENDED = "ended"
    """As paused, and nobody means to go on."""


def running_line(state: Running, t: float | None, by: str, wall: float | None, mark: str) -> Line:
    """The line that says so; `mark` is the id by which its sender knows it again."""
    time = None if t is None else round(t, 4)
    return {"type": "running", "t": time, "state": state.value, "by": by, "id": mark, "wall": wall}


def running_of(line: Mapping[str, Any]) -> Running:
    """What a running line says; raises LineError."""
    try:
        return Running(line["state"])
    except (KeyError, ValueError):
        raise LineError(f"a running line says {line.get('state')!r}") from None
