"""Placement: each limit of the ICF laws, with margins worked out by hand from the derived geometry of the ICF board.

South's lower line lies at y = -268.5 (5.5 thick), the upper at -236.7 (1.5), the base circles at (+-220.8, -252.6) with
radius 15.9, so that each touches its neighbouring side's upper line too; the arrows (1.5 thick) lie on the diagonals.
"""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sim_scenes import BOARD, SIZE, book_profile

from calibration.doubt import CameraDoubt
from calibration.profile import Circle, Profile, Segment, SideMarks
from models.pieces import Seat, from_side
from referee.facts import Clearances, Placement, PlacementReason
from referee.sim.viewpoint import Mount, camera_over
from referee.striker.placement_rules import beyond_lines, clearances, judge_placement

MOON_X, MIDDLE = 220.8, -252.6
STRIKER = 41.3 / 2
NAMES = [f.name for f in fields(Clearances)]


def icf(seat: Seat) -> SideMarks:
    def line(y: float, thickness: float) -> Segment:
        return Segment(from_side(seat, -MOON_X, y), from_side(seat, MOON_X, y), thickness)

    def moon(side: int) -> Circle:
        return Circle(from_side(seat, side * MOON_X, MIDDLE), 15.9)

    def arrow(side: int) -> Segment:
        return Segment(from_side(seat, side * 297.75, -297.75), from_side(seat, side * 108.95, -108.95), 1.5)

    return SideMarks(line(-268.5, 5.5), line(-236.7, 1.5), moon(-1), moon(1), arrow(-1), arrow(1))


PROFILE = replace(book_profile(camera_over(BOARD, *SIZE, Mount())), sides={seat: icf(seat) for seat in Seat})


def standing(x: float, y: float, sigma: float = 0.2, profile: Profile = PROFILE) -> Placement:
    """South's striker at (x, y)."""
    return judge_placement(profile, Seat.SOUTH, x, y, STRIKER, sigma)


def test_midway_between_the_lines_every_clearance_is_as_computed_by_hand() -> None:
    clear = standing(0.0, MIDDLE).clearance_mm
    assert clear.front_line == pytest.approx(5.5)
    assert clear.rear_line == pytest.approx(7.5)
    assert clear.moon == pytest.approx(184.25)
    assert clear.arrow == pytest.approx(252.6 / 2**0.5 - 21.4)
    assert clear.ends == pytest.approx(225.55)


def test_the_margin_is_the_smallest_clearance() -> None:
    placed = standing(0.0, MIDDLE)
    assert (placed.legal, placed.reason) == (True, None)
    assert placed.margin_mm == pytest.approx(5.5)


@pytest.mark.parametrize(
    ("x", "y", "reason", "margin"),
    [
        (0.0, -259.1, PlacementReason.NOT_TOUCHING_FRONT_LINE, -1.0),
        (0.0, -244.1, PlacementReason.NOT_TOUCHING_REAR_LINE, -1.0),
        (200.0, MIDDLE, PlacementReason.CUTTING_MOON, -15.75),
        (-185.25, MIDDLE, PlacementReason.CUTTING_MOON, -1.0),
        (-214.8, MIDDLE, PlacementReason.CUTTING_MOON, -1.25),
        (221.8, -250.9, PlacementReason.TOUCHING_ARROW, 29.1 / 2**0.5 - 21.4),
        (270.0, MIDDLE, PlacementReason.OUTSIDE_BASELINE, -44.45),
    ],
)
def test_a_limit_missed_is_told_with_its_reason(x: float, y: float, reason: PlacementReason, margin: float) -> None:
    placed = standing(x, y)
    assert (placed.legal, placed.reason) == (False, reason)
    assert placed.margin_mm == pytest.approx(margin)


@pytest.mark.parametrize(
    ("x", "y", "margin"),
    [
        (0.0, -257.1, 1.0),
        (0.0, -246.1, 1.0),
        (183.25, MIDDLE, 1.0),
        (-217.05, MIDDLE, 1.0),
    ],
)
def test_a_limit_just_kept_is_legal(x: float, y: float, margin: float) -> None:
    placed = standing(x, y)
    assert (placed.legal, placed.reason) == (True, None)
    assert placed.margin_mm == pytest.approx(margin)


def test_on_a_base_circle_the_largest_striker_clears_the_arrow_by_1_09_mm() -> None:
    placed = standing(MOON_X, MIDDLE)
    assert placed.clearance_mm.arrow == pytest.approx(1.09, abs=0.005)
    assert placed.clearance_mm.moon == pytest.approx(4.75)
    assert placed.legal is True


@pytest.mark.parametrize(("x", "y"), [(0.0, -258.3), (0.0, -245.0), (184.4, MIDDLE), (216.1, MIDDLE)])
def test_what_lies_within_the_uncertainty_is_too_close_to_call(x: float, y: float) -> None:
    placed = standing(x, y)
    assert (placed.legal, placed.reason) == (None, None)
    assert abs(placed.margin_mm) < 0.4


def test_the_less_is_known_the_less_is_called() -> None:
    assert standing(MOON_X, MIDDLE, sigma=0.5).legal is True
    assert standing(MOON_X, MIDDLE, sigma=0.6).legal is None
    assert standing(0.0, -259.1, sigma=0.6).legal is None


def test_touching_the_moon_from_outside_counts_from_the_rings_middle() -> None:
    assert clearances(icf(Seat.SOUTH), Seat.SOUTH, MOON_X - 36.55, MIDDLE, STRIKER).moon == pytest.approx(0.0)


def test_a_smaller_striker_covers_the_moon_with_less_play() -> None:
    assert clearances(icf(Seat.SOUTH), Seat.SOUTH, MOON_X, MIDDLE, 19.0).moon == pytest.approx(3.1)


@pytest.mark.parametrize(("y", "left"), [(-215.4, False), (-215.2, True), (-291.8, False), (-292.0, True)])
def test_a_striker_has_left_its_lines_when_its_rim_is_clear_of_both(y: float, left: bool) -> None:
    """Before the upper line's edge at -235.95 or behind the lower one's at -271.25."""
    assert (beyond_lines(icf(Seat.SOUTH), Seat.SOUTH, 60.0, y, STRIKER) > 0) is left
    assert (beyond_lines(icf(Seat.EAST), Seat.EAST, *from_side(Seat.EAST, 60.0, y), STRIKER) > 0) is left


def test_a_mark_that_the_board_lacks_is_not_judged() -> None:
    bare = replace(icf(Seat.SOUTH), left_arrow=None, right_arrow=None, left_circle=None, right_circle=None)
    fine = replace(PROFILE, sides={Seat.SOUTH: bare}, camera=camera_over(BOARD, 2 * SIZE[0], 2 * SIZE[1], Mount()))
    placed = standing(200.0, MIDDLE, profile=fine)
    assert placed.legal is True
    assert (placed.clearance_mm.moon, placed.clearance_mm.arrow, placed.clearance_mm.ends) == (None, None, None)


def test_a_mark_too_thin_for_the_picture_keeps_a_placement_beside_it_from_being_called() -> None:
    """At half a pixel a millimetre no arrow is seen: a striker on it was called legal."""
    bare = replace(icf(Seat.SOUTH), left_arrow=None, right_arrow=None)
    coarse = replace(PROFILE, sides={Seat.SOUTH: bare}, camera=camera_over(BOARD, *SIZE, Mount()).sized(640, 480))
    at, unmarked = (235.0, -252.6), SideMarks(None, None, None, None, None, None)
    placed = standing(*at, profile=coarse)
    assert placed.legal is not True
    side = replace(coarse, sides={Seat.SOUTH: unmarked, Seat.EAST: icf(Seat.EAST), Seat.WEST: icf(Seat.WEST)})
    assert standing(*at, profile=side).legal is not True


def test_doubt_about_the_camera_leaves_a_placement_open() -> None:
    """A camera whose height is known to a tenth displaces strikers at the lines' ends by 0.2 mm, across them too."""
    sure = standing(180.0, -236.0, profile=PROFILE)
    way = np.zeros((1, 14))
    way[0, 0], way[0, 13] = 0.1, 0.1 * PROFILE.camera.t[2]
    unsure = standing(180.0, -236.0, profile=replace(PROFILE, doubt=CameraDoubt(way, 0.5, 0.8)))
    assert unsure.margin_mm == sure.margin_mm
    assert unsure.sigma_mm > sure.sigma_mm + 0.1


def test_on_a_board_of_an_uncertain_model_only_what_is_far_from_every_limit_is_called() -> None:
    unsure = replace(PROFILE, residuals=replace(PROFILE.residuals, model_sure=False))
    assert standing(0.0, MIDDLE + 10.0).legal is False
    assert standing(0.0, MIDDLE + 10.0, profile=unsure).legal is None
    assert standing(0.0, MIDDLE + 60.0, profile=unsure).legal is False


def test_without_any_mark_nothing_is_called() -> None:
    placed = standing(0.0, 0.0, profile=replace(PROFILE, sides={}))
    assert (placed.legal, placed.reason, placed.clearance_mm) == (None, None, Clearances())


def test_a_line_printed_askew_is_judged_where_the_striker_stands() -> None:
    askew = replace(icf(Seat.SOUTH), front_line=Segment((-200.0, -238.7), (200.0, -234.7), 1.5))
    west, east = (clearances(askew, Seat.SOUTH, x, MIDDLE, STRIKER).front_line for x in (-100.0, 100.0))
    assert (west, east) == (pytest.approx(6.5), pytest.approx(4.5))


@given(x=st.floats(-300, 300), y=st.floats(-310, -200), seat=st.sampled_from(Seat))
def test_all_four_seats_are_judged_alike(x: float, y: float, seat: Seat) -> None:
    here, there = standing(x, y), judge_placement(PROFILE, seat, *from_side(seat, x, y), STRIKER, 0.2)
    for name in NAMES:
        assert getattr(there.clearance_mm, name) == pytest.approx(getattr(here.clearance_mm, name), abs=1e-6)


@given(x=st.floats(-300, 300), y=st.floats(-310, -200))
def test_left_and_right_are_judged_alike(x: float, y: float) -> None:
    left, right = standing(x, y).clearance_mm, standing(-x, y).clearance_mm
    for name in NAMES:
        assert getattr(left, name) == pytest.approx(getattr(right, name), abs=1e-6)


@given(x=st.floats(-300, 300), y=st.floats(-310, -200), sigma=st.floats(0.05, 3.0))
def test_a_call_is_made_exactly_beyond_two_standard_deviations(x: float, y: float, sigma: float) -> None:
    placed = standing(x, y, sigma)
    judged = [name for name in NAMES if name != "circle"]
    assert placed.margin_mm == min(getattr(placed.clearance_mm, name) for name in judged)
    assert (placed.legal is None) == (abs(placed.margin_mm) < 2 * sigma)
    assert (placed.reason is None) == (placed.legal is not False)
