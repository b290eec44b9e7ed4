"""The reserve: pictures passed over between strokes, the last of them given back where something comes loose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sim_scenes import gate_over, studio

from calibration.picture import Picture
from referee.detect.gate import mask_of
from referee.detect.hands import Blob, Scene
from referee.detect.reserve import AWAKE_S, PATCH_S, Reserve
from referee.frames.frame import Frame

RATE = 60
FREE = Blob(120.0, -80.0, 800.0, (50.0, 0.0, 0.0))
NOTHING = np.zeros(gate_over().lattice.shape, np.uint8)


def frame(i: int, rate: int = RATE) -> Frame:
    return Frame(studio().picture(), i / rate, i, None)


def scene(*blobs: Blob, covered: bool = False) -> Scene:
    hand = mask_of(np.full(NOTHING.shape, covered))
    return Scene(hand, hand, blobs)


def reserve() -> Reserve:
    out = Reserve(gate_over())
    assert out.take(0.0, scene()) is None
    return out


@pytest.mark.parametrize(("rate", "expected"), [(120, 3), (60, 1), (30, 0), (25, 0)])
def test_thirty_pictures_a_second_are_looked_at(rate: int, expected: int) -> None:
    held = reserve()
    passed = 0
    while held.passes(frame(passed + 1, rate)):
        passed += 1
    assert passed == expected


def test_the_picture_before_something_came_loose_is_given_back_as_it_was() -> None:
    held, before = reserve(), frame(1)
    pixels = np.array(before.picture.y)
    lent = Picture(np.array(pixels), np.array(before.picture.u), np.array(before.picture.v))
    assert held.passes(replace(before, picture=lent))
    lent.y[:] = 0
    given = held.take(2 / RATE, scene(FREE))
    assert given is not None
    assert given.t == before.t
    assert np.array_equal(given.picture.y, pixels)
    assert held.take(3 / RATE, scene(FREE)) is None


def test_after_something_came_loose_every_picture_is_looked_at_for_a_while() -> None:
    held = reserve()
    held.take(0.1, scene(FREE))
    assert not held.passes(replace(frame(1), t=0.11))
    held.take(0.1 + AWAKE_S, scene(FREE))
    assert held.passes(replace(frame(1), t=0.11 + AWAKE_S))


def test_patches_under_hands_or_where_one_was_seen_lately_are_not_loose() -> None:
    held = reserve()
    assert held.passes(frame(1))
    assert held.take(2 / RATE, scene(FREE, covered=True)) is None
    assert held.passes(frame(3))
    beside = replace(FREE, x=FREE.x + 10.0)
    assert held.take(4 / RATE, scene(beside)) is None
    assert held.passes(replace(frame(5), t=4.5 / RATE))
    assert held.take(PATCH_S + 0.1, scene(beside)) is not None


def test_what_was_passed_over_before_a_picture_without_news_is_forgotten() -> None:
    held = reserve()
    assert held.passes(frame(1))
    held.rest(2 / RATE)
    assert held.take(3 / RATE, scene(FREE)) is None
