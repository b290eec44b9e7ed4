"""Sensor noise, estimated from histograms of frame differences."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from statistics import NormalDist, median

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.picture import U8

NOISE_QUANTILE, BARE_QUANTILE = 0.68, 0.9995
"""Quantile of the differences that is compared with a normal distribution's, of all cells, some of which hands may
cover, and of cells known to show the bare board alone. Webcams compress colours in steps: of their differences most are
none and few are large.
"""
NOISE_EVERY_S, NOISE_READINGS = 1.0, 9
"""Interval between measurements of the noise, and number of measurements whose median counts."""
LEAST_SIGMA = 0.5
"""Least noise that is accepted, levels. Rounding alone makes 0.3."""

SPECK_POINTS = 3
"""Points that a disc or its moving rim changes side by side. Noise changes single points or pairs."""


def unspecked(mask: U8) -> U8:
    """Returns a mask of 0 and an odd value without isolated points."""
    beside = cv2.boxFilter(mask & 1, -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT)
    _, large = cv2.threshold(beside, SPECK_POINTS - 1, 255, cv2.THRESH_BINARY)
    return np.asarray(cv2.bitwise_and(mask, large), np.uint8)


def believable(luma: float, *chroma: float) -> tuple[float, float]:
    """Returns measured noise (luma and the larger of the chroma planes, levels), no less than rounding makes."""
    return max(LEAST_SIGMA, luma), max(LEAST_SIGMA, *chroma)


class NoiseFollower:
    """Measures the noise of later frames, as the first ones may be copies of one or lie in a passing shade.

    Call `update` for each frame's samples that is due.
    """

    def __init__(self) -> None:
        self._before: tuple[U8, NDArray[np.bool_]] | None = None
        self._next = -math.inf
        self._measured: deque[tuple[float, float]] = deque(maxlen=NOISE_READINGS)

    def is_due(self, t: float) -> bool:
        """Tells whether a frame at t is to be measured: one a second, and the one after it."""
        return self._before is not None or t >= self._next

    def update(self, t: float, yuv: U8, bare: NDArray[np.bool_]) -> tuple[float, float] | None:
        """Adds samples (3, n, n). Returns the noise (luma, chroma levels) once enough of them have been measured.

        `bare` (n, n) tells where they show the bare board.
        """
        before, self._before = self._before, None
        if before is None:
            self._before, self._next = (yuv, bare), t + NOISE_EVERY_S
            return None
        self._measured.append(
            believable(*(sigma_of(planes, bare & before[1]) for planes in zip(before[0], yuv, strict=True)))
        )
        if len(self._measured) < NOISE_READINGS:
            return None
        return median(luma for luma, _ in self._measured), median(chroma for _, chroma in self._measured)


def sigma_of(planes: Sequence[U8], bare: NDArray[np.bool_] | None = None) -> float:
    """Returns the standard deviation (levels) of the noise in two or more consecutive planes (n, m) of the same scene.

    `bare` (n, m) tells where they show the bare board; None if that is not known. The median difference of two planes
    is the flicker of a lamp. Differences are whole levels, so counting is much faster than sorting.
    """
    share = NOISE_QUANTILE if bare is None else BARE_QUANTILE
    counts = np.zeros(512, np.int64)
    for one, other in pairwise(planes):
        if bare is not None:
            one, other = one[bare], other[bare]
        off = np.subtract(one, other, dtype=np.int16)
        off -= round(quantile(np.bincount(off.ravel() + 255, minlength=512), 0.5)) - 255
        counts += np.bincount(np.abs(off).ravel(), minlength=512)
    return quantile(counts, share) / NormalDist().inv_cdf((1 + share) / 2) / math.sqrt(2)


def quantile(counts: NDArray[np.int64], share: float) -> float:
    """Returns the quantile of a histogram `counts` (levels,), interpolated as by NumPy's `quantile`."""
    upto = np.cumsum(counts)
    place = share * (int(upto[-1]) - 1)
    low, high = np.searchsorted(upto, [math.floor(place), math.ceil(place)], side="right").tolist()
    return float(np.quantile([low, high], place - math.floor(place)))
