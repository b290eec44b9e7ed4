"""Exhaustive counts of reachable states: a change in a law changes a number, and names the stroke that leads there."""

from __future__ import annotations

import pytest
from perft import HEAD, POSITIONS, RECORDED, alphabet, divide, positions, recorded

from models.rules import rule_names
from referee.laws import parse_state

ALL = [(book, position) for book in rule_names() for position in positions(book)]


def diverging(counted: dict[str, str], committed: dict[str, str]) -> str:
    """Each first stroke whose count is another, one a line."""
    strokes = dict.fromkeys([*committed, *counted])
    changed = [s for s in strokes if counted.get(s) != committed.get(s)]
    return "\n".join(f"{s}: {committed.get(s)} recorded, {counted.get(s)} counted" for s in changed)


@pytest.mark.parametrize(("book", "position"), ALL)
def test_as_many_states_are_reached_as_were_recorded(book: str, position: str) -> None:
    committed = recorded().get((book, position), {})
    assert committed, f"no counts of {book} from {position}: record them as tests/perft.py says"
    counted = divide(book, position)
    assert counted == committed, f"{book} from {position} diverges after\n{diverging(counted, committed)}"


def test_nothing_is_recorded_that_is_not_counted() -> None:
    assert list(recorded()) == ALL
    assert RECORDED.read_text(encoding="utf-8").startswith(HEAD)


def test_the_alphabet_is_as_written() -> None:
    assert len(alphabet(pockets=False)) == 72 + 7
    assert len(alphabet(pockets=True)) == 2 * 72 - 4 + 7


def test_a_change_names_the_strokes_that_lead_to_it() -> None:
    told = diverging({"all": "3/a", "W": "2/b", "B": "1/c"}, {"all": "3/d", "W": "2/b", "S": "1/c"})
    assert told.splitlines() == [
        "all: 3/d recorded, 3/a counted",
        "S: 1/c recorded, None counted",
        "B: None recorded, 1/c counted",
    ]


@pytest.mark.parametrize("line", [line for game in POSITIONS.values() for line, _ in game.values()])
def test_positions_are_written_as_the_notation_writes_them(line: str) -> None:
    assert str(parse_state(line)) == line
