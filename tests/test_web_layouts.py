"""Which settled board is to be put back: what the game led to, not what a knock left behind."""

from __future__ import annotations

from typing import Any

import pytest

from referee.web.settled_boards import layouts_of, lie_alike

Line = dict[str, Any]


def lying(t: float, *places: tuple[float, float], kind: str = "white") -> Line:
    pieces = [{"kind": kind, "x_mm": x, "y_mm": y} for x, y in places]
    return {"type": "table", "t": t, "pieces": pieces}


def stroke(n: int) -> Line:
    return {"type": "stroke", "n": n}


def certified(*lines: Line, annulled: set[int] | None = None) -> dict[float, bool]:
    """By time: whether the board was what the game led to."""
    return {layout["t"]: layout["certified"] for layout in layouts_of(lines, annulled or set())}


def test_what_a_stroke_led_to_is_certified_and_a_knock_afterwards_is_not() -> None:
    told = certified(
        stroke(1), lying(1.0, (0, 0), (90, 0)), lying(2.0, (0.4, 0), (90, 0.4)), lying(3.0, (0, 0), (50, 0))
    )
    assert told == {1.0: True, 2.0: True, 3.0: False}


def test_a_board_put_back_is_certified_again_and_so_is_what_the_next_stroke_leads_to() -> None:
    before, knocked = lying(1.0, (0, 0), (90, 0)), lying(2.0, (0, 0), (50, 0))
    told = certified(stroke(1), before, knocked, lying(3.0, (0, 1), (91, 0)), stroke(2), lying(4.0, (0, 0)))
    assert told == {1.0: True, 2.0: False, 3.0: True, 4.0: True}


@pytest.mark.parametrize("kind", ["returned", "header", "running"])
def test_hands_that_put_a_coin_back_and_a_new_start_explain_another_layout(kind: str) -> None:
    told = certified(
        stroke(1), lying(1.0, (0, 0)), {"type": kind, "t": 1.5, "pieces": []}, lying(2.0, (0, 0), (40, 40))
    )
    assert told[2.0]


def test_what_a_stroke_left_that_was_taken_back_is_not_certified() -> None:
    told = certified(stroke(1), lying(1.0, (0, 0)), stroke(2), lying(2.0, (70, 0)), annulled={2})
    assert told == {1.0: True, 2.0: False}


def test_the_striker_lies_where_it_likes_and_kinds_do_not_stand_for_each_other() -> None:
    here, there = lying(0, (0, 0))["pieces"], lying(0, (0, 0), kind="black")["pieces"]
    assert lie_alike(here, here + lying(0, (9, 9), kind="striker")["pieces"])
    assert not lie_alike(here, there)
    assert not lie_alike(here, [])


def test_only_the_last_boards_are_shown_newest_first() -> None:
    shown = layouts_of([lying(float(t), (0, 0)) for t in range(25)], set())
    assert [layout["t"] for layout in shown] == [float(t) for t in range(24, 4, -1)]
