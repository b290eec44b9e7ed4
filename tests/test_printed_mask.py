"""Prints: what is printed on the board is known, so that it is not taken for a piece."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from sim_scenes import BOARD, RADIUS, studio

from models.pieces import Kind, Pocket, Seat, from_side
from referee.pieces.circles import scan_lattice
from referee.pieces.disc_fit import Disc
from referee.pieces.print_rejection import standing, without_red_prints
from referee.pieces.printed_mask import lifted, print_distances, print_mask, printed_circles, rim_distances

PROFILE = studio().profile
HOLE = BOARD.half - BOARD.pocket_inset


def disc(x: float, y: float) -> Disc:
    nothing = (0.0, 128.0, 128.0)
    return Disc(x, y, RADIUS[Kind.WHITE], 0.8, nothing, nothing, nothing, 90.0)


def seen(x: float, y: float) -> Disc:
    """A disc where the camera sees a print at (x, y)."""
    return disc(*lifted(PROFILE, np.array([(x, y)]))[0])


def test_eight_base_circles_and_the_centre_circle_are_printed() -> None:
    circles = printed_circles(PROFILE)
    assert len(circles) == 9
    for seat in Seat:
        for x in (-BOARD.base_circle_x, BOARD.base_circle_x):
            spot = from_side(seat, x, -BOARD.base_y)
            assert min(math.dist(c.centre, spot) for c in circles) < 1e-9


def test_a_circle_that_was_not_measured_is_expected_by_the_book() -> None:
    south = replace(PROFILE.sides[Seat.SOUTH], left_circle=None)
    spots = {c.centre for c in printed_circles(replace(PROFILE, sides={**PROFILE.sides, Seat.SOUTH: south}))}
    assert spots == {c.centre for c in printed_circles(PROFILE)}


def test_prints_appear_nearer_to_the_point_below_the_lens_at_the_coins_height() -> None:
    eye = PROFILE.camera.position[:2]
    there = np.array([(300.0, -200.0)])
    assert math.dist(lifted(PROFILE, there)[0], eye) < math.dist(there[0], eye)
    px = PROFILE.camera.to_pixels(there), PROFILE.camera.to_pixels(lifted(PROFILE, there), BOARD.coin_height)
    np.testing.assert_allclose(*px, atol=1e-6)


def test_a_disc_on_a_printed_circle_is_at_no_distance_from_it() -> None:
    assert print_distances([seen(*from_side(Seat.EAST, BOARD.base_circle_x, -BOARD.base_y))], PROFILE)[0] < 1e-6
    assert print_distances([seen(12.0, 0.0)], PROFILE)[0] == pytest.approx(12.0, abs=0.2)


def masked(x: float, y: float) -> bool:
    lattice = scan_lattice(PROFILE.camera, BOARD.half, BOARD.coin_height)
    column, row = np.round(lattice.to_cells(lifted(PROFILE, np.array([(x, y)])))[0]).astype(int)
    return bool(print_mask(PROFILE, lattice)[row, column])


@pytest.mark.parametrize("seat", Seat)
@pytest.mark.parametrize(
    ("x", "y"),
    [
        (50.0, -BOARD.half + BOARD.rear_line),
        (-90.0, -BOARD.half + BOARD.rear_line + BOARD.line_gap),
        (BOARD.base_circle_x, -BOARD.base_y + BOARD.base_circle_radius),
        (180.0, -180.0),
        (0.0, -BOARD.outer_circle_radius),
        (0.0, -BOARD.centre_circle_radius),
    ],
)
def test_lines_arrows_and_rings_are_masked_on_all_sides(seat: Seat, x: float, y: float) -> None:
    assert masked(*from_side(seat, x, y))


@pytest.mark.parametrize(("x", "y"), [(0.0, 140.0), (-310.0, 0.0), (40.0, -40.0), (0.0, -BOARD.base_y)])
def test_bare_wood_is_not_masked(x: float, y: float) -> None:
    assert not masked(x, y)


@pytest.mark.parametrize("pocket", Pocket)
def test_the_distance_to_a_rim_is_negative_over_the_hole(pocket: Pocket) -> None:
    sx, sy = pocket.corner
    over, beside = rim_distances([disc(sx * HOLE, sy * HOLE), disc(sx * (HOLE - 20.0), sy * (HOLE - 20.0))], PROFILE)
    assert over == pytest.approx(-BOARD.pocket_diameter / 2)
    assert beside > 0


def test_a_red_print_within_a_ring_on_the_centre_circle_is_no_queen() -> None:
    """The wood shows between them; a queen is red to her rim (simulated worlds 1304, 1402)."""
    queen = Disc(0.1, 0.3, BOARD.coin_radius, 0.94, (87.0, 115.0, 170.0), (185.0, 99.0, 147.0), (82.0, 115.0, 167.0),
                 94.3, 0.98, 0.0)  # fmt: skip
    printed = replace(queen, margin_colour=(86.0, 118.0, 149.0))
    assert standing([queen], PROFILE) == [queen]
    assert standing([printed], PROFILE) == []


@pytest.mark.parametrize(("aside_mm", "stands"), [(0.5, False), (2.0, False), (4.5, True)])
def test_a_red_disc_beside_the_centre_circles_middle_is_the_queen_though_no_shade_is_seen(
    aside_mm: float, stands: bool
) -> None:
    """Glare beside her made the board there brighter than around (simulated world 2776)."""
    x, y = lifted(PROFILE, np.array([(0.0, 0.0)]))[0]
    queen = Disc(x + aside_mm, y, BOARD.coin_radius, 0.9, (53.0, 103.0, 203.0), (126.0, 109.0, 146.0),
                 (56.0, 106.0, 191.0), 131.0, 0.96, 0.15)  # fmt: skip
    assert (queen in standing([queen], PROFILE)) is stands


@pytest.mark.parametrize(("touching", "elsewhere", "stands"), [(4, False, True), (3, False, False), (4, True, False)])
def test_a_red_disc_on_the_centre_circle_between_coins_that_touch_it_is_the_queen(
    touching: int, elsewhere: bool, stands: bool
) -> None:
    """No shade is seen about her there, and her margin is blurred with theirs (simulated world 9234, 640x480); from
    between three on one side she may have gone.
    """
    queen = Disc(1.0, 2.0, BOARD.coin_radius, 0.85, (83.0, 123.0, 209.0), (129.0, 101.0, 155.0), (79.0, 121.0, 187.0),
                 101.0, 0.93, 0.5)  # fmt: skip
    black = replace(queen, colour=(37.0, 131.0, 132.0), margin_colour=(41.0, 127.0, 136.0), shade=74.0, clear=1.0)
    around = [(30.0, 14.0), (2.3, 34.2), (-26.9, 15.9), (-0.2, -29.1)]
    coins = [replace(black, x=x, y=y) for x, y in around[:touching]]
    other = [replace(queen, x=90.0, y=120.0, shade=74.0, clear=1.0)] if elsewhere else []
    assert (queen in standing([queen, *coins, *other], PROFILE)) is stands


@pytest.mark.parametrize(("shade", "elsewhere", "stays"), [
    (95.0, True, False), (80.0, True, True), (95.0, False, True),
])  # fmt: skip
def test_of_two_red_discs_the_unshaded_one_on_the_centre_circle_is_print(
    shade: float, elsewhere: bool, stays: bool
) -> None:
    """Simulated world 2713: the centre circle is printed in another red than the base circles."""
    coins = [(Kind.BLACK, replace(disc(x, 90.0), shade=79.0)) for x in (-90.0, 0.0, 90.0)]
    centre = replace(seen(0.0, 0.0), shade=shade)
    queen = replace(disc(66.0, -150.0), shade=79.0)
    told = [*coins, (Kind.QUEEN, centre), *([(Kind.QUEEN, queen)] if elsewhere else [])]
    kept = without_red_prints(told, PROFILE)
    assert any(d is centre for _, d in kept) is stays
    assert len(kept) == len(told) - (not stays)


@pytest.mark.parametrize(("touching", "stays"), [(6, False), (3, True)])
def test_a_bold_base_circle_is_print_where_coins_hem_the_queen_in(touching: int, stays: bool) -> None:
    """In the opening formation she cannot have left; of worn circles one was as red as she is (world 14407)."""
    queen = replace(disc(0.0, 0.0), response=0.9, support=0.95)
    turns = [k * math.tau / 6 for k in range(touching)]
    apart = 2 * BOARD.coin_radius
    coins = [replace(disc(apart * math.cos(a), apart * math.sin(a)), colour=(40.0, 128.0, 128.0)) for a in turns]
    red = (80.0, 120.0, 200.0)
    queen = replace(queen, colour=red, margin_colour=red, ground=(130.0, 120.0, 140.0), shade=80.0)
    bold = replace(queen, x=BOARD.base_circle_x, y=-BOARD.base_y)
    told = [*((Kind.BLACK, c) for c in coins), (Kind.QUEEN, queen), (Kind.QUEEN, bold)]
    kept = without_red_prints(told, PROFILE)
    assert (Kind.QUEEN, queen) in kept
    assert ((Kind.QUEEN, bold) in kept) is stays


@pytest.mark.parametrize(("response", "place", "stays"), [
    (0.2, (-50.0, 0.5), False), (0.8, (-50.0, 0.5), True), (0.2, (-50.0, 150.0), True),
])  # fmt: skip
def test_a_second_queen_on_the_ornament_for_which_little_speaks_is_a_petal(
    response: float, place: tuple[float, float], stays: bool
) -> None:
    """It is bolder than the other petals, and the queen lies elsewhere (simulated board 12208)."""
    queen = replace(disc(-75.0, -204.0), response=0.9, support=0.95)
    petal = replace(disc(*place), response=response, support=0.5)
    told = [(Kind.QUEEN, queen), (Kind.QUEEN, petal)]
    assert len(without_red_prints(told, PROFILE)) == 1 + stays
    assert without_red_prints(told[1:], PROFILE) == told[1:], "alone it is the queen"
