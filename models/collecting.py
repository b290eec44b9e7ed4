"""A rule book of a collecting game: every coin counts for whoever pockets it, no colour belongs to anybody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from models.endless import endless_collecting
from models.outcomes import FoulRule, Improper, Row, foul_gaps, gaps
from models.rulebook import Break, Dues, MatchRules, NoLeave, OffBoardRule, SeatingRule, number_problems
from models.terms import COINS_PER_SIDE, FoulName, Limit, Occupied, Placer, PutBackPlace, QueenFate, WhatFell

COLLECTED = frozenset({WhatFell.NOTHING, WhatFell.OWN, WhatFell.STRIKER, WhatFell.STRIKER_OWN})
"""What can fall where every coin is the player's own."""
MAX_PLAYERS = 4


@dataclass(frozen=True, slots=True)
class Values:
    """Points of a coin for the player who pockets it (row A9)."""

    white: int
    black: int
    queen: int
    """For the player who covers it, or at once where the book has no cover (rows A6, A8)."""


@dataclass(frozen=True, slots=True)
class CollectQueen:
    """How the queen is covered and put back."""

    place: PutBackPlace
    placed_by: Placer
    occupied: Occupied
    uncovered_law: str
    """The law that puts an uncovered queen back."""
    last_law: str
    """Why a queen counts that no coin is left to cover (X25)."""
    last_free: bool = False
    """The book itself lets the queen be the last piece, without a cover; false: the operator decides."""
    needs_own_first: bool = False
    """A coin must have been pocketed on this board before, by the player or his partner; `stroke.early` says what else
    follows."""
    uncovered_points: int = 0
    """Points that a player loses whose cover fails, at once."""


_NO_ROWS: Mapping[WhatFell, Row] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CollectTable:
    """What a proper stroke means, by the queen's part in it; a coin of either colour is `own`."""

    rest: Mapping[WhatFell, Row]
    falls: Mapping[WhatFell, Row]
    cover: Mapping[WhatFell, Row] = field(default_factory=lambda: _NO_ROWS)
    """Needed where a queen may wait for the next stroke."""
    early: Mapping[WhatFell, Row] = field(default_factory=lambda: _NO_ROWS)
    """The queen falls before the player has a coin; needed where he must have one."""


@dataclass(frozen=True, slots=True)
class CollectRules:
    """One rule book of a collecting game."""

    name: str
    title: str
    match: MatchRules
    seating: SeatingRule
    values: Values
    queen: CollectQueen
    dues: Dues
    off_board: OffBoardRule
    opening: Break
    no_leave: NoLeave
    stroke: CollectTable
    improper: Improper
    fouls: Mapping[FoulName, FoulRule]
    placement: Mapping[Limit, str]
    board_law: str
    """What decides when the board is empty (row A12)."""
    coins: int = COINS_PER_SIDE
    """Coins of each colour."""

    @property
    def sides(self) -> int:
        """How many share the points: the players, or two where partners play."""
        return 2 if self.seating.partners else self.seating.players

    def problems(self) -> Iterator[str]:
        """What is missing for the book to answer every stroke, and numbers that make no sense."""
        stroke = self.stroke
        rows = [row for table in (stroke.rest, stroke.falls, stroke.cover, stroke.early) for row in table.values()]
        waits = any(row.queen is QueenFate.PENDING for row in rows)
        needed = {"rest": True, "falls": True, "cover": waits, "early": self.queen.needs_own_first}
        for case, must in needed.items():
            yield from gaps(f"stroke.{case}", COLLECTED if must else frozenset(), getattr(stroke, case))
        if any(row.queen in (QueenFate.VOID, QueenFate.GIVEN) for row in rows):
            yield "stroke: a queen cannot be void or given in a collecting game"
        yield from foul_gaps(self.fouls)
        yield from number_problems(self.match, self.opening, self.coins)
        limits = (self.match.target_points, self.match.max_boards)
        yield from endless_collecting(stroke.rest, (self.values.white, self.values.black, self.values.queen), limits)
        if self.seating.partners and self.seating.players != MAX_PLAYERS:
            yield f"seating.players must be {MAX_PLAYERS} where partners play, not {self.seating.players}"
        if not 2 <= self.seating.players <= MAX_PLAYERS:
            yield f"seating.players must be 2 to {MAX_PLAYERS}, not {self.seating.players}"
