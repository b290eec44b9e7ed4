"""Rule books of collecting games: every coin counts for whoever pockets it, and no colour belongs to a player."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from models.endless import endless_collecting
from models.outcomes import FoulRule, Improper, Row, foul_gaps, gaps
from models.rulebook import Break, Dues, MatchRules, NoLeave, OffBoardRule, SeatingRule, number_problems
from models.terms import COINS_PER_SIDE, FoulName, Limit, Occupied, Placer, PutBackPlace, QueenFate, WhatFell

COLLECTED = frozenset({WhatFell.NOTHING, WhatFell.OWN, WhatFell.STRIKER, WhatFell.STRIKER_OWN})
"""What can fall when every coin is the player's own."""
MAX_PLAYERS = 4


@dataclass(frozen=True, slots=True)
class Values:
    """Points of a coin for the player who pockets it (row A9)."""

    white: int
    black: int
    queen: int
    """Points for the player who covers it, or at once if the book has no cover (rows A6, A8)."""


@dataclass(frozen=True, slots=True)
class CollectQueen:
    """How the queen is covered and put back."""

    place: PutBackPlace
    placed_by: Placer
    occupied: Occupied
    uncovered_law: str
    """Law that puts an uncovered queen back."""
    last_law: str
    """Law by which a queen counts that no coin is left to cover (X25)."""
    last_free: bool = False
    """Whether the book lets the queen be the last piece without a cover. Otherwise the operator decides."""
    needs_own_first: bool = False
    """Whether the player or his partner must have pocketed a coin on this board before. `stroke.early` gives the
    consequence."""
    uncovered_points: int = 0
    """Points that a player loses at once if the cover fails."""


_NO_ROWS: Mapping[WhatFell, Row] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CollectTable:
    """Meaning of a proper stroke, by the queen's part in it. A coin of either colour is `own`."""

    rest: Mapping[WhatFell, Row]
    falls: Mapping[WhatFell, Row]
    cover: Mapping[WhatFell, Row] = field(default_factory=lambda: _NO_ROWS)
    """Needed if a queen may wait for the next stroke."""
    early: Mapping[WhatFell, Row] = field(default_factory=lambda: _NO_ROWS)
    """For a queen that falls before the player has a coin; needed if the player must have one."""


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
    """Law that decides an empty board (row A12)."""
    coins: int = COINS_PER_SIDE
    """Coins of each colour."""

    @property
    def sides(self) -> int:
        """Number of sides that score points: the players, or two if partners play."""
        return 2 if self.seating.partners else self.seating.players

    def problems(self) -> Iterator[str]:
        """Yields what the book lacks to judge every stroke, and impossible numbers."""
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
