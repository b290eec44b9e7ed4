"""The striker on its base lines: found wherever it is placed, remembered until it is struck."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from sim_scenes import BOARD, Studio, book_profile, gate_over, hand_over
from sim_scenes import studio as shared_studio

from calibration.lattice import Lattice
from calibration.looks import tint_distance
from calibration.profile import Colour
from models.board import load_board
from models.pieces import Kind, Piece, Seat, from_side
from referee.detect.gate import Gate, Sight
from referee.sim.scene import HandPose
from referee.strokes.known import Known
from referee.strokes.striker import BETTER_RING, FEW_SIGMA_MM, PLAIN_RING, UNSTIRRED, StrikerWatch
from referee.strokes.strip import BaseStrip, Standing

PLACE_MM = 2.0
"""A striker is placed this well: a little more than a pixel."""


SIZE_MM = 0.6
"""A striker's radius is measured this well: a third of a pixel."""


class Watched:
    """A striker watch over an empty board, with what it is shown."""

    def __init__(self, studio: Studio | None = None) -> None:
        self.studio = studio or shared_studio()
        self.gate = gate_over()
        self.watch = StrikerWatch(Known(self.studio.profile), self.gate)

    def show(self, t: float, *pieces: Piece, hands: tuple[HandPose, ...] = (), lying: tuple[Piece, ...] = ()) -> None:
        picture = self.studio.picture(pieces, hands, grain=round(t * 30))
        sight = self.gate.see(picture, t)
        self.watch.look(picture, sight, lying, sight.solid)

    @property
    def sightings(self) -> list[Standing]:
        return self.watch.sightings


def striker(seat: Seat, x: float, y: float = -BOARD.base_y) -> Piece:
    """A striker placed by `seat`, told as its player sees it."""
    return Piece(Kind.STRIKER, *from_side(seat, x, y))


def aimed_with(placed: Piece) -> tuple[Watched, Standing]:
    """A watch that saw the striker stand as `placed` from 3.0 to 3.5 s, and how it saw it."""
    watched = Watched()
    watched.show(1.0, placed)
    (seen,) = watched.sightings
    watched.watch.sightings = [replace(seen, t=3.0 + 0.1 * i) for i in range(6)]
    return watched, seen


@pytest.mark.parametrize("seat", Seat)
@pytest.mark.parametrize("x", [-BOARD.base_circle_x, -140.0, 0.0, BOARD.base_circle_x])
def test_a_placed_striker_is_found_on_its_own_side(seat: Seat, x: float) -> None:
    watched, placed = Watched(), striker(seat, x)
    watched.show(1.0, placed)
    (found,) = watched.sightings
    assert found.seat is seat
    assert (found.x, found.y) == pytest.approx((placed.x_mm, placed.y_mm), abs=PLACE_MM)
    assert found.sigma < 1.0


def test_one_that_stands_on_is_not_measured_again_and_again_but_known_to_stand() -> None:
    watched, placed = Watched(), striker(Seat.SOUTH, -140.0)
    times = [1.0 + 0.07 * i for i in range(12)]
    for t in times:
        watched.show(t, placed)
    assert 5 <= len(watched.sightings) < len(times)
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
    (seen,) = watched.sightings
    assert seen.response < PLAIN_RING
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


def test_a_striker_seen_once_is_placed_with_more_doubt() -> None:
    watched = Watched()
    watched.show(1.0, striker(Seat.NORTH, 0.0))
    placed = watched.watch.placement(1.2)
    assert placed is not None
    assert placed[0].sigma >= FEW_SIGMA_MM


@pytest.mark.parametrize(("offs", "lasts", "doubt"), [
    ((0.0, 0.1, 0.0, 1.2), 1.0, True), ((0.0, 0.1, 0.0, 1.2), 0.0, False), ((1.2, 0.0, 0.1, 0.0), 1.0, False),
])  # fmt: skip
def test_a_long_last_sighting_of_another_rim_than_all_others_is_in_doubt(offs: tuple[float, ...], lasts: float,
                                                                        doubt: bool) -> None:  # fmt: skip
    """It was that of the line beside the striker, 1.4 mm off (simulated world 1921)."""
    watched, place = Watched(), striker(Seat.SOUTH, 40.0)
    watched.show(1.0, place)
    (seen,) = watched.sightings
    sightings = [replace(seen, t=1.0 + 0.1 * i, x=seen.x + off, sigma=0.4) for i, off in enumerate(offs)]
    watched.watch.sightings = [*sightings[:-1], replace(sightings[-1], since_then=lasts)]
    placed = watched.watch.placement(1.5 + lasts)
    assert placed is not None
    assert (placed[0].sigma > 0.45) is doubt


@pytest.mark.parametrize(("radii", "sigma"), [((20.4, 20.4, 20.45, 20.4), 0.2), ((20.1, 19.5, 20.1, 19.5), 0.35)])
def test_a_place_is_known_as_well_as_its_rims_radius_if_that_varies(radii: Sequence[float], sigma: float) -> None:
    """A pale rim with a grey margin, seen now without it and now with it, was told as known to 0.2 mm and 1.1 off."""
    watched = Watched()
    watched.show(1.0, striker(Seat.SOUTH, 60.0))
    (seen,) = watched.sightings
    watched.watch.sightings = [
        replace(seen, t=1.0 + 0.1 * i, disc=replace(seen.disc, radius=r), sigma=0.3) for i, r in enumerate(radii)
    ]
    placed = watched.watch.placement(1.6)
    assert placed is not None
    assert placed[0].sigma == pytest.approx(sigma, abs=0.05)


def test_what_was_not_seen_shortly_before_the_strike_is_no_placement() -> None:
    watched = Watched()
    assert watched.watch.placement(1.0) is None
    watched.show(1.0, striker(Seat.SOUTH, 0.0))
    assert watched.watch.placement(5.0) is None


def test_a_striker_may_stay_where_one_stayed_before() -> None:
    """Slipping world 9140: the sightings of the stroke before were taken for those of this one."""
    watched = Watched()
    stood, stayed = striker(Seat.SOUTH, 40.0), striker(Seat.SOUTH, 43.0, 14.0 - BOARD.base_y)
    watched.show(1.0, stayed)
    (seen,) = watched.sightings
    there = replace(seen, x=stood.x_mm, y=stood.y_mm)
    aimed = [replace(there, t=3.0 + 0.1 * i) for i in range(6)]
    watched.watch.sightings = [seen, *aimed, replace(seen, t=3.8), replace(seen, t=3.9)]
    told = watched.watch.stayed(Piece(Kind.STRIKER, seen.x, seen.y), 3.9)
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
    told = watched.watch.stayed(Piece(Kind.STRIKER, moved.x, moved.y), 4.0)
    assert told is not None
    assert told.t_strike == told.t_rest == 3.8


@pytest.mark.parametrize(("stirred", "told"), [
    ((3.6, 3.8), (3.6, 3.8)), ((3.6, 4.1), (4.2, 4.2)), ((2.5, 3.8), (4.2, 4.2)), (UNSTIRRED, (4.2, 4.2)),
])  # fmt: skip
def test_a_striker_that_seemed_to_stand_still_was_struck_when_its_place_began_to_look_otherwise(
    stirred: tuple[float, float], told: tuple[float, float]
) -> None:
    """Half off a base circle as red as itself it lay there still for half a second (slipping world 11734). What a hand
    stirs for longer tells nothing.
    """
    watched, seen = aimed_with(striker(Seat.SOUTH, 40.0))
    aimed = watched.sightings
    aimed[-1] = replace(aimed[-1], since_then=0.9)
    moved = replace(seen, t=4.2, y=seen.y + 15.0)
    watched.watch.sightings = [*aimed, moved]
    stay = watched.watch.stayed(Piece(Kind.STRIKER, moved.x, moved.y), 4.4, stirred)
    assert stay is not None
    assert (stay.t_strike, stay.t_rest) == pytest.approx(told)


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
    assert (watched.watch.stayed(lying, 3.8) is not None) is is_stroke


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
    told = watched.watch.stayed(Piece(Kind.STRIKER, seen.x, seen.y + 17.5), 4.0)
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
    assert (watched.watch.stayed(Piece(Kind.STRIKER, seen.x + aside, seen.y + 7.0), 3.8) is not None) is told


@pytest.mark.parametrize(("ahead", "is_stroke"), [(70.0, True), (20.0, False)])
def test_a_striker_found_off_its_lines_was_pushed_as_long_as_pushes_last(ahead: float, is_stroke: bool) -> None:
    """Slipping world 9922: a push of 70 mm that a hand covered all the way was taken for the hand's shifting it."""
    watched, seen = aimed_with(striker(Seat.SOUTH, -60.0))
    told = watched.watch.stayed(Piece(Kind.STRIKER, seen.x + 10.0, seen.y + ahead), 3.5 + 0.6)
    assert (told is not None) is is_stroke
    if told is not None:
        assert told.stood == pytest.approx((seen.x, seen.y))
        # It took no longer than a board that slows discs least lets it slide, though a hand hid it for longer.
        assert told.t_strike == pytest.approx(4.1 - math.sqrt(2 * math.hypot(10.0, ahead) / 1000.0))


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
    assert np.all(np.isfinite(own.look.mean))
    assert own.look.mean[0] > 80
    assert own.radius == BOARD.striker_radius


@pytest.mark.parametrize("radius", [19.0, 22.2, 24.5, 28.0, 30.5])
def test_a_striker_of_another_size_is_found_and_measured(radius: float) -> None:
    watched, placed = Watched(Studio(board=replace(BOARD, striker_radius=radius))), striker(Seat.EAST, 60.0)
    for t in (1.0, 1.1, 1.2):
        watched.show(t, placed)
    own = watched.watch.learned()
    assert own is not None
    assert own.radius == pytest.approx(radius, abs=SIZE_MM)
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
    sight = plain.gate.see(picture, 1.0)
    plain.watch.look(picture, sight, (), sight.solid, lies_elsewhere=True)
    assert len(plain.sightings) == 1
    place = striker(Seat.SOUTH, 0.0)
    picture = plain.studio.picture([place], [hand_over(Seat.SOUTH, place.x_mm, place.y_mm + 12.0)])
    sight = behind_fingers.gate.see(picture, 1.0)
    behind_fingers.watch.look(picture, sight, (), sight.solid)
    seen = [s.response for s in behind_fingers.sightings]
    behind_fingers.watch.forget()
    behind_fingers.watch.look(picture, sight, (), sight.solid, lies_elsewhere=True)
    assert [s.response for s in behind_fingers.sightings] == [r for r in seen if r > PLAIN_RING]


def test_a_striker_seen_whole_tells_more_of_its_look_than_fingers_did_upon_it() -> None:
    """Fingers passed for the striker's look, and later a coin that looked like them for it (simulated world 2552)."""
    watched, placed = Watched(), striker(Seat.SOUTH, 0.0)
    bare = Watched()
    for t in (1.0, 1.2, 1.4):
        bare.show(t, placed)
        watched.show(t, placed, hands=(hand_over(Seat.SOUTH, placed.x_mm, placed.y_mm + 12.0),))
    covered, own = watched.watch.learned(), bare.watch.learned()
    assert covered is not None
    assert own is not None
    for t in (1.6, 1.8, 2.0):
        watched.show(t, placed)
    whole = watched.watch.learned(covered.drawn + BETTER_RING)
    assert whole is not None
    off = [tint_distance(np.array(k.look.mean), own.look) for k in (whole, covered)]
    assert off[0] < 1.0 < off[1]
    assert watched.watch.learned(whole.drawn + BETTER_RING) is None


def test_a_fast_striker_is_led_back_to_where_it_stood_from_where_it_was_first_seen() -> None:
    """At 4 m/s and 30 frames a second the third sighting lies 400 mm from where it stood."""
    watched = Watched()
    watched.show(1.0, striker(Seat.SOUTH, 0.0))
    (stood,) = watched.sightings
    assert watched.watch.origin(1.2, (stood.x, stood.y + 140.0), (stood.x, stood.y + 400.0), (0.0, 4000.0)) is stood
    assert watched.watch.origin(1.2, (stood.x, stood.y + 340.0), (stood.x, stood.y + 400.0), (0.0, 4000.0)) is None
    assert (
        watched.watch.origin(1.2, (stood.x + 60.0, stood.y), (stood.x + 60.0, stood.y + 400.0), (0.0, 4000.0)) is None
    )


@pytest.mark.parametrize("short_mm", [0.0, 3.0, 6.0])
def test_between_the_lines_of_two_sides_a_striker_stands_on_the_nearer_ones(short_mm: float) -> None:
    """On a small board the last place on west's lines lies hardly an inch from south's."""
    board = load_board("carambole60")
    small = Studio(board=board)
    profile = book_profile(small.camera, board)
    gate = Gate(profile)
    gate.remember(gate.lattice.look(small.picture()), np.zeros(gate.lattice.shape, np.uint8))
    watch = StrikerWatch(Known(profile), gate)
    place = Piece(Kind.STRIKER, *from_side(Seat.WEST, -board.base_circle_x - short_mm, -board.base_y))
    picture = small.picture([place])
    sight = gate.see(picture, 1.0)
    watch.look(picture, sight, (), sight.solid)
    assert [s.seat for s in watch.sightings] == [Seat.WEST]


class Whole(BaseStrip):
    """A strip that is always searched over its whole length."""

    def _window(self, sight: Sight, radii: Sequence[float]) -> Lattice | None:
        return self._lattice


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("seat", "x"), [(Seat.SOUTH, -200.0), (Seat.WEST, 20.0), (Seat.NORTH, 235.0), (Seat.EAST, 120.0)]
)
def test_a_striker_is_found_in_a_part_of_the_strip_as_in_all_of_it(seat: Seat, x: float, known: bool) -> None:
    watched, placed = Watched(), striker(seat, x)
    look = Colour((40.0, 0.0, 0.0), (5.0, 5.0, 5.0))
    profile = replace(watched.studio.profile, colours={Kind.STRIKER: look} if known else {})
    picture = watched.studio.picture((placed,))
    sight = watched.gate.see(picture, 0.0)
    part, whole = (strip(profile, watched.gate, seat) for strip in (BaseStrip, Whole))
    found, expected = (s.find(picture, sight, profile, ()) for s in (part, whole))
    assert found is not None
    assert expected is not None
    assert (found.x, found.y, found.response) == pytest.approx((expected.x, expected.y, expected.response), abs=1e-3)
    assert found.disc.tint == pytest.approx(expected.disc.tint)


def test_where_nothing_hides_the_board_no_striker_is_sought() -> None:
    watched = Watched()
    sight = watched.gate.see(watched.studio.picture(), 0.0)
    assert BaseStrip(watched.studio.profile, watched.gate, Seat.EAST)._window(sight, (20.0,)) is None


@pytest.mark.parametrize(
    ("beyond_mm", "stood_s", "played"), [(-20.0, 0.2, True), (40.0, 0.2, False), (40.0, 0.6, True)]
)
def test_a_striker_carried_past_the_end_of_a_line_is_not_played_from_there(
    beyond_mm: float, stood_s: float, played: bool
) -> None:
    """North's hand brought it by east's lines, its skin of the wood's colour (simulated world 2789)."""
    watched = Watched()
    watched.show(0.0, striker(Seat.SOUTH, 0.0))
    (seen,) = watched.sightings
    x, y = BOARD.base_circle_x + beyond_mm, seen.y
    watched.watch.sightings = [replace(seen, t=1.0, x=x), replace(seen, t=1.0 + stood_s, x=x)]
    now, place = 1.1 + stood_s, (x - 30.0, y + 30.0)
    assert watched.watch.left(now, (x, y), place) is played
    assert (watched.watch.origin(now, (x - 3.0, y + 3.0), place, (-100.0, 100.0)) is not None) is played
