"""The folders of languages: which languages there are, and their phrases."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

ENGLISH = "en"
"""Language of phrases that a translation lacks."""
LANGUAGE_FILE = "language.toml"
GLOSSARY_FILE = "glossary.toml"


class Part(StrEnum):
    """Subject of phrases; each is a file of a language's folder."""

    LAWS = "laws.toml"
    MATCH = "match.toml"
    REPLAY = "replay.toml"
    PAGES = "pages.json"


class TextDirection(StrEnum):
    """Writing direction."""

    LTR = "ltr"
    RTL = "rtl"


@dataclass(frozen=True, slots=True)
class Language:
    """Contents of a folder's `language.toml`."""

    code: str
    """BCP 47 code, as browsers use it."""
    name: str
    """Name in the language itself."""
    english_name: str
    direction: TextDirection
    machine: bool
    """Whether a machine translated it and no speaker has read it yet. Pages say so."""
    plurals: dict[str, str]
    """CLDR rule by category, all but "other"."""


@cache
def languages() -> list[str]:
    """Returns the codes of the languages, in order."""
    return sorted(f.name for f in _root().iterdir() if (f / LANGUAGE_FILE).is_file())


@cache
def load_language(code: str) -> Language:
    """Returns a language's `language.toml`. Raises ValueError for an unknown language."""
    contents = tomllib.loads(_text(code, LANGUAGE_FILE))
    return Language(
        code,
        contents["name"],
        contents["english_name"],
        TextDirection(contents["direction"]),
        contents["machine"],
        contents["plurals"],
    )


@cache
def phrases(part: Part, code: str) -> dict[str, Any]:
    """Returns the phrases of a part, in English where the folder lacks them. Raises ValueError for an unknown
    language.
    """
    own = own_phrases(part, code)
    return own if code == ENGLISH else _over(own_phrases(part, ENGLISH), own)


def own_phrases(part: Part, code: str) -> dict[str, Any]:
    """Returns the phrases of the language's own file; empty without one."""
    text = _text(code, part)
    contents: dict[str, Any] = (json.loads(text) if part is Part.PAGES else tomllib.loads(text)) if text else {}
    return contents


def glossary(code: str) -> dict[str, Any]:
    """Returns the language's word for each thing, and the words to avoid."""
    contents = tomllib.loads(_text(code, GLOSSARY_FILE))
    return {"terms": contents["terms"], "avoid": contents["avoid"]}


def fonts_folder() -> Path:
    """Returns the folder of the shipped fonts, one for each script."""
    return Path(str(_root() / "fonts"))


def _over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    both = below | above
    return both | {key: _over(value, above[key]) for key, value in below.items()
                   if isinstance(value, dict) and isinstance(above.get(key), dict)}  # fmt: skip


def _text(code: str, name: str) -> str:
    if code not in languages():
        raise ValueError(f"no sentences in {code!r}: choose one of {', '.join(languages())}")
    file = _root() / code / name
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _root() -> Traversable:
    return resources.files("referee.languages")
