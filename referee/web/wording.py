"""The match in words of one language, as pages show it."""

from __future__ import annotations

from typing import Any

from referee.facts import Stroke
from referee.languages import languages
from referee.laws import DecisionKind
from referee.match import Match, Resumed, Ruling, said_decisions
from referee.match.ruling import called, ruling_texts
from referee.web.suggested_answers import choices_of

LANGUAGES = tuple(languages())
"""Languages of the pages."""

ASKING = frozenset({"proposal", "doubt", "operator"})
"""Kinds of sentences that ask the umpire something."""

ENDING = frozenset({DecisionKind.RESULT, DecisionKind.DEMAND, DecisionKind.POINTS})
"""Kinds of decisions that an umpire must not cause unawares by accepting an infringement."""

Document = dict[str, Any]


def worded(match: Match, language: str) -> Document:
    """Returns the content of `MatchView` in `language`."""
    view, rulings = match.view(), match.rulings
    spoken = {
        "rulings": [ruling_entry(rulings[r["stroke"]], language) for r in view["rulings"]],
        "needs_operator": [
            _question(match.rulings[q["stroke"]], q["reason"], language) for q in view["needs_operator"]
        ],
        "stroke_clock_s": match.book.match.stroke_clock_s,
        "rest_t": _last_rest(match),
    }
    return dict(view) | spoken


def ruling_entry(ruling: Ruling, language: str) -> Document:
    """Returns a stroke and its ruling: `RulingView` in `language`."""
    return {
        "stroke": ruling.stroke,
        "board": ruling.board,
        "seat": ruling.seat.value,
        "stroke_text": str(ruling.tokens),
        "seen_text": str(ruling.seen),
        "call": called(ruling, language),
        "sentences": list(ruling_texts(ruling, language)),
        "turn": ruling.turn and ruling.turn.value,
        "certain": ruling.certain,
        "annulled": ruling.annulled,
        "corrected": ruling.corrected,
        "match": ruling.match,
        "board_over": ruling.board_over,
    }


def _question(ruling: Ruling, reason: str, language: str) -> Document:
    """Returns a question for the umpire, with its likely answers."""
    asked = (s["text"] for s in ruling_texts(ruling, language) if s["kind"] in ASKING and s["reason"] == reason)
    return {
        "stroke": ruling.stroke,
        "reason": reason,
        "seat": ruling.seat.value,
        "stroke_text": str(ruling.tokens),
        "text": next(asked, reason),
        "choices": choices_of(ruling, reason),
        "ends": _ends(ruling, reason, language),
    }


def _ends(ruling: Ruling, reason: str, language: str) -> str:
    """Returns how an accepted infringement would end a board or deduct points; "" if it would not."""
    changes = [change for p in ruling.proposals if p.foul == reason for change in p.changes]
    return " ".join(s["text"] for s in said_decisions([c for c in changes if c.kind in ENDING], language))


def _last_rest(match: Match) -> float | None:
    """Returns the time (s on the frames' clock) at which the last stroke came to rest; the stroke clock runs from it.
    None: unknown.
    """
    for event in reversed(match.events):
        if isinstance(event, Resumed):
            return None
        if isinstance(event, Stroke):
            return event.t_rest
    return None
