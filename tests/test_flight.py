"""Flights: what slides freely is told from the patches of hands."""

from __future__ import annotations

import pytest

from referee.tracking.flight import (
    flies,
    is_followed,
    left_at,
    slides,
)
from referee.tracking.tracker import Track

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


def test_a_grazed_coin_that_is_found_beside_its_place_left_it_when_it_stirred() -> None:
    """By less than glare and shade shift what is seen (simulated worlds 1921, 1949 and 1952)."""
    track, _ = seen((0.0, 0.0), (0.5, 0.0), (3.0, 0.0), (5.0, 0.0))
    assert left_at(track) is None
    assert left_at(track, surely=True) == pytest.approx(DT)


def test_a_disc_that_took_over_the_track_of_a_stain_flies_from_where_it_is_seen_next() -> None:
    """The stain came and went far from the striker, whose stroke was missed (slipping world 9902)."""
    flight = [(161.0, -160.0), (156.0, -147.0), (150.0, -134.0), (145.0, -121.0)]
    assert flies(*seen(*[(-14.0, -74.0)] * 4, *flight))
    assert not flies(*seen(*[(-14.0, -74.0)] * 4, *flight[:2]))


@pytest.mark.parametrize("step", [1.0, 2.5])
def test_a_disc_moved_by_a_hand_does_not_fly(step: float) -> None:
    assert not flies(*seen(*((0.0, -240.0 + i * step) for i in range(12))))


AHEAD = (0.0, -190.0)
"""Where a coin lay that the disc struck: for a frame both were one patch, or the coin was seen first."""


def test_a_disc_whose_track_began_with_a_coin_ahead_of_it_flies() -> None:
    """Simulated world 1533: a striker whose track began upon the coin that it struck was never seen to fly."""
    assert flies(*seen(AHEAD, *((0.0, -220.0 + i * 14.0) for i in range(3))))


def test_a_disc_whose_track_went_on_with_a_patch_of_the_hand_behind_it_flies_once_it_is_seen_again() -> None:
    """While the striker was known to stand, its stray track took the hand that drew back for it (world 12385)."""
    stood = [(165.0, -240.0)] * 4
    assert flies(*seen(*stood, (146.0, -321.0), (169.0, -214.0), (173.0, -200.0), (177.0, -185.0)))
    assert not flies(*seen(*stood, (146.0, -321.0), (165.0, -240.0), (146.0, -321.0)))


def test_a_disc_that_is_suddenly_elsewhere_was_not_followed_there() -> None:
    assert is_followed(seen(*((0.0, 50.0 * i) for i in range(4)))[0])
    assert not is_followed(seen((0.0, 0.0), (0.0, 140.0), (0.0, 145.0), (0.0, 150.0))[0])


def test_a_patch_that_goes_to_and_fro_does_not_fly() -> None:
    assert not flies(*seen(AHEAD, (0.0, -220.0), (0.0, -195.0), (0.0, -225.0)))
    assert not flies(*seen(AHEAD, (0.0, -220.0), (0.0, -206.0)))


@pytest.mark.parametrize(("steps", "told"), [
    ((2.6, 2.4, 2.2, 2.0, 1.9, 1.7), True),
    ((1.0, 0.9, 0.8, 0.8, 0.7, 0.7), False),
    ((4.0, 4.0, 4.0, -2.0, 4.0, 4.0), False),
], ids=["slowly", "hardly", "to and fro"])  # fmt: skip
def test_a_disc_too_slow_to_fly_slides_if_it_goes_straight_on(steps: tuple[float, ...], told: bool) -> None:
    """Pushed strikers are slow when the hand has let them go (slipping worlds 11512 and 11648)."""
    track, y = Track(1, None, None), -120.0
    track.add(0.0, 0.0, y)
    for i, step in enumerate(steps, 1):
        y += step
        track.add(i / 60, 0.2 * (i % 2), y)
    assert not flies(track, track.t)
    assert slides(track, track.t) is told
    assert not slides(track, track.t + 1 / 60)
