"""The words of the printed sheet and of exported clips, a file of phrases for each language."""

from __future__ import annotations

import unicodedata
from typing import Any

from referee import languages
from referee.languages import Part
from referee.log import Line
from referee.match.doubts import phrases as match_phrases

SPELT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})
"""How German letters are written where there are no others."""


def phrases(language: str) -> dict[str, Any]:
    """What is said around a match in that language; raises ValueError for one that is not there."""
    return languages.phrases(Part.REPLAY, language)


def seat_word(seat: str, language: str) -> str:
    """What a seat is called."""
    return str(match_phrases(language)["words"][seat])


def caption(line: Line, player: str | None, tokens: str, language: str) -> str:
    """What stands in the corner of a stroke's clip, in ASCII: its font has nothing else."""
    who = player or seat_word(line["seat"], language)
    text = f"{phrases(language)['stroke'].format(n=line['n'])}  {who}  {tokens}".translate(SPELT)
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii").rstrip()
