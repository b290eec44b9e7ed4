"""What befalls a camera over a match: lamps, shadows, flicker, focus, lost frames, bumps. No call goes wrong by it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache

import numpy as np
import pytest
from sim_scenes import SCATTERED, SIZE, Studio, hand_over

from calibration.picture import Picture
from models.pieces import Kind, Piece, Seat
from referee.frames.frame import Frame
from referee.seeing import FIRST_FRAMES, Seeing
from referee.sim.sensor import Exposure, Sensor
from referee.sim.trouble import Course, Passer, Trouble
from referee.strokes.facts import Alert, AlertKind, Returned, Seen, Stroke, Table

FPS = 30
PLACED_S, STRUCK_S, HIT_S, REST_S, END_S = 0.4, 1.2, 1.5, 2.1, 2.9
"""The striker is put down under a hand, flies, knocks a coin, and all rests."""
HOME, GOAL = (0.0, 60.0), (-30.0, 255.0)
STOOD, STRUCK_FROM = (0.0, -252.6), (0.0, 29.0)
OTHERS = SCATTERED[:2] + SCATTERED[3:5]
NOTICE_S = 1.0
STILL = (0.0, 0.0, 0.0)
CALM, PLAIN = Trouble(), Exposure()
Push = tuple[float, float, float]


def slid(start: tuple[float, float], end: tuple[float, float], part: float) -> tuple[float, float]:
    """Where a disc is that has done this part of the time in which it slides and slows down evenly."""
    part = min(max(part, 0.0), 1.0)
    share = part * (2.0 - part)
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


@cache
def at(push: Push) -> Studio:
    """A camera without noise over a board that was pushed."""
    return Studio(noise=0.0, pushed=push)


@cache
def drawn(i: int, push: Push = STILL) -> Picture:
    """Frame `i` of the stroke."""
    t = i / FPS
    striker = slid(STOOD, STRUCK_FROM, (t - STRUCK_S) / (HIT_S - STRUCK_S))
    coin = slid(HOME, GOAL, (t - HIT_S) / (REST_S - HIT_S))
    hands = [hand_over(Seat.SOUTH, 0.0, -275.0 - 15 * max(0.0, 0.6 - t))] if 0.3 < t < STRUCK_S + 0.4 else []
    placed = (Piece(Kind.STRIKER, *striker),) if t > PLACED_S else ()
    return at(push).picture((*OTHERS, *placed, Piece(Kind.BLACK, *coin)), hands)


def played(trouble: Trouble = CALM, exposure: Exposure = PLAIN, lost: Iterable[int] = (),
           push: Push = STILL, pushed_s: float = math.inf) -> list[Seen]:  # fmt: skip
    """What is seen of the stroke in trouble, frames lost, the board pushed at a time."""
    sensor = Sensor(*SIZE, exposure, np.random.default_rng(5), trouble)
    frames = []
    for i in range(round(END_S * FPS)):
        clean = drawn(i, push if i / FPS >= pushed_s else STILL)
        picture = sensor.expose(clean.y.copy(), clean.u.copy(), clean.v.copy(), i / FPS, i)
        if i not in set(lost):
            frames.append(Frame(picture, i / FPS, len(frames), 0.0))
    seeing = Seeing(at(STILL).profile, [f.picture for f in frames[:FIRST_FRAMES]])
    return [fact for frame in frames for fact in seeing.see(frame)]


def alerts(facts: list[Seen], kind: AlertKind) -> list[float]:
    return [f.t for f in facts if isinstance(f, Alert) and f.kind is kind]


def assert_right(facts: list[Seen]) -> None:
    """One stroke, called as it was, and every piece where it lies."""
    (stroke,) = [f for f in facts if isinstance(f, Stroke)]
    assert (stroke.seat, stroke.pocketed, stroke.off_board) == (Seat.SOUTH, (), ())
    assert stroke.first_contact is Kind.BLACK
    assert stroke.t_strike == pytest.approx(STRUCK_S, abs=0.12)
    assert stroke.t_rest == pytest.approx(REST_S, abs=0.25)
    assert stroke.placement is not None
    assert math.dist((stroke.placement.x_mm, stroke.placement.y_mm), STOOD) < 1.0
    assert not [f for f in facts if isinstance(f, Returned)]
    table = [f for f in facts if isinstance(f, Table)][-1]
    true = (*OTHERS, Piece(Kind.BLACK, *GOAL), Piece(Kind.STRIKER, *STRUCK_FROM))
    assert len(table.pieces) == len(true)
    for p in true:
        assert min(math.dist((p.x_mm, p.y_mm), (q.x_mm, q.y_mm)) for q in table.pieces if q.kind is p.kind) < 1.0


def test_without_trouble_nothing_is_told_but_the_stroke() -> None:
    facts = played()
    assert_right(facts)
    assert not [f for f in facts if isinstance(f, Alert)]


LAMPS = {
    "brighter and warmer while the striker stands": Trouble(
        Course.step(1.0, 1.35, 0.8), Course.step(0.0, -6.0, 0.8), Course.step(0.0, 4.0, 0.8)
    ),
    "one of two off while the striker stands": Trouble(Course.step(1.0, 0.55, 0.8)),
    "dimmed by a third while pieces roll": Trouble(Course.step(1.0, 0.67, 1.6, 0.2)),
    "another colour as the striker flies": Trouble(blue=Course.step(0.0, -9.0, 1.3), red=Course.step(0.0, 7.0, 1.3)),
    "on at the moment of the strike": Trouble(Course.step(1.0, 1.35, STRUCK_S)),
}


@pytest.mark.parametrize("trouble", LAMPS.values(), ids=LAMPS)
def test_a_lamp_switched_or_dimmed_is_told_and_is_no_stroke(trouble: Trouble) -> None:
    facts = played(trouble)
    begins = min(c.points[0][0] for c in (trouble.lamp, trouble.blue, trouble.red) if len(c.points) > 1)
    assert_right(facts)
    (told,) = alerts(facts, AlertKind.LIGHT_CHANGED)
    assert 0.0 <= told - begins < NOTICE_S


@pytest.mark.parametrize("begins_s", [0.2, 0.9])
def test_the_shadow_of_somebody_who_passes_is_no_stroke(begins_s: float) -> None:
    assert_right(played(Trouble(passer=Passer(begins_s, 1.8, depth=0.42, width=0.4))))


FLICKER = {
    "bands of a rolling shutter": Exposure(flicker=0.15, readout_s=0.015, mains_hz=49.3),
    "a whole picture that beats": Exposure(flicker=0.10, mains_hz=49.3),
    "a short exposure under a cheap lamp": Exposure(flicker=0.35, mains_hz=47.0),
    "bands on a mains of 60 Hz": Exposure(flicker=0.1, readout_s=0.025, mains_hz=60.1),
}


@pytest.mark.parametrize("exposure", FLICKER.values(), ids=FLICKER)
def test_a_lamp_that_flickers_with_the_mains_is_no_stroke_and_hides_none(exposure: Exposure) -> None:
    facts = played(exposure=exposure)
    assert_right(facts)
    assert len(alerts(facts, AlertKind.LIGHT_CHANGED)) <= 1


HUNTING = Course(tuple((i / 8, 1.0 + 0.12 * math.sin(2 * math.pi * i / 8)) for i in range(24)))


@pytest.mark.parametrize("trouble", [
    Trouble(lamp=HUNTING), Trouble(blue=Course(((0.0, 0.0), (2.0, -8.0))), red=Course(((0.5, 0.0), (2.5, 7.0)))),
], ids=["exposure", "white balance"])  # fmt: skip
def test_a_webcam_that_hunts_for_the_light_is_no_stroke_and_hides_none(trouble: Trouble) -> None:
    assert_right(played(trouble))


def test_a_lens_that_loses_its_focus_and_finds_it_again_is_told_both_times() -> None:
    facts = played(Trouble(focus_px=Course(((0.5, 0.0), (0.6, 0.8), (1.7, 0.8), (1.8, 0.0)))))
    assert_right(facts)
    lost, found = alerts(facts, AlertKind.FOCUS_CHANGED)
    assert 0.0 < lost - 0.5 < NOTICE_S
    assert 0.0 < found - 1.7 < NOTICE_S


@pytest.mark.parametrize("first", [37, 45])
def test_frames_lost_in_flight_lose_no_stroke(first: int) -> None:
    assert_right(played(lost=range(first, first + 3)))


PUSHES = {"3 mm": (3.0, 0.0, 0.0), "15 mm and turned": (9.0, -12.0, 0.01)}


@pytest.mark.parametrize("push", PUSHES.values(), ids=PUSHES)
@pytest.mark.parametrize("pushed_s", [0.35, 0.9, 1.6], ids=["waiting", "aiming", "rolling"])
def test_a_board_or_camera_pushed_aside_is_found_again_and_no_call_goes_wrong(push: Push, pushed_s: float) -> None:
    facts = played(push=push, pushed_s=pushed_s)
    assert_right(facts)
    (told,) = alerts(facts, AlertKind.CAMERA_MOVED)
    assert 0.0 < told - pushed_s < NOTICE_S
    (stroke,) = [f for f in facts if isinstance(f, Stroke)]
    if STRUCK_S < pushed_s < stroke.t_called:
        assert stroke.confidence < 0.9
