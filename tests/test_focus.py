"""How sharp a picture is, as the simulator's lens blurs it by a known amount."""

from __future__ import annotations

import math
from functools import cache

import cv2
import numpy as np
import pytest
from sim_scenes import FORMATION, SCATTERED, Studio, studio

from calibration.geometry.picture import Picture
from calibration.meters.focus import edge_spread, focus, sharpness
from calibration.meters.meter import Advice, MeterVerdict
from models.pieces import Seat
from referee.sim.sensor_noise import Exposure, Sensor

OWN_PX = 0.4
"""Spread of the simulator's own edges."""


@cache
def large() -> Studio:
    """A board at 0.86 mm a pixel."""
    return Studio(1456, 1088)


@cache
def sharp(at: Studio) -> Picture:
    return at.picture(FORMATION)


def blurred(at: Studio, px: float) -> Picture:
    """The board seen through a lens that spreads by `px`."""
    p = sharp(at)
    sensor = Sensor(p.width, p.height, Exposure(noise=0.0, focus_px=px), np.random.default_rng(1))
    return sensor.expose(p.y.copy(), p.u.copy(), p.v.copy(), 0.0, 0)


@pytest.mark.parametrize("px", [0.0, 0.5, 1.0, 2.0, 3.0])
def test_the_spread_of_edges_is_measured(px: float) -> None:
    sides = edge_spread(blurred(large(), px), large().profile)
    assert set(sides) == set(Seat)
    for spread in sides.values():
        assert spread.px == pytest.approx(math.hypot(OWN_PX, px), rel=0.12, abs=0.1)
        assert spread.mm == pytest.approx(spread.px * 0.86, rel=0.05)


@pytest.mark.parametrize(
    ("px", "verdict"),
    [
        (0.0, MeterVerdict.GOOD),
        (0.8, MeterVerdict.GOOD),
        (1.4, MeterVerdict.FAIR),
        (2.6, MeterVerdict.BAD),
        (4.0, MeterVerdict.BAD),
    ],
)
def test_the_verdict_follows_the_lens(px: float, verdict: MeterVerdict) -> None:
    reading = focus(blurred(large(), px), large().profile)
    assert reading.verdict is verdict
    assert (reading.advice is Advice.FOCUS_SHARP) == (verdict is MeterVerdict.GOOD)


def test_the_same_blur_costs_more_millimetres_in_a_small_picture() -> None:
    assert focus(blurred(studio(), 1.4), studio().profile).verdict is MeterVerdict.BAD
    assert focus(blurred(large(), 1.4), large().profile).verdict is MeterVerdict.FAIR


def test_pieces_on_the_lines_do_not_matter() -> None:
    sides = edge_spread(studio().picture(SCATTERED), studio().profile)
    assert all(spread.px == pytest.approx(OWN_PX, abs=0.12) for spread in sides.values())


def test_a_side_alone_out_of_focus_is_named() -> None:
    p = sharp(large())
    near = np.linspace(0.0, 1.0, p.height)[:, None] ** 2
    soft = cv2.GaussianBlur(p.y, (0, 0), 3.0)
    y = np.where(near > 0.6, soft, p.y).astype(np.uint8)
    reading = focus(Picture(y, p.u, p.v), large().profile)
    assert (reading.advice, dict(reading.blanks)["side"]) == (Advice.FOCUS_SIDE, "south")


def test_before_a_board_is_found_sharpness_is_held_against_its_own_best() -> None:
    best = sharpness(sharp(studio()))
    shares = [sharpness(blurred(studio(), px)) / best for px in (0.0, 0.7, 1.4, 3.0)]
    assert shares == sorted(shares, reverse=True)
    assert focus(sharp(studio()), None, best).verdict is MeterVerdict.UNKNOWN, "whether it is the best nobody knows yet"
    lost = focus(blurred(studio(), 3.0), None, best)
    assert (lost.verdict, lost.advice) == (MeterVerdict.BAD, Advice.FOCUS_SEEK)
