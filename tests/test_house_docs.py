"""docs/house_rules.md: every key is explained, and the club's book of the ten minutes is one."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from models.collecting import CollectRules
from models.rules import Rules, book_text, parse_rules
from models.terms import Endgame, Fate, FoulName, Limit, Occupied, Placer, Points, PutBackPlace, QueenFate, WhatFell
from referee.laws import State, StrokeTokens, apply

DOCS = (Path(__file__).parent.parent / "docs" / "house_rules.md").read_text(encoding="utf-8")
FENCED = re.findall(r"```toml\n(.*?)```", DOCS, re.DOTALL)
CODE = re.findall(r"`[^`\n]+`", re.sub(r"```.*?```", "", DOCS, flags=re.DOTALL))
WRITTEN = set(re.findall(r"[a-z_]+", " ".join(CODE + FENCED)))


def keys(kind: Any, seen: set[type]) -> set[str]:
    """The keys of a part of a book and of the parts in it."""
    found: set[str] = set()
    for part in (kind, *get_args(kind)):
        if is_dataclass(part) and isinstance(part, type) and part not in seen:
            seen.add(part)
            hints = get_type_hints(part)
            found |= {f.name for f in fields(part)}.union(*(keys(hints[f.name], seen) for f in fields(part)))
        elif part is not kind and get_args(part):
            found |= keys(part, seen)
    return found


@pytest.mark.parametrize("game", [Rules, CollectRules])
def test_every_key_is_explained(game: type) -> None:
    wanted = keys(game, set()) - {"name"}
    assert len(wanted) > 60
    assert sorted(wanted - WRITTEN) == []


@pytest.mark.parametrize("words", [Fate, WhatFell, FoulName, Limit, Occupied, PutBackPlace, Placer, Points, QueenFate])
def test_every_word_that_a_key_takes_is_there(words: Any) -> None:
    special = {"no_leave", "no_break", "out_of_turn"}
    assert sorted({str(word) for word in words} - WRITTEN - special) == []


def test_the_endgames_are_there() -> None:
    assert {e.removesuffix("_striker") for e in Endgame} <= WRITTEN


def test_the_clubs_book_of_the_ten_minutes_is_one() -> None:
    """The steps done to the book that they begin with; TOML blocks are taken from the page."""
    queen, choice = FENCED
    section = queen.partition("[end.own]")[0]
    text = book_text("short_de").replace("target_points = 25", "target_points = 21")
    text = text.replace("[dues]\n", "[dues]\ndebts = false\n")
    old = next(line for line in text.partition("[end.own]")[2].splitlines() if line.startswith("board "))
    new = next(line.strip() for line in queen.splitlines() if line.strip().startswith("board ="))
    text = text.replace(old, new, 1).replace("[end.own]", f"{section}\n[end.own]", 1)
    old = next(line for line in text.partition("[stroke.rest]")[2].splitlines() if line.startswith("striker_own "))
    book = parse_rules(text.replace(old, choice.strip(), 1), "club")

    def after(state: str, stroke: str) -> str:
        return str(apply(State.parse(state), StrokeTokens.parse(stroke), book).state)

    assert after("W4 B2 Q=board mv W", "W,S") == "W3 B2 Q=board due 0/0 score 0:0 mv W"
    assert after("W4 B2 Q=board mv W", "W,S,choice:other") == "W4 B2 Q=board due 0/0 score 0:0 mv B strokes 0"
    assert after("W0 B2 Q=board mv W", "S") == "W0 B2 Q=board due 0/0 score 0:0 mv B strokes 0"
    assert after("W8 B4 Q=board mv W", "W") == "W9 B4 Q=board due 0/0 score 0:0 mv W"
    assert after("W9 B4 Q=board mv W", "Q") == "W9 B4 Q=cov:W due 0/0 score 8:0 mv end"
