"""Which mode of a Raspberry Pi camera is asked for, and how light and focus are fixed: by the makers' numbers."""

from __future__ import annotations

import math

import pytest

from referee.frames.lock_exposure import automatic_controls, exposure_and_gain, fixed, has_settled
from referee.frames.sensor_modes import Mode, choose, describe_mode, modes_of, picture_size
from referee.frames.standard_lenses import standard_lens

CM3, HQ, GS, V2 = (4608, 2592), (4056, 3040), (1456, 1088), (3280, 2464)
"""All pixels of each sensor."""


def mode(size: tuple[int, int], part: tuple[int, int], fps: float, bits: int = 10) -> dict[str, object]:
    """As picamera2 tells of it."""
    return {"format": f"SRGGB{bits}", "size": size, "bit_depth": bits, "fps": fps, "crop_limits": (0, 0, *part),
            "exposure_limits": (10, 1_000_000)}  # fmt: skip


# As rpicam-hello --list-cameras tells on Raspberry Pi OS.
MODES = {
    CM3: [mode((1536, 864), (3072, 1728), 120.13), mode((2304, 1296), CM3, 56.03), mode(CM3, CM3, 14.35)],
    HQ: [mode((1332, 990), (2664, 1980), 120.05), mode((2028, 1080), (4056, 2160), 50.03, 12),
         mode((2028, 1520), HQ, 40.01, 12), mode(HQ, HQ, 10.0, 12)],
    GS: [mode(GS, GS, 60.38)],
    V2: [mode((640, 480), (1280, 960), 103.33), mode((1640, 1232), V2, 41.85),
         mode((1920, 1080), (1920, 1080), 47.57), mode(V2, V2, 21.19)],
}  # fmt: skip


@pytest.mark.parametrize(
    ("sensor", "fps", "size", "chosen", "picture", "shown"),
    [
        (GS, 60, None, GS, (1456, 1088), "the whole field"),
        (CM3, 60, None, (2304, 1296), (1934, 1088), "the whole field"),
        (CM3, 120, None, (1536, 864), (1536, 864), "the middle 67 % of the field"),
        (CM3, 60, (1456, 1088), (2304, 1296), (1456, 1088), "the middle 75 % of the field"),
        (HQ, 60, None, (1332, 990), (1332, 990), "the middle 65 % of the field"),
        (HQ, 40, None, (2028, 1520), (1452, 1088), "the whole field"),
        (V2, 60, None, (1640, 1232), (1448, 1088), "the whole field"),
        (V2, 100, (640, 480), (640, 480), (640, 480), "the middle 39 % of the field"),
    ],
)
def test_the_mode_has_rows_enough_then_the_rate_then_the_whole_field(
    sensor: tuple[int, int], fps: float, size: tuple[int, int] | None, chosen: tuple[int, int],
    picture: tuple[int, int], shown: str
) -> None:  # fmt: skip
    best = choose(modes_of(MODES[sensor]), sensor, fps, size)
    assert best is not None
    assert best.size == chosen
    assert picture_size(best, size) == picture
    assert describe_mode("imx", best, sensor, picture).endswith(shown)


def test_eight_bits_are_taken_where_they_alone_are_fast_enough() -> None:
    both = modes_of([*MODES[V2], mode((1640, 1232), V2, 83.7, 8)])
    best = choose(both, V2, 60, None)
    assert best == Mode((1640, 1232), 8, 83.7, V2)
    slow = choose(both, V2, 40, None)
    assert slow is not None
    assert slow.bit_depth == 10, "more bits where they cost nothing"


def test_a_camera_that_tells_no_raw_modes_is_left_to_itself() -> None:
    assert choose(modes_of([{"format": "YUYV"}]), (1280, 720), 60, None) is None


LIMITS = {"ExposureTime": (20, 16000, 8000), "AnalogueGain": (1.0, 16.0, 1.0), "AeEnable": (False, True, True),
          "AwbEnable": (False, True, True), "ColourGains": (0.0, 32.0, None)}  # fmt: skip
LENS = {"AfMode": (0, 2, 0), "AfTrigger": (0, 1, 0), "LensPosition": (0.0, 32.0, 1.0)}


@pytest.mark.parametrize(
    ("light", "exposure", "gain"),
    [(2000.0, 2000, 1.0), (800.0, 800, 1.0), (8000.0, 2000, 4.0), (40_000.0, 5000, 8.0), (1e6, 16_667, 8.0)],
)
def test_the_exposure_is_short_until_the_gain_is_no_longer_worth_it(light: float, exposure: int, gain: float) -> None:
    assert exposure_and_gain(light, LIMITS, 16_667) == {"ExposureTime": exposure, "AnalogueGain": gain}


def test_what_the_camera_found_is_fixed_and_nothing_it_does_not_have_is_set() -> None:
    found = {"ExposureTime": 8000, "AnalogueGain": 1.0, "ColourGains": (1.8, 1.5), "LensPosition": 1.1}
    still = fixed(found, LIMITS, 16_667)
    assert still == {"AwbEnable": False, "AeEnable": False, "ExposureTime": 2000, "AnalogueGain": 4.0,
                     "ColourGains": (1.8, 1.5)}  # fmt: skip
    assert fixed(found, LIMITS | LENS, 16_667) == still | {"AfMode": 0, "LensPosition": 1.1}
    assert fixed({}, {}, 16_667) == {}
    assert automatic_controls(LIMITS) == {"AeEnable": True, "AwbEnable": True}
    assert automatic_controls(LIMITS | LENS)["AfTrigger"] == 0


def test_it_waits_for_light_and_lens_and_for_neither_for_ever() -> None:
    assert has_settled({"AeLocked": True}, LIMITS, 0.1)
    assert has_settled({"AeState": 2}, LIMITS, 0.1)
    assert not has_settled({"AeLocked": False}, LIMITS, 1.9)
    assert has_settled({}, LIMITS, 2.0)
    assert not has_settled({"AeLocked": True, "AfState": 1}, LIMITS | LENS, 3.9)
    assert has_settled({"AeLocked": True, "AfState": 2}, LIMITS | LENS, 0.5)
    assert has_settled({}, LIMITS | LENS, 4.0)


@pytest.mark.parametrize(
    ("model", "sensor", "part", "field_deg", "slack"),
    [
        ("ov5647", (2592, 1944), (2592, 1944), 53.5, 0.01),
        ("imx219", V2, V2, 62.2, 0.01),
        ("imx708", CM3, CM3, 66.0, 0.06),
        ("imx708_wide_noir", CM3, CM3, 102.0, 0.06),
    ],
)
def test_a_standard_lens_shows_the_field_that_its_maker_states(
    model: str, sensor: tuple[int, int], part: tuple[int, int], field_deg: float, slack: float
) -> None:
    lens = standard_lens(model, Mode((1640, 1232), 10, 40.0, part), (sensor[0] // 2, sensor[1] // 2))
    assert lens is not None
    assert lens.focal_px == pytest.approx(sensor[0] / 4 / math.tan(math.radians(field_deg / 2)), rel=slack)


def test_a_cropped_mode_shows_less_through_the_same_lens() -> None:
    whole, middle = modes_of([mode((2304, 1296), CM3, 56.0), mode((1536, 864), (3072, 1728), 120.0)])
    wide, narrow = standard_lens("imx708", whole, (1536, 864)), standard_lens("imx708", middle, (1536, 864))
    square = standard_lens("imx708", whole, (864, 864))
    assert wide is not None
    assert narrow is not None
    assert square is not None
    assert narrow.focal_px == pytest.approx(1.5 * wide.focal_px)
    assert square.focal_px == pytest.approx(wide.focal_px)


@pytest.mark.parametrize("model", ["imx477", "imx296", "virtual", ""])
def test_a_sensor_without_a_standard_lens_states_none(model: str) -> None:
    assert standard_lens(model, Mode(GS, 10, 60.0, GS), GS) is None


def test_a_camera_that_lists_no_modes_states_no_lens() -> None:
    assert standard_lens("imx219", None, (1640, 1232)) is None
