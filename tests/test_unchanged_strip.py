"""Steadiness: a strip that shows the striker unmoved is not searched again; the least shift is told."""

from __future__ import annotations

import pytest
from sim_scenes import BOARD, gate_over, hand_over, studio

from models.pieces import Kind, Piece, Seat
from referee.foreground.background import BackgroundModel, ForegroundFrame
from referee.sim.scene import HandPose
from referee.striker.baseline_search import BaselineStrip
from referee.striker.unchanged_strip import UnchangedStrip

PROFILE = studio().profile
PLACED = Piece(Kind.STRIKER, 80.0, -BOARD.base_y)


def foreground(
    background: BackgroundModel, t: float, x: float = PLACED.x_mm, hands: tuple[HandPose, ...] = ()
) -> ForegroundFrame:
    pieces = (Piece(Kind.STRIKER, x, PLACED.y_mm),)
    return background.compare_picture(studio().picture(pieces, hands, grain=round(1000 * t)), t)


def searched() -> tuple[BackgroundModel, UnchangedStrip]:
    """A strip in which the striker was found at t = 1."""
    background = gate_over()
    strip = BaselineStrip(PROFILE, background, Seat.SOUTH)
    steady, seen = UnchangedStrip(background, strip.beside), foreground(background, 1.0)
    found = strip.find(studio().picture((PLACED,), grain=1000), seen, PROFILE, ())
    assert found is not None
    steady.learn(seen, PROFILE, (), found)
    return background, steady


@pytest.mark.parametrize("t", [1.07, 1.14, 1.21, 1.28, 1.35])
def test_the_same_place_in_other_noise_is_the_same(t: float) -> None:
    background, steady = searched()
    assert steady.lasts(foreground(background, t), PROFILE, ())


@pytest.mark.parametrize("shift", [-0.6, 0.5, 1.0, 4.0])
def test_a_striker_shifted_by_half_a_millimetre_is_sought_anew(shift: float) -> None:
    background, steady = searched()
    assert not steady.lasts(foreground(background, 1.1, PLACED.x_mm + shift), PROFILE, ())


def test_a_finger_that_comes_near_another_table_and_much_time_ask_for_a_search() -> None:
    background, steady = searched()
    finger = hand_over(Seat.SOUTH, PLACED.x_mm, PLACED.y_mm - 30.0)
    assert not steady.lasts(foreground(background, 1.1, hands=(finger,)), PROFILE, ())
    assert not steady.lasts(foreground(background, 1.1), PROFILE, (PLACED,))
    assert not steady.lasts(foreground(background, 1.7), PROFILE, ())


def test_before_any_search_nothing_lasts() -> None:
    background = gate_over()
    steady = UnchangedStrip(background, BaselineStrip(PROFILE, background, Seat.SOUTH).beside)
    assert steady.last is None
    assert not steady.lasts(foreground(background, 1.0), PROFILE, ())
