"""Hand history: where hands were during the last seconds.

The playing arm is the one whose hand is nearest to the striker, board-coloured skin included. Hands over the diagonal,
pushes, and the side from which a coin was put back are judged by it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import dropwhile, islice, takewhile

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.lattice import Lattice
from models.pieces import Seat, to_side
from referee.foreground.background import BackgroundModel, ForegroundFrame, Mask
from referee.foreground.board_coloured_skin import arms_with_skin
from referee.foreground.illumination import LIGHT_AGAIN_S
from referee.foreground.segmentation import Blob, component_at

KEEP_S, FOREGROUND_HAND_EVERY_S = 3.0, 0.03
"""Length of the history, and interval between its entries."""
HAND_LATELY_S = 0.1
HAND_NEAR_MM = 60.0
"""Greatest distance of the playing hand from the middle of the striker that it places or aims with."""
HAND_BORDER_MM = 15.0
"""Distance inside the cushion up to which an arm counts as crossing it."""
LAID_S = 0.6
"""Time between a hand over a coin and the coin's first sighting there, or its last."""
NO_CELLS: NDArray[np.intp] = np.empty(0, np.intp)


def crosses_cushion(background: BackgroundModel, outward: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tells which cells of an arm cross the cushion, by their distances (k,) outward from the middle, mm."""
    return np.asarray(outward > background.half - HAND_BORDER_MM, np.bool_)


class HandDistance:
    """Distance to the nearest hand. The distance transform is made on first use."""

    def __init__(self, hand: Mask, lattice: Lattice) -> None:
        self._hand, self._lattice = hand, lattice

    @cached_property
    def any_hand(self) -> bool:
        """Tells whether a hand is in the picture."""
        return cv2.countNonZero(self._hand) > 0

    @cached_property
    def _steps(self) -> NDArray[np.float32]:
        return np.asarray(cv2.distanceTransform(cv2.bitwise_not(self._hand), cv2.DIST_L2, 3), np.float32)

    def covers(self, x: float, y: float) -> bool:
        """Tells whether a hand covers a point (mm); needs no distance transform."""
        return bool(self._hand[self._lattice.nearest([(x, y)])][0])

    def of(self, x: float, y: float) -> float:
        """Returns the distance (mm) of a point from the nearest hand; infinite when there is none."""
        if not self.any_hand:
            return math.inf
        return float(self._steps[self._lattice.nearest([(x, y)])][0]) * self._lattice.step


def not_under_hand(blobs: Sequence[Blob], gaps: HandDistance, half_mm: float) -> list[Blob]:
    """Returns blobs except those over the frame where a hand was a moment ago.

    The last part of a withdrawing hand is too small for a hand, and is no disc.
    """
    return [b for b in blobs if max(abs(b.x), abs(b.y)) < half_mm or gaps.of(b.x, b.y) > 0]


@dataclass(frozen=True, slots=True, eq=False)
class HandSighting:
    """Hands of one frame."""

    t: float
    hand: Mask
    """Hands and arms, (n, n)."""
    arms: Mask
    """Hands with board-coloured skin. Discs may still lie there."""
    shadow: NDArray[np.intp]
    """Flat indices (k,) of the cells of `arms` that a shadow explains."""


class HandHistory:
    """Where hands were during the last seconds."""

    def __init__(self, background: BackgroundModel) -> None:
        self.background = background
        self._sightings: deque[HandSighting] = deque()
        self._dazzled = -LIGHT_AGAIN_S

    def dazzle(self, t: float) -> None:
        """Forgets all hands: the light changed at t, and shadows may have passed for hands."""
        self._dazzled = t
        self._sightings.clear()

    def update(self, foreground: ForegroundFrame, hand: Mask, explained: Mask) -> None:
        """Adds a frame's hands (n, n), which may not change afterwards; `explained` covers its known pieces."""
        if self._is_due(foreground.t):
            arms = arms_with_skin(self.background, hand, foreground, explained)
            self.add(foreground.t, hand, arms, self.background.shadowed(foreground, arms))

    def add(self, t: float, hand: Mask, arms: Mask | None = None, shadow: NDArray[np.intp] = NO_CELLS) -> None:
        """Adds hands (n, n) at t, with their `arms` and the flat indices of `shadow` on these, where known."""
        if not self._is_due(t):
            return
        self._sightings.append(HandSighting(t, hand, hand if arms is None else arms, shadow))
        while self._sightings[0].t < t - KEEP_S:
            self._sightings.popleft()

    def repeat_last(self, t: float) -> None:
        """Repeats the last hands at t: the frame shows nothing new."""
        if self._sightings:
            last = self._sightings[-1]
            self.add(t, last.hand, last.arms, last.shadow)

    def _is_due(self, t: float) -> bool:
        return t >= self._dazzled + LIGHT_AGAIN_S and (
            not self._sightings or t - self._sightings[-1].t >= FOREGROUND_HAND_EVERY_S
        )

    def lately(self, t: float, hand: Mask) -> Mask:
        """Returns `hand` united with hands of the last `HAND_LATELY_S`: a moving hand may be in pieces for a frame or
        two.
        """
        for before in reversed(self._sightings):
            if before.t < t - HAND_LATELY_S:
                break
            if before.hand is not hand:
                hand = np.asarray(cv2.bitwise_or(hand, before.hand), np.uint8)
        return hand

    def arms_lately(self, t: float, hand: Mask) -> Mask:
        """Returns the last arms with board-coloured skin; `hand` if they are older than `HAND_LATELY_S`."""
        last = self._sightings[-1] if self._sightings else None
        return last.arms if last is not None and t - last.t < HAND_LATELY_S else hand

    def seat_at(self, place: tuple[float, float], t: float) -> Seat | None:
        """Returns the side from which the hand at `place` (mm) shortly before t came; None without a hand."""
        sides: Counter[Seat] = Counter()
        for _, arm in self.arms(place, t - LAID_S, t, and_next=True):
            x, y = self.background.x[arm > 0], self.background.y[arm > 0]
            for seat in Seat:
                sides[seat] += int(crosses_cushion(self.background, -to_side(seat, x, y)[1]).sum())
        best = sides.most_common(1)
        return best[0][0] if best and best[0][1] else None

    def laid_at(self, place: tuple[float, float], seen: float) -> float:
        """Returns when a hand laid a piece down at `place` (mm) where it is `seen` since: midway through the hand's
        stay over that place; `seen` without a hand.
        """
        cell = self.background.lattice.nearest([place])
        stays = [(bool(h.arms[cell][0]), h.t) for h in self.during(-math.inf, seen)][::-1]
        times = [t for _, t in takewhile(lambda s: s[0], dropwhile(lambda s: not s[0], stays))]
        return (times[0] + times[-1]) / 2 if times else seen

    def comes_to(self, place: tuple[float, float], t: float) -> bool:
        """Tells whether a hand came to `place` (mm) at t or within `LAID_S` after."""
        return self._was_near(place, t - FOREGROUND_HAND_EVERY_S, t + LAID_S)

    def was_free(self, place: tuple[float, float], t0: float, t1: float) -> bool:
        """Tells whether certainly no hand was near `place` (mm) from t0 to t1; False if the history begins later."""
        remembered = bool(self._sightings) and t0 > self._sightings[0].t
        return remembered and not self._was_near(
            place, t0 - 2 * FOREGROUND_HAND_EVERY_S, t1 + 2 * FOREGROUND_HAND_EVERY_S
        )

    def _was_near(self, place: tuple[float, float], t0: float, t1: float) -> bool:
        """Tells whether a hand was near `place` between t0 and t1."""
        window, inside = self.background.lattice.disc(*place, HAND_NEAR_MM)
        return any(bool(sighting.arms[window][inside].any()) for sighting in self.during(t0, t1))

    def during(self, t0: float, t1: float) -> Iterator[HandSighting]:
        """Returns the history entries from t0 to t1."""
        first = bisect_left(self._sightings, t0, key=lambda sighting: sighting.t)
        return takewhile(lambda sighting: sighting.t <= t1, islice(self._sightings, first, None))

    def arms(
        self, place: tuple[float, float], t0: float, t1: float, *, and_next: bool = False, with_shadow: bool = True
    ) -> Iterator[tuple[float, Mask]]:
        """Yields the times and masks of the arm whose hand was near `place`, from t0 to t1, or to the entry due after
        t1; `with_shadow` with what may be its shadow.
        """
        for sighting in self.during(t0, t1 + FOREGROUND_HAND_EVERY_S if and_next else t1):
            if (arm := self.arm_at(sighting.arms, place)) is not None:
                if not with_shadow:
                    arm.flat[sighting.shadow] = 0
                    # Noise and penumbra leave specks of the shadow.
                    arm = np.asarray(cv2.morphologyEx(arm, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
                yield sighting.t, arm

    def arm_at(self, hand: Mask, place: tuple[float, float]) -> Mask | None:
        """Returns the component of `hand` (n, n) nearest to `place`; None if none is within `HAND_NEAR_MM`."""
        rows, columns = self.background.lattice.disc_cells(*place, HAND_NEAR_MM)
        held = np.flatnonzero(hand[rows, columns])
        if not len(held):
            return None
        rows, columns = rows[held], columns[held]
        x, y = self.background.x[rows, columns], self.background.y[rows, columns]
        first = np.argmin(np.hypot(x - place[0], y - place[1]))
        return component_at(hand, (int(columns[first]), int(rows[first])))[0]
