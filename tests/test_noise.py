"""Noise told by counting levels, held against differences put in order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
