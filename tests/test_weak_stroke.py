"""Staying: strokes so weak, or so hidden by a hand, that nobody saw the striker fly."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from sim_scenes import BOARD
from striker_stage import PLACE_MM, Watched, aimed_with, striker

from models.pieces import Kind, Piece, Seat
from referee.strokes.weak_stroke import WeakStroke, stayed
from referee.tracking.trajectory import slide_s


def how_it_stayed(watched: Watched, lying: Piece, since: float) -> WeakStroke | None:
    return stayed(watched.sightings, watched.studio.profile, lying, since)


def test_a_striker_may_stay_where_one_stayed_before() -> None:
    """Slipping world 9140: the sightings of the stroke before were taken for those of this one."""
    watched = Watched()
    stood, stayed = striker(Seat.SOUTH, 40.0), striker(Seat.SOUTH, 43.0, 14.0 - BOARD.base_y)
    watched.show(1.0, stayed)
    (seen,) = watched.sightings
    there = replace(seen, x=stood.x_mm, y=stood.y_mm)
    aimed = [replace(there, t=3.0 + 0.1 * i) for i in range(6)]
    watched.watch.sightings = [seen, *aimed, replace(seen, t=3.8), replace(seen, t=3.9)]
    told = how_it_stayed(watched, Piece(Kind.STRIKER, seen.x, seen.y), 3.9)
    assert told is not None
    assert (told.t_strike, told.t_rest) == pytest.approx((3.5, 3.8))
    assert told.moved_mm == pytest.approx(14.3, abs=PLACE_MM)


def test_a_striker_stood_no_longer_than_until_it_was_measured_elsewhere() -> None:
    """Slipping world 9133: moved by less than its radius it was taken to lie where it had stood."""
    watched, seen = aimed_with(striker(Seat.SOUTH, 40.0))
    aimed = watched.sightings
    aimed[-1] = replace(aimed[-1], since_then=0.5)
    moved = replace(seen, t=3.8, y=seen.y + 15.0)
    watched.watch.sightings = [*aimed, moved]
    told = how_it_stayed(watched, Piece(Kind.STRIKER, moved.x, moved.y), 4.0)
    assert told is not None
    assert told.t_strike == told.t_rest == 3.8


@pytest.mark.parametrize(("aside", "ahead", "is_stroke"), [
    (0.0, 120.0, True), (90.0, 87.0, True), (150.0, 70.0, True), (150.0, 30.0, False), (150.0, 0.0, False),
    (15.0, 8.0, False), (11.5, 9.1, True),
])  # fmt: skip
def test_a_striker_that_lies_far_before_its_lines_was_played_and_one_aside_was_shifted(
    aside: float, ahead: float, is_stroke: bool
) -> None:
    """Slipping world 9162: pushed under the hand, 45 degrees aside; 11212: flicked 52 degrees aside by 15 mm."""
    watched, seen = aimed_with(striker(Seat.SOUTH, -60.0))
    lying = Piece(Kind.STRIKER, seen.x + aside, seen.y + ahead)
    assert (how_it_stayed(watched, lying, 3.8) is not None) is is_stroke


@pytest.mark.parametrize(("gone", "aside", "open_share", "rest_s"), [
    (14.0, 0.0, 0.9, 0.18), (4.0, 0.0, 0.9, None), (14.0, 6.0, 0.9, None), (14.0, 0.0, 0.5, None),
    (None, 0.0, 0.9, None),
])  # fmt: skip
def test_a_striker_seen_on_its_way_rested_when_friction_stopped_it(gone: float | None, aside: float, open_share: float,
                                                                   rest_s: float | None) -> None:  # fmt: skip
    """Slipping world 11637: the hand hid where it came to rest for half a second. What has gone less of its way, or not
    straight, or under fingers, a hand may have shifted all the while.
    """
    watched, seen = aimed_with(striker(Seat.SOUTH, -60.0))
    if gone is not None:
        disc = replace(seen.disc, support=open_share * seen.disc.support)
        watched.watch.sightings.append(replace(seen, t=3.6, x=seen.x + aside, y=seen.y + gone, disc=disc))
    watched.watch.sightings += [replace(seen, t=4.0 + 0.1 * i, y=seen.y + 17.5) for i in range(3)]
    told = how_it_stayed(watched, Piece(Kind.STRIKER, seen.x, seen.y + 17.5), 4.0)
    assert (told is not None) is (rest_s is not None)
    if told is not None and rest_s is not None:
        assert told.t_strike == pytest.approx(3.5)
        assert told.t_rest == pytest.approx(3.5 + rest_s, abs=0.01)


@pytest.mark.parametrize(("aside", "open_share", "told"), [
    (14.0, 0.9, True), (14.0, 0.5, False), (14.0, None, False), (40.0, 0.9, False),
])  # fmt: skip
def test_a_striker_that_slid_aside_with_no_finger_on_it_was_flicked(aside: float, open_share: float | None,
                                                                    told: bool) -> None:  # fmt: skip
    """Slipping worlds 11704 and 12019: flicked 65 and 70 degrees aside. Along its lines it was shifted all the same."""
    watched, seen = aimed_with(striker(Seat.SOUTH, -60.0))
    if open_share is not None:
        disc = replace(seen.disc, support=open_share * seen.disc.support)
        watched.watch.sightings.append(replace(seen, t=3.55, x=seen.x + aside / 2, y=seen.y + 3.5, disc=disc))
    watched.watch.sightings += [replace(seen, t=3.8 + 0.1 * i, x=seen.x + aside, y=seen.y + 7.0) for i in range(3)]
    assert (how_it_stayed(watched, Piece(Kind.STRIKER, seen.x + aside, seen.y + 7.0), 3.8) is not None) is told


@pytest.mark.parametrize(("ahead", "is_stroke"), [(70.0, True), (20.0, False)])
def test_a_striker_found_off_its_lines_was_pushed_as_long_as_pushes_last(ahead: float, is_stroke: bool) -> None:
    """Slipping world 9922: a push of 70 mm that a hand covered all the way was taken for the hand's shifting it."""
    watched, seen = aimed_with(striker(Seat.SOUTH, -60.0))
    told = how_it_stayed(watched, Piece(Kind.STRIKER, seen.x + 10.0, seen.y + ahead), 3.5 + 0.6)
    assert (told is not None) is is_stroke
    if told is not None:
        assert told.stood == pytest.approx((seen.x, seen.y))
        # It took as long as friction lets it slide, though a hand hid it for longer.
        assert told.t_strike == pytest.approx(4.1 - slide_s(math.hypot(10.0, ahead)))


@pytest.mark.parametrize(("ahead", "let_go"), [(100.0, 75.0), (220.0, 110.0)])
def test_a_hand_lets_go_of_what_it_pushes_before_it_rests(ahead: float, let_go: float) -> None:
    """It slid on for half of its way (slipping world 12972)."""
    watched, seen = aimed_with(striker(Seat.SOUTH, -60.0))
    told = how_it_stayed(watched, Piece(Kind.STRIKER, seen.x, seen.y + ahead), 3.5 + 0.6)
    assert told is not None
    assert told.later == pytest.approx((seen.x, seen.y + let_go))
