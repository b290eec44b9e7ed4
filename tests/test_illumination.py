"""Light: brightness by region and tint of the whole, measured on the bare board only."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from referee.foreground.illumination import Illumination, IlluminationMeter, IlluminationMonitor, relit

U8 = NDArray[np.uint8]
SIZE = 240
INSIDE = np.zeros((SIZE, SIZE), np.uint8)
INSIDE[20:-20, 20:-20] = 255
NOTHING = np.zeros((SIZE, SIZE), np.uint8)


def board(seed: int = 0) -> U8:
    """A bare board (3, n, n) with grain."""
    rng = np.random.default_rng(seed)
    wood = np.array((110, 118, 140), np.float64)[:, None, None] + rng.normal(0, 2, (3, SIZE, SIZE))
    return wood.astype(np.uint8)


def lit(yuv: U8, gain: NDArray[np.float64] | float, blue: int = 0, red: int = 0) -> U8:
    """The board in a light with so much of its luma and of its colour, shifted by so many levels of blue and red."""
    out = yuv.astype(np.float64)
    out[0] *= gain
    out[1] = 128 + (out[1] - 128) * gain + blue
    out[2] = 128 + (out[2] - 128) * gain + red
    return np.clip(np.round(out), 0, 255).astype(np.uint8)


def measured(now: U8, hidden: U8 = NOTHING) -> Illumination:
    return IlluminationMeter(INSIDE).measure(now, board(), hidden)


def ramp(low: float, high: float) -> NDArray[np.float64]:
    """From `low` in the west to `high` in the east over the middle third, as a lamp's light runs out."""
    return np.interp(np.arange(SIZE), (SIZE / 3, 2 * SIZE / 3), (low, high))[None, :].repeat(SIZE, 0)


@pytest.mark.parametrize("gain", [0.5, 0.9, 1.0, 1.6, 2.0])
def test_a_brighter_or_darker_lamp_is_measured(gain: float) -> None:
    light = measured(lit(board(), gain))
    np.testing.assert_allclose(light.gain, gain, rtol=0.02)
    assert np.abs(light.tint).max() < 0.3


@pytest.mark.parametrize(("low", "high"), [(0.8, 1.2), (1.0, 1.5), (1.0, 2.0)])
def test_light_that_differs_over_the_board_is_measured_by_region(low: float, high: float) -> None:
    gain = measured(lit(board(), ramp(low, high))).gain
    assert gain[SIZE // 2, 40] == pytest.approx(low, rel=0.05)
    assert gain[SIZE // 2, -40] == pytest.approx(high, rel=0.05)
    assert gain[SIZE // 2, SIZE // 2] == pytest.approx((low + high) / 2, rel=0.05)


def test_a_warmer_lamp_is_measured_as_a_tint() -> None:
    light = measured(lit(board(), 1.0, blue=-5, red=4))
    assert light.tint == (pytest.approx(-5.0, abs=0.3), pytest.approx(4.0, abs=0.3))


def test_known_pieces_do_not_count_as_light() -> None:
    now, hidden = board(), NOTHING.copy()
    now[0, 100:140, 60:180], hidden[100:140, 60:180] = 150, 255
    np.testing.assert_allclose(measured(now, hidden).gain, 1.0, atol=0.03)


def test_an_unknown_dark_piece_or_sleeve_does_not_count_as_light() -> None:
    now = board()
    now[0, 20:120, 90:120] = 30
    now[0, 150:164, 50:64] = 25
    np.testing.assert_allclose(measured(now).gain, 1.0, atol=0.05)


def test_a_hand_of_another_tint_does_not_count_as_light() -> None:
    now = board()
    now[0, 20:140, 80:130], now[2, 20:140, 80:130] = 130, 165
    np.testing.assert_allclose(measured(now).gain, 1.0, atol=0.05)


def test_unchanged_light_is_even() -> None:
    light = Illumination.even((SIZE, SIZE))
    assert light.tint == (0.0, 0.0)
    assert np.all(light.gain == 1.0)


def test_a_board_wholly_hidden_tells_nothing_of_the_light() -> None:
    light = measured(lit(board(), 2.0), np.full((SIZE, SIZE), 255, np.uint8))
    assert np.all(light.gain == 1.0)


def over(gains: list[float], dt: float) -> tuple[list[int], list[bool]]:
    """At which looks, so far apart, a change of light was told, and whether the light was steady at each."""
    meter, watch = IlluminationMeter(INSIDE), IlluminationMonitor()
    told, steady = [], []
    for i, gain in enumerate(gains):
        if watch.has_changed(i * dt, meter.measure(lit(board(), gain), board(), NOTHING)):
            told.append(i)
        steady.append(watch.steady)
    return told, steady


def test_a_switched_lamp_is_told_once_and_the_light_is_unsteady_for_a_moment_only() -> None:
    told, steady = over([1.0] * 6 + [1.4] * 12, 1 / 30)
    assert told == [6]
    assert steady == [i < 6 or i > 8 for i in range(18)]


def test_light_that_flickers_on_and_on_is_told_once_and_played_by() -> None:
    told, steady = over([1.0, 1.0, 1.3] * 25, 0.06)
    assert told == [2]
    assert all(steady[20:])


def test_a_black_picture_is_a_change_of_light_like_any_other() -> None:
    """Ratios of lights are taken from it and to it; a warning of their arithmetic would fail this test."""
    told, _ = over([1.0] * 4 + [0.0] * 4 + [1.0] * 40, 0.1)
    assert told == [4]
    meter = IlluminationMeter(INSIDE)
    black = meter.measure(np.zeros((3, SIZE, SIZE), np.uint8), board(), NOTHING)
    plain = meter.measure(board(), board(), NOTHING)
    assert relit(board(), plain, black)[0, 30:-30, 30:-30].max() < 30, "no light is taken for less than a fifth"
    assert np.isfinite(relit(np.zeros((3, SIZE, SIZE), np.uint8), black, plain)).all()


def test_a_look_in_another_light_is_what_it_would_be_in_this_one() -> None:
    meter = IlluminationMeter(INSIDE)
    dim, bright = lit(board(), 0.8, blue=-3), lit(board(), ramp(0.9, 1.2), red=4)
    then, now = (meter.measure(look, board(), NOTHING) for look in (dim, bright))
    assert np.abs(relit(dim, then, now)[:, 30:-30, 30:-30].astype(int) - bright[:, 30:-30, 30:-30]).max() <= 6
    assert relit(dim, then, then) is dim


def test_a_lamp_that_flickers_is_measured_in_every_frame() -> None:
    meter, empty = IlluminationMeter(INSIDE), board()
    for i in range(6):
        gain = 0.9 if i % 2 else 1.1
        light = meter.measure(lit(board(i), gain), empty, NOTHING)
        assert light.gain[SIZE // 2, SIZE // 2] == pytest.approx(gain, rel=0.03)
