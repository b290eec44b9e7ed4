"""The search of a base strip: a strip that shows the same is not searched again; the least shift is told."""

from __future__ import annotations

import pytest
from sim_scenes import BOARD, gate_over, hand_over, studio

from models.pieces import Kind, Piece, Seat
from referee.foreground.background import BackgroundModel, ForegroundFrame
from referee.sim.scene import HandPose
from referee.striker.baseline_search import BaselineStrip, StrikerSighting

PROFILE = studio().profile
PLACED = Piece(Kind.STRIKER, 80.0, -BOARD.base_y)


def foreground(
    background: BackgroundModel, t: float, x: float = PLACED.x_mm, hands: tuple[HandPose, ...] = ()
) -> ForegroundFrame:
    pieces = (Piece(Kind.STRIKER, x, PLACED.y_mm),)
    return background.compare_picture(studio().picture(pieces, hands, grain=round(1000 * t)), t)


def searched() -> tuple[BackgroundModel, BaselineStrip]:
    """A strip in which the striker was measured often enough by t = 1."""
    background = gate_over()
    strip = BaselineStrip(PROFILE, background, Seat.SOUTH)
    for t in (0.96, 0.97, 0.98, 0.99, 1.0):
        picture = studio().picture((PLACED,), grain=round(1000 * t))
        assert strip.find(picture, foreground(background, t), PROFILE, ()) is not None
    return background, strip


def found_again(strip: BaselineStrip, seen: ForegroundFrame, lying: tuple[Piece, ...] = ()) -> StrikerSighting | None:
    """Returns what is found without a search: the picture to search shows a bare board."""
    return strip.find(studio().picture(), seen, PROFILE, lying)


@pytest.mark.parametrize("t", [1.07, 1.14, 1.21, 1.28, 1.35])
def test_the_same_place_in_other_noise_is_the_same(t: float) -> None:
    background, strip = searched()
    again = found_again(strip, foreground(background, t))
    assert again is not None
    assert again.t == t


@pytest.mark.parametrize("shift", [-0.6, 0.5, 1.0, 4.0])
def test_a_striker_shifted_by_half_a_millimetre_is_sought_anew(shift: float) -> None:
    background, strip = searched()
    assert found_again(strip, foreground(background, 1.1, PLACED.x_mm + shift)) is None


def test_a_finger_that_comes_near_asks_for_a_search() -> None:
    background, strip = searched()
    finger = hand_over(Seat.SOUTH, PLACED.x_mm, PLACED.y_mm - 30.0)
    assert found_again(strip, foreground(background, 1.1, hands=(finger,))) is None


def test_another_table_and_much_time_ask_for_a_search() -> None:
    background, strip = searched()
    assert found_again(strip, foreground(background, 1.1), (PLACED,)) is None
    background, strip = searched()
    assert found_again(strip, foreground(background, 1.7)) is None
