"""The guard: what befalls the picture as a whole is told in sentences, once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sim_scenes import FORMATION, SCATTERED, Studio, compared, gate_over, studio

from calibration.geometry.picture import Picture
from referee.facts import Alert, AlertKind
from referee.strokes.disturbances import DisturbanceMonitor

GRID = [(-180.0 + 90.0 * (i % 5), -140.0 + 90.0 * (i // 5)) for i in range(19)]
"""Places for nineteen coins in the middle of the board."""


def told(model_sure: bool) -> list[Alert]:
    """What is told of three frames of a still board."""
    at, background = studio(), gate_over()
    profile = replace(at.profile, residuals=replace(at.profile.residuals, model_sure=model_sure))
    guard, pictures = DisturbanceMonitor(background), [at.picture(SCATTERED, grain=i) for i in range(3)]
    guard.refer(profile, pictures)
    return [alert for i, p in enumerate(pictures) for alert in guard.watch(p, compared(background, p, i / 30))]


@pytest.mark.parametrize("model_sure", [True, False])
def test_a_board_that_may_be_another_model_is_told_once_and_one_that_is_known_is_not(model_sure: bool) -> None:
    assert [a.kind for a in told(model_sure)] == ([] if model_sure else [AlertKind.BOARD_UNSURE])


def test_a_board_that_is_not_found_is_told_once_and_sought_again_after_a_while() -> None:
    at = studio()
    picture = at.picture()
    dark = Picture(np.full_like(picture.y, 40), picture.u, picture.v)
    guard = DisturbanceMonitor(gate_over())
    found = [guard.find(at.profile, dark, t) for t in (0.0, 0.2, 1.0, 12.0)]
    assert [profile for profile, _ in found] == [None] * 4
    assert [alert and alert.kind for _, alert in found] == [AlertKind.BOARD_LOST, None, None, AlertKind.BOARD_LOST]


def moves(pictures: list[Picture], first: list[Picture]) -> bool:
    """Whether the last of the pictures, five a second, is taken for one of a board that has moved."""
    background = gate_over(empty=first[0])
    guard = DisturbanceMonitor(background)
    guard.refer(studio().profile, first)
    told = False
    for i, picture in enumerate(pictures):
        foreground = compared(background, picture, i / 5)
        list(guard.watch(picture, foreground))
        told = guard.has_moved(foreground)
    return told


def slid(picture: Picture, half: int = 120, by: int = 6) -> Picture:
    """The picture whose middle, so many pixels each way, has slid to the right: prints, sleeves, coins and all."""
    luma, (y, x) = picture.y.copy(), (n // 2 for n in picture.y.shape)
    luma[y - half : y + half, x - half : x + half] = np.roll(picture.y, by, 1)[y - half : y + half, x - half : x + half]
    return Picture(luma, picture.u, picture.v)


def test_what_arms_move_over_the_middle_while_the_base_lines_stand_is_no_move_of_the_camera() -> None:
    first = [studio().picture(grain=i) for i in range(3)]
    assert not moves([*first, *(slid(studio().picture(grain=i)) for i in range(3, 8))], first)


def test_a_camera_pushed_aside_is_a_move_also_among_coins() -> None:
    lying = [replace(p, x_mm=x, y_mm=y) for p, (x, y) in zip(FORMATION, GRID, strict=True)]
    pushed = Studio(pushed=(9.0, 3.0, 0.0))
    first = [studio().picture(lying, grain=i) for i in range(3)]
    assert moves([*first, *(pushed.picture(lying, grain=i) for i in range(3, 8))], first)
