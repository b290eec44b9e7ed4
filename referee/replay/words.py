"""The words of the printed sheet and of exported clips, a file of phrases for each language."""

from __future__ import annotations

from typing import Any

from referee import languages
from referee.languages import Part
from referee.match.doubts import phrases as match_phrases


def phrases(language: str) -> dict[str, Any]:
    """What is said around a match in that language; raises ValueError for one that is not there."""
    return languages.phrases(Part.REPLAY, language)


def seat_word(seat: str, language: str) -> str:
    """What a seat is called."""
    return str(match_phrases(language)["words"][seat])
