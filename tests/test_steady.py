"""Steadiness: a strip that shows the striker unmoved is not searched again; the least shift is told."""

from __future__ import annotations

import pytest
from sim_scenes import BOARD, gate_over, hand_over, studio

from models.pieces import Kind, Piece, Seat
from referee.foreground.background import Gate, Sight
from referee.sim.scene import HandPose
from referee.striker.baseline_search import BaseStrip
from referee.striker.unchanged_strip import AFRESH_S, Steadiness

PROFILE = studio().profile
PLACED = Piece(Kind.STRIKER, 80.0, -BOARD.base_y)


def sight(gate: Gate, t: float, x: float = PLACED.x_mm, hands: tuple[HandPose, ...] = ()) -> Sight:
    pieces = (Piece(Kind.STRIKER, x, PLACED.y_mm),)
    return gate.see(studio().picture(pieces, hands, grain=round(1000 * t)), t)


def searched() -> tuple[Gate, Steadiness]:
    """A strip in which the striker was found at t = 1."""
    gate = gate_over()
    strip = BaseStrip(PROFILE, gate, Seat.SOUTH)
    steady, seen = Steadiness(gate, strip.beside), sight(gate, 1.0)
    found = strip.find(studio().picture((PLACED,), grain=1000), seen, PROFILE, ())
    assert found is not None
    steady.learn(seen, PROFILE, (), found)
    return gate, steady


@pytest.mark.parametrize("t", [1.07, 1.14, 1.21, 1.28, 1.35])
def test_the_same_place_in_other_noise_is_the_same(t: float) -> None:
    gate, steady = searched()
    assert steady.lasts(sight(gate, t), PROFILE, ())


@pytest.mark.parametrize("shift", [-0.6, 0.5, 1.0, 4.0])
def test_a_striker_shifted_by_half_a_millimetre_is_sought_anew(shift: float) -> None:
    gate, steady = searched()
    assert not steady.lasts(sight(gate, 1.1, PLACED.x_mm + shift), PROFILE, ())


def test_a_finger_that_comes_near_another_table_and_much_time_ask_for_a_search() -> None:
    gate, steady = searched()
    finger = hand_over(Seat.SOUTH, PLACED.x_mm, PLACED.y_mm - 30.0)
    assert not steady.lasts(sight(gate, 1.1, hands=(finger,)), PROFILE, ())
    assert not steady.lasts(sight(gate, 1.1), PROFILE, (PLACED,))
    assert not steady.lasts(sight(gate, 1.1 + AFRESH_S), PROFILE, ())


def test_before_any_search_nothing_lasts() -> None:
    gate = gate_over()
    steady = Steadiness(gate, BaseStrip(PROFILE, gate, Seat.SOUTH).beside)
    assert steady.found is None
    assert not steady.lasts(sight(gate, 1.0), PROFILE, ())
