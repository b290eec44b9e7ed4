"""The unbounded scale on which parameters are fitted: the logarithm of a length, the log-odds of a probability."""

from __future__ import annotations

import math


def to_free(value: float, is_length: bool) -> float:
    return math.log(value) if is_length else math.log(value / (1.0 - value))


def from_free(free: float, is_length: bool) -> float:
    return math.exp(free) if is_length else 1.0 / (1.0 + math.exp(-free))
