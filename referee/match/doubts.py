"""Doubts about rulings: players and rulings disagree, or something is not known. A doubt is never a foul by itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from models.pieces import Kind, Seat
from referee import languages
from referee.languages import Part, form, load_language


class DoubtReason(StrEnum):
    """Reason for a doubt; every member has its sentence in every language's `match.toml`."""

    TURN_DIFFERS = "turn_differs"
    NOT_PUT_BACK = "not_put_back"
    DUE_LAPSED = "due_lapsed"
    """A penalty that was not put back before the next turn, in a book by which it then lapses."""
    PUT_BACK_UNASKED = "put_back_unasked"
    COINS_MISSING = "coins_missing"
    COINS_UNSEEN = "coins_unseen"
    PLAY_WENT_ON = "play_went_on"
    BOARD_REVIVED = "board_revived"
    BOARD_ABANDONED = "board_abandoned"
    BREAKER_DIFFERS = "breaker_differs"
    FIRST_DIFFERS = "first_differs"
    SEATS_KEPT = "seats_kept"
    SEATS_MOVED = "seats_moved"
    QUEEN_FOUND = "queen_found"
    POINTS_UNKNOWN = "points_unknown"
    FOREIGN_SEAT = "foreign_seat"
    FALLS_UNSURE = "falls_unsure"
    STILL_OPEN = "still_open"
    SEATS_SUSPECT = "seats_suspect"


@dataclass(frozen=True, slots=True)
class MatchDoubt:
    """One doubt about a ruling."""

    why: DoubtReason
    seat: Seat | None = None
    """Seat that played."""
    turn: Seat | None = None
    """Seat that should have played by the ruling before."""
    coins: tuple[tuple[Kind, int], ...] = ()
    stroke: int | None = None
    """Earlier stroke on which it depends."""
    law: str = ""
    """Number of the law that states it; empty if there is none."""


def doubt_text(doubt: MatchDoubt, language: str = "en") -> str:
    """Returns the doubt as a sentence."""
    words = phrases(language)["words"]
    text: str = phrases(language)[doubt.why].format(
        seat=words[doubt.seat or "nobody"],
        turn=words[doubt.turn or "nobody"],
        coins=words["and"].join(_coins(kind, count, language) for kind, count in doubt.coins),
        stroke=doubt.stroke,
        law=doubt.law,
    )
    return text[:1].upper() + text[1:]


def phrases(language: str) -> dict[str, Any]:
    """Returns the phrases about matches in a language; raises ValueError for an unknown one."""
    return languages.phrases(Part.MATCH, language)


def _coins(kind: Kind, count: int, language: str) -> str:
    forms = phrases(language)["coins"][kind]
    return form(load_language(language).plurals, forms, count).format(n=count)
