"""The reserve: pictures passed over between strokes, the last of them given back where something comes loose."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from film import Film
from sim_scenes import BOARD, gate_over, studio
from watching import begun

from calibration.geometry.picture import Picture
from models.pieces import Kind, Piece
from referee.facts import Fact, Stroke
from referee.foreground.background import mask_of
from referee.foreground.segmentation import Blob, Segmentation
from referee.frames.frame import Frame
from referee.scheduling.frame_skipping import FrameSkipper

RATE = 60
COIN = Piece(Kind.BLACK, -90.0, 120.0)
FREE = Blob(120.0, -80.0, 800.0, (50.0, 0.0, 0.0))
NOTHING = np.zeros(gate_over().lattice.shape, np.uint8)


def frame(i: int, rate: int = RATE) -> Frame:
    return Frame(studio().picture(), i / rate, i, None)


def scene(*blobs: Blob, covered: bool = False) -> Segmentation:
    hand = mask_of(np.full(NOTHING.shape, covered))
    return Segmentation(hand, hand, NOTHING, blobs)


def reserve() -> FrameSkipper:
    out = FrameSkipper(gate_over())
    assert out.recall(0.0, scene()) is None
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
    given = held.recall(2 / RATE, scene(FREE))
    assert given is not None
    assert given.t == before.t
    assert np.array_equal(given.picture.y, pixels)
    assert held.recall(3 / RATE, scene(FREE)) is None


def test_a_picture_that_lasts_is_not_copied() -> None:
    held, before = reserve(), replace(frame(1), lasts=True)
    assert held.passes(before)
    assert held.recall(2 / RATE, scene(FREE)) is before


def test_after_something_came_loose_every_picture_is_looked_at_for_a_while() -> None:
    held = reserve()
    held.recall(0.1, scene(FREE))
    assert not held.passes(replace(frame(1), t=0.11))
    held.recall(0.2, scene(FREE))
    assert not held.passes(replace(frame(1), t=0.21))
    held.recall(0.3, scene(FREE))
    assert held.passes(replace(frame(1), t=0.31))


def test_patches_under_hands_or_where_one_was_seen_lately_are_not_loose() -> None:
    held = reserve()
    assert held.passes(frame(1))
    assert held.recall(2 / RATE, scene(FREE, covered=True)) is None
    assert held.passes(frame(3))
    beside = replace(FREE, x=FREE.x + 10.0)
    assert held.recall(4 / RATE, scene(beside)) is None


@pytest.mark.parametrize(("aside_mm", "later_s", "is_news"), [
    (10.0, 0.3, False), (50.0, 0.3, True), (10.0, 0.8, True),
], ids=["there before", "elsewhere", "long ago"])  # fmt: skip
def test_a_patch_is_loose_where_none_was_for_half_a_second(aside_mm: float, later_s: float, is_news: bool) -> None:
    held = reserve()
    held.recall(0.1, scene(FREE))
    held.recall(0.09 + later_s, scene())
    assert held.passes(replace(frame(1), t=0.095 + later_s))
    given = held.recall(0.1 + later_s, scene(replace(FREE, x=FREE.x + aside_mm)))
    assert (given is not None) is is_news


@pytest.mark.parametrize("asked_every", [7, 40], ids=lambda n: f"asked at every {n}")
def test_looks_that_nobody_asked_about_at_once_tell_the_same_later(asked_every: int) -> None:
    rng = np.random.default_rng(5)
    asked_at_once, asked_late = reserve(), reserve()
    told = []
    for i in range(1, 400):
        t = i / 100
        places = rng.choice([-200.0, -60.0, 80.0, 220.0], (rng.integers(3), 2)) + rng.uniform(0, 15, 2)
        blobs = [replace(FREE, x=x, y=y) for x, y in places.tolist()]
        for held in (asked_at_once, asked_late):
            held.recall(t, scene(*blobs))
        told.append(asked_at_once.passes(replace(frame(1), t=t)))
        if i % asked_every == 0:
            assert asked_late.passes(replace(frame(1), t=t)) is told[-1]
    assert 50 < sum(told) < 350


def test_what_was_passed_over_before_a_picture_without_news_is_forgotten() -> None:
    held = reserve()
    assert held.passes(frame(1))
    held.note_unchanged(2 / RATE)
    assert held.recall(3 / RATE, scene(FREE)) is None


@cache
def filmed() -> tuple[Frame, ...]:
    """A stroke at sixty frames a second: the striker sends a coin off, both roll out."""
    film = Film((COIN, Piece(Kind.WHITE, -180.0, 140.0), Piece(Kind.QUEEN, 0.0, 0.0)), fps=RATE)
    film.stroke(-40.0, -BOARD.base_y, (COIN.x_mm, COIN.y_mm), 1100.0)
    return tuple(Frame(film.at.shot(scene, i), scene.t, i, 0.0) for i, scene in enumerate(film.scenes(4.2)))


def told(**options: float) -> tuple[Stroke, set[float]]:
    """The only stroke seen, and when frames were last looked at in full."""
    seeing = begun(studio().profile, filmed(), **options)
    facts: list[Fact] = []
    looked = set()
    for frame in filmed():
        facts += seeing.process(frame)
        assert seeing.moment is not None
        looked.add(seeing.moment.foreground.t)
    (stroke,) = (f for f in facts if isinstance(f, Stroke))
    return stroke, looked


def test_a_stroke_is_told_as_if_every_picture_were_looked_at() -> None:
    (every, all_times), (fast, times) = told(again_s=0.0), told()
    assert len(all_times) == len(filmed())
    assert len(times) < 0.5 * len(filmed())
    assert (fast.seat, fast.first_contact, fast.fouls, fast.pocketed) == (
        every.seat, every.first_contact, every.fouls, every.pocketed)  # fmt: skip
    assert fast.t_strike == pytest.approx(every.t_strike, abs=0.5 / RATE)
    assert fast.t_rest == pytest.approx(every.t_rest, abs=2 / RATE)
    assert fast.placement is not None
    assert every.placement is not None
    assert (fast.placement.x_mm, fast.placement.y_mm) == pytest.approx(
        (every.placement.x_mm, every.placement.y_mm), abs=0.1)  # fmt: skip
    flying = {f.t for f in filmed() if fast.t_strike + 2 / RATE < f.t < fast.t_strike + 0.3}
    assert len(flying) > 10
    assert times.issuperset(flying)
