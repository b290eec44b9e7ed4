"""Texts of the printed sheet and of exported clips, from one file of phrases for each language."""

from __future__ import annotations

from typing import Any

from referee import languages
from referee.languages import Part
from referee.match.doubts import phrases as match_phrases


def phrases(language: str) -> dict[str, Any]:
    """Returns the phrases of that language; raises ValueError for an unknown one."""
    return languages.phrases(Part.REPLAY, language)


def seat_word(seat: str, language: str) -> str:
    """Returns the name of a seat."""
    return str(match_phrases(language)["words"][seat])
