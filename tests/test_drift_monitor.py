"""Drift: what two looks at the base lines agree upon is told once."""

from __future__ import annotations

import cv2
import numpy as np
from sim_scenes import SCATTERED, Studio, studio

from calibration.geometry.picture import Picture
from referee.stabilise.drift_monitor import DriftMonitor

EVERY_S = 0.3
"""Between two pictures: at such a distance each is looked at."""


def watch() -> DriftMonitor:
    at = studio()
    return DriftMonitor(at.profile, [at.picture(SCATTERED, grain=i) for i in range(3)])


def soft(spread_px: float, grain: int) -> Picture:
    picture = studio().picture(SCATTERED, grain=grain)
    return Picture(np.asarray(cv2.GaussianBlur(picture.y, (0, 0), spread_px), np.uint8), picture.u, picture.v)


def told(drift: DriftMonitor, pictures: list[Picture], since: float) -> list[float]:
    """How sharp the picture was told to be, looked at every third of a second."""
    out = []
    for i, picture in enumerate(pictures):
        drift.watch(picture, since + i * EVERY_S)
        out += [drift.refocused] if drift.refocused is not None else []
    return out


def test_a_lens_that_loses_its_focus_is_told_once_and_once_more_when_it_is_back() -> None:
    drift = watch()
    sharp = [studio().picture(SCATTERED, grain=g) for g in range(4)]
    assert told(drift, sharp, 0.0) == []
    lost = told(drift, [soft(0.8, g) for g in range(5)], 1.0)
    assert len(lost) == 1
    assert lost[0] < 0.8
    (found,) = told(drift, sharp, 3.0)
    assert found > 0.95


def test_one_blurred_picture_is_no_news() -> None:
    sharp = studio().picture(SCATTERED, grain=5)
    assert told(watch(), [sharp, soft(1.0, 6), sharp, sharp], 0.0) == []


def test_a_picture_that_grows_sharper_is_no_news_and_what_later_ones_are_held_against() -> None:
    at = studio()
    drift = DriftMonitor(at.profile, [soft(0.5, g) for g in range(3)])
    assert told(drift, [at.picture(SCATTERED, grain=g) for g in range(4)], 0.0) == []
    assert len(told(drift, [soft(0.5, g) for g in range(4)], 2.0)) == 1


def test_a_board_nudged_by_a_millimetre_is_noticed_and_one_that_rests_is_not() -> None:
    drift, pushed = watch(), Studio(pushed=(1.0, 0.0, 0.0))
    for i in range(3):
        drift.watch(studio().picture(SCATTERED, grain=i), i * EVERY_S)
        assert not drift.drifted
    for i in range(3, 5):
        drift.watch(pushed.picture(SCATTERED, grain=i), i * EVERY_S)
    assert drift.drifted
    assert drift.rested == 0.6


def test_a_camera_that_moved_so_far_that_other_lines_are_found_is_not_out_of_focus() -> None:
    pushed = Studio(pushed=(34.0, -27.2, 0.005))
    drift = watch()
    assert told(drift, [pushed.picture(SCATTERED, grain=g) for g in range(4)], 0.0) == []
    assert not drift.is_soft
    assert not drift.stands
