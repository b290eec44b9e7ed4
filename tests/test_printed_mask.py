"""Prints: what is printed on the board is known, so that it is not taken for a piece."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from sim_scenes import BOARD, studio

from models.pieces import Pocket, Seat, from_side
from referee.pieces.circles import scan_lattice
from referee.pieces.printed_mask import at_coin_height, print_mask, printed_circles, rim_distances

PROFILE = studio().profile
HOLE = BOARD.half - BOARD.pocket_inset


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
    assert math.dist(at_coin_height(PROFILE, there)[0], eye) < math.dist(there[0], eye)
    px = PROFILE.camera.to_pixels(there), PROFILE.camera.to_pixels(at_coin_height(PROFILE, there), BOARD.coin_height)
    np.testing.assert_allclose(*px, atol=1e-6)


def masked(x: float, y: float) -> bool:
    lattice = scan_lattice(PROFILE.camera, BOARD.half, BOARD.coin_height)
    column, row = np.round(lattice.to_cells(at_coin_height(PROFILE, np.array([(x, y)])))[0]).astype(int)
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
    over, beside = rim_distances(np.outer((HOLE, HOLE - 20.0), (sx, sy)), PROFILE)
    assert over == pytest.approx(-BOARD.pocket_diameter / 2)
    assert beside > 0
