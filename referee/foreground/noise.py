"""How much a picture's points stir while nothing happens, told by counting levels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.picture import U8

SIGMA_SHARE = 0.68
"""Of normally scattered differences such a share is smaller than their standard deviation."""


def sigma_of(planes: Sequence[U8]) -> float:
    """Standard deviation (levels) of the noise in planes (n, m), two or more, that show the same one after the other.

    Differences are whole levels: to count them takes a small part of the time of putting them in order.
    """
    counts = np.zeros(256, np.int64)
    for one, other in pairwise(planes):
        counts += np.bincount(cv2.absdiff(one, other).ravel(), minlength=256)
    return quantile(counts, SIGMA_SHARE) / math.sqrt(2)


def quantile(counts: NDArray[np.int64], share: float) -> float:
    """The value below which such a share lies of values that are 0, 1, 2 and so on so many times (levels,), between two
    of them as NumPy's `quantile` has it.
    """
    upto = np.cumsum(counts)
    place = share * (int(upto[-1]) - 1)
    low, high = np.searchsorted(upto, [math.floor(place), math.ceil(place)], side="right").tolist()
    return float(np.quantile([low, high], place - math.floor(place)))
