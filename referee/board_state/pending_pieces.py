"""Newcomers: pieces that one census has found lying where none lay, and that wait for another to be believed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from referee.pieces.disc_fit import Disc

STEADY_MM = 2.0
"""Two censuses find a piece that lies still within this distance; fingers do not hold so still."""
OVERLOOKED = 2
"""A piece that so many censuses have overlooked may still lie there."""

Place = tuple[float, float]


@dataclass(slots=True)
class Newcomer:
    """A piece that was found."""

    place: Place
    """mm."""
    since: float
    """Since when it has been seen to lie there."""
    missed: int = 0
    """How many censuses have not found it since, with no hand over it."""
    is_fresh: bool = True
    """Whether no census has been taken since."""


class Newcomers:
    """Remembers which pieces wait to be found again; the hand that brings the next one hides them meanwhile."""

    def __init__(self) -> None:
        self._waiting: list[Newcomer] = []

    @property
    def pending(self) -> bool:
        """Whether one waits that was found only just now: something as pale as the board asks for no census itself."""
        return any(k.is_fresh for k in self._waiting)

    def look(self, found: Sequence[Disc], is_hidden: Callable[[Place], bool]) -> None:
        """Takes in the discs that a census has found, and where hands were in its way."""
        for k in self._waiting:
            k.is_fresh = False
            if any(math.dist(k.place, (d.x, d.y)) < STEADY_MM for d in found):
                k.missed = 0
            elif not is_hidden(k.place):
                k.missed += 1
        self._waiting = [k for k in self._waiting if k.missed <= OVERLOOKED]

    def knows(self, place: Place) -> bool:
        """Whether a piece found at `place` mm has been found there before."""
        return math.isfinite(self.since(place))

    def wait(self, place: Place, since: float) -> None:
        """A piece found at `place` mm has lain there `since` then, and waits to be found again."""
        self._waiting.append(Newcomer(place, since))

    def since(self, place: Place) -> float:
        """Since when a piece has lain at `place` mm, as far as earlier censuses know; else infinite."""
        return min((k.since for k in self._waiting if math.dist(place, k.place) < STEADY_MM), default=math.inf)

    def believe(self, place: Place) -> float:
        """The piece at `place` mm waits no longer; since when it has lain there, as `since` tells it."""
        since = self.since(place)
        self._waiting = [k for k in self._waiting if math.dist(place, k.place) >= STEADY_MM]
        return since
