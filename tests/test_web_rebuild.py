"""The match document worked out from the log while the eyes are away."""

from __future__ import annotations

from typing import Any

from models.pieces import Kind, Pocket, Seat, opening_formation
from referee.log import line_of
from referee.strokes.facts import Formation, Pocketed, Stroke
from referee.web.rebuild import view_of_log

HEADER: dict[str, Any] = {"type": "header", "version": 1, "match": "m7", "rules": "icf", "players": {"south": "Asha"}}


def opening() -> dict[str, Any]:
    return line_of(Formation(0.0, opening_formation(31.0), Seat.SOUTH))


def stroke(n: int, seat: Seat, *kinds: Kind) -> dict[str, Any]:
    pocketed = tuple(Pocketed(kind, Pocket.NE, 10.0 * n) for kind in kinds)
    return line_of(Stroke(n, seat, None, 10.0 * n, 10.0 * n + 2, 10.0 * n + 3, None, Kind.WHITE, pocketed, (), ()))


def test_the_log_alone_gives_score_turn_and_rulings() -> None:
    view = view_of_log([HEADER, opening(), stroke(1, Seat.SOUTH, Kind.WHITE), stroke(2, Seat.SOUTH)])
    assert view is not None
    assert (view["match"], view["turn"], view["strokes"]) == ("m7", "north", 2)
    assert view["coins_left"]["white"] == 8


def test_corrections_in_the_log_count() -> None:
    undo = {"type": "correction", "t": 30.0, "action": "undo", "id": "ab"}
    view = view_of_log([HEADER, opening(), stroke(1, Seat.SOUTH, Kind.WHITE), stroke(2, Seat.SOUTH), undo])
    assert view is not None
    assert view["rulings"][-1]["annulled"]
    assert view["can_redo"]


def test_a_line_that_makes_no_sense_costs_only_itself() -> None:
    lines = [HEADER, opening(), {"type": "stroke", "n": 1}, {"type": "correction", "action": "correct", "stroke": 99},
             {"type": "later_invention"}, stroke(1, Seat.SOUTH)]  # fmt: skip
    view = view_of_log(lines)
    assert view is not None
    assert view["strokes"] == 1


def test_without_a_header_or_with_unknown_rules_there_is_no_match_to_show() -> None:
    assert view_of_log([]) is None
    assert view_of_log([HEADER | {"rules": "no such book"}]) is None
