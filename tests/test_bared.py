"""Bared places: a coin of which nobody knew has gone where the board shows that was remembered with it."""

from __future__ import annotations

import math

import pytest
from sim_scenes import BOARD, FORMATION, SCATTERED, gate_over, studio

from calibration.learn import learn
from models.pieces import Kind, Piece
from referee.detect.gate import Gate
from referee.detect.hands import Blob
from referee.strokes.bared import Bared
from referee.strokes.known import Known

COIN = Piece(Kind.BLACK, 322.0, -318.0)
"""On a pocket's lip."""
PLACE = Blob(COIN.x_mm + 1.0, COIN.y_mm - 1.0, math.pi * BOARD.coin_radius**2, (100.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def gate() -> Gate:
    """It remembers the empty board with a coin on it."""
    return gate_over(studio().picture([COIN]))


@pytest.fixture
def bared(gate: Gate) -> Bared:
    return Bared(Known(learn(studio().profile, [studio().picture(FORMATION)])), gate)


def test_a_coin_that_nobody_knew_of_is_gone_once(bared: Bared, gate: Gate) -> None:
    """Simulated world 1511 as it was seen before its coin was found."""
    gone = gate.see(studio().picture(SCATTERED), 0.0)
    assert [bared.count(gone, blobs) for blobs in ([PLACE], [PLACE], [], [PLACE])] == [1, 0, 0, 1]


def test_what_lies_there_now_or_elsewhere_is_no_such_place(bared: Bared, gate: Gate) -> None:
    white = gate.see(studio().picture([Piece(Kind.WHITE, -100.0, 60.0), COIN]), 0.0)
    elsewhere = Blob(-100.0, 60.0, PLACE.area_mm2, PLACE.tint)
    hand = Blob(PLACE.x, PLACE.y, 3 * PLACE.area_mm2, PLACE.tint)
    assert bared.count(white, [PLACE, elsewhere, hand]) == 0
