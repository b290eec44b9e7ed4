"""Remarks of a ruling on infringements and oddities, for either kind of game."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from models.rulebook import FoulName, Verdict
from models.rules import Book
from referee.laws.decisions import Certainty, DecisionKind, Param, Reason
from referee.laws.figure import StrokeFacts

_REASONS = {
    (Verdict.ALLOWED, False): Reason.ALLOWED,
    (Verdict.ALLOWED, True): Reason.SILENT_ALLOWED,
    (Verdict.WARN, False): Reason.WARNED,
    (Verdict.WARN, True): Reason.SILENT_WARNED,
    (Verdict.ASK, False): Reason.OPERATOR_DECIDES,
    (Verdict.ASK, True): Reason.SILENT_FORBIDDEN,
    (Verdict.FOUL, False): Reason.IMPROPER_STROKE,
    (Verdict.FOUL, True): Reason.SILENT_FOUL,
}
"""Reason of a remark, by the verdict on the infringement and by whether the book is silent on it."""


class Speaker(Protocol):
    """A ruling in progress to which decisions can be added."""

    @property
    def rules(self) -> Book: ...

    def say(self, kind: DecisionKind, reason: Reason, law: str, certainty: Certainty = ..., *,
            fallback: bool = ..., **params: Param) -> None:  # fmt: skip
        """Adds a decision."""


def note_oddities(ruling: Speaker, figure: StrokeFacts) -> None:
    """Adds what was left out of the judgement and why."""
    for foul in figure.allowed:
        rule = ruling.rules.fouls[foul]
        sure = Certainty.PROPOSED if rule.silent else Certainty.CERTAIN
        ruling.say(DecisionKind.NOTE, _REASONS[rule.verdict, rule.silent], rule.law, sure, fallback=rule.silent,
                   foul=foul)  # fmt: skip
    unmoved = figure.special - {FoulName.OUT_OF_TURN}
    contradicts = unmoved and (figure.coins_fell or figure.off_coins)
    stayed_but_moved = FoulName.NO_LEAVE in figure.special and not figure.moved_nothing
    if figure.impossible or contradicts or stayed_but_moved:
        ruling.say(DecisionKind.NOTE, Reason.IMPOSSIBLE, "", Certainty.OPERATOR)


def name_fouls(ruling: Speaker, fouls: Iterable[FoulName]) -> None:
    """Adds which infringements count, and which only the operator can decide."""
    for foul in dict.fromkeys(fouls):
        rule = ruling.rules.fouls[foul]
        asked = rule.verdict is Verdict.ASK
        kind = DecisionKind.OPERATOR if asked else DecisionKind.FOUL
        sure = Certainty.OPERATOR if asked else Certainty.PROPOSED if rule.silent else Certainty.CERTAIN
        ruling.say(kind, _REASONS[rule.verdict, rule.silent], rule.law, sure, fallback=rule.silent, foul=foul)
