"""A camera that trembles on its arm or hunts for its focus: how far it sways is known, and no call goes wrong by it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from drawn_stroke import END_S, FPS, alerts, assert_right, played, seen
from sim_scenes import SCATTERED, SIZE, hand_over, lit, studio

from calibration.geometry.picture import Picture, SimilarityTransform
from models.pieces import Seat
from referee.facts import AlertKind
from referee.foreground.background import BackgroundModel
from referee.stabilise.camera_shake import ShakeMeter
from tools.bench.swayed import swayed as shown_by

MIDDLE = (SIZE[0] - 1) / 2, (SIZE[1] - 1) / 2
NEAR_PX = 0.12
"""A sway is known to so many pixels anywhere on the board."""
SWAYS = {
    "aside": SimilarityTransform(0.9, -0.6),
    "half a pixel": SimilarityTransform(0.5, 0.0),
    "turned": SimilarityTransform(0.2, 0.1, turn=2e-3),
    "grown, as by a lens that looks for its focus": SimilarityTransform(0.0, 0.3, zoom=3e-3),
    "far": SimilarityTransform(-1.2, 0.9, turn=1e-3, zoom=-1e-3),
}


def swayed(picture: Picture, sway: SimilarityTransform) -> Picture:
    """What a camera swayed so would have shown."""
    return shown_by(picture, replace(sway, middle=MIDDLE))


def standing() -> tuple[BackgroundModel, ShakeMeter]:
    """A gate that knows the board with coins on it, and a meter that has learned it."""
    background = BackgroundModel(studio().profile)
    meter = ShakeMeter(background)
    first = [studio().picture(SCATTERED, grain=-k - 1) for k in range(3)]
    assert [p.sway for p in meter.steady(first)] == [None] * 3
    look = background.lattice.sample(first[0])
    background.learn_noise([background.lattice.sample(p) for p in first])
    hidden = background.cover(SCATTERED, studio().profile.board)
    background.remember(look, hidden)
    background.hidden = hidden
    return background, meter


def off_px(a: SimilarityTransform | None, b: SimilarityTransform) -> float:
    """How far apart (px) two sways see a corner of the board at most."""
    corners = np.array([(x, y) for x in (-220.0, 220.0) for y in (-220.0, 220.0)], np.float32) + np.float32(MIDDLE)
    apart = replace(a or SimilarityTransform(), middle=MIDDLE if a is None else a.middle).moved(corners)
    return float(np.abs(apart - replace(b, middle=MIDDLE).moved(corners)).max())


@pytest.mark.parametrize("sway", SWAYS.values(), ids=SWAYS)
def test_a_sway_is_measured_and_heeded(sway: SimilarityTransform) -> None:
    background, meter = standing()
    still = studio().picture(SCATTERED, grain=5)
    shown, look = meter.register(swayed(still, sway), 1.0, None)
    assert off_px(shown.sway, sway) < NEAR_PX
    there = np.abs(look[0].astype(int) - background.lattice.sample(still)[0])[background.surface > 0]
    blind = np.abs(background.lattice.sample(swayed(still, sway))[0].astype(int) - background.lattice.sample(still)[0])
    assert np.percentile(there, 99.5) < 0.5 * np.percentile(blind[background.surface > 0], 99.5)


@cache
def hand_in() -> Picture:
    return studio().picture(SCATTERED[:-2], (hand_over(Seat.SOUTH, 0.0, -120.0),), grain=6)


OTHERS = {
    "nothing": studio().picture(SCATTERED, grain=3),
    "a hand, and coins gone": hand_in(),
    "less light": lit(studio().picture(SCATTERED, grain=4), 0.7),
    "light from one side": lit(studio().picture(SCATTERED, grain=4), np.linspace(0.75, 1.2, SIZE[0])[None].tolist()),
}


@pytest.mark.parametrize("picture", OTHERS.values(), ids=OTHERS)
def test_what_changes_before_a_camera_that_stands_still_is_no_sway(picture: Picture) -> None:
    background, meter = standing()
    for t in (1.0, 1.2, 1.4):
        shown, look = meter.register(picture, t, None)
        background.compare(look, t)
        assert shown.sway is None
    assert not background.swings


def test_a_sway_is_known_under_a_hand_and_in_less_light() -> None:
    _, meter = standing()
    sway = SimilarityTransform(0.7, 0.8, zoom=1e-3)
    shown, _ = meter.register(swayed(lit(hand_in(), 0.8), sway), 1.0, None)
    assert off_px(shown.sway, sway) < NEAR_PX


def test_the_first_pictures_tell_where_the_camera_stands_on_average() -> None:
    background = BackgroundModel(studio().profile)
    sways = [SimilarityTransform(0.8 * math.sin(k), 0.0) for k in range(8)]
    mean = sum(s.right for s in sways[:5]) / 5
    steady = ShakeMeter(background).steady(
        [swayed(studio().picture(SCATTERED, grain=-k), s) for k, s in enumerate(sways)]
    )
    for picture, sway in zip(steady, sways, strict=True):
        assert off_px(picture.sway, SimilarityTransform(sway.right - mean, 0.0)) < NEAR_PX


def test_a_camera_swings_until_it_has_stood_for_a_while() -> None:
    background, meter = standing()
    still = studio().picture(SCATTERED, grain=5)
    meter.register(still, 1.0, None)
    meter.register(swayed(still, SimilarityTransform(1.0, 0.0)), 1.2, None)
    assert background.swings
    for t in np.arange(1.25, 1.55, 0.05):
        meter.register(still, float(t), None)
        assert background.swings, "it may swing back"
    for t in np.arange(1.55, 2.6, 0.05):
        shown, _ = meter.register(still, float(t), None)
    assert not background.swings
    assert shown.sway is None


def since(t: float) -> float:
    """Time since the first pictures; the profile's camera was not measured in them."""
    return max(t - 0.3, 0.0)


def test_what_is_left_of_each_sway_does_not_add_up() -> None:
    """A board remembered anew from every picture of a camera that swings drifted by half a millimetre in a minute."""
    background, meter = standing()
    still, hidden = studio().picture(SCATTERED, grain=5), background.hidden
    for k in range(60):
        t = 1.0 + 0.1 * k
        _, look = meter.register(
            swayed(still, SimilarityTransform(0.6 * math.sin(k), 0.4 * math.sin(1.7 * k))), t, None
        )
        background.compare(look, t)
        background.remember(look, hidden)
    sway = SimilarityTransform(0.5, 0.0)
    shown, _ = meter.register(swayed(still, sway), 8.0, None)
    assert off_px(shown.sway, sway) < NEAR_PX


SWINGS: dict[str, Callable[[float], SimilarityTransform]] = {
    "trembles": lambda t: SimilarityTransform(0.5 * math.sin(17 * t) + 0.3 * math.sin(41 * t), 0.5 * math.cos(23 * t)),
    "swings": lambda t: SimilarityTransform(
        1.2 * math.sin(9 * since(t)), 0.4 * math.sin(7 * since(t)), 1e-3 * math.sin(9 * since(t))
    ),
    "hunts for its focus": lambda t: SimilarityTransform(zoom=3e-3 * math.sin(3 * t)),
    "is knocked and rings": lambda t: SimilarityTransform(
        2.0 * math.exp(-2.0 * max(t - 1.2, 0.0)) * math.sin(30 * max(t - 1.2, 0.0))
    ),
}


@pytest.mark.parametrize("way", SWINGS.values(), ids=SWINGS)
def test_no_call_goes_wrong_while_the_camera_sways(way: Callable[[float], SimilarityTransform]) -> None:
    facts = seen(played(lambda picture, t: swayed(picture, way(t))))
    assert_right(facts)
    assert not alerts(facts, AlertKind.CAMERA_MOVED)


def test_a_push_of_a_camera_that_sways_is_told() -> None:
    def pushed(picture: Picture, t: float) -> Picture:
        return swayed(picture, SimilarityTransform(0.4 * math.sin(20 * t) * (t < 1.7) + 1.5 * (t > 1.7)))

    told = alerts(seen(played(pushed)), AlertKind.CAMERA_MOVED)
    assert len(told) == 1
    assert 1.7 < told[0] < min(2.7, END_S), FPS
