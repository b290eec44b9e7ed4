"""What a ruling says of infringements and oddities, whatever the game."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from models.rulebook import FoulName, Verdict
from models.rules import Book
from referee.laws.decisions import Certainty, DecisionKind, Param, Reason
from referee.laws.figure import Figure


class Speaker(Protocol):
    """A ruling in the making that decisions can be added to."""

    @property
    def rules(self) -> Book: ...

    def say(self, kind: DecisionKind, reason: Reason, law: str, certainty: Certainty = ..., **params: Param) -> None:
        """Add a decision."""


def tell_oddities(ruling: Speaker, figure: Figure) -> None:
    """Say what was left out of the judgement and why."""
    for foul in figure.allowed:
        rule = ruling.rules.fouls[foul]
        reason = Reason.WARNED if rule.verdict is Verdict.WARN else Reason.ALLOWED
        ruling.say(DecisionKind.NOTE, reason, rule.law, foul=foul)
    unmoved = figure.special - {FoulName.OUT_OF_TURN}
    contradicts = unmoved and (figure.coins_fell or figure.off_coins)
    stayed_but_moved = FoulName.NO_LEAVE in figure.special and not figure.moved_nothing
    if figure.impossible or contradicts or stayed_but_moved:
        ruling.say(DecisionKind.NOTE, Reason.IMPOSSIBLE, "", Certainty.OPERATOR)


def name_fouls(ruling: Speaker, fouls: Iterable[FoulName]) -> None:
    """Say which infringements count, and which only the operator can decide about."""
    for foul in dict.fromkeys(fouls):
        rule = ruling.rules.fouls[foul]
        if rule.verdict is Verdict.ASK:
            ruling.say(DecisionKind.OPERATOR, Reason.OPERATOR_DECIDES, rule.law, Certainty.OPERATOR, foul=foul)
        else:
            ruling.say(DecisionKind.FOUL, Reason.IMPROPER_STROKE, rule.law, foul=foul)
