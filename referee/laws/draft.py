"""A ruling in progress, for either kind of game: decisions, pieces to put back, and values for the next state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

from models.pieces import Kind
from models.rulebook import Placer, PutBackPlace, Row, Turn
from models.rules import Book
from referee.laws.decisions import Certainty, Decision, DecisionKind, Param, Reason, Return


class Counted(Protocol):
    """Counters of a state in either kind of game."""

    @property
    def strokes(self) -> int | None: ...

    @property
    def noleave(self) -> int: ...

    @property
    def breaks(self) -> int | None: ...


class Draft(ABC):
    """Collects the consequences of one stroke by a known player."""

    state: Counted
    rules: Book

    def __init__(self, state: Counted) -> None:
        self.turn = Turn.KEEP
        self.strokes: int | None = None
        self.breaks, self.noleave = state.breaks, 0
        self.fallback = False
        """The book is silent on this stroke; everything that follows is another book's."""
        self._decisions: list[Decision] = []
        self._returned: dict[tuple[Kind, PutBackPlace, Placer], int] = {}

    def say(self, kind: DecisionKind, reason: Reason, law: str, certainty: Certainty = Certainty.CERTAIN, *,
            fallback: bool = False, **params: Param) -> None:  # fmt: skip
        """Adds a decision; `fallback`: the book is silent on this one, whatever it says of the stroke."""
        self._decisions.append(Decision(kind, reason, law, certainty, params, fallback or self.fallback))

    def take_back_turn(self) -> None:
        """Removes the decision on the turn: nobody plays next on a finished board."""
        self._decisions = [d for d in self._decisions if d.kind is not DecisionKind.TURN]

    def note_silence(self, silent: bool, law: str) -> None:
        """Notes that the book is silent and that `law` is the clause of another one."""
        if silent:
            self.say(DecisionKind.NOTE, Reason.SILENT, law, Certainty.PROPOSED)

    def put_back(self, kind: Kind, count: int, where: PutBackPlace, by: Placer) -> None:
        """Adds pieces to put back; equal ones are summed."""
        self._returned[kind, where, by] = self._returned.get((kind, where, by), 0) + count

    def ask_choice(self, other: Row) -> None:
        """Asks the operator whether the player chooses the consequence `other`."""
        follower = self.player if other.turn is Turn.KEEP else self.follower
        self.say(DecisionKind.OPERATOR, Reason.CHOICE, other.law, Certainty.OPERATOR, side=self.player,
                 count=other.penalty, turn=other.turn, next=follower)  # fmt: skip

    @property
    @abstractmethod
    def player(self) -> str:
        """Whose stroke it is, as named in decisions."""

    @property
    @abstractmethod
    def follower(self) -> str:
        """Who plays when the turn passes."""

    @abstractmethod
    def incur(self, count: int, law: str) -> None:
        """Adds penalty coins to the player's dues."""

    @abstractmethod
    def end_turn(self, turn: Turn, reason: Reason, law: str) -> None:
        """Rules who plays next."""

    def _returns(self) -> tuple[Return, ...]:
        return tuple(Return(kind, count, where, by) for (kind, where, by), count in self._returned.items())
