"""Seeking: circles of a piece's size, and what their rims show."""

from __future__ import annotations

import math

from sim_scenes import BOARD, studio

from calibration.rings import edge_field, ring_responses
from models.pieces import Kind, Piece
from referee.pieces.circles import Ring, find_rings, measure_rims, scan_lattice


def scanned(*pieces: Piece) -> list[Ring]:
    """Coin-sized circles in a picture, nothing known to be printed."""
    at = studio()
    lattice = scan_lattice(at.camera, BOARD.half, BOARD.coin_height)
    field = edge_field(lattice.sample(at.picture(pieces)))
    responses = ring_responses(field, [BOARD.coin_radius])
    found = find_rings(lattice, zip([BOARD.coin_radius], responses, strict=True), BOARD.half)
    return measure_rims(lattice, field, found)


def off(ring: Ring, x: float, y: float) -> float:
    return math.dist((ring.x, ring.y), (x, y))


def test_touching_coins_are_both_found() -> None:
    reach = 2 * BOARD.coin_radius
    found = scanned(Piece(Kind.BLACK, -170.0, 20.0), Piece(Kind.BLACK, -170.0 + reach, 20.0),
                    Piece(Kind.WHITE, 150.0, -60.0), Piece(Kind.WHITE, 150.0, -60.0 - reach))  # fmt: skip
    for spot in ((-170.0, 20.0), (-139.0, 20.0), (150.0, -60.0), (150.0, -91.0)):
        near = [d for d in found if off(d, *spot) < 2.5]
        assert len(near) == 1
        assert near[0].support > 0.3
