"""Coasting: a disc that nothing touches slows evenly; hands do not."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from referee.tracking.tracker import Track
from referee.tracking.trajectory import coasts

DT = 1 / 60
CUSHION_MM = 350.0


def seen(way: Callable[[float], float], until: float = 0.5, leap_mm: float = 0.0, turn: float = 0.0) -> Track:
    """A track that has gone so far after so long, seen with a little noise; it leaps, or turns more and more, on the
    way.
    """
    track = Track(1, None, None)
    for i in range(round(until / DT) + 1):
        t = i * DT
        far, course = way(t) + (leap_mm if i > 20 else 0.0), 0.5 + turn * t
        noise = math.sin(7.0 * i)
        track.add(t, -300.0 + far * math.cos(course) + noise, -300.0 + far * math.sin(course) - noise)
    return track


def struck(t: float, speed: float = 900.0, friction: float = 1100.0) -> float:
    t = min(t, speed / friction)
    return speed * t - friction * t**2 / 2


def carried(t: float, far: float = 300.0, takes: float = 0.5) -> float:
    """As hands carry things: they gather speed and slow down again (minimum jerk; Flash and Hogan 1985)."""
    s = min(t / takes, 1.0)
    return far * (10 * s**3 - 15 * s**4 + 6 * s**5)


@pytest.mark.parametrize("friction", [800.0, 1100.0, 1500.0])
def test_a_disc_that_was_struck_coasts(friction: float) -> None:
    assert coasts(seen(lambda t: struck(t, friction=friction)))


@pytest.mark.parametrize(("until", "told"), [(0.25, True), (0.2, False)])
def test_a_hundred_millimetres_tell(until: float, told: bool) -> None:
    """Slipping world 13222: a coin that the hidden striker struck met the next one after 110 mm."""
    assert coasts(seen(lambda t: struck(t, 600.0), until)) == told


def test_it_coasts_on_when_a_cushion_has_turned_it() -> None:
    track = Track(1, None, None)
    for i in range(31):
        far = struck(i * DT, 1500.0)
        track.add(i * DT, far * 0.6 - 200.0, CUSHION_MM - abs(far * 0.8 - 250.0))
    assert coasts(track)


@pytest.mark.parametrize("takes", [0.4, 0.6, 0.8])
def test_what_a_hand_carries_does_not_coast_at_any_moment(takes: float) -> None:
    assert not any(coasts(seen(lambda t: carried(t, takes=takes), until)) for until in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7))


def test_what_goes_on_as_fast_or_comes_hardly_forward_or_leaps_or_turns_does_not_coast() -> None:
    assert not coasts(seen(lambda t: 600.0 * t))
    assert not coasts(seen(lambda t: struck(t, 300.0)))
    assert not coasts(seen(struck, until=0.15))
    assert not coasts(seen(struck, leap_mm=80.0))
    assert not coasts(seen(struck, turn=2.0))
