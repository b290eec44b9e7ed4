"""Finds rule books by which boards or games could never end. Such books are refused when they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from models.outcomes import Ending, EndTable, Row, StrokeTable, every_ending
from models.terms import Endgame, Fate, Points, QueenFate, WhatFell, Winner

AFTER = (
    'name a winner, let a coin go back (own = "last" or a penalty), or let the queen be the last piece ([end.queen])'
)

TABLE_OF = {Endgame.FALLS: "falls", Endgame.FALLS_STRIKER: "falls", Endgame.COVER: "cover",
            Endgame.COVER_STRIKER: "cover"}  # fmt: skip
"""Table of strokes that judges an ending without winner and row; `rest` for every other ending."""

FELL = {
    ("own", False): WhatFell.OWN,
    ("own", True): WhatFell.STRIKER_OWN,
    ("own_off", False): WhatFell.OWN,
    ("own_off", True): WhatFell.STRIKER_OWN,
    ("opponent", False): WhatFell.OPPONENT,
    ("opponent", True): WhatFell.STRIKER_OPPONENT,
    ("both", False): WhatFell.OWN_OPPONENT,
    ("both", True): WhatFell.STRIKER_OWN_OPPONENT,
    ("own_opponent", False): WhatFell.OWN_OPPONENT,
    ("own_opponent", True): WhatFell.STRIKER_OWN_OPPONENT,
}
"""Pieces that fell, by the table of endings and whether the striker fell."""


@dataclass(frozen=True, slots=True)
class Course:
    """The parts of a race game's book that decide whether boards end."""

    stroke: StrokeTable
    end: EndTable
    off_penalty: int
    """Least penalty for a piece that leaves the board."""


def endless_race(course: Course) -> Iterator[str]:
    """Yields each way in which no board would end, or no game could be won."""
    end = course.end
    own = course.stroke.rest.get(WhatFell.OWN)
    if own and own.own is Fate.BACK:
        yield 'stroke.rest.own: own = "back" takes every own coin back: no board could ever end'
    if end.queen and end.queen.winner is Winner.NOBODY:
        yield "end.queen needs a winner"
    yield from _stuck(course)
    winning = [e for e in every_ending(end) if e.winner is not Winner.NOBODY]
    if not winning:
        yield "end: nobody wins with any last coin: no board could ever end"
    elif not any(e.points is not Points.NONE or e.flat or e.loses or e.loses_left for e in winning):
        yield "end: no ending gives points: no game could ever be won"
    elif end.queen is None and not _can_cover(course) and not _wins(end.own.get(Endgame.BOARD)):
        yield "stroke: nothing covers the queen, and the last coin does not end the board before: none could ever end"


def endless_collecting(rest: Mapping[WhatFell, Row], values: tuple[int, ...], limits: tuple[int, ...]) -> Iterator[str]:
    """Yields the same for a collecting game; `limits` are target points and boards."""
    own = rest.get(WhatFell.OWN)
    if own and own.own is Fate.BACK:
        yield 'stroke.rest.own: own = "back" takes every coin back: no board could ever end'
    if not any(values):
        yield "values are all 0: no game could ever be won"
    if not any(limits):
        yield "match.target_points and match.max_boards must not both be 0: no game would ever end"


def _stuck(course: Course) -> Iterator[str]:
    """Yields the endings after which a side has no coin left and the board goes on."""
    end = course.end
    if end.queen is not None:
        return
    for name in ("own", "opponent", "both", "own_opponent", "own_off"):
        entries: Mapping[Endgame, Ending] = getattr(end, name)
        for endgame, ending in entries.items():
            row = ending.row or _row(course.stroke, name, endgame)
            if row and ending.winner is Winner.NOBODY and _stays(name, row, course.off_penalty):
                yield f"end.{name}.{endgame}: the last coin stays pocketed and the board goes on without end: {AFTER}"


def _row(stroke: StrokeTable, name: str, endgame: Endgame) -> Row | None:
    table: Mapping[WhatFell, Row] = getattr(stroke, TABLE_OF.get(endgame, "rest"))
    return table.get(FELL[name, endgame.endswith("_striker")])


def _stays(name: str, row: Row, off_penalty: int) -> bool:
    """Tells whether all coins of a side stay pocketed."""
    penalty = row.penalty + (off_penalty if name == "own_off" else 0)
    own = name != "opponent" and row.own is Fate.STAY and not penalty
    opponent = name in ("opponent", "both") and row.opponent is Fate.STAY
    return own or opponent


def _can_cover(course: Course) -> bool:
    rows = [*course.stroke.falls.values(), *course.stroke.cover.values(), *course.stroke.first.values()]
    endings = (course.end.own.get(Endgame.FALLS), course.end.own.get(Endgame.COVER))
    return any(r.queen in (QueenFate.COVERED, QueenFate.GIVEN) for r in rows) or any(map(_wins, endings))


def _wins(ending: Ending | None) -> bool:
    return ending is not None and ending.winner is not Winner.NOBODY
