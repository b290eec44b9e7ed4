"""A rule book of a race game as typed data: the meaning of each outcome of a stroke, with its law.

The engine in `referee.laws` reads three kinds of table. What fell decides turn, penalty and returns (`StrokeTable`).
The last coins decide the board (`EndTable`). Plain numbers hold the rest. A house rule is a copied TOML file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from models.endless import Course, endless_race
from models.outcomes import (
    WITH_OWN,
    WITHOUT_OWN,
    Ending,
    EndTable,
    FoulRule,
    Improper,
    Row,
    StrokeTable,
    ending_gaps,
    every_ending,
    foul_gaps,
    gaps,
)
from models.terms import (
    COINS_PER_SIDE,
    MOST_COINS_PER_SIDE,
    SPECIAL_FOULS,
    Direction,
    Endgame,
    Fate,
    FoulName,
    Limit,
    Occupied,
    Placer,
    Points,
    PutBackPlace,
    QueenCase,
    QueenFate,
    Turn,
    Verdict,
    WhatFell,
    WhenPaid,
    Winner,
)

__all__ = [
    "SPECIAL_FOULS",
    "Break",
    "Direction",
    "Dues",
    "EndTable",
    "Endgame",
    "Ending",
    "Fate",
    "FoulName",
    "FoulRule",
    "Improper",
    "Limit",
    "MatchRules",
    "NoLeave",
    "Occupied",
    "OffBoardRule",
    "Placer",
    "Points",
    "PutBackPlace",
    "Queen",
    "QueenCase",
    "QueenFate",
    "Row",
    "Rules",
    "SeatingRule",
    "StrokeTable",
    "Turn",
    "Verdict",
    "WhatFell",
    "WhenPaid",
    "Winner",
    "number_problems",
]


@dataclass(frozen=True, slots=True)
class MatchRules:
    """How boards make a game and games a match."""

    target_points: int
    """Points that win a game (R29, row A2); 0 = no target, the boards decide."""
    max_boards: int
    """Boards after which the leader wins (R29, row A3); a tie is broken by extra boards; 0 = no limit."""
    games: int
    """Number of games of which the match is the best (R30, row A4)."""
    max_board_points: int = 0
    """Most points that one board gives (R28, row A11); 0 = no limit."""
    negative_scores: bool = True
    """Whether a deduction may take a score below 0 (X21). Otherwise the score stops at 0."""
    coin_points: int = 1
    """Points for each of the loser's coins left on the board (row A9)."""
    stroke_clock_s: int = 0
    """Seconds for a stroke (R23, row C14); 0 = no clock."""
    challenges: int = 2
    """Challenges that a side may lose in a game before it may ask for no more reviews; a custom of clubs, in no law."""
    change_sides: bool = False
    """Whether seats are changed after each game, and at half of the last one: opponents take each other's seats, four
    players move one seat to the right (R31-R33, row B10)."""


@dataclass(frozen=True, slots=True)
class SeatingRule:
    """Number of players and their order."""

    players: int
    """Two in singles, four in doubles with partners opposite (row B7), three without partners."""
    direction: Direction
    """Whose turn follows with more than two players (row B8)."""
    partners: bool = False
    """Collecting games of four: opposite players share coins, points and penalties. In race games they always do."""


@dataclass(frozen=True, slots=True)
class Queen:
    """The queen's value and when it may be pocketed."""

    points: int
    """Value for the winner who covered it (R25, row A6)."""
    cap: int
    """Score before the board from which no queen's value is credited (R27, row A7, X27); 0 = no cap."""
    at_cap: int
    """Points from the cap on for endings worth the queen's value (R75, R77, R78, R80-R82)."""
    needs_own_first: bool
    """Whether an own coin must have been pocketed before (R65, row F1)."""
    first_cover_coins: int
    """Least number of own coins that cover the queen by the same stroke while all own coins were on the board (R70b,
    row F5); 0 = none ever does."""
    due_blocks: bool
    """Whether a player who owes a penalty coin may not pocket the queen (R68b, row F17)."""
    unnoticed_covers: bool
    """Whether an uncovered queen that is left off the board until the next stroke counts as covered (R69, row F10)."""
    place: PutBackPlace
    """Where the queen goes back to (R66, R67, row F18)."""
    placed_by: Placer
    """Who puts the queen back (R66, row F18)."""
    occupied: Occupied
    """Where it goes if another coin lies on the centre (R67, row F19)."""
    covered_law: str
    """Law by which the last coin covers the queen."""
    uncovered_law: str
    """Law that puts an uncovered queen back (R69)."""
    other_pocket: bool = False
    """Whether the cover must fall into another pocket than the queen (X11)."""
    uncovered_points: int = 0
    """Points that a player loses at once if the cover fails."""
    first_once: bool = False
    """Whether `first_cover_coins` holds only for a player who has pocketed no own coin before on this board. Otherwise
    it holds whenever all own coins lie on the board (R70b)."""


@dataclass(frozen=True, slots=True)
class Dues:
    """Penalty coins: when they are taken out, where they go, and who places them."""

    when: WhenPaid
    """When owed coins are taken out (R51a, row H2)."""
    place: PutBackPlace
    """Where they go (R57, R62b, row H5)."""
    placed_by: Placer
    """Who places them (R45a, R51b, row H4)."""
    paid_law: str
    owed_law: str
    """Law by which a due stays outstanding if no coin is available (row H1)."""
    written_off_law: str
    """Law that drops debts when the board ends (row H7)."""
    debts: bool = True
    """Whether a penalty without an available coin is owed. Otherwise nothing is owed."""
    waived_whole: bool = False
    """Whether penalties can only be waived all together (R60)."""
    lapse_law: str | None = None
    """Law by which dues lapse that the opponent did not take before his next stroke (row H3); if left out, they never
    lapse."""


@dataclass(frozen=True, slots=True)
class OffBoardRule:
    """Pieces that leave the board (rows I1-I5)."""

    place: PutBackPlace
    placed_by: Placer
    coin_ends_turn: bool
    coin_penalty: int
    coin_law: str
    striker_ends_turn: bool
    striker_penalty: int
    striker_law: str


@dataclass(frozen=True, slots=True)
class Break:
    """The first stroke of a board (rows D1-D4)."""

    law: str
    """Law that defines a break (R17)."""
    tries: int
    """Number of attempts (R18a)."""
    again_law: str
    failed: Row
    """Meaning of a last attempt that touched nothing."""
    spoiled: Row | None = None
    """Meaning of an attempt that touched nothing while the striker fell or the stroke was improper; if left out, it is
    an attempt like others."""
    arm_to_breaker: bool = False
    """Whether an arm of the opening's Y should point at the breaker's side. Advice only: another turn is never a foul
    (B5)."""


@dataclass(frozen=True, slots=True)
class NoLeave:
    """Strokes in which the striker stays on the base lines and touches nothing (row C15)."""

    limit: int
    """Number of such strokes in a row with which the turn is lost (X26); 0 = no limit."""
    law: str
    foul: bool = False
    """Whether such a stroke is judged by `improper.stroke`. Otherwise it is played again."""


@dataclass(frozen=True, slots=True)
class Rules:
    """One rule book of a race game: each side clears its own colour."""

    name: str
    title: str
    match: MatchRules
    seating: SeatingRule
    queen: Queen
    dues: Dues
    off_board: OffBoardRule
    opening: Break
    no_leave: NoLeave
    stroke: StrokeTable
    end: EndTable
    improper: Improper
    fouls: Mapping[FoulName, FoulRule]
    placement: Mapping[Limit, str]
    """Limits that this book judges, each with its law (rows C1-C4)."""
    coins: int = COINS_PER_SIDE
    """Coins of each colour."""
    improper_end: EndTable | None = None
    """Last coins pocketed by a stroke with an infringement; if left out, as if the striker had fallen too."""
    out_of_turn: Ending | None = None
    """Meaning of a stroke by the wrong side (R24, row I12); if left out, the operator decides and the stroke does not
    count."""

    @property
    def most_board_points(self) -> int:
        """The most points that a board can give its winner (R28, row A11)."""
        if self.match.max_board_points:
            return self.match.max_board_points
        left, queen = self.coins * self.match.coin_points, self.queen.points
        whole = left + queen
        worth = {
            Points.NONE: 0, Points.ONE: 1, Points.LEFT: left, Points.WINNER_LEFT: left, Points.BOARD: whole,
            Points.LEFT_AND_QUEEN: whole, Points.QUEEN: queen, Points.QUEEN_UNCAPPED: queen,
        }  # fmt: skip
        endings = [e for table in (self.end, self.improper_end) if table for e in every_ending(table)]
        return max([whole, *(worth[e.points] + e.flat + e.demand for e in endings)])

    def problems(self) -> Iterator[str]:
        """Yields what the book lacks to judge every stroke, and impossible numbers."""
        queen, stroke = self.queen, self.stroke
        # An unneeded table is allowed: a house rule that changes one number keeps the rest of the book.
        needed = {"rest": True, "falls": True, "cover": True, "due": queen.due_blocks, "early": queen.needs_own_first}
        needed |= {"first": queen.first_cover_coins != 1 or queen.other_pocket, "same_pocket": queen.other_pocket}
        only = {"first": WITH_OWN, "same_pocket": WITH_OWN, "early": WITHOUT_OWN}
        for case, must in needed.items():
            rows, keys = getattr(stroke, case), only.get(case, frozenset(WhatFell))
            yield from gaps(f"stroke.{case}", keys if must or rows else frozenset(), rows)
        for name, table in (("end", self.end), ("improper_end", self.improper_end)):
            yield from ending_gaps(name, table) if table else ()
        yield from foul_gaps(self.fouls)
        yield from number_problems(self.match, self.opening, self.coins)
        if self.seating.players not in (2, 4):
            yield f"seating.players must be 2 or 4 in a race game, not {self.seating.players}"
        if not (self.match.target_points or self.match.max_boards):
            yield "match.target_points and match.max_boards must not both be 0: no game would ever end"
        off = min(self.off_board.coin_penalty, self.off_board.striker_penalty)
        yield from endless_race(Course(self.stroke, self.end, off))


def number_problems(match: MatchRules, opening: Break, coins: int) -> Iterator[str]:
    """Yields numbers that no book can have."""
    least = {"match.games": match.games, "opening.tries": opening.tries, "match.coin_points": match.coin_points}
    for name, value in (least | {"coins": coins}).items():
        if value < 1:
            yield f"{name} must be at least 1, not {value}"
    if coins > MOST_COINS_PER_SIDE:
        yield f"coins must be at most {MOST_COINS_PER_SIDE}, not {coins}"
