"""State of a match as set by people: playing, paused or ended. Only while playing is it judged."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from referee.log.line import Line, LineError


class Running(StrEnum):
    """State of a match; each change is one line of the log."""

    PLAYING = "playing"
    PAUSED = "paused"
    """Nothing that happens on the board counts."""
    ENDED = "ended"
    """As paused, with no intention to go on."""


def running_line(state: Running, t: float | None, by: str, wall: float | None, mark: str) -> Line:
    """Returns the log line of a change of state. `mark`: id by which its sender recognises it; `wall`: Unix seconds."""
    time = None if t is None else round(t, 4)
    return {"type": "running", "t": time, "state": state.value, "by": by, "id": mark, "wall": wall}


def running_of(line: Mapping[str, Any]) -> Running:
    """Returns the state in a running line; raises LineError."""
    try:
        return Running(line["state"])
    except (KeyError, ValueError):
        raise LineError(f"a running line says {line.get('state')!r}") from None
