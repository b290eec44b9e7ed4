"""Ghosts: patches unlike the empty board in which censuses find no piece: a reflection, shade, grain once hidden."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from referee.foreground.segmentation import Blob
from referee.pieces.disc_fit import Disc

DISMISSED = 2
"""So many censuses running must have found nothing in a patch."""
AGAIN_S = 5.0
"""A patch that was dismissed is looked at again so often all the same."""
LASTING_S = 5.0
"""What has held nothing for so long is no hand: players do not keep a finger on one spot between strokes."""
SAME_MM, SAME_AREA = 6.0, 1.6
"""A patch so near to another and at most so many times as large or small as it is the same."""


@dataclass(slots=True)
class Ghost:
    """A patch in which nothing was found."""

    blob: Blob
    t: float
    """When last."""
    since: float
    """When first."""
    times: int = 1
    """In how many censuses running."""


class Ghosts:
    """Remembers in which patches nothing was found."""

    def __init__(self) -> None:
        self._ghosts: list[Ghost] = []

    def holds(self, blob: Blob, t: float) -> bool:
        """Whether a patch was found to hold no piece, and lately enough."""
        return any(g.times >= DISMISSED and t < g.t + AGAIN_S and _is_same(g.blob, blob) for g in self._ghosts)

    def lasts(self, blob: Blob, t: float) -> bool:
        """Whether a patch has held no piece for so long that it is no finger of a hand either."""
        return self.holds(blob, t) and any(t - g.since > LASTING_S for g in self._ghosts if _is_same(g.blob, blob))

    def learn(self, t: float, blobs: Sequence[Blob], found: Sequence[Disc]) -> None:
        """Takes in the discs that a census found, and the patches for which it was taken."""
        empty = [b for b in blobs if all(math.dist((d.x, d.y), (b.x, b.y)) > d.radius for d in found)]
        before = [g for g in self._ghosts if t < g.t + 2 * AGAIN_S]
        self._ghosts = [g for g in before if not any(_is_same(g.blob, b) for b in blobs)]
        for blob in empty:
            same = [g for g in before if _is_same(g.blob, blob)]
            since, times = min((g.since for g in same), default=t), max((g.times for g in same), default=0)
            self._ghosts.append(Ghost(blob, t, since, times + 1))


def _is_same(a: Blob, b: Blob) -> bool:
    small, large = sorted((a.area_mm2, b.area_mm2))
    return math.dist((a.x, a.y), (b.x, b.y)) < SAME_MM and large < SAME_AREA * small
