"""Handling: what hands did around a stroke, read from where they were seen.

The arm that plays is the one whose hand is nearest to the striker, skin of the board's colour included. An arm over
its side's diagonals (`diagonal`), a hand that pushes (`pushing`) and the side from which a coin was put back are all
told by it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, takewhile

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.lattice import Lattice
from models.pieces import Seat, to_side
from referee.foreground.background import Gate, Mask, Sight
from referee.foreground.board_coloured_skin import Skin
from referee.foreground.segmentation import Blob

KEEP_S, EVERY_S = 3.0, 0.03
"""Hands are remembered this long, so often."""
DAZZLED_S = 1.0
"""After a lamp was switched shadows pass for hands this long."""
LATELY_S = 0.1
NEAR_MM = 60.0
"""The playing hand is at most this far from the middle of the striker that it places or aims with."""
BORDER_MM = 15.0
"""An arm is seen to cross the cushion where it lies within this distance of it, or over the frame."""
LAID_S = 0.6
"""A hand was over a coin this long before it is seen lying there, or after it was seen last."""


class Gaps:
    """Distances to the nearest hand, measured when first asked for."""

    def __init__(self, hand: Mask, lattice: Lattice) -> None:
        self._hand, self._lattice = hand, lattice

    @cached_property
    def any_hand(self) -> bool:
        """Whether a hand is in the picture."""
        return cv2.countNonZero(self._hand) > 0

    @cached_property
    def _steps(self) -> NDArray[np.float32]:
        field = cv2.distanceTransform(cv2.bitwise_not(self._hand), cv2.DIST_L2, 3)
        return np.asarray(field, np.float32)

    def covers(self, x: float, y: float) -> bool:
        """Whether a hand is over a point, mm; no distance need be measured for it."""
        return bool(self._hand[self._lattice.nearest([(x, y)])][0])

    def of(self, x: float, y: float) -> float:
        """Distance (mm) of a point from the nearest hand; infinite when there is none."""
        if not self.any_hand:
            return math.inf
        return float(self._steps[self._lattice.nearest([(x, y)])][0]) * self._lattice.step


def not_withdrawn(blobs: Sequence[Blob], gaps: Gaps, half_mm: float) -> list[Blob]:
    """The blobs without those over the frame where a hand was a moment ago: the last of one that withdraws is too
    small for a hand, and no disc.
    """
    return [b for b in blobs if max(abs(b.x), abs(b.y)) < half_mm or gaps.of(b.x, b.y) > 0]


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """What is remembered of one frame."""

    t: float
    hand: Mask
    """Hands and arms, (n, n)."""
    arms: Mask
    """With skin that is nearly like the board: what of a hand may be it, and no place where discs cannot be."""


class HandMemory:
    """Where hands were during the last seconds."""

    def __init__(self, gate: Gate) -> None:
        self.gate, self._skin = gate, Skin(gate)
        self._last: tuple[Sight, Mask, Mask] | None = None
        self._arms: tuple[Sight, Mask] | None = None
        self._kept: deque[Kept] = deque()
        self._dazzled = -DAZZLED_S

    def dazzle(self, t: float) -> None:
        """The light has changed at t: what is taken for hands until the new light is known may be light."""
        self._dazzled = t
        self._kept.clear()

    def see(self, sight: Sight, hand: Mask, explained: Mask) -> None:
        """Remembers the hands (n, n) of a frame in which `explained` pieces lie; no mask may change afterwards."""
        self._last = sight, hand, explained
        self.rest(sight.t)

    def keep(self, t: float, hand: Mask, arms: Mask | None = None) -> None:
        """Remembers where hands (n, n) are known for such at t, and how far the `arms` reach if that is more."""
        if not self._is_due(t):
            return
        self._kept.append(Kept(t, hand, hand if arms is None else arms))
        while self._kept[0].t < t - KEEP_S:
            self._kept.popleft()

    def rest(self, t: float) -> None:
        """A frame at t shows what the last one showed."""
        if self._last is None or not self._is_due(t):
            return
        sight, hand, explained = self._last
        if self._arms is None or self._arms[0] is not sight:
            self._arms = sight, self._skin.arms(hand, sight, explained)
        self.keep(t, hand, self._arms[1])

    def _is_due(self, t: float) -> bool:
        return t >= self._dazzled + DAZZLED_S and (not self._kept or t - self._kept[-1].t >= EVERY_S)

    def lately(self, t: float, hand: Mask) -> Mask:
        """Where hands are (`hand`) or were a moment ago: one that moves may be seen in pieces for a frame or two."""
        for before in reversed(self._kept):
            if before.t < t - LATELY_S:
                break
            if before.hand is not hand:
                hand = np.asarray(cv2.bitwise_or(hand, before.hand), np.uint8)
        return hand

    def arms_lately(self, t: float, hand: Mask) -> Mask:
        """Where arms, skin of the board's colour included, were last; `hand` when that is longer ago than a moment."""
        last = self._kept[-1] if self._kept else None
        return last.arms if last is not None and t - last.t < LATELY_S else hand

    def seat_at(self, place: tuple[float, float], t: float) -> Seat | None:
        """The side from which the hand came that was at `place` mm shortly before t; None when none was seen."""
        sides: Counter[Seat] = Counter()
        for _, arm in self.arms(place, t - LAID_S, t + EVERY_S):
            x, y = self.gate.x[arm > 0], self.gate.y[arm > 0]
            for seat in Seat:
                _, sy = to_side(seat, x, y)
                sides[seat] += int(np.count_nonzero(sy < BORDER_MM - self.gate.half))
        best = sides.most_common(1)
        return best[0][0] if best and best[0][1] else None

    def comes_to(self, place: tuple[float, float], t: float) -> bool:
        """Whether a hand came to `place` mm at t or soon after."""
        return self._was_near(place, t - EVERY_S, t + LAID_S)

    def was_free(self, t: float, place: tuple[float, float]) -> bool:
        """Whether surely no hand was near `place` mm at t: a moment that is remembered."""
        remembered = bool(self._kept) and t > self._kept[0].t
        return remembered and not self._was_near(place, t - 2 * EVERY_S, t + 2 * EVERY_S)

    def kept_off(self, place: tuple[float, float], since: float) -> bool:
        """Whether no hand has been seen near `place` mm since a time; what was forgotten because the light changed was
        none.
        """
        known = max(since, self._dazzled + DAZZLED_S + EVERY_S)
        return bool(self._kept) and known >= self._kept[0].t and not self._was_near(place, since, math.inf)

    def _was_near(self, place: tuple[float, float], t0: float, t1: float) -> bool:
        """Whether a hand was near `place` at a moment from t0 to t1."""
        window, inside = self.gate.lattice.disc(*place, NEAR_MM)
        return any(bool(kept.arms[window][inside].any()) for kept in self.during(t0, t1))

    def during(self, t0: float, t1: float) -> Iterator[Kept]:
        """What is remembered from t0 to t1."""
        first = bisect_left(self._kept, t0, key=lambda kept: kept.t)
        return takewhile(lambda kept: kept.t <= t1, islice(self._kept, first, None))

    def arms(self, place: tuple[float, float], t0: float, t1: float) -> Iterator[tuple[float, Mask]]:
        """When and where the arm was whose hand was near `place`, for the moments from t0 to t1."""
        for kept in self.during(t0, t1):
            if (arm := self.arm_at(kept.arms, place)) is not None:
                yield kept.t, arm

    def arm_at(self, hand: Mask, place: tuple[float, float]) -> Mask | None:
        """The connected patch of `hand` (n, n) that comes nearest to `place`; None where none is near."""
        rows, columns = self.gate.lattice.disc_cells(*place, NEAR_MM)
        held = np.flatnonzero(hand[rows, columns])
        if not len(held):
            return None
        rows, columns = rows[held], columns[held]
        first = np.argmin(np.hypot(self.gate.x[rows, columns] - place[0], self.gate.y[rows, columns] - place[1]))
        seed = int(columns[first]), int(rows[first])
        filled: Mask = np.zeros((hand.shape[0] + 2, hand.shape[1] + 2), np.uint8)
        cv2.floodFill(hand, filled, seed, (255,), flags=8 | cv2.FLOODFILL_MASK_ONLY | 255 << 8)
        return filled[1:-1, 1:-1]


def probability(mm: float, sigma: float) -> float:
    """Probability that a measure known to `sigma` mm is above zero."""
    return 0.5 * (1 + math.erf(mm / (sigma * math.sqrt(2))))
