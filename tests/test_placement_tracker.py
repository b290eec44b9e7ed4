"""The striker on its base lines: found wherever it is placed, remembered until it is struck."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sim_scenes import BOARD, Studio, book_profile, compared, hand_over
from striker_stage import PLACE_MM, Watched, aimed_with, striker

from calibration.profile import Colour
from models.board import load_board
from models.pieces import Kind, Piece, Seat, from_side
from referee.foreground.background import BackgroundModel
from referee.foreground.hand_history import HandDistance
from referee.pieces.colour_classes import tint_distance
from referee.pieces.current_profile import CurrentProfile
from referee.striker.baseline_search import BaselineStrip
from referee.striker.placement_tracker import PlacementTracker

SIZE_MM = 0.6
"""A striker's radius is measured this well: a third of a pixel."""


@pytest.mark.parametrize("seat", Seat)
@pytest.mark.parametrize("x", [-BOARD.base_circle_x, -140.0, 0.0, BOARD.base_circle_x])
def test_a_placed_striker_is_found_on_its_own_side(seat: Seat, x: float) -> None:
    watched, placed = Watched(), striker(seat, x)
    watched.show(1.0, placed)
    (found,) = watched.sightings
    assert found.seat is seat
    assert (found.x, found.y) == pytest.approx((placed.x_mm, placed.y_mm), abs=PLACE_MM)
    assert found.sigma < 1.0


def test_one_that_stands_on_is_known_to_stand_since_it_was_placed() -> None:
    watched, placed = Watched(), striker(Seat.SOUTH, -140.0)
    times = [1.0 + 0.07 * i for i in range(12)]
    for t in times:
        watched.show(t, placed)
    assert len(watched.sightings) == len(times)
    assert watched.watch.stood(times[-1] + 1.4)
    stood = watched.watch.placement(times[-1] + 0.1)
    assert stood is not None
    assert stood[1] == times[0]


def test_on_empty_lines_no_striker_is_found() -> None:
    watched = Watched()
    watched.show(1.0)
    assert watched.sightings == []


def test_a_striker_off_the_lines_is_not_placed() -> None:
    watched = Watched()
    watched.show(1.0, Piece(Kind.STRIKER, 0.0, 0.0), Piece(Kind.BLACK, 80.0, -150.0))
    assert watched.sightings == []


def test_a_piece_known_to_lie_on_the_lines_is_not_the_striker() -> None:
    watched, coin = Watched(), Piece(Kind.BLACK, -60.0, -BOARD.base_y)
    watched.show(1.0, coin, lying=(coin,))
    assert watched.sightings == []


@pytest.mark.parametrize(("aside", "is_seen"), [(2.0, False), (11.0, True)])
def test_a_striker_placed_right_beside_where_the_last_stroke_left_it_is_found(aside: float, is_seen: bool) -> None:
    """A hand over both places had carried it 11 mm on (slipping world 11210); less may be a finger's shade upon it."""
    watched, placed = Watched(), striker(Seat.SOUTH, 30.0)
    left = replace(placed, x_mm=placed.x_mm + aside)
    watched.show(1.0, placed, lying=(left,))
    assert len(watched.sightings) == is_seen


def test_a_striker_taken_from_where_it_was_left_is_not_placed_beside_it_by_the_fingers_on_it() -> None:
    watched, placed = Watched(), striker(Seat.SOUTH, 30.0)
    hands = (hand_over(Seat.SOUTH, placed.x_mm, placed.y_mm + 15.0),)
    watched.show(1.0, placed, hands=hands)
    assert len(watched.sightings) == 1
    watched.watch.forget()
    left = replace(placed, x_mm=placed.x_mm + 11.0)
    watched.show(1.0, placed, hands=hands, lying=(left,))
    assert watched.sightings == []


def test_a_striker_with_a_finger_behind_it_is_found() -> None:
    watched, placed = Watched(), striker(Seat.SOUTH, 30.0)
    watched.show(1.0, placed, hands=(hand_over(Seat.SOUTH, 30.0, -BOARD.base_y - 40.0),))
    (found,) = watched.sightings
    assert (found.x, found.y) == pytest.approx((placed.x_mm, placed.y_mm), abs=PLACE_MM)


def test_the_placement_is_the_last_place_before_the_strike_and_since_when() -> None:
    watched, first, last = Watched(), striker(Seat.SOUTH, -100.0), striker(Seat.SOUTH, 40.0)
    for t in (1.0, 1.1):
        watched.show(t, first)
    for t in (1.3, 1.4, 1.5, 1.6):
        watched.show(t, last)
    placed = watched.watch.placement(1.7)
    assert placed is not None
    standing, since = placed
    assert (standing.seat, since) == (Seat.SOUTH, 1.3)
    assert (standing.x, standing.y) == pytest.approx((last.x_mm, last.y_mm), abs=PLACE_MM)
    assert 0.15 < standing.sigma < 0.6


@pytest.mark.parametrize("n", [1, 5])
def test_a_place_is_known_as_well_as_its_sightings_however_many_there_are(n: int) -> None:
    """They show one rim, so that their errors are alike: of five sightings too the place was off by a millimetre."""
    watched = Watched()
    watched.show(1.0, striker(Seat.SOUTH, 60.0))
    (seen,) = watched.sightings
    told = []
    for sigma in (0.2, 1.0):
        watched.watch.sightings = [replace(seen, t=1.0 + 0.1 * i, sigma=sigma) for i in range(n)]
        placed = watched.watch.placement(1.6)
        assert placed is not None
        told.append(placed[0].sigma)
    assert told[0] > 0.2
    assert told[1] > 1.0


def test_what_was_not_seen_shortly_before_the_strike_is_no_placement() -> None:
    watched = Watched()
    assert watched.watch.placement(1.0) is None
    watched.show(1.0, striker(Seat.SOUTH, 0.0))
    assert watched.watch.placement(5.0) is None


@pytest.mark.parametrize(("apart_mm", "stands"), [(0.0, True), (60.0, False)], ids=["over it", "beside it"])
def test_a_striker_may_wait_under_a_hand_for_as_long_as_that_lies_over_it(apart_mm: float, stands: bool) -> None:
    """A hand over the diagonal hid it for 1.6 s before it struck: no stroke was told (slipping world 12960)."""
    watched, seen = aimed_with(striker(Seat.SOUTH, -60.0))
    lattice = watched.background.lattice
    hand = np.zeros(lattice.shape, np.uint8)
    hand[lattice.disc_cells(seen.x + apart_mm, seen.y, 20.0)] = 255
    times = np.arange(3.6, 8.1, 0.1)
    for t in times:
        watched.watch.hide(HandDistance(hand, lattice), float(t))
    gone = float(times[-1])
    assert watched.watch.stood(gone) is stands
    assert (watched.watch.placement(gone) is not None) is stands
    watched.watch.hide(HandDistance(np.zeros_like(hand), lattice), gone + 0.1)
    assert watched.watch.stood(gone + 1.2) is stands
    assert not watched.watch.stood(gone + 2.0)


def test_after_a_stroke_its_placement_is_forgotten() -> None:
    watched = Watched()
    watched.show(1.0, striker(Seat.SOUTH, 0.0))
    watched.watch.forget()
    assert watched.watch.placement(1.2) is None


def test_the_strikers_look_is_learned_once_it_has_been_seen_plainly() -> None:
    watched = Watched()
    watched.show(1.0, striker(Seat.SOUTH, 0.0))
    assert watched.watch.learned() is None
    for t in (1.1, 1.2, 1.3):
        watched.show(t, striker(Seat.SOUTH, 0.0))
    own = watched.watch.learned()
    assert own is not None
    assert np.all(np.isfinite(own.colour.mean))
    assert own.colour.mean[0] > 80
    assert own.radius == pytest.approx(BOARD.striker_radius, abs=0.3)


@pytest.mark.parametrize(("radius", "within_mm"), [(19.0, SIZE_MM), (22.2, 0.65), (30.5, SIZE_MM)])
def test_a_striker_of_another_size_is_found_and_measured(radius: float, within_mm: float) -> None:
    watched, placed = Watched(Studio(board=replace(BOARD, striker_radius=radius))), striker(Seat.EAST, 60.0)
    for t in (1.0, 1.1, 1.2):
        watched.show(t, placed)
    own = watched.watch.learned()
    assert own is not None
    assert own.radius == pytest.approx(radius, abs=within_mm)
    x, y = (watched.sightings[-1].x, watched.sightings[-1].y)
    assert (x, y) == pytest.approx((placed.x_mm, placed.y_mm), abs=PLACE_MM)


def test_the_striker_is_known_to_have_stood_where_it_flew_from() -> None:
    watched = Watched()
    watched.show(1.0, striker(Seat.SOUTH, 0.0))
    assert watched.watch.stood(1.5)
    assert not watched.watch.stood(9.0)


def test_a_flight_leads_away_from_where_the_striker_stood() -> None:
    """A hand that held it fell into patches, which came together with it (simulated world 2159)."""
    watched = Watched()
    watched.show(1.0, striker(Seat.SOUTH, 0.0))
    (stood,) = watched.sightings
    near, far = (stood.x + 5.0, stood.y + 20.0), (stood.x + 15.0, stood.y + 80.0)
    assert watched.watch.left(1.2, near, far)
    assert not watched.watch.left(1.2, far, near)
    assert not watched.watch.left(9.0, near, far)


def test_a_striker_seen_to_lie_elsewhere_stands_on_its_lines_only_if_seen_plainly_there() -> None:
    plain, behind_fingers = Watched(), Watched()
    picture = plain.studio.picture([striker(Seat.SOUTH, 0.0)])
    foreground = compared(plain.background, picture, 1.0)
    plain.watch.update(picture, foreground, (), foreground.solid, lies_elsewhere=True)
    assert len(plain.sightings) == 1
    place = striker(Seat.SOUTH, 0.0)
    picture = plain.studio.picture([place], [hand_over(Seat.SOUTH, place.x_mm, place.y_mm + 15.0)])
    foreground = compared(behind_fingers.background, picture, 1.0)
    behind_fingers.watch.update(picture, foreground, (), foreground.solid)
    assert len(behind_fingers.sightings) == 1
    behind_fingers.watch.forget()
    behind_fingers.watch.update(picture, foreground, (), foreground.solid, lies_elsewhere=True)
    assert behind_fingers.sightings == []


def test_a_striker_seen_whole_tells_more_of_its_look_than_fingers_did_upon_it() -> None:
    """Fingers passed for the striker's look, and later a coin that looked like them for it (simulated world 2552)."""
    watched, placed = Watched(), striker(Seat.SOUTH, 0.0)
    bare = Watched()
    for t in (1.0, 1.2, 1.4):
        bare.show(t, placed)
        watched.show(t, placed, hands=(hand_over(Seat.SOUTH, placed.x_mm, placed.y_mm + 10.0),))
    covered, own = watched.watch.learned(), bare.watch.learned()
    assert covered is not None
    assert own is not None
    for t in (1.6, 1.8, 2.0):
        watched.show(t, placed)
    whole = watched.watch.learned(covered.drawn + 0.1)
    assert whole is not None
    off = [tint_distance(k.colour.mean, own.colour) for k in (whole, covered)]
    assert off[0] < 1.0 < off[1]
    assert watched.watch.learned(whole.drawn + 0.1) is None


def test_a_fast_striker_is_led_back_to_where_it_stood_from_where_it_was_first_seen() -> None:
    """At 4 m/s and 30 frames a second the third sighting lies 400 mm from where it stood."""
    watched = Watched()
    watched.show(1.0, striker(Seat.SOUTH, 0.0))
    (stood,) = watched.sightings
    assert watched.watch.origin(1.2, (stood.x, stood.y + 400.0), (0.0, 4000.0)) is stood
    assert watched.watch.origin(1.2, (stood.x + 60.0, stood.y + 400.0), (0.0, 4000.0)) is None


def test_between_the_lines_of_two_sides_a_striker_stands_on_the_nearer_ones() -> None:
    """On a small board the last place on west's lines lies hardly an inch from south's."""
    board = load_board("carambole60")
    small = Studio(board=board)
    profile = book_profile(small.camera, board)
    background = BackgroundModel(profile)
    background.remember(background.lattice.sample(small.picture()), np.zeros(background.lattice.shape, np.uint8))
    for short_mm in (0.0, 3.0, 6.0):
        watch = PlacementTracker(CurrentProfile(profile), background)
        place = Piece(Kind.STRIKER, *from_side(Seat.WEST, -board.base_circle_x - short_mm, -board.base_y))
        picture = small.picture([place])
        foreground = compared(background, picture, 1.0)
        watch.update(picture, foreground, (), foreground.solid)
        assert [s.seat for s in watch.sightings] == [Seat.WEST], short_mm


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("seat", "x"), [(Seat.SOUTH, -200.0), (Seat.WEST, 20.0), (Seat.NORTH, 235.0), (Seat.EAST, 120.0)]
)
def test_a_striker_is_found_in_a_part_of_the_strip_as_in_all_of_it(seat: Seat, x: float, known: bool) -> None:
    watched, placed = Watched(), striker(seat, x)
    look = Colour((40.0, 0.0, 0.0), (5.0, 5.0, 5.0))
    profile = replace(watched.studio.profile, colours={Kind.STRIKER: look} if known else {})
    picture = watched.studio.picture((placed,))
    foreground = compared(watched.background, picture, 0.0)
    strip, all_over = BaselineStrip(profile, watched.background, seat), np.full_like(foreground.solid, 255)
    found, expected = (strip.find(picture, f, profile, ()) for f in (foreground, replace(foreground, solid=all_over)))
    assert found is not None
    assert expected is not None
    assert (found.x, found.y, found.response) == pytest.approx((expected.x, expected.y, expected.response), abs=1e-3)
    assert found.disc.tint == pytest.approx(expected.disc.tint)


def test_where_nothing_hides_the_board_no_striker_is_sought() -> None:
    watched = Watched()
    profile, bare = watched.studio.profile, compared(watched.background, watched.studio.picture(), 0.0)
    picture = watched.studio.picture((striker(Seat.EAST, 60.0),))
    assert BaselineStrip(profile, watched.background, Seat.EAST).find(picture, bare, profile, ()) is None
