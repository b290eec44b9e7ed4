"""A rule book as typed data: what each outcome of a stroke means, with the law that says so.

The engine in `referee.laws` asks three kinds of table: what fell decides turn, penalty and returns (`StrokeTable`), the
last coins decide the board (`EndTable`), and plain numbers hold the rest. A house rule is a copied TOML file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any


class FoulName(StrEnum):
    """Infringements by their name in the text form of strokes."""

    CUT_MOON = "cut_moon"
    PLACEMENT = "placement"
    """Any other illegal placement."""
    TOUCHING_ARROW = "touching_arrow"
    BACKWARD = "backward"
    BEHIND_LINE = "behind_line"
    """A coin on or behind the front base line was struck before the striker crossed it."""
    NO_LEAVE = "no_leave"
    """The striker stayed on the base lines and touched nothing."""
    NO_BREAK = "no_break"
    """A break attempt that touched nothing."""
    PUSH = "push"
    HAND_OVER_DIAGONAL = "hand_over_diagonal"
    ELBOW = "elbow"
    TOUCH = "touch"
    """A coin was touched by hand."""
    TIME = "time"
    DIRECT = "direct"
    """An own coin was played directly where it must be indirect."""
    OUT_OF_TURN = "out_of_turn"


SPECIAL_FOULS = frozenset({FoulName.NO_LEAVE, FoulName.NO_BREAK, FoulName.OUT_OF_TURN})
"""Those with sections of their own; every other infringement is in `Rules.fouls`."""


class Turn(StrEnum):
    """Who plays next."""

    KEEP = "keep"
    PASS = "pass"


class Fate(StrEnum):
    """What becomes of the coins pocketed by this stroke."""

    STAY = "stay"
    BACK = "back"


class QueenFate(StrEnum):
    """What becomes of the queen after this stroke."""

    NONE = "none"
    """Nothing changes."""
    BACK = "back"
    PENDING = "pending"
    COVERED = "covered"
    VOID = "void"
    """Stays off the board until the turn ends, then goes back."""


class QueenCase(StrEnum):
    """How the queen is concerned by a stroke."""

    REST = "rest"
    """Not at all: it lies on the board and stays there, or has been covered."""
    FALLS = "falls"
    """Pocketed by a player who may."""
    FIRST = "first"
    """Pocketed with too few own coins while all own coins were on the board."""
    EARLY = "early"
    """Pocketed without any own coin, before any."""
    DUE = "due"
    """Pocketed while the player owed a penalty coin and the book forbids that."""
    COVER = "cover"
    """Pocketed by an earlier stroke of this player and waiting to be covered."""


class Fell(StrEnum):
    """Which kinds a stroke pocketed, the queen apart."""

    NOTHING = "nothing"
    OWN = "own"
    OPPONENT = "opponent"
    OWN_OPPONENT = "own_opponent"
    STRIKER = "striker"
    STRIKER_OWN = "striker_own"
    STRIKER_OPPONENT = "striker_opponent"
    STRIKER_OWN_OPPONENT = "striker_own_opponent"


class Endgame(StrEnum):
    """The queen's place, and whether the striker fell, when somebody's last coin is pocketed."""

    MINE = "mine"
    """Covered before by the player of the stroke."""
    THEIRS = "theirs"
    """Covered before by his opponent."""
    BOARD = "board"
    FALLS = "falls"
    """Pocketed by the same stroke."""
    COVER = "cover"
    """Waiting to be covered by this stroke."""
    MINE_STRIKER = "mine_striker"
    THEIRS_STRIKER = "theirs_striker"
    BOARD_STRIKER = "board_striker"
    FALLS_STRIKER = "falls_striker"
    COVER_STRIKER = "cover_striker"


class Winner(StrEnum):
    """Who wins the board, seen from the player of the stroke."""

    MOVER = "mover"
    OPPONENT = "opponent"
    NOBODY = "nobody"
    """The board goes on; the stroke is judged like any other."""


class Points(StrEnum):
    """How many points the winner of a board gets."""

    NONE = "none"
    BOARD = "board"
    """The loser's coins left, and the queen's value if the winner covered it and was below the cap."""
    LEFT_AND_QUEEN = "left_and_queen"
    """The loser's coins left, and the queen's value whoever had it, if the winner was below the cap."""
    QUEEN = "queen"
    """The queen's value, or `Queen.at_cap` from the cap on."""
    QUEEN_UNCAPPED = "queen_uncapped"
    """The queen's value whatever the score."""
    ONE = "one"


class WhenPaid(StrEnum):
    """When owed penalty coins are taken out."""

    AFTER_STROKE = "after_stroke"
    END_OF_TURN = "end_of_turn"


class Placer(StrEnum):
    """Who puts a piece back, seen from the owner of the coin."""

    OPPONENT = "opponent"
    SELF = "self"
    UMPIRE = "umpire"


class Place(StrEnum):
    """Where a piece is put back."""

    CENTRE = "centre"
    OUTER_CIRCLE = "outer_circle"
    """Within the large circle, not over the centre circle."""


class Limit(StrEnum):
    """A limit of the striker's placement, by its name in the log's `clearance_mm`."""

    FRONT_LINE = "front_line"
    REAR_LINE = "rear_line"
    MOON = "moon"
    ARROW = "arrow"
    ENDS = "ends"


@dataclass(frozen=True, slots=True)
class Row:
    """What one outcome of a stroke means."""

    turn: Turn
    law: str
    penalty: int = 0
    """Penalty coins incurred (P1 of the matrix)."""
    own: Fate = Fate.STAY
    opponent: Fate = Fate.STAY
    queen: QueenFate = QueenFate.NONE
    silent: bool = False
    """The book has no sentence for this; the ruling says so."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What pocketing a last coin means for the board."""

    winner: Winner
    law: str
    points: Points = Points.NONE
    demand: int = 0
    """Further points that the winner may demand (ICF R75-R85)."""
    silent: bool = False


@dataclass(frozen=True, slots=True)
class StrokeTable:
    """What a proper stroke means, by the queen's part in it and by what fell."""

    rest: Mapping[Fell, Row]
    falls: Mapping[Fell, Row]
    first: Mapping[Fell, Row]
    """Only outcomes with an own coin."""
    early: Mapping[Fell, Row]
    """Only outcomes without an own coin."""
    due: Mapping[Fell, Row]
    cover: Mapping[Fell, Row]


@dataclass(frozen=True, slots=True)
class EndTable:
    """What a last coin means: the player's own, the opponent's, or both by one stroke."""

    own: Mapping[Endgame, Ending]
    opponent: Mapping[Endgame, Ending]
    both: Mapping[Endgame, Ending]


@dataclass(frozen=True, slots=True)
class Improper:
    """Strokes with an infringement."""

    stroke: Row
    queen_striker: Row
    """When the striker falls too and the queen fell with it or was waiting for its cover."""
    before_first: Row
    """Noticed before the first stroke of a turn: nothing was played."""
    before_later: Row
    """Noticed before a later stroke of a turn."""


@dataclass(frozen=True, slots=True)
class FoulRule:
    """Whether the book knows an infringement."""

    counts: bool
    law: str


@dataclass(frozen=True, slots=True)
class Match:
    """How boards make a game and games a match."""

    target_points: int
    """Points that win a game (R29)."""
    max_boards: int
    """Boards after which the leader wins (R29); 0 = no limit."""
    games: int
    """The match is the best of so many games (R30)."""
    max_board_points: int
    """Most points that one board gives (R28); 0 = no limit."""


@dataclass(frozen=True, slots=True)
class Queen:
    """The queen's value and when it may be pocketed."""

    points: int
    """Value for the winner who covered it (R25)."""
    cap: int
    """From this score before the board on, no queen's value is credited (R27); 0 = no cap."""
    at_cap: int
    """What endings worth the queen's value give from the cap on (R75, R77, R78, R80-R82)."""
    needs_own_first: bool
    """An own coin must have been pocketed before (R65)."""
    first_cover_coins: int
    """Own coins that cover the queen by the same stroke while all own coins were on the board (R70b)."""
    due_blocks: bool
    """No queen while a penalty coin is owed (R68b)."""
    unnoticed_covers: bool
    """An uncovered queen left off the board until the next stroke counts as covered (R69)."""
    place: Place
    """R66, R67."""
    placed_by: Placer
    """R66."""
    covered_law: str
    """The law by which the last coin covers the queen."""
    uncovered_law: str
    """The law that puts an uncovered queen back (R69)."""


@dataclass(frozen=True, slots=True)
class Dues:
    """Penalty coins: when they are taken out, where they go and by whom."""

    when: WhenPaid
    """R51a."""
    place: Place
    """R57, R62b."""
    placed_by: Placer
    """R45a, R51b."""
    paid_law: str
    owed_law: str
    """The law that leaves a due outstanding when no coin is available."""
    written_off_law: str
    """The law that drops what is owed when the board ends."""


@dataclass(frozen=True, slots=True)
class OffBoard:
    """Pieces that jumped over the frame."""

    place: Place
    placed_by: Placer
    coin_ends_turn: bool
    coin_penalty: int
    coin_law: str
    striker_ends_turn: bool
    striker_penalty: int
    striker_law: str


@dataclass(frozen=True, slots=True)
class Break:
    """The first stroke of a board."""

    law: str
    """What counts as a break (R17)."""
    tries: int
    """Attempts in all (R18a)."""
    again_law: str
    failed: Row
    """The last attempt touched nothing."""
    spoiled: Row
    """An attempt touched nothing and the striker fell or the stroke was improper."""
    arm_to_breaker: bool = False
    """An arm of the opening's Y should point at the breaker's side; advice only, turning is never a foul (B5)."""


@dataclass(frozen=True, slots=True)
class NoLeave:
    """Strokes that stay on the base lines and touch nothing."""

    limit: int
    """The so-manieth in a row loses the turn; 0 = no limit."""
    law: str


@dataclass(frozen=True, slots=True)
class Rules:
    """One rule book."""

    name: str
    title: str
    match: Match
    queen: Queen
    dues: Dues
    off_board: OffBoard
    opening: Break
    no_leave: NoLeave
    stroke: StrokeTable
    end: EndTable
    improper: Improper
    improper_end: EndTable
    """Last coins pocketed by a stroke with an infringement."""
    out_of_turn: Ending
    fouls: Mapping[FoulName, FoulRule]
    placement: Mapping[Limit, str]
    """Limits that this book judges, each with its law."""

    def problems(self) -> Iterator[str]:
        """What is missing for the book to answer every stroke, and numbers that make no sense."""
        with_own = frozenset(fell for fell in Fell if "own" in fell.split("_"))
        wanted = {case.name: frozenset(Fell) for case in fields(StrokeTable)}
        wanted |= {"first": with_own, "early": frozenset(Fell) - with_own}
        for case, keys in wanted.items():
            yield from _gaps(f"stroke.{case}", keys, getattr(self.stroke, case))
        for name, table in (("end", self.end), ("improper_end", self.improper_end)):
            for whose in fields(EndTable):
                yield from _gaps(f"{name}.{whose.name}", frozenset(Endgame), getattr(table, whose.name))
        yield from _gaps("fouls", frozenset(FoulName) - SPECIAL_FOULS, self.fouls)
        for name, value in (("match.target_points", self.match.target_points), ("match.games", self.match.games),
                            ("opening.tries", self.opening.tries)):  # fmt: skip
            if value < 1:
                yield f"{name} must be at least 1, not {value}"


def _gaps(where: str, wanted: AbstractSet[StrEnum], table: Mapping[Any, object]) -> Iterator[str]:
    missing, extra = sorted(wanted - table.keys()), sorted(table.keys() - wanted)
    if missing:
        yield f"{where} lacks {', '.join(missing)}"
    if extra:
        yield f"{where} cannot have {', '.join(extra)}"
