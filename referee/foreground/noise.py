"""Sensor noise, estimated from histograms of frame differences."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.picture import U8

NOISE_SIGMA_SHARE = 0.68
"""Share of normally distributed differences that lies within one standard deviation."""

NOISE_EVERY_S, NOISE_READINGS = 1.0, 9
"""Interval between measurements of the noise, and number of measurements whose median counts."""
NOISE_CHANGED = 1.5
"""Ratio from which the noise differs from the assumed noise. Eight frames measure it to a few percent."""
LEAST_SIGMA = 0.5
"""Least noise that is accepted, levels. Rounding alone makes 0.3."""


def believable(luma: float, *chroma: float) -> tuple[float, float]:
    """Returns measured noise (luma and the larger of the chroma planes, levels), no less than rounding makes."""
    return max(LEAST_SIGMA, luma), max(LEAST_SIGMA, *chroma)


class NoiseFollower:
    """Detects that the noise differs from that of the first frames, which may be copies of one or lie in a passing
    shade.

    Call `see` for each frame's samples.
    """

    def __init__(self) -> None:
        self._before: Sequence[U8] | None = None
        self._next = -math.inf
        self._measured: deque[tuple[float, float]] = deque(maxlen=NOISE_READINGS)

    def see(self, t: float, yuv: Sequence[U8], believed: tuple[float, float]) -> tuple[float, float] | None:
        """Adds the planes. Returns the noise (luma, chroma levels) if it differs from `believed`, else None."""
        before, self._before = self._before, None
        if before is not None and all(a.shape == b.shape for a, b in zip(before, yuv, strict=True)):
            luma, blue, red = (sigma_of(planes) for planes in zip(before, yuv, strict=True))
            self._measured.append(believable(luma, blue, red))
        elif t >= self._next:
            self._before, self._next = yuv, t + NOISE_EVERY_S
        if before is None or len(self._measured) < NOISE_READINGS:
            return None
        now = median(luma for luma, _ in self._measured), median(chroma for _, chroma in self._measured)
        is_other = any(max(a, b) > NOISE_CHANGED * min(a, b) for a, b in zip(now, believed, strict=True))
        return now if is_other else None


def sigma_of(planes: Sequence[U8]) -> float:
    """Returns the standard deviation (levels) of the noise in two or more consecutive planes (n, m) of the same scene.

    Differences are whole levels, so counting is much faster than sorting.
    """
    counts = np.zeros(256, np.int64)
    for one, other in pairwise(planes):
        counts += np.bincount(cv2.absdiff(one, other).ravel(), minlength=256)
    return quantile(counts, NOISE_SIGMA_SHARE) / math.sqrt(2)


def quantile(counts: NDArray[np.int64], share: float) -> float:
    """Returns the quantile of a histogram `counts` (levels,), interpolated as by NumPy's `quantile`."""
    upto = np.cumsum(counts)
    place = share * (int(upto[-1]) - 1)
    low, high = np.searchsorted(upto, [math.floor(place), math.ceil(place)], side="right").tolist()
    return float(np.quantile([low, high], place - math.floor(place)))
