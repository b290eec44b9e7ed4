"""The pages' words: complete in every language, with the same blanks, and nothing asked for that is not there."""

from __future__ import annotations

import re
from typing import Any

import pytest

from models.rulebook import Limit
from models.terms import FoulName
from referee.facts import AlertKind
from referee.languages import Part, phrases
from referee.strokes.stroke_machine import Phase
from referee.web.app import static_folder
from referee.web.template import HALL_PAGES, MISSING, PAGES, html_of


def words(language: str) -> dict[str, Any]:
    return phrases(Part.PAGES, language)


def test_every_word_that_a_page_asks_for_is_there() -> None:
    known = words("en").keys()
    asked: set[str] = set()
    for page in [*PAGES.values(), *HALL_PAGES.values(), MISSING]:
        asked |= set(re.findall(r'data-word(?:-label)?="([^"]+)"', html_of(page)))
    for file in (static_folder() / "scripts").iterdir():
        asked |= set(re.findall(r'\bt\("([a-z_.0-9]+)"', file.read_text(encoding="utf-8")))
    assert len(asked) > 100
    assert asked <= known


def test_no_word_is_kept_that_no_page_says() -> None:
    """Words asked for by a name put together, as in t(`phase.${phase}`), are known by their beginning."""
    text = "".join(file.read_text(encoding="utf-8") for file in (static_folder() / "scripts").iterdir())
    text += "".join(map(html_of, [*PAGES.values(), *HALL_PAGES.values(), MISSING]))
    beginnings = tuple(re.findall(r"`([a-z_]+\.(?:[a-z]+_)?)\$\{", text))
    unsaid = [key for key in words("en") if f'"{key}"' not in text and not key.startswith(beginnings)]
    assert unsaid == []


@pytest.mark.parametrize(
    ("prefix", "names"),
    [("phase", [phase.value for phase in Phase]), ("alert", list(AlertKind)), ("placement", list(Limit)),
     ("foul", list(FoulName)), ("seat", ["south", "west", "north", "east"]),
     ("page", [page.name for page in [*PAGES.values(), *HALL_PAGES.values()] if page.name != "overlay"])],
)  # fmt: skip
def test_everything_that_the_referee_names_has_a_word(prefix: str, names: list[str]) -> None:
    known = words("en").keys()
    assert [name for name in names if f"{prefix}.{name}" not in known] == []
