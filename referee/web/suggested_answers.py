"""Likely answers to the umpire's questions, likeliest first; each is the request that one tap sends."""

from __future__ import annotations

from typing import Any

from referee.laws import Reason, StrokeTokens, TokenKind
from referee.laws.tokens import Choice
from referee.match import Ruling
from referee.match.doubts import DoubtReason

MOST_CHOICES = 6
"""Greatest number of answers. More are slower to read than to type."""

SUGGESTED_ANSWERS_LIKELY = 0.5
"""Probability above which a proposed infringement is likelier than not."""

Request = dict[str, Any]


def choices_of(ruling: Ruling, reason: str) -> list[Request]:
    """Returns the answers: to a proposed infringement, that it counts or not; to a choice, what the book offers; to a
    stroke observed uncertainly, as observed, as the runner-up reading, or without one of
    the pieces.
    """
    about = {"stroke": ruling.stroke}
    if reason == Reason.CHOICE:
        chosen = [str(ruling.tokens.chosen(choice)) for choice in Choice]
        return [{"action": "correct", "stroke_text": text} | about for text in chosen]
    if reason != DoubtReason.FALLS_UNSURE:
        proposal = next((p for p in ruling.proposals if p.foul == reason), None)
        is_likely = proposal is None or proposal.confidence >= SUGGESTED_ANSWERS_LIKELY
        actions = ("accept", "refuse") if is_likely else ("refuse", "accept")
        return [{"action": action, "foul": reason} | about for action in actions]
    otherwise = [] if ruling.other is None else [str(ruling.other)]
    texts = dict.fromkeys([*otherwise, *_without_one(ruling.tokens)])
    others = [{"action": "correct", "stroke_text": text} | about for text in texts]
    return [{"action": "accept"} | about, *others][:MOST_CHOICES]


def _without_one(tokens: StrokeTokens) -> list[str]:
    """Returns the stroke with one piece fewer pocketed or off the board, for each kind of piece in it."""
    pieces = [t for t in tokens.tokens if t.kind in (TokenKind.POCKETED, TokenKind.OFF)]
    texts = [str(StrokeTokens(tuple(t for t in tokens.tokens if t is not piece))) for piece in pieces]
    return list(dict.fromkeys(texts))
