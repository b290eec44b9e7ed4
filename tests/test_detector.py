"""Pieces in one still picture: found, told apart, and never confused with what is printed."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from functools import lru_cache

import pytest
from sim_scenes import BOARD, FORMATION, LOOK, SCATTERED, Studio, lit, places, studio, unmatched

from calibration.geometry.picture import Picture
from calibration.profile import Profile
from models.pieces import FULL_SET, Kind, Piece, Pocket, Seat, from_side
from referee.pieces.colour_classes import mean_colour
from referee.pieces.detector import find_pieces, learn_colours
from referee.pieces.disc import Disc
from referee.pieces.disc_set import is_coin_sized

PLACE_MM = 2.0
"""A found piece lies this near to the true one: a little more than a pixel."""


@lru_cache(maxsize=1)
def learned() -> Profile:
    """The studio's board after its opening formation has been seen."""
    return learn_colours(studio().profile, [studio().picture(FORMATION)])


def check(found: list[tuple[Kind, Disc]], true: tuple[Piece, ...]) -> None:
    """Exactly the true pieces were found, each with its kind."""
    for kind in Kind:
        seen = [(d.x, d.y) for k, d in found if k is kind]
        assert unmatched(seen, places(p for p in true if p.kind is kind), PLACE_MM) == ([], [])


def show(*pieces: Piece) -> Picture:
    return studio().picture(pieces)


def test_the_opening_formation_is_found_with_all_kinds() -> None:
    check(find_pieces(show(*FORMATION), studio().profile), FORMATION)


def test_the_formation_teaches_the_looks_of_all_coins() -> None:
    assert set(learned().colours) == set(FULL_SET)
    white, black, queen = (learned().colours[k].mean for k in FULL_SET)
    assert black[0] < 50 < white[0]
    assert queen[2] > max(white[2], black[2]) + 10


def test_scattered_pieces_are_found_and_told_by_what_was_learned() -> None:
    check(find_pieces(show(*SCATTERED), learned()), SCATTERED)


def test_pale_coins_that_a_lamp_gives_deep_shade_are_not_strikers() -> None:
    look = replace(
        LOOK, wood=(150, 185, 215), white=(118, 150, 190), shadow=0.55, lamp_mm=(410.0, 9.0, 880.0), shadow_px=3.4
    )
    at = Studio(look=look)
    spots = (-162.0, 9.0), (238.0, 63.0), (-118.0, 72.0), (-95.0, 230.0), (-161.0, -180.0)
    coins = *(Piece(Kind.WHITE, x, y) for x, y in spots), Piece(Kind.BLACK, 200.0, -85.0)
    found = find_pieces(at.picture(coins), at.profile)
    assert Counter(kind for kind, _ in found) == Counter(p.kind for p in coins)
    assert unmatched([(d.x, d.y) for _, d in found], places(coins), 2 * PLACE_MM) == ([], [])


def test_scattered_pieces_are_told_apart_without_any_formation() -> None:
    check(find_pieces(show(*SCATTERED), studio().profile), SCATTERED)


def test_nothing_is_found_on_an_empty_board() -> None:
    assert find_pieces(show(), learned()) == []


def test_nothing_is_learned_from_an_empty_board() -> None:
    assert learn_colours(studio().profile, [show()]).colours == {}


def test_the_queen_on_the_centre_circle_is_found() -> None:
    check(find_pieces(show(*SCATTERED[:2], queen := Piece(Kind.QUEEN, 0.4, -0.7)), learned()), (*SCATTERED[:2], queen))


def test_touching_coins_and_coins_on_printed_circles_are_found() -> None:
    side = 2 * BOARD.coin_radius
    moon = from_side(Seat.EAST, BOARD.base_circle_x, -BOARD.base_y)
    crowd = (Piece(Kind.WHITE, 150.0, 60.0), Piece(Kind.BLACK, 150.0 + side, 60.0),
             Piece(Kind.WHITE, 150.0 + side / 2, 60.0 + side * math.sqrt(0.75)), Piece(Kind.BLACK, *moon),
             Piece(Kind.WHITE, 0.0, 3.0), Piece(Kind.BLACK, 354.3, 0.0))  # fmt: skip
    check(find_pieces(show(*crowd), learned()), crowd)


def test_a_dark_coin_on_the_lip_of_a_dark_hole_and_at_a_dark_frame_is_found() -> None:
    """Its rim shows against the board only (simulated worlds 1511, 1531 and 1587)."""
    at = Studio(look=replace(LOOK, black=(14, 14, 16), net=(12, 12, 12), frame=(14, 16, 20)))
    reach, hole = BOARD.half - BOARD.coin_radius - 0.5, at.profile.pockets[Pocket.SE]
    beside = math.sqrt((hole.radius + 2.5) ** 2 - (reach - hole.centre[0]) ** 2)
    coins = (*SCATTERED, Piece(Kind.BLACK, reach, hole.centre[1] + beside))
    check(find_pieces(at.picture(coins), learn_colours(at.profile, [at.picture(FORMATION)])), coins)


def test_holes_a_few_millimetres_off_where_they_were_measured_are_no_coins() -> None:
    """Real boards' pockets lie less evenly than the measuring takes them to."""
    off = {}
    for pocket, hole in learned().pockets.items():
        (x, y), (east, north) = hole.centre, pocket.corner
        off[pocket] = replace(hole, centre=(x + 6.0 * east, y + 6.0 * north), radius=hole.radius - 2.0)
    check(find_pieces(show(*SCATTERED), replace(learned(), pockets=off)), SCATTERED)


def test_dimmer_light_changes_no_kind() -> None:
    check(find_pieces(lit(show(*SCATTERED), 0.6), learned()), SCATTERED)


def test_size_tells_the_striker_from_coins() -> None:
    found = find_pieces(show(*SCATTERED), learned())
    assert Counter(is_coin_sized(d, learned()) for _, d in found) == {True: 9, False: 1}


def test_pieces_that_are_known_to_lie_still_are_found_and_the_others_placed_as_ever() -> None:
    picture, profile = show(*SCATTERED), learned()
    every, some = find_pieces(picture, profile), find_pieces(picture, profile, SCATTERED[2:])
    assert [k for k, _ in some] == [k for k, _ in every]
    for (kind, exact), (_, told) in zip(every, some, strict=True):
        new = any(p.kind is kind and math.dist((p.x_mm, p.y_mm), (exact.x, exact.y)) < 5.0 for p in SCATTERED[:2])
        assert told == exact if new else math.dist((told.x, told.y), (exact.x, exact.y)) < 3.0


@lru_cache(maxsize=2)
def red_striker(rear_line: float) -> tuple[Studio, Profile]:
    """A board with such rear lines (mm) and a dull red striker, and what is learned of both."""
    at = Studio(look=replace(LOOK, striker=(60, 60, 120)), board=replace(BOARD, rear_line_thickness=rear_line))
    picture = at.picture((*FORMATION, Piece(Kind.STRIKER, -150.0, 150.0)))
    profile = learn_colours(at.profile, [picture])
    striker = [disc for kind, disc in find_pieces(picture, profile) if kind is Kind.STRIKER]
    return at, replace(profile, colours={**profile.colours, Kind.STRIKER: mean_colour(striker)})


@pytest.mark.parametrize("rear_line", [5.5, 7.0])
@pytest.mark.parametrize("aside", [8.0, 11.0, 13.0, 15.0, 17.0])
def test_a_coin_between_base_lines_and_a_base_circle_is_no_striker(rear_line: float, aside: float) -> None:
    """Lines and circle draw a ring of the striker's size about it (simulated world 2141)."""
    at, profile = red_striker(rear_line)
    pieces = Piece(Kind.BLACK, BOARD.base_circle_x - aside, BOARD.base_y), Piece(Kind.STRIKER, 100.0, 100.0)
    check(find_pieces(at.picture(pieces), profile), pieces)


def test_two_large_circles_about_one_striker_are_no_two_coins() -> None:
    """A base circle drew the second one (simulated world 2497)."""
    at, profile = red_striker(5.5)
    for x in (BOARD.base_circle_x - 4.0, BOARD.base_circle_x + 4.0):
        pieces = (Piece(Kind.STRIKER, x, BOARD.base_y - 12.0), Piece(Kind.BLACK, 0.0, 100.0))
        check(find_pieces(at.picture(pieces), profile), pieces)
