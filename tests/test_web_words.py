"""The pages' words: complete in every language, with the same blanks, and nothing asked for that is not there."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from models.rulebook import Limit
from models.terms import FoulName
from referee.facts import AlertKind
from referee.laws import languages
from referee.strokes.stroke_machine import Phase
from referee.web.app import static_folder
from referee.web.template import MISSING, PAGES, html_of

WORDS = static_folder() / "words"


def words(language: str) -> dict[str, Any]:
    table: dict[str, Any] = json.loads((WORDS / f"{language}.json").read_text(encoding="utf-8"))
    return table


def forms(entry: Any) -> list[str]:
    return [entry] if isinstance(entry, str) else list(entry.values())


def blanks(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def test_the_pages_speak_the_languages_that_the_laws_speak() -> None:
    assert sorted(file.stem for file in WORDS.iterdir()) == languages()


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_no_word_is_missing_in_any_language_and_blanks_are_the_same(language: str) -> None:
    english, other = words("en"), words(language)
    assert other.keys() == english.keys()
    for key, entry in other.items():
        assert all(form.strip() for form in forms(entry)), key
        assert isinstance(entry, str) == isinstance(english[key], str), key
        # "1 question" needs no blank where "{n} questions" has one.
        assert set().union(*map(blanks, forms(entry))) == set().union(*map(blanks, forms(english[key]))), key


def test_every_form_for_many_is_there() -> None:
    for language in languages():
        assert all(entry.keys() == {"one", "other"} for entry in words(language).values() if isinstance(entry, dict))


def test_every_word_that_a_page_asks_for_is_there() -> None:
    known = words("en").keys()
    asked: set[str] = set()
    for page in [*PAGES.values(), MISSING]:
        asked |= set(re.findall(r'data-word(?:-label)?="([^"]+)"', html_of(page)))
    for file in (static_folder() / "scripts").iterdir():
        asked |= set(re.findall(r'\bt\("([a-z_.0-9]+)"', file.read_text(encoding="utf-8")))
    assert len(asked) > 100
    assert asked <= known


def test_no_word_is_kept_that_no_page_says() -> None:
    """Words asked for by a name put together, as in t(`phase.${phase}`), are known by their beginning."""
    text = "".join(file.read_text(encoding="utf-8") for file in (static_folder() / "scripts").iterdir())
    text += "".join(map(html_of, [*PAGES.values(), MISSING]))
    beginnings = tuple(re.findall(r"`([a-z_]+\.(?:[a-z]+_)?)\$\{", text))
    unsaid = [key for key in words("en") if f'"{key}"' not in text and not key.startswith(beginnings)]
    assert unsaid == []


@pytest.mark.parametrize(
    ("prefix", "names"),
    [("phase", [phase.value for phase in Phase]), ("alert", list(AlertKind)), ("placement", list(Limit)),
     ("foul", list(FoulName)), ("seat", ["south", "west", "north", "east"]),
     ("page", [page.name for page in PAGES.values() if page.name != "overlay"])],
)  # fmt: skip
def test_everything_that_the_referee_names_has_a_word(prefix: str, names: list[str]) -> None:
    known = words("en").keys()
    assert [name for name in names if f"{prefix}.{name}" not in known] == []
