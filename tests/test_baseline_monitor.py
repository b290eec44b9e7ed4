"""The base lines: how sharp they are and how far they have moved, whatever the light and whatever lies on some."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from sim_scenes import SCATTERED, Studio, hand_over, lit, studio

from calibration.geometry.picture import Picture
from models.pieces import Kind, Piece, Seat
from referee.stabilise.baseline_monitor import BaselineMonitor, BaselineReading


@pytest.fixture(scope="module")
def meter() -> BaselineMonitor:
    at = studio()
    return BaselineMonitor(at.profile, [at.picture(SCATTERED, grain=i) for i in range(3)])


def soft(picture: Picture, spread_px: float) -> Picture:
    return Picture(np.asarray(cv2.GaussianBlur(picture.y, (0, 0), spread_px), np.uint8), picture.u, picture.v)


def seen(meter: BaselineMonitor, picture: Picture) -> BaselineReading:
    foreground = meter.measure(picture)
    assert foreground is not None
    return foreground


@pytest.mark.parametrize("gain", [0.6, 1.0, 1.2])
def test_in_any_light_the_same_picture_is_as_sharp_and_at_rest(meter: BaselineMonitor, gain: float) -> None:
    foreground = seen(meter, lit(studio().picture(SCATTERED, grain=7), gain))
    assert foreground.sharpness == pytest.approx(1.0, abs=0.04)
    assert foreground.moved == (0.0, 0.0, 0.0)


def test_arms_and_pieces_on_lines_change_nothing(meter: BaselineMonitor) -> None:
    arms = [hand_over(Seat.SOUTH, -40.0, -200.0), hand_over(Seat.NORTH, 80.0, 150.0)]
    foreground = seen(meter, studio().picture((*SCATTERED, Piece(Kind.WHITE, 10.0, -252.0)), arms, grain=8))
    assert foreground.sharpness == pytest.approx(1.0, abs=0.05)
    assert foreground.moved == (0.0, 0.0, 0.0)


def test_blur_is_told_from_a_third_of_a_pixel_on_and_the_more_the_less_sharp(meter: BaselineMonitor) -> None:
    picture = studio().picture(SCATTERED, grain=9)
    sharpness = [seen(meter, soft(picture, spread)).sharpness for spread in (0.35, 0.5, 0.7, 0.9)]
    assert sharpness == sorted(sharpness, reverse=True)
    assert sharpness[1] < 0.9
    assert sharpness[3] < 0.7


@pytest.mark.parametrize("push", [(0.0, -3.0, 0.0), (2.0, 2.0, 0.003)], ids=lambda p: f"{p}")
def test_a_board_pushed_by_some_millimetres_is_measured(
    meter: BaselineMonitor, push: tuple[float, float, float]
) -> None:
    moved = seen(meter, Studio(pushed=push).picture(SCATTERED)).moved
    assert moved[:2] == pytest.approx(push[:2], abs=0.15)
    assert moved[2] == pytest.approx(push[2], abs=0.0005)


def test_a_board_pushed_farther_is_not_told_to_rest(meter: BaselineMonitor) -> None:
    assert meter.measure(Studio(pushed=(7.0, 0.0, 0.0)).picture(SCATTERED)) is None


def test_without_lines_in_view_nothing_is_told(meter: BaselineMonitor) -> None:
    picture = studio().picture(SCATTERED)
    assert meter.measure(Picture(np.full_like(picture.y, 90), picture.u, picture.v)) is None
