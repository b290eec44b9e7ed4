"""Calibration of confidence: calls grouped by confidence, and how many of them were right."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from referee.bench.score import Call

EDGES = (0.0, 0.5, 0.8, 0.9, 0.97, 0.99, 1.01)
"""Edges of the bins of confidence, closed below."""
Z95 = 1.959964
"""Quantile of the normal distribution for 95 % intervals."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Calls within one range of confidence."""

    low: float
    high: float
    calls: int
    right: int
    mean: float | None
    """Mean confidence; None without calls."""

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the share of right calls."""
        return wilson(self.right, self.calls)


def wilson(right: int, of: int) -> tuple[float, float]:
    """Returns the 95 % interval of a share (Wilson 1927); (0, 1) without a case."""
    if of == 0:
        return 0.0, 1.0
    share, z2 = right / of, Z95 * Z95
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    reach = Z95 * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def bins(calls: Iterable[Call]) -> list[Bin]:
    """Returns the calls grouped by confidence."""
    known = list(calls)
    out = []
    for low, high in pairwise(EDGES):
        inside = [c for c in known if low <= c.confidence < high]
        mean = sum(c.confidence for c in inside) / len(inside) if inside else None
        out.append(Bin(low, min(high, 1.0), len(inside), sum(c.right for c in inside), mean))
    return out
