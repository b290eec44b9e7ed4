"""The parts of a ruling: decisions with their reason and law, pieces to put back, and the board's result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from models.pieces import Kind
from models.rulebook import Placer, PutBackPlace, Turn
from referee.laws.sides import Side
from referee.laws.state import State


class DecisionKind(StrEnum):
    """Subject of a decision."""

    FOUL = "foul"
    STROKE = "stroke"
    """Whether the stroke counts, and the break."""
    RETURN = "return"
    QUEEN = "queen"
    DUE = "due"
    TURN = "turn"
    RESULT = "result"
    DEMAND = "demand"
    """Points that the winner may ask for."""
    POINTS = "points"
    """Points won or lost at once, in collecting games, and deductions."""
    OPERATOR = "operator"
    """The book does not say what follows; the umpire does."""
    NOTE = "note"
    """Information without consequence."""


class Reason(StrEnum):
    """Reason of a decision; each has its sentence in every language's `laws.toml`."""

    # Turn.
    OWN_POCKETED = "own_pocketed"
    COIN_POCKETED = "coin_pocketed"
    QUEEN_POCKETED = "queen_pocketed"
    OPPONENT_ONLY = "opponent_only"
    OPPONENT_WITH_OWN = "opponent_with_own"
    NOTHING_POCKETED = "nothing_pocketed"
    STRIKER_POCKETED = "striker_pocketed"
    QUEEN_TOO_EARLY = "queen_too_early"
    QUEEN_WHILE_DUE = "queen_while_due"
    COVER_MISSED = "cover_missed"
    IMPROPER_STROKE = "improper_stroke"
    TECHNICAL_FOUL = "technical_foul"
    FOUL_BEFORE_STROKE = "foul_before_stroke"
    PIECE_OFF_BOARD = "piece_off_board"
    STAYED_ON_LINES = "stayed_on_lines"
    STAYED_TOO_OFTEN = "stayed_too_often"
    STAYED_FOUL = "stayed_foul"
    REPLAYED = "replayed"
    BREAK_AGAIN = "break_again"
    BREAK_FAILED = "break_failed"
    BREAK_SPOILED = "break_spoiled"
    BOARD_OPENED = "board_opened"
    # Queen.
    QUEEN_PENDING = "queen_pending"
    QUEEN_STILL_PENDING = "queen_still_pending"
    QUEEN_COVERED = "queen_covered"
    QUEEN_VOID = "queen_void"
    QUEEN_WITH_STRIKER = "queen_with_striker"
    QUEEN_TURN_ENDED = "queen_turn_ended"
    QUEEN_UNNOTICED = "queen_unnoticed"
    QUEEN_GIVEN = "queen_given"
    """Credited to the other side, whose coin covered it."""
    QUEEN_LAST = "queen_last"
    """No coin is left to cover it."""
    SAME_POCKET = "same_pocket"
    """The cover fell into the queen's own pocket."""
    POCKET_UNSEEN = "pocket_unseen"
    # Dues and returns.
    OWN_BACK = "own_back"
    OPPONENT_BACK = "opponent_back"
    DUE_INCURRED = "due_incurred"
    DUE_PAID = "due_paid"
    DUE_OWED = "due_owed"
    DUE_NONE = "due_none"
    """No coin is there to pay with, and the book has no debts."""
    DUE_WRITTEN_OFF = "due_written_off"
    DUE_FORFEITED = "due_forfeited"
    LAST_BACK = "last_back"
    """The last coin goes back because the board cannot end with it."""
    CHOICE = "choice"
    """The player may choose another consequence."""
    CHOSEN = "chosen"
    COIN_CHOICE = "coin_choice"
    """Which of a player's coins goes back is a choice."""
    # Points.
    COLLECTED = "collected"
    POINTS_DEDUCTED = "points_deducted"
    # Result.
    CLEARED = "cleared"
    QUEEN_LAST_WON = "queen_last_won"
    """The queen was the winner's last piece and needed no cover."""
    CLEARED_BEFORE = "cleared_before"
    """The queen is gone, and all of the winner's coins were pocketed before."""
    OPPONENT_CLEARED = "opponent_cleared"
    LAST_OWN_QUEEN_OPEN = "last_own_queen_open"
    LAST_OPPONENT_QUEEN_OPEN = "last_opponent_queen_open"
    BOTH_LAST_WON = "both_last_won"
    BOTH_LAST_LOST = "both_last_lost"
    OUT_OF_TURN = "out_of_turn"
    EXTRA_POINTS = "extra_points"
    BOARD_EMPTY = "board_empty"
    BOARD_TIED = "board_tied"
    TARGET_REACHED = "target_reached"
    # Notes.
    ALLOWED = "allowed"
    WARNED = "warned"
    """Forbidden, but without consequence."""
    OPERATOR_DECIDES = "operator_decides"
    SILENT_ALLOWED = "silent_allowed"
    """The book does not mention the infringement; the law followed instead allows it."""
    SILENT_WARNED = "silent_warned"
    SILENT_FORBIDDEN = "silent_forbidden"
    """The book does not mention it; the law followed instead forbids it, so the operator decides."""
    SILENT_FOUL = "silent_foul"
    SILENT = "silent"
    IMPOSSIBLE = "impossible"
    UNKNOWN = "unknown"
    BOARD_IS_OVER = "board_is_over"
    # The operator's word.
    DUE_WAIVED = "due_waived"
    DUE_GRANTED = "due_granted"
    RETURN_PLACED = "return_placed"
    CONCEDED = "conceded"
    AGREED = "agreed"
    BOARD_REPLAYED = "board_replayed"
    TIME_OUT = "time_out"


class Certainty(StrEnum):
    """Certainty of a decision."""

    CERTAIN = "certain"
    PROPOSED = "proposed"
    """The best reading; an umpire may decide otherwise."""
    OPERATOR = "operator"
    """Only people can decide this."""


Param = str | int | None
_NO_PARAMS: Mapping[str, Param] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Decision:
    """One consequence of a stroke."""

    kind: DecisionKind
    reason: Reason
    law: str
    """Clause of the rule book; empty if there is none."""
    certainty: Certainty = Certainty.CERTAIN
    params: Mapping[str, Param] = field(default_factory=lambda: _NO_PARAMS)
    """Values for the sentence: side, coin, count, points, foul, next."""
    fallback: bool = False
    """The book is silent here; `law` is the clause of another book that was followed."""


def operator_decision(kind: DecisionKind, reason: Reason, **params: Param) -> Decision:
    """Returns a consequence of the umpire's word."""
    return Decision(kind, reason, "", Certainty.OPERATOR, params)


@dataclass(frozen=True, slots=True)
class Return:
    """Pieces to put back on the board."""

    kind: Kind
    count: int
    where: PutBackPlace
    by: Placer


@dataclass(frozen=True, slots=True)
class BoardResult:
    """Result of a board."""

    winner: Side
    points: int
    """Points added to the winner's score."""
    on_demand: int
    """Further points that the winner may ask for; not in the score."""
    queen: int
    """The queen's part of `points`."""
    lost: int = 0
    """Points deducted from the loser's score."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything that follows from one stroke."""

    state: State
    decisions: tuple[Decision, ...]
    returned: tuple[Return, ...] = ()
    turn: Turn | None = None
    """Whether the same player goes on; None if the board is over or it is unknown."""
    result: BoardResult | None = None

    @property
    def board_over(self) -> bool:
        return self.state.over

    @property
    def certain(self) -> bool:
        """Tells whether no decision waits for people, points on demand apart."""
        return all(d.certainty is Certainty.CERTAIN or d.kind is DecisionKind.DEMAND for d in self.decisions)
