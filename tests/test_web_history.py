"""The match log folded into what pages ask for."""

from __future__ import annotations

from typing import Any

import pytest

from referee.web.history import PAGE_LINES, History, seen_text


def stroke(n: int, pocketed: tuple[tuple[str, str | None], ...] = (), off: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"type": "stroke", "n": n, "seat": "south", "off_board": [{"kind": k, "t": 1.0} for k in off],
            "pocketed": [{"kind": k, "pocket": p, "t": 1.0} for k, p in pocketed]}  # fmt: skip


def test_the_latest_ruling_on_a_stroke_holds() -> None:
    history = History()
    history.add(stroke(1))
    history.add({"type": "ruling", "stroke": 1, "turn": "south"})
    history.add({"type": "correction", "id": "ab", "action": "correct", "stroke": 1})
    history.add({"type": "ruling", "stroke": 1, "turn": "north", "stroke_text": "S"})
    [entry] = history.strokes()
    assert entry["ruling"]["turn"] == "north"
    assert entry["text"] == "S"
    assert history.summary()["last_correction"] == "ab"


def test_strokes_come_newest_first_also_those_not_yet_ruled() -> None:
    history = History()
    for n in (1, 2, 3):
        history.add(stroke(n))
    assert [(e["n"], e["ruling"]) for e in history.strokes()] == [(3, None), (2, None), (1, None)]


def test_a_log_is_read_page_by_page_to_its_end() -> None:
    history = History()
    for n in range(PAGE_LINES + 7):
        history.add({"type": "clock", "n": n})
    first = history.page(0)
    second = history.page(first["next"])
    assert [line["n"] for line in first["lines"] + second["lines"]] == list(range(PAGE_LINES + 7))
    assert history.page(second["next"])["lines"] == []


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (stroke(1), "-"),
        (stroke(1, (("white", "NE"), ("striker", None))), "W@NE,S"),
        (stroke(1, off=("queen",)), "off:Q"),
    ],
)
def test_what_was_seen_reads_as_tokens(line: dict[str, Any], text: str) -> None:
    assert seen_text(line) == text
