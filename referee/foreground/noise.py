"""Sensor noise, estimated from histograms of frame differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.picture import U8

SIGMA_SHARE = 0.68
"""Share of normally distributed differences that lies within one standard deviation."""


def sigma_of(planes: Sequence[U8]) -> float:
    """Standard deviation (levels) of the noise in two or more consecutive planes (n, m) of the same scene.

    Differences are whole levels, so counting is much faster than sorting.
    """
    counts = np.zeros(256, np.int64)
    for one, other in pairwise(planes):
        counts += np.bincount(cv2.absdiff(one, other).ravel(), minlength=256)
    return quantile(counts, SIGMA_SHARE) / math.sqrt(2)


def quantile(counts: NDArray[np.int64], share: float) -> float:
    """Quantile of a histogram `counts` (levels,), interpolated as by NumPy's `quantile`."""
    upto = np.cumsum(counts)
    place = share * (int(upto[-1]) - 1)
    low, high = np.searchsorted(upto, [math.floor(place), math.ceil(place)], side="right").tolist()
    return float(np.quantile([low, high], place - math.floor(place)))
