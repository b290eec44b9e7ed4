"""Bared places: the board shows where a coin was remembered for a part of it, a coin of which nobody knew."""

from __future__ import annotations

import math
from collections.abc import Sequence

from calibration.describe import describe
from calibration.discs import Disc
from calibration.looks import contrast, nearest_kind
from calibration.seek import Ring
from models.pieces import COINS
from referee.detect.gate import Gate, Sight
from referee.detect.hands import Blob
from referee.strokes.known import Known
from referee.strokes.surface import SAME_PLACE_MM

SIZES = 0.5, 1.6
"""A patch of a coin's area times one of these and between may be the place where a coin lay; shade was about it."""
COIN_LIKE, STANDS_OUT, BARE = 3.0, 18.0, 0.5
"""What was remembered looks as a kind of coin does, to so many standard deviations, and differs so much (percent) from
the board; what shows now differs from the board by less than that share of it."""


class Bared:
    """Call `count` for each census that closes a stroke."""

    def __init__(self, known: Known, gate: Gate) -> None:
        self._known, self._gate = known, gate
        self._told: list[tuple[float, float]] = []

    def count(self, sight: Sight, blobs: Sequence[Blob]) -> int:
        """How many coins that nobody knew of are gone since this was asked last."""
        now = [(b.x, b.y) for b in blobs if self._was_coin(sight, b)]
        new = [p for p in now if all(math.dist(p, q) > SAME_PLACE_MM for q in self._told)]
        self._told = now
        return len(new)

    def _was_coin(self, sight: Sight, blob: Blob) -> bool:
        """Whether a patch shows the board where a coin was remembered."""
        radius = self._known.profile.board.coin_radius
        if not SIZES[0] < blob.area_mm2 / (math.pi * radius**2) < SIZES[1]:
            return False
        assert self._gate.empty is not None
        ring = Ring(blob.x, blob.y, radius, 0.0)
        before, now = (describe(self._gate.lattice, yuv, ring) for yuv in (self._gate.empty, sight.yuv))
        return self._is_coin(before) and contrast(now) < BARE * contrast(before)

    def _is_coin(self, disc: Disc) -> bool:
        colours = {k: c for k, c in self._known.profile.colours.items() if k in COINS}
        return bool(colours) and contrast(disc) > STANDS_OUT and nearest_kind(disc, colours)[1] < COIN_LIKE
