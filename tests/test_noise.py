"""Noise told by counting levels, held against differences put in order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sim_scenes import studio

from referee.foreground.background import BackgroundModel
from referee.foreground.noise import quantile, sigma_of


@given(st.lists(st.integers(0, 255), min_size=1, max_size=40), st.floats(0.0, 1.0))
def test_a_quantile_of_counted_levels_is_that_of_the_levels(levels: list[int], share: float) -> None:
    counts = np.bincount(levels, minlength=256)
    assert quantile(counts, share) == pytest.approx(float(np.quantile(levels, share)), abs=1e-9)


@pytest.mark.parametrize("sigma", [0.0, 0.4, 2.0, 9.0])
def test_noise_is_what_differences_in_order_tell(sigma: float) -> None:
    rng = np.random.default_rng(1)
    planes = [np.clip(rng.normal(90, sigma, (70, 90)), 0, 255).astype(np.uint8) for _ in range(5)]
    off = [np.abs(a.astype(np.int16) - b) for a, b in pairwise(planes)]
    assert sigma_of(planes) == float(np.percentile(off, 68)) / np.sqrt(2)


def followed(first: list[int], then: list[int], seconds: float) -> tuple[BackgroundModel, tuple[float, float]]:
    """A background that learned its noise from pictures with the `first` grains and saw those with `then` for a while,
    ten a second; and the noise that it believed at first.
    """
    at = studio()
    background = BackgroundModel(at.profile)
    samples = {grain: background.lattice.sample(at.picture(grain=grain)) for grain in {*first, *then}}
    background.learn_noise([samples[grain] for grain in first])
    background.remember(samples[first[0]], np.zeros(background.lattice.shape, np.uint8))
    believed = background.noise
    for i in range(round(10 * seconds)):
        background.follow_noise(background.compare(samples[then[i % len(then)]], i / 10))
    return background, believed


def test_noise_that_the_first_pictures_hid_is_learned_later() -> None:
    background, believed = followed([1] * 8, [1, 2, 3], 12.0)
    known, _ = followed([1, 2, 3, 4], [1, 2, 3], 0.0)
    assert believed == (0.5, 0.5), "a camera that repeats its picture shows none"
    assert background.noise == pytest.approx(known.noise, rel=0.1)


def test_noise_that_stays_what_it_was_is_not_learned_again() -> None:
    background, believed = followed([1, 2, 3, 4], [1, 2, 3], 12.0)
    assert background.noise == believed
