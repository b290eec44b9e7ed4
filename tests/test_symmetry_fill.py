"""Marks that nobody measured: where their fellows put them, if the board has such marks at all."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from test_placement_rules import MIDDLE, MOON_X, PROFILE, STRIKER

from calibration.fit_board.symmetry_fill import inferred_side
from calibration.profile import Circle, Profile, Segment, SideMarks
from models.pieces import Seat
from referee.facts import PlacementReason
from referee.striker.placement_rules import judge_placement

MARKS = [f.name for f in fields(SideMarks)]


def without(**lost: list[Seat]) -> Profile:
    """The board with marks of some sides not measured."""
    sides = dict(PROFILE.sides)
    for name, seats in lost.items():
        for seat in seats:
            sides[seat] = replace(sides[seat], **{name: None})
    return replace(PROFILE, sides=sides)


def points(mark: Circle | Segment | None) -> list[float]:
    assert mark is not None
    return [*mark.centre, mark.radius] if isinstance(mark, Circle) else [*mark.start, *mark.end, mark.thickness]


@pytest.mark.parametrize("seat", Seat)
@pytest.mark.parametrize("name", MARKS)
def test_a_mark_that_was_not_measured_lies_where_its_fellows_put_it(seat: Seat, name: str) -> None:
    found = inferred_side(without(**{name: [seat]}), seat)
    for each in MARKS:
        assert points(getattr(found, each)) == pytest.approx(points(getattr(PROFILE.sides[seat], each)), abs=1e-6)


@pytest.mark.parametrize("names", [("left_circle", "right_circle"), ("left_arrow", "right_arrow"), ("front_line",)])
def test_a_board_without_such_marks_has_none(names: tuple[str, ...]) -> None:
    bare = without(**{name: list(Seat) for name in names})
    assert all(getattr(inferred_side(bare, Seat.EAST), name) is None for name in names)


def test_two_circles_that_chance_draws_are_no_fellows() -> None:
    chance = without(left_circle=list(Seat), right_circle=[Seat.SOUTH, Seat.WEST])
    assert inferred_side(chance, Seat.SOUTH).left_circle is None


def test_what_was_measured_stays() -> None:
    worn = replace(PROFILE.sides[Seat.SOUTH], left_circle=Circle((-219.0, -252.0), 16.0))
    assert inferred_side(replace(PROFILE, sides=PROFILE.sides | {Seat.SOUTH: worn}), Seat.SOUTH) == worn


@pytest.mark.parametrize(
    ("into", "legal", "reason"), [(3.0, False, PlacementReason.CUTTING_MOON), (0.8, None, None), (-0.8, None, None)]
)
def test_a_striker_on_a_moon_that_was_not_measured_is_not_called_legal(
    into: float, legal: bool | None, reason: PlacementReason | None
) -> None:
    """A coin lay on the circle while the board was measured: this passed for a board without it."""
    hidden = without(right_circle=[Seat.SOUTH], left_circle=[Seat.EAST])
    x = MOON_X - 15.9 - STRIKER + into
    placed = judge_placement(hidden, Seat.SOUTH, x, MIDDLE, STRIKER, 0.2)
    assert (placed.legal, placed.reason) == (legal, reason)
    assert placed.margin_mm == pytest.approx(-into, abs=0.01)
    assert placed.sigma_mm > 2 * 0.2, "what was inferred is less sure than what was measured"


def test_a_supposed_mark_far_away_makes_nothing_less_sure() -> None:
    placed = judge_placement(without(right_circle=[Seat.SOUTH]), Seat.SOUTH, 0.0, MIDDLE, STRIKER, 0.2)
    assert (placed.legal, placed.sigma_mm) == (True, 0.2)
