"""Trajectories: glides of even slowing, the impacts between them, and where they lead."""

from __future__ import annotations

import math

import numpy as np
import pytest
from observed_stroke import DT, glide

from referee.tracking.trajectory import Glide, deflected, glides, last_glide

Place = tuple[float, float]
INNER = 354.0


def seen(way: list[Place], noise_mm: float = 0.0, since: float = 0.0) -> list[tuple[float, Place]]:
    """A way as it is sighted, a place a frame."""
    rng = np.random.default_rng(5)
    return [
        (since + i * DT, (x + rng.normal(0, noise_mm), y + rng.normal(0, noise_mm))) for i, (x, y) in enumerate(way)
    ]


def half_of(way: list[Place]) -> list[Place]:
    return way[: len(way) // 2]


def test_a_disc_that_slides_freely_is_one_glide() -> None:
    (one,) = glides(seen(glide((-200.0, 0.0), (200.0, 100.0)), 1.0))
    assert one.t0 == 0.0
    assert one.speed < 100.0
    assert math.dist(one.place, (200.0, 100.0)) < 3.0


def test_where_a_glide_leads_is_known_within_its_sigma() -> None:
    g = last_glide(seen(half_of(glide((-200.0, 0.0), (200.0, 100.0))), 1.0))
    assert math.dist(g.rests(INNER), (200.0, 100.0)) < 3 * g.run_sigma()
    assert g.run_sigma() < 60.0


@pytest.mark.parametrize(("before", "after"), [
    (((-200.0, 0.0), (100.0, 0.0)), (100.0, 200.0)),
    (((0.0, 0.0), (350.0, 100.0)), (200.0, 150.0)),
])  # fmt: skip
def test_an_impact_is_between_two_glides(before: tuple[Place, Place], after: Place) -> None:
    first = glide(*before, speed_at_end=600.0)
    sightings = seen([*first, *glide(before[1], after)[1:]], 0.7)
    one, other = glides(sightings)
    assert one.t == pytest.approx((len(first) - 1) * DT, abs=1.5 * DT)
    assert math.dist(other.place, after) < 3.0


def test_noise_alone_is_no_impact() -> None:
    assert len(list(glides(seen([(10.0, 20.0)] * 40, 1.0)))) == 1


def test_a_glide_into_a_pocket_reaches_it_and_one_aside_does_not() -> None:
    into = last_glide(seen(half_of(glide((0.0, 0.0), (347.0, 347.0), speed_at_end=500.0)), 0.5))
    probability, after_s = into.reaches((347.0, 347.0), 22.0)
    assert probability > 0.9
    assert 0.05 < after_s < 0.6
    assert into.reaches((347.0, -347.0), 22.0)[0] < 1e-6
    short = last_glide(seen(half_of(glide((0.0, 0.0), (120.0, 120.0))), 0.5))
    assert short.reaches((347.0, 347.0), 22.0)[0] < 0.05


def test_a_cushion_turns_a_glide_and_takes_a_part_of_what_is_left() -> None:
    ahead = Glide(0.0, 0.1, (300.0, 0.0), (1.0, 0.0), 1000.0, 1000.0, np.eye(3), 1.0, 0.01)
    x, y = ahead.rests(INNER)
    assert y == 0.0
    left = 500.0 - 54.0
    assert x == pytest.approx(INNER - left * 0.49)


def test_a_single_sighting_tells_no_course() -> None:
    (one,) = glides([(0.0, (5.0, 6.0))])
    assert one.rests(INNER) == (5.0, 6.0)
    assert one.sigma_at(0.1)[0] > 100.0
    assert one.reaches((100.0, 0.0), 20.0)[0] == 0.0


def test_a_disc_that_seems_to_speed_up_was_set_off_before_its_last_sighting() -> None:
    """A coin at rest, 110 mm on a frame after it was hit, and 150 mm on another frame later."""
    first, last = glides([(0.0, (0.0, 0.0)), (DT, (110.0, 0.0)), (2 * DT, (260.0, 0.0))])
    assert (first.n, last.n) == (1, 2)
    assert last.speed == pytest.approx(150.0 / DT, rel=0.02)


def test_before_a_cushion_turns_it_a_disc_goes_the_way_that_it_was_first_seen_to_go() -> None:
    first, *_ = deflected([(i * DT, (340.0 - abs(i - 1.6) * 30.0, i * 30.0)) for i in range(4)], 340.0)
    assert first.place == pytest.approx((322.0, 30.0), abs=1.0)
    assert first.ahead == pytest.approx((math.sqrt(0.5), math.sqrt(0.5)), abs=0.01)
    assert first.velocity == pytest.approx((30.0 / DT, 30.0 / DT), rel=0.02)


def test_a_flight_that_no_cushion_awaits_is_not_turned() -> None:
    assert not list(deflected([(i * DT, (0.0, i * 30.0)) for i in range(4)], 340.0))


@pytest.mark.parametrize(("coin", "met"), [((40.0, 150.0), True), ((200.0, 90.0), False)])
def test_before_it_meets_a_coin_a_disc_goes_the_way_that_it_was_first_seen_to_go(
    coin: tuple[float, float], met: bool
) -> None:
    """One that it passes far off tells no way."""
    before = [(i * DT, (i * 5.0, i * 40.0)) for i in range(4)]
    after = [(i * DT, (15.0 - (i - 3) * 20.0, 120.0 + (i - 3) * 10.0)) for i in range(4, 7)]
    turned = list(deflected([*before, *after], 340.0, [coin, (300.0, 300.0)], 36.0))
    assert bool(turned) is met
    assert all(glide.velocity == pytest.approx((5.0 / DT, 40.0 / DT), rel=0.05) for glide in turned)
