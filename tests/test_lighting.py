"""Exposure, motion blur, flicker and glare, told from pictures whose light is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sim_scenes import FORMATION, LOOK, SCATTERED, Studio, hand_over, studio

from calibration.geometry.picture import Picture
from calibration.meters.lighting import LightReading, exposure, flicker, glare, glares, light_of, motion_blur
from calibration.meters.meter import ADVICE, Advice, MeterVerdict
from models.pieces import Seat
from referee.sim.sensor_noise import Exposure, Sensor
from referee.sim.viewpoint import Appearance, Glare

FPS = 60.0


@cache
def board() -> Picture:
    return studio().picture(FORMATION)


def exposed(how: Exposure, times: Sequence[float] = (0.0,), of: Picture | None = None) -> list[Picture]:
    """The board as a camera exposes it at these times."""
    p = of or board()
    sensor = Sensor(p.width, p.height, how, np.random.default_rng(2))
    return [sensor.expose(p.y.copy(), p.u.copy(), p.v.copy(), t, i) for i, t in enumerate(times)]


def watched(how: Exposure, fps: float = FPS, seconds: float = 2.0) -> list[LightReading]:
    times = [i / fps for i in range(round(seconds * fps))]
    return [light_of(p, t) for p, t in zip(exposed(how, times), times, strict=True)]


@pytest.mark.parametrize(
    ("gain", "verdict", "advice"),
    [(0.1, MeterVerdict.BAD, Advice.EXPOSURE_MORE), (0.25, MeterVerdict.FAIR, Advice.EXPOSURE_MORE),
     (0.5, MeterVerdict.GOOD, Advice.EXPOSURE_RIGHT), (1.0, MeterVerdict.GOOD, Advice.EXPOSURE_RIGHT),
     (1.8, MeterVerdict.BAD, Advice.EXPOSURE_LESS)],
)  # fmt: skip
@pytest.mark.parametrize("known", [True, False])
def test_too_dark_and_too_bright_are_told(gain: float, verdict: MeterVerdict, advice: Advice, known: bool) -> None:
    (picture,) = exposed(Exposure(gain=gain))
    reading = exposure(picture, studio().profile if known else None)
    assert (reading.verdict, reading.advice) == (verdict, advice)


def test_brightness_means_the_same_in_both_ranges() -> None:
    p = board()
    full = ((p.y.astype(np.float64) - 16) * 255 / 219).clip(0, 255).round().astype(np.uint8)
    values = [exposure(Picture(y, p.u, p.v, wide), studio().profile).value for y, wide in ((p.y, False), (full, True))]
    assert values[0] == pytest.approx(values[1], abs=1)


@pytest.mark.parametrize(
    ("ms", "verdict", "mm"),
    [(0.5, MeterVerdict.GOOD, 2.5), (2, MeterVerdict.GOOD, 10), (4, MeterVerdict.FAIR, 20), (8, MeterVerdict.BAD, 40)],
)
def test_blur_is_the_exposure_times_a_fast_coin(ms: float, verdict: MeterVerdict, mm: float) -> None:
    reading = motion_blur(ms / 1000)
    assert (reading.verdict, reading.value) == (verdict, mm)


def test_an_exposure_that_is_not_told_is_unknown() -> None:
    assert motion_blur(None).verdict is MeterVerdict.UNKNOWN


def test_steady_light_does_not_flicker() -> None:
    assert flicker(watched(Exposure())).verdict is MeterVerdict.GOOD


@pytest.mark.parametrize("readout_s", [0.0, 0.012])
@pytest.mark.parametrize(("mains", "fps"), [(50.0, 60.0), (60.0, 50.0), (50.0, 30.0)])
def test_a_flickering_lamp_is_measured_and_its_mains_named(mains: float, fps: float, readout_s: float) -> None:
    reading = flicker(watched(Exposure(flicker=0.06, mains_hz=mains, readout_s=readout_s), fps))
    assert (reading.verdict, reading.advice) == (MeterVerdict.BAD, Advice.FLICKER_LAMP)
    assert dict(reading.blanks)["hz"] == mains
    assert reading.value == pytest.approx(6.0, rel=0.2)


def test_a_little_flicker_is_fair() -> None:
    assert flicker(watched(Exposure(flicker=0.025))).verdict is MeterVerdict.FAIR


def test_light_that_drifts_is_no_flicker_and_light_that_jumps_is() -> None:
    calm = watched(Exposure())
    drift = [LightReading(light.t, light.cells * (1 + 0.03 * i / len(calm))) for i, light in enumerate(calm)]
    assert flicker(drift).verdict is MeterVerdict.GOOD
    jumps = [LightReading(light.t, light.cells * (1.1 if i % 41 > 20 else 1.0)) for i, light in enumerate(calm)]
    assert flicker(jumps).advice is Advice.FLICKER_UNSTEADY


def test_a_hand_that_comes_in_is_no_flicker() -> None:
    lights = watched(Exposure(noise=1.0), seconds=1.0)
    hand = studio().picture(FORMATION, [hand_over(Seat.SOUTH, 60.0, -200.0)])
    times = [1.0 + i / FPS for i in range(60)]
    lights += [light_of(p, t) for p, t in zip(exposed(Exposure(noise=1.0), times, hand), times, strict=True)]
    assert flicker(lights).verdict is MeterVerdict.GOOD


def test_flicker_needs_some_seconds() -> None:
    assert flicker(watched(Exposure(flicker=0.1), seconds=0.5)).verdict is MeterVerdict.UNKNOWN


@pytest.mark.parametrize(
    ("x", "y", "side"), [(200.0, 30.0, "east"), (-60.0, -240.0, "south"), (-250.0, 80.0, "west"), (0.0, 210.0, "north")]
)
def test_a_mirrored_lamp_is_found_where_it_is(x: float, y: float, side: str) -> None:
    place = Studio(look=_with(Glare(x, y, 45.0, 130.0)))
    reading = glare(place.picture(SCATTERED), place.profile)
    assert (reading.verdict, reading.advice) == (MeterVerdict.FAIR, Advice.GLARE_LAMP)
    assert dict(reading.blanks)["side"] == side
    _, (gx, gy) = max(glares(place.picture(), place.profile))
    assert np.hypot(gx - x, gy - y) < 25.0


def test_a_large_mirrored_lamp_is_bad() -> None:
    place = Studio(look=_with(Glare(50.0, -100.0, 110.0, 320.0)))
    assert glare(place.picture(), place.profile).verdict is MeterVerdict.BAD


def test_pale_coins_are_no_lamps() -> None:
    (picture,) = exposed(Exposure(gain=1.16))
    assert glare(picture, studio().profile).verdict is MeterVerdict.GOOD
    assert glare(board(), None).verdict is MeterVerdict.UNKNOWN


def test_every_advice_has_its_sentence_whose_blanks_are_filled() -> None:
    assert set(ADVICE) == set(Advice)
    assert "2 ms" in motion_blur(0.01).text
    assert "1/100 s" in flicker(watched(Exposure(flicker=0.06))).text


def _with(lamp: Glare) -> Appearance:
    return replace(LOOK, glares=(lamp,))
