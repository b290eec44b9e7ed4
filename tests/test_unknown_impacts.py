"""Stumbles: a striker that something unseen stopped or turned, and all that does so by rights."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from sim_scenes import BOARD, studio

from models.pieces import Kind, Piece
from referee.outcome.unknown_impacts import stumbles
from referee.tracking.tracker import Track

START, COURSE = (-40.0, -250.0), math.radians(80.0)
FRICTION_MM_S2 = 1500.0
KNOCKED_S = 0.25
RATES = (30.0, 60.0, 120.0)


def flown(fps: float, slowed: float = 1.0, turned: float = 0.0, speed: float = 1500.0, wobble: float = 0.3) -> Track:
    """The track of a striker that after 0.25 s keeps the share `slowed` of its speed and turns by so many degrees."""
    rng, track, (x, y), course = np.random.default_rng(7), Track(1, Kind.STRIKER, None), START, COURSE
    steps, knocked = 20, False
    for i in range(int(0.7 * fps)):
        for k in range(steps):
            t = (i + k / steps) / fps
            if t >= KNOCKED_S and not knocked:
                speed, course, knocked = slowed * speed, course + math.radians(turned), True
            x, y = x + speed * math.cos(course) / fps / steps, y + speed * math.sin(course) / fps / steps
            speed = max(0.0, speed - FRICTION_MM_S2 / fps / steps)
        dx, dy = rng.normal(0.0, wobble, 2)
        track.add((i + 1) / fps, x + dx, y + dy)
    return track


def where(track: Track) -> tuple[float, float]:
    """Where the striker is knocked."""
    return track.places[int(np.argmin(np.abs(np.array(track.times) - KNOCKED_S)))]


def told(track: Track, lay: Sequence[Piece] = (), others: Sequence[Track] = ()) -> bool:
    return stumbles(track, 0.0, lay, others, studio().profile)


@pytest.mark.parametrize("fps", RATES)
@pytest.mark.parametrize(("slowed", "turned"), [(0.45, 0.0), (0.9, 40.0)])
def test_a_striker_knocked_where_nothing_is_known_to_lie_has_struck_what_nobody_saw(
    fps: float, slowed: float, turned: float
) -> None:
    """A white coin of the wood's colour; nothing told of it, and the stroke was called with 0.99."""
    assert told(flown(fps, slowed, turned))


@pytest.mark.parametrize("fps", RATES)
@pytest.mark.parametrize("wobble", [0.3, 2.0])
def test_friction_alone_is_no_knock_however_unsure_the_sightings_are(fps: float, wobble: float) -> None:
    assert not told(flown(fps, wobble=wobble))
    assert not told(flown(fps, speed=3500.0, wobble=wobble))


def test_what_is_known_to_lie_or_to_move_there_explains_it() -> None:
    track = flown(60.0, 0.5)
    x, y = where(track)
    near, far = Piece(Kind.WHITE, x + 20.0, y + 30.0), Piece(Kind.WHITE, x + 120.0, y)
    assert not told(track, [near])
    assert told(track, [far])
    moving, gone = Track(2, Kind.BLACK, None), Track(3, Kind.BLACK, None)
    for i in range(5):
        moving.add(KNOCKED_S + i / 60, x + 10.0 * i, y + 40.0)
        gone.add(KNOCKED_S - 0.2 - i / 60, x, y + 40.0)
    assert not told(track, others=[moving])
    assert told(track, others=[gone])


@pytest.mark.parametrize(("fps", "speed"), [(60.0, 1500.0), (30.0, 3300.0)])
def test_cushions_turn_it_too(fps: float, speed: float) -> None:
    """At 30 frames a second a fast one is seen far before the cushion and far off it again (worlds 11006 to 11019)."""
    track = flown(fps, 0.8, 160.0, speed)
    way = speed * KNOCKED_S - FRICTION_MM_S2 * KNOCKED_S**2 / 2
    off = BOARD.half - BOARD.striker_radius - START[1] - way * math.sin(COURSE)
    track.places = [(x, y + off) for x, y in track.places]
    assert not told(track)
    track.places = [(x, y - 130.0) for x, y in track.places]
    assert told(track)


def test_where_it_was_not_seen_nothing_is_told() -> None:
    track = flown(60.0, 0.5)
    seen = [abs(t - KNOCKED_S) > 0.06 for t in track.times]
    track.times = [t for t, s in zip(track.times, seen, strict=True) if s]
    track.places = [p for p, s in zip(track.places, seen, strict=True) if s]
    assert not told(track)
