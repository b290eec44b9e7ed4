"""Rejected blobs: foreground in which censuses find no piece, such as reflections, shade and newly bared grain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from referee.foreground.segmentation import Blob
from referee.pieces.disc import Disc

DISMISSED = 2
"""Consecutive censuses without a piece after which a blob is rejected."""
LASTING_S = 5.0
"""Age from which a rejected blob is no finger, for players do not hold still so long between strokes; as long after its
last census it is examined again."""
REJECTED_SAME_MM, SAME_AREA = 6.0, 1.6
"""Greatest distance and ratio of areas of one blob in two frames."""


@dataclass(slots=True)
class RejectedBlob:
    """One blob in which no piece was found."""

    blob: Blob
    t: float
    """Last census, s."""
    since: float
    """First census, s."""
    times: int = 1
    """Consecutive censuses."""


class RejectedBlobs:
    """Blobs in which no piece was found."""

    def __init__(self) -> None:
        self._ghosts: list[RejectedBlob] = []

    def rejects(self, blob: Blob, t: float) -> bool:
        """Tells whether a blob is rejected at t."""
        return any(g.times >= DISMISSED and t < g.t + LASTING_S and _is_same(g.blob, blob) for g in self._ghosts)

    def lasts(self, blob: Blob, t: float) -> bool:
        """Tells whether a blob has been rejected for so long that it is no finger either."""
        return self.rejects(blob, t) and any(t > g.since + LASTING_S for g in self._ghosts if _is_same(g.blob, blob))

    def learn(self, t: float, blobs: Sequence[Blob], found: Sequence[Disc]) -> None:
        """Adds a census: its discs, and the blobs that triggered it."""
        empty = [b for b in blobs if all(math.dist((d.x, d.y), (b.x, b.y)) > d.radius for d in found)]
        before = [g for g in self._ghosts if t < g.t + 2 * LASTING_S]
        self._ghosts = [g for g in before if not any(_is_same(g.blob, b) for b in blobs)]
        for blob in empty:
            same = [g for g in before if _is_same(g.blob, blob)]
            since, times = min((g.since for g in same), default=t), max((g.times for g in same), default=0)
            self._ghosts.append(RejectedBlob(blob, t, since, times + 1))


def _is_same(a: Blob, b: Blob) -> bool:
    small, large = sorted((a.area_mm2, b.area_mm2))
    return math.dist((a.x, a.y), (b.x, b.y)) < REJECTED_SAME_MM and large < SAME_AREA * small
