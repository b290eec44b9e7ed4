"""Pending pieces: found by one census at a new place, and waiting for another census to confirm them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from referee.pieces.disc import Disc
from referee.tracking.tracker import Place

STEADY_MM = 2.0
"""Greatest distance of a piece at rest in two censuses. Fingers do not hold so still."""
OVERLOOKED = 2
"""Censuses that may miss a pending piece before it is dropped."""


def is_steady(a: Place, b: Place) -> bool:
    """Tells whether two places (mm) in two censuses are of one piece at rest."""
    return math.dist(a, b) < STEADY_MM


@dataclass(slots=True)
class PendingPiece:
    """One piece found once."""

    place: Place
    """Board mm."""
    since: float
    """First sighting, s."""
    missed: int = 0
    """Censuses since that did not find it although no hand covered it."""
    is_fresh: bool = True
    """Whether no census has followed yet."""


class PendingPieces:
    """Pieces that wait for confirmation. The hand that brings the next one may cover them meanwhile."""

    def __init__(self) -> None:
        self._waiting: list[PendingPiece] = []

    @property
    def pending(self) -> bool:
        """Tells whether a piece was found by the last census alone: a pale one triggers no further census by itself."""
        return any(k.is_fresh for k in self._waiting)

    def update(self, found: Sequence[Disc], is_hidden: Callable[[Place], bool]) -> None:
        """Adds a census: its discs, and which places hands hid."""
        for k in self._waiting:
            k.is_fresh = False
            if any(is_steady(k.place, (d.x, d.y)) for d in found):
                k.missed = 0
            elif not is_hidden(k.place):
                k.missed += 1
        self._waiting = [k for k in self._waiting if k.missed <= OVERLOOKED]

    def knows(self, place: Place) -> bool:
        """Tells whether a piece was found at `place` (mm) before."""
        return math.isfinite(self.since(place))

    def wait(self, place: Place, since: float) -> None:
        """Adds a piece found at `place` (mm) that has lain there `since` then."""
        self._waiting.append(PendingPiece(place, since))

    def since(self, place: Place) -> float:
        """Returns the time since which a piece has lain at `place` (mm); inf without one."""
        return min((k.since for k in self._waiting if is_steady(place, k.place)), default=math.inf)

    def believe(self, place: Place) -> float:
        """Removes the confirmed piece at `place` (mm). Returns `since(place)`."""
        since = self.since(place)
        self._waiting = [k for k in self._waiting if not is_steady(place, k.place)]
        return since
