"""The match log folded into what pages ask for."""

from __future__ import annotations

from typing import Any

import pytest

from models.pieces import Kind, Piece, Pocket, Seat, opening_formation
from referee.facts import Formation, Pocketed, Stroke, Table
from referee.log import LogError, line_of
from referee.web.match_reader import MatchReader

HEADER: dict[str, Any] = {"type": "header", "version": 1, "match": "m7", "rules": "icf", "players": {"south": "Asha"}}


def opening() -> dict[str, Any]:
    return line_of(Formation(0.0, opening_formation(31.0), Seat.SOUTH))


def stroke(n: int, seat: Seat, *kinds: Kind) -> dict[str, Any]:
    pocketed = tuple(Pocketed(kind, Pocket.NE, 10.0 * n) for kind in kinds)
    return line_of(Stroke(n, seat, None, 10.0 * n, 10.0 * n + 2, 10.0 * n + 3, None, Kind.WHITE, pocketed, (), ()))


def told(*lines: dict[str, Any]) -> MatchReader:
    history = MatchReader()
    for line in lines:
        history.add(line)
    return history


def test_the_log_alone_gives_the_match() -> None:
    history = told(HEADER, opening(), stroke(1, Seat.SOUTH, Kind.WHITE), stroke(2, Seat.SOUTH))
    assert history.match is not None
    view = history.match.view()
    assert (view["match"], view["turn"], view["strokes"]) == ("m7", "north", 2)
    assert view["coins_left"]["white"] == 8


def test_corrections_in_the_log_count_and_are_listed_newest_first() -> None:
    undo = {"type": "correction", "t": 30.0, "action": "undo", "id": "ab", "by": "umpire"}
    redo = {"type": "correction", "t": 31.0, "action": "redo", "id": "cd", "by": "Mira"}
    history = told(HEADER, opening(), stroke(1, Seat.SOUTH), undo, redo)
    assert [change["by"] for change in history.changes()] == ["Mira", "umpire"]
    assert history.summary()["last_correction"] == "cd"
    assert not history.strokes("en")[0]["annulled"]


def test_strokes_come_newest_first_in_the_language_asked() -> None:
    history = told(HEADER, opening(), stroke(1, Seat.SOUTH, Kind.WHITE), stroke(2, Seat.SOUTH))
    english, german = history.strokes("en"), history.strokes("de")
    assert [entry["stroke"] for entry in german] == [2, 1]
    assert english[1]["stroke_text"] == german[1]["stroke_text"] == "W@NE"
    assert english[0]["sentences"] != german[0]["sentences"]


def test_a_line_that_makes_no_sense_costs_only_itself() -> None:
    nonsense = ({"type": "stroke", "n": 1}, {"type": "correction", "action": "correct", "stroke": 99}, {"type": "new"})
    history = told(HEADER, opening(), *nonsense, stroke(1, Seat.SOUTH))
    assert history.match is not None
    assert history.summary()["strokes"] == 1


def test_lines_before_the_first_whole_header_belong_to_the_match() -> None:
    assert told(opening(), stroke(1, Seat.SOUTH)).match is None
    assert told(opening(), stroke(1, Seat.SOUTH), HEADER).summary()["strokes"] == 1


def test_an_unknown_rule_book_is_told() -> None:
    with pytest.raises(LogError, match="no such book"):
        told(HEADER | {"rules": "no such book"})


def test_a_log_is_read_page_by_page_to_its_end() -> None:
    history, read, at = told(*({"type": "clock", "n": n} for n in range(1207))), [], 0
    while lines := (page := history.page(at))["lines"]:
        assert len(lines) <= 500
        read, at = [*read, *lines], page["next"]
    assert [line["n"] for line in read] == list(range(1207))


def test_settled_boards_come_newest_first_with_the_stroke_that_led_to_them() -> None:
    lying = line_of(Table(14.0, (Piece(Kind.WHITE, 1.0, 2.0),)))
    layouts = told(HEADER, opening(), stroke(1, Seat.SOUTH), lying).layouts()
    assert [(layout["t"], layout["stroke"], len(layout["pieces"])) for layout in layouts] == [
        (14.0, 1, 1),
        (0.0, 0, 19),
    ]
