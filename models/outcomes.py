"""Outcomes of a stroke: what each one means, and the tables that cover every outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from models.terms import (
    SPECIAL_FOULS,
    Endgame,
    Fate,
    FoulName,
    Placer,
    Points,
    PutBackPlace,
    QueenFate,
    Turn,
    Verdict,
    WhatFell,
    Winner,
)


@dataclass(frozen=True, slots=True)
class Row:
    """Meaning of one outcome of a stroke."""

    turn: Turn
    law: str
    """Clause that says so; with `silent` the clause of another book that is followed."""
    penalty: int = 0
    """Penalty coins incurred (P1 of the matrix)."""
    own: Fate = Fate.STAY
    opponent: Fate = Fate.STAY
    queen: QueenFate = QueenFate.NONE
    place: PutBackPlace | None = None
    """Where this row's own and penalty coins go; if left out, as `dues` says."""
    opponent_place: PutBackPlace | None = None
    """Where the opponent's coins go; if left out, as `place`."""
    opponent_by: Placer | None = None
    """Who places the opponent's coins; if left out, as `dues` says."""
    replay: bool = False
    """The stroke does not count: what fell goes back where it lay and the player plays again."""
    silent: bool = False
    """Whether the book has no sentence for this. The ruling says so."""
    choice: Row | None = None
    """What the player may choose instead. The ruling follows this row and asks."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Meaning of a last coin for the board. Without winner and row the stroke is judged like any other."""

    winner: Winner = Winner.NOBODY
    law: str = ""
    """Clause that ends the board; a row names its own."""
    points: Points = Points.NONE
    flat: int = 0
    """Points for the winner in addition to the formula."""
    demand: int = 0
    """Further points that the winner may demand (ICF R75-R85)."""
    loses: int = 0
    """Points deducted from the loser."""
    loses_left: bool = False
    """The loser is also charged a point for each of the winner's coins left."""
    queen_given: bool = False
    """The queen that fell or waited for its cover is credited to the opponent of the player, who wins."""
    row: Row | None = None
    """Row that applies in place of the table's if nobody wins and the board goes on."""
    silent: bool = False
    ask: bool = False
    """Whether only the operator can decide. This ending is then proposed."""


_NO_ROWS: Mapping[WhatFell, Row] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class StrokeTable:
    """Meaning of a proper stroke, by the queen's part in it and by what fell."""

    rest: Mapping[WhatFell, Row]
    falls: Mapping[WhatFell, Row]
    cover: Mapping[WhatFell, Row]
    first: Mapping[WhatFell, Row] = field(default_factory=lambda: _NO_ROWS)
    """Outcomes with an own coin only; needed unless one own coin always covers the queen."""
    early: Mapping[WhatFell, Row] = field(default_factory=lambda: _NO_ROWS)
    """Outcomes without an own coin only; needed if an own coin must fall before the queen."""
    due: Mapping[WhatFell, Row] = field(default_factory=lambda: _NO_ROWS)
    """Needed if a due forbids the queen."""
    same_pocket: Mapping[WhatFell, Row] = field(default_factory=lambda: _NO_ROWS)
    """Outcomes with an own coin only; needed if the cover must fall into another pocket."""


_NO_ENDINGS: Mapping[Endgame, Ending] = MappingProxyType({})

PARTIAL = frozenset({"own_opponent", "own_off"})
"""Tables of endings that list only differences from `own`."""


@dataclass(frozen=True, slots=True)
class EndTable:
    """Meaning of a last coin: the player's own, the opponent's, or both by one stroke."""

    own: Mapping[Endgame, Ending]
    opponent: Mapping[Endgame, Ending]
    both: Mapping[Endgame, Ending]
    own_opponent: Mapping[Endgame, Ending] = field(default_factory=lambda: _NO_ENDINGS)
    """The player's own last coin with a coin of the opponent that is not his last; lines left out are as in `own`."""
    own_off: Mapping[Endgame, Ending] = field(default_factory=lambda: _NO_ENDINGS)
    """The player's own last coin while a coin or the striker left the board; lines left out are as in `own`."""
    queen: Ending | None = None
    """The queen as the last piece, which needs no cover, after the player's own coins; if left out, no board ends with
    it."""


@dataclass(frozen=True, slots=True)
class Improper:
    """Strokes with an infringement."""

    stroke: Row
    before_first: Row
    """Noticed before the first stroke of a turn, when nothing was played."""
    before_later: Row
    """Noticed before a later stroke of a turn."""
    queen_striker: Row | None = None
    """When the striker falls too and the queen fell with it or was waiting for its cover; if left out, as `stroke`."""


@dataclass(frozen=True, slots=True)
class FoulRule:
    """Verdict of the book on an infringement."""

    verdict: Verdict
    law: str
    silent: bool = False
    """Whether the book has no sentence for this. The verdict is that of `law`, another book's or common practice."""


WITH_OWN = frozenset(fell for fell in WhatFell if "own" in fell.split("_"))
WITHOUT_OWN = frozenset(WhatFell) - WITH_OWN


def gaps(where: str, wanted: AbstractSet[StrEnum], table: Mapping[Any, object]) -> Iterator[str]:
    """Yields the lines that `table` lacks of `wanted`, and those that it must not have."""
    missing, extra = sorted(wanted - table.keys()), sorted(table.keys() - wanted)
    if missing:
        yield f"{where} lacks {', '.join(missing)}"
    if extra:
        yield f"{where} cannot have {', '.join(extra)}"


def ending_gaps(where: str, table: EndTable) -> Iterator[str]:
    """Yields endings that are missing, that name no law, or that both end the board and play on."""
    for whose in fields(EndTable):
        if whose.name == "queen":
            continue
        entries: Mapping[Endgame, Ending] = getattr(table, whose.name)
        wanted = entries.keys() if whose.name in PARTIAL else frozenset(Endgame)
        yield from gaps(f"{where}.{whose.name}", wanted, entries)
        for endgame, ending in entries.items():
            if not (ending.law or ending.row):
                yield f"{where}.{whose.name}.{endgame}.law is missing"
            if ending.row and ending.winner is not Winner.NOBODY:
                yield f"{where}.{whose.name}.{endgame} cannot have both a winner and a row"


def every_ending(table: EndTable) -> Iterator[Ending]:
    """Yields all endings of a table."""
    for entries in (table.own, table.opponent, table.both, table.own_opponent, table.own_off):
        yield from entries.values()
    if table.queen:
        yield table.queen


def foul_gaps(fouls: Mapping[FoulName, FoulRule]) -> Iterator[str]:
    """Yields the infringements that a book does not mention."""
    return gaps("fouls", frozenset(FoulName) - SPECIAL_FOULS, fouls)
