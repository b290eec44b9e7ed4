"""Which circles are pieces, of all that prints, ornaments, grain and pale coins draw."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from sim_scenes import BOARD, LOOK, SCATTERED, Studio, lit, places, studio, unmatched

from models.pieces import Kind, Piece, Seat, from_side
from referee.pieces.detector import find_pieces
from referee.sim.viewpoint import Appearance, Glare

OTHERS = tuple(p for p in SCATTERED if p.kind in (Kind.WHITE, Kind.BLACK))
BROWN = replace(LOOK, wood=(150, 185, 215), white=(62, 98, 150))
"""Coins that are "white" by name, and so much redder than the board that one might be a queen by itself."""


def on_base_circle(seat: Seat, off_mm: float) -> Piece:
    """The queen on a base circle, so far from its middle."""
    x, y = from_side(seat, BOARD.base_circle_x, -BOARD.base_y)
    return Piece(Kind.QUEEN, x + off_mm * math.cos(1.0), y + off_mm * math.sin(1.0))


def queens(at: Studio, *pieces: Piece) -> list[tuple[float, float]]:
    """Where the queen is seen in a picture of these pieces on a board of which nothing is known."""
    return [(d.x, d.y) for kind, d in find_pieces(at.picture(pieces), at.profile) if kind is Kind.QUEEN]


@pytest.mark.parametrize("seat", Seat)
def test_the_queen_on_a_base_circle_is_found(seat: Seat) -> None:
    """She was taken for the print for a whole match, and the print that she left for the striker (slipping 9384)."""
    queen = on_base_circle(seat, 3.2)
    assert unmatched(queens(studio(), *OTHERS, queen), places([queen]), 2.0) == ([], [])


def test_a_queen_of_the_prints_red_hides_the_ring_of_the_base_circle_that_she_lies_on() -> None:
    at, queen = Studio(look=replace(LOOK, queen=LOOK.red)), on_base_circle(Seat.WEST, 1.0)
    assert unmatched(queens(at, *OTHERS, queen), places([queen]), 2.0) == ([], [])


def test_the_queen_on_a_base_circle_that_is_not_red_is_found() -> None:
    at, queen = Studio(look=replace(LOOK, red=(60, 70, 60))), on_base_circle(Seat.EAST, 2.0)
    assert unmatched(queens(at, *OTHERS, queen), places([queen]), 2.0) == ([], [])


@pytest.mark.parametrize(
    "where",
    [on_base_circle(Seat.NORTH, 1.0), Piece(Kind.QUEEN, 0.4, -0.7)],
)
def test_brown_coins_are_not_the_queen_who_lies_elsewhere(where: Piece) -> None:
    at = Studio(look=BROWN)
    assert unmatched(queens(at, *OTHERS, where), places([where]), 2.0) == ([], [])


@pytest.mark.parametrize("look", [LOOK, BROWN, replace(LOOK, worn=0.6)], ids=["plain", "brown coins", "worn"])
def test_no_print_is_the_queen_when_she_has_been_pocketed(look: Appearance) -> None:
    assert queens(Studio(look=look), *OTHERS) == []


def test_no_print_is_the_queen_when_she_lies_elsewhere() -> None:
    queen = Piece(Kind.QUEEN, 60.4, 200.9)
    assert unmatched(queens(studio(), *OTHERS, queen), places([queen]), 2.0) == ([], [])


@pytest.mark.parametrize("light", [1.0, 0.6, 0.45])
def test_a_brown_coin_on_brown_wood_by_a_cushion_is_found_in_dim_light_too(light: float) -> None:
    """Half its rim drowned, and a stroke that struck it into a pocket was told without it, surely (world 12064)."""
    at = Studio(look=replace(LOOK, wood=(60, 95, 135), white=(46, 66, 105)))
    coin = Piece(Kind.WHITE, BOARD.half - BOARD.coin_radius - 10.0, -12.0)
    picture = lit(at.picture([*OTHERS[:6], coin]), light)
    found = [(d.x, d.y) for kind, d in find_pieces(picture, at.profile)]
    assert unmatched(found, places([*OTHERS[:6], coin]), 2.0) == ([], [])


@pytest.mark.parametrize("points", [8, 11])
def test_a_queen_of_another_red_is_found_on_a_small_star_and_its_middle_is_no_queen(points: int) -> None:
    at = Studio(640, 480, look=replace(LOOK, points=points))
    assert queens(at) == []
    queen = Piece(Kind.QUEEN, 0.6, -0.4)
    assert unmatched(queens(at, queen), places([queen]), 3.0) == ([], [])


@pytest.mark.parametrize("petals", [6, 8])
def test_coins_on_a_rosette_are_found_and_no_petals(petals: int) -> None:
    coins = (Piece(Kind.BLACK, 48.0, 30.0), Piece(Kind.WHITE, -180.0, 140.0), Piece(Kind.BLACK, 150.0, -90.0))
    at = Studio(look=replace(LOOK, petals=petals))
    found = [(d.x, d.y) for _, d in find_pieces(at.picture(coins), at.profile)]
    assert unmatched(found, places(coins), 3.0) == ([], [])


def test_nothing_but_coins_of_the_boards_own_wood_is_found_in_a_lamps_glare() -> None:
    """Half of them, at least: without grooves and hardly shading the board they drown in its grain."""
    glares = (Glare(20.5, -180.1, 80.0, 70.0), Glare(120.0, -20.0, 80.0, 60.0))
    look = replace(LOOK, white=LOOK.wood, groove_shade=1.0, shadow=0.03, edge_mm=0.5, glares=glares)
    spots = ((-180.3, 140.7), (300.1, 301.4), (20.5, -180.1), (-60.2, 330.6), (-300.0, -120.0), (120.0, -20.0),
             (-150.0, -20.0), (200.0, 150.0))  # fmt: skip
    others = tuple(p for p in SCATTERED if p.kind in (Kind.BLACK, Kind.QUEEN))
    at = Studio(look=look)
    pieces = find_pieces(at.picture([*(Piece(Kind.WHITE, x, y) for x, y in spots), *others]), at.profile)
    whites = [(d.x, d.y) for k, d in pieces if k is Kind.WHITE]
    assert len(pieces) == len(whites) + len(others)
    assert all(min(math.dist(w, s) for s in spots) < 4.0 for w in whites)
    assert len(whites) >= 4
