"""Flights: what slides freely is told from the patches of hands."""

from __future__ import annotations

import pytest

from referee.strokes.flight import flies
from referee.track import Track

DT = 1 / 60


def seen(*places: tuple[float, float], times: tuple[float, ...] = ()) -> tuple[Track, float]:
    """A track seen once a frame, or at `times`, and when it was last."""
    track = Track(1, None, None)
    for i, place in enumerate(places):
        track.add(times[i] if times else i * DT, *place)
    return track, track.t


STILL = [(0.0, -240.0)] * 4


def test_a_disc_that_leaves_its_place_and_goes_on_flies() -> None:
    assert flies(*seen(*STILL, (0.0, -225.0), (0.0, -205.0)))


def test_a_patch_that_leaps_once_does_not_fly() -> None:
    """Two fingers' patches merge or change tracks."""
    assert not flies(*seen(*STILL, (13.0, -190.0)))


def test_a_patch_that_creeps_and_leaps_does_not_fly_until_it_goes_on() -> None:
    creeping = [*STILL, (3.0, -237.0), (21.0, -218.0)]
    assert not flies(*seen(*creeping))
    assert flies(*seen(*creeping, (39.0, -199.0)))


def test_a_hard_stroke_seen_free_once_flies() -> None:
    """At 30 frames a second, between the place and the coin."""
    assert flies(*seen(*STILL[:2], (0.0, -130.0), times=(0.0, 1 / 30, 2 / 30)))


@pytest.mark.parametrize("step", [1.0, 2.5])
def test_a_disc_moved_by_a_hand_does_not_fly(step: float) -> None:
    assert not flies(*seen(*((0.0, -240.0 + i * step) for i in range(12))))
