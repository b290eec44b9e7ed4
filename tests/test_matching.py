"""Pieces that no stroke has moved are found again, and pockets are told by their rims."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sim_scenes import BOARD, SIZE, book_profile

from models.pieces import Kind, Piece, Pocket
from referee.outcome.matching import assign, nearest_pocket
from referee.pieces.disc import Disc
from referee.sim.viewpoint import Mount, camera_over

PROFILE = book_profile(camera_over(BOARD, *SIZE, Mount()))
HOLE = BOARD.half - BOARD.pocket_inset
COIN = Piece(Kind.WHITE, 0.0, 0.0)


def test_nearest_pocket_counts_from_the_rim() -> None:
    assert nearest_pocket(PROFILE.pockets, HOLE, -HOLE) == (Pocket.SE, pytest.approx(-22.25))
    assert nearest_pocket(PROFILE.pockets, -HOLE + 32.25, HOLE) == (Pocket.NW, pytest.approx(10.0))


def disc(x: float, y: float, luma: float, radius: float = BOARD.coin_radius) -> Disc:
    ground = (180.0, 120.0, 140.0)
    colour = (luma, 128.0, 128.0)
    return Disc(x, y, radius, 0.8, colour, ground, 90.0)


def test_moved_pieces_are_found_again_by_their_kinds() -> None:
    white, black = Piece(Kind.WHITE, 0.0, 0.0), Piece(Kind.BLACK, 50.0, 0.0)
    found = [(Kind.BLACK, disc(0.0, 100.0, 45.0)), (Kind.WHITE, disc(50.0, 100.0, 198.0))]
    assert sorted(assign(PROFILE, [white, black], found)) == [(0, 1), (1, 0)]


def test_the_striker_is_found_by_its_size() -> None:
    striker = Piece(Kind.STRIKER, 0.0, -250.0)
    found = [(Kind.WHITE, disc(100.0, 0.0, 198.0)), (Kind.STRIKER, disc(0.0, 100.0, 198.0, BOARD.striker_radius))]
    assert sorted(assign(PROFILE, [striker, COIN], found)) == [(0, 1), (1, 0)]


def test_nothing_is_assigned_where_nothing_moved_or_nothing_was_found() -> None:
    assert assign(PROFILE, [], [(Kind.WHITE, disc(0.0, 0.0, 198.0))]) == []
    assert assign(PROFILE, [COIN], []) == []


def test_of_two_discs_where_one_piece_moved_the_plain_one_is_it() -> None:
    """An ornament that was never seen bare draws a poor ring nearer by."""
    plain, poor = replace(disc(120.0, 0.0, 40.0), presence=9.0), replace(disc(40.0, 0.0, 40.0), presence=0.5)
    found = [(Kind.BLACK, poor), (Kind.BLACK, plain)]
    assert assign(PROFILE, [Piece(Kind.BLACK, 0.0, 0.0)], found) == [(0, 1)]
