"""What befalls a camera over a match: lamps, shadows, flicker, focus, lost frames, bumps. No call goes wrong by it."""

from __future__ import annotations

import math
from functools import cache

import pytest
from drawn_stroke import FPS, STRUCK_S, alerts, assert_right, played, seen
from sim_scenes import Studio

from referee.facts import Alert, AlertKind, Fact, Stroke
from referee.sim.sensor_noise import Exposure
from referee.sim.trouble import PassingShadow, PictureTrouble, TroubleCourse

NOTICE_S = 1.0


def test_without_trouble_nothing_is_told_but_the_stroke() -> None:
    facts = seen(played())
    assert_right(facts)
    assert not [f for f in facts if isinstance(f, Alert)]


LAMPS = {
    "brighter and warmer while the striker stands": PictureTrouble(
        TroubleCourse.step(1.0, 1.35, 0.8), TroubleCourse.step(0.0, -6.0, 0.8), TroubleCourse.step(0.0, 4.0, 0.8)
    ),
    "one of two off while the striker stands": PictureTrouble(TroubleCourse.step(1.0, 0.55, 0.8)),
    "dimmed by a third while pieces roll": PictureTrouble(TroubleCourse.step(1.0, 0.67, 1.6, 0.2)),
    "another colour as the striker flies": PictureTrouble(
        blue=TroubleCourse.step(0.0, -9.0, 1.3), red=TroubleCourse.step(0.0, 7.0, 1.3)
    ),
    "on at the moment of the strike": PictureTrouble(TroubleCourse.step(1.0, 1.35, STRUCK_S)),
}


@cache
def lit_by(lamp: str) -> list[Fact]:
    """What is seen of the stroke under one of these lamps."""
    return seen(played(), LAMPS[lamp])


@pytest.mark.parametrize("lamp", LAMPS)
def test_a_lamp_switched_or_dimmed_is_told_and_is_no_stroke(lamp: str) -> None:
    trouble, facts = LAMPS[lamp], lit_by(lamp)
    begins = min(c.points[0][0] for c in (trouble.lamp, trouble.blue, trouble.red) if len(c.points) > 1)
    assert_right(facts)
    (told,) = alerts(facts, AlertKind.LIGHT_CHANGED)
    assert 0.0 <= told - begins < NOTICE_S


def test_what_is_struck_as_a_lamp_is_switched_is_called_with_doubt() -> None:
    """Light that changes may seem to be a stroke (simulated worlds 15075, 15085, before gates knew such shadows)."""
    (stroke,) = (f for f in lit_by("on at the moment of the strike") if isinstance(f, Stroke))
    assert stroke.confidence < 0.9
    (before,) = (f for f in seen(played(), PictureTrouble(TroubleCourse.step(1.0, 1.35, 0.3))) if isinstance(f, Stroke))
    assert before.confidence > 0.9


@pytest.mark.parametrize("begins_s", [0.2, 0.9])
def test_the_shadow_of_somebody_who_passes_is_no_stroke(begins_s: float) -> None:
    assert_right(seen(played(), PictureTrouble(passer=PassingShadow(begins_s, 1.8, depth=0.42, width=0.4))))


FLICKER = {
    "bands of a rolling shutter": Exposure(flicker=0.15, readout_s=0.015, mains_hz=49.3),
    "wide bands on a mains of 60 Hz": Exposure(flicker=0.1, readout_s=0.025, mains_hz=60.1),
    "a short exposure under a cheap lamp": Exposure(flicker=0.35, mains_hz=47.0),
}


@pytest.mark.parametrize("exposure", FLICKER.values(), ids=FLICKER)
def test_a_lamp_that_flickers_with_the_mains_is_no_stroke_and_hides_none(exposure: Exposure) -> None:
    facts = seen(played(), exposure=exposure)
    assert_right(facts)
    assert len(alerts(facts, AlertKind.LIGHT_CHANGED)) <= 1


HUNTING = TroubleCourse(tuple((i / 8, 1.0 + 0.12 * math.sin(2 * math.pi * i / 8)) for i in range(24)))


@pytest.mark.parametrize(
    "trouble",
    [
        PictureTrouble(lamp=HUNTING),
        PictureTrouble(blue=TroubleCourse(((0.0, 0.0), (2.0, -8.0))), red=TroubleCourse(((0.5, 0.0), (2.5, 7.0)))),
    ],
    ids=["exposure", "white balance"],
)
def test_a_webcam_that_hunts_for_the_light_is_no_stroke_and_hides_none(trouble: PictureTrouble) -> None:
    assert_right(seen(played(), trouble))


def test_a_lens_that_loses_its_focus_and_finds_it_again_is_told_both_times() -> None:
    facts = seen(played(), PictureTrouble(focus_px=TroubleCourse(((0.5, 0.0), (0.6, 0.8), (1.7, 0.8), (1.8, 0.0)))))
    # Thin prints leave a soft striker unseen for a frame more than the other troubles do.
    assert_right(facts, struck_within_s=0.15)
    lost, found = alerts(facts, AlertKind.FOCUS_CHANGED)
    assert 0.0 < lost - 0.5 < NOTICE_S
    assert 0.0 < found - 1.7 < NOTICE_S


@pytest.mark.parametrize("first", [37, 45])
def test_frames_lost_in_flight_lose_no_stroke(first: int) -> None:
    assert_right(seen(played(), lost=range(first, first + 3)))


@pytest.fixture(scope="module")
def pushed(request: pytest.FixtureRequest) -> Studio:
    """The camera after it was pushed."""
    return Studio(noise=0.0, pushed=request.param)


A_LITTLE, ASIDE_AND_TURNED = (3.0, 0.0, 0.0), (9.0, -12.0, 0.01)


@pytest.mark.parametrize(("pushed", "pushed_s"), [
    pytest.param(A_LITTLE, 0.8, id="3 mm-the hand coming"),
    pytest.param(A_LITTLE, 1.22, id="3 mm-the striker flying"),
    pytest.param(ASIDE_AND_TURNED, 0.9, id="15 mm and turned-aiming"),
    pytest.param(ASIDE_AND_TURNED, 1.6, id="15 mm and turned-rolling"),
], indirect=["pushed"])  # fmt: skip
def test_a_board_or_camera_pushed_aside_is_found_again_and_no_call_goes_wrong(pushed: Studio, pushed_s: float) -> None:
    since = round(pushed_s * FPS + 0.5)
    facts = seen(played()[:since] + played(at=pushed)[since:])
    # Nothing is seen to fly until the board is found again.
    assert_right(facts, struck_within_s=0.2 if STRUCK_S < pushed_s < STRUCK_S + 0.1 else 0.12)
    (told,) = alerts(facts, AlertKind.CAMERA_MOVED)
    assert 0.0 < told - pushed_s < NOTICE_S
    (stroke,) = [f for f in facts if isinstance(f, Stroke)]
    if STRUCK_S < pushed_s < stroke.t_called:
        assert stroke.confidence < 0.9
