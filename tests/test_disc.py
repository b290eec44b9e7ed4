"""Describing: medians over the bands of a disc, the same as of its points one by one."""

from __future__ import annotations

import numpy as np
import pytest
from sim_scenes import BOARD, studio

from models.pieces import Kind, Piece, Pocket
from referee.pieces.circles import Ring, scan_lattice
from referee.pieces.disc import describe
from referee.pieces.printed_mask import hole_mask

LATTICE_REACH = BOARD.half + 15.0
FACE = 0.72
"""A disc's flat face ends at this share of its radius, where its rim is rounded off."""


def test_a_discs_look_is_told_against_the_board_around_it() -> None:
    at = studio()
    lattice = scan_lattice(at.camera, BOARD.half, BOARD.coin_height)
    yuv = lattice.sample(at.picture([Piece(Kind.BLACK, -100.0, 150.0), Piece(Kind.WHITE, 100.0, 150.0)]))
    black, white = (describe(lattice, yuv, Ring(x, 150.0, BOARD.coin_radius, 0.8)) for x in (-100.0, 100.0))
    assert black.tint[0] < 50 < 90 < white.tint[0]
    assert abs(black.ground[0] - white.ground[0]) < 0.1 * white.ground[0]
    assert max(black.shade, white.shade) < 100


@pytest.mark.parametrize(("x", "y"), [(0.0, 0.0), (37.0, -121.0), (LATTICE_REACH - 4.0, 6.0 - LATTICE_REACH)])
def test_a_face_is_the_median_of_its_points_also_where_the_lattice_ends(x: float, y: float) -> None:
    lattice = scan_lattice(studio().camera, BOARD.half, BOARD.coin_height)
    yuv = np.random.default_rng(3).integers(0, 256, (3, *lattice.shape), np.uint8)
    across, away = lattice.points()
    face = np.hypot(across - x, away - y) < FACE * BOARD.coin_radius
    disc = describe(lattice, yuv, Ring(x, y, BOARD.coin_radius, 0.8))
    assert disc.colour == tuple(float(np.median(plane[face])) for plane in yuv)


def test_prints_beside_a_disc_are_no_board_unless_they_are_all_that_is_seen() -> None:
    lattice = scan_lattice(studio().camera, BOARD.half, BOARD.coin_height)
    yuv, prints = np.full((3, *lattice.shape), 150, np.uint8), np.zeros(lattice.shape, np.uint8)
    (column, _), ring = lattice.to_cells([(0.0, 0.0)])[0].astype(int), Ring(0.0, 0.0, BOARD.coin_radius, 0.8)
    yuv[:, :, column - 5 :], prints[:, column - 5 :] = 40, 255
    assert describe(lattice, yuv, ring, prints).ground == (150.0, 150.0, 150.0)
    assert describe(lattice, yuv, ring, np.full_like(prints, 255)).ground == describe(lattice, yuv, ring).ground


def test_a_coin_on_a_pockets_lip_looks_as_it_does_on_the_board() -> None:
    """What lies around it is a hole, and the frame: black here, whatever the net."""
    at = studio()
    lattice = scan_lattice(at.camera, BOARD.half, BOARD.coin_height)
    reach = BOARD.half - BOARD.coin_radius - 1.0
    hole = at.profile.pockets[Pocket.NE]
    lip = Piece(Kind.WHITE, reach, hole.centre[1] - (hole.radius**2 - (reach - hole.centre[0]) ** 2) ** 0.5 - 3.0)
    yuv = lattice.sample(at.picture([lip, Piece(Kind.WHITE, 100.0, 150.0)]))
    holes = hole_mask(at.profile, lattice)
    on_lip, free = (describe(lattice, yuv, Ring(x, y, BOARD.coin_radius, 0.8), holes)
                    for x, y in ((lip.x_mm, lip.y_mm), (100.0, 150.0)))  # fmt: skip
    assert on_lip.tint == pytest.approx(free.tint, abs=8.0)
    blind = describe(lattice, yuv, Ring(lip.x_mm, lip.y_mm, BOARD.coin_radius, 0.8))
    assert abs(blind.tint[0] - free.tint[0]) > 3 * abs(on_lip.tint[0] - free.tint[0])
