"""Steadiness: whether a base strip still shows what the last search of it saw, the striker on its place to 0.15 mm."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibration.geometry.picture import U8
from calibration.profile import Profile
from models.pieces import Piece
from referee.foreground.background import Gate, Sight
from referee.striker.baseline_search import Standing

AFRESH_S = 0.4
"""A strip is searched again so often all the same."""
SHIFT_MM = 0.15
"""A striker that seems shifted by less has not been: several sightings of one that rests scatter by as much."""
LEAST_SLOPE = 2.0
"""Striker and board must differ by so many levels a step, root mean square, for a shift to be told."""


@dataclass(frozen=True, slots=True, eq=False)
class Searched:
    """A search of a strip."""

    t: float
    look: U8
    """Y, U, V (3, n, m) of the strip."""
    profile: Profile
    lying: tuple[Piece, ...]
    found: Standing | None


class Steadiness:
    """What the last search of a strip saw."""

    def __init__(self, gate: Gate, area: tuple[slice, slice]) -> None:
        """`area` is the part of the gate's lattice that the strip covers."""
        self._gate, self._area = gate, area
        self._last: Searched | None = None

    def learn(self, sight: Sight, profile: Profile, lying: tuple[Piece, ...], found: Standing | None) -> None:
        """A search of this frame found the striker, or none."""
        self._last = Searched(sight.t, self._look(sight), profile, lying, found)

    def lasts(self, sight: Sight, profile: Profile, lying: tuple[Piece, ...]) -> bool:
        """Whether a search of this frame would find the same."""
        last = self._last
        if last is None or sight.t > last.t + AFRESH_S or last.profile is not profile or last.lying != lying:
            return False
        now = self._look(sight)
        if np.count_nonzero(self._gate.differs(last.look, now)):
            return False
        return last.found is None or self._shift(last.found, last.look, now) < SHIFT_MM

    def _look(self, sight: Sight) -> U8:
        rows, columns = self._area
        return np.ascontiguousarray(sight.yuv[:, rows, columns])

    @property
    def found(self) -> Standing | None:
        """The striker as the last search saw it."""
        return self._last.found if self._last else None

    def _shift(self, found: Standing, then: U8, now: U8) -> float:
        """How far (mm) the striker seems to have been shifted between two looks (3, n, m) at the strip.

        The least-squares shift of a picture whose slopes are known (Lucas and Kanade, 1981).
        """
        lattice, (top, left) = self._gate.lattice, (part.start for part in self._area)
        rows, columns = lattice.disc_cells(found.x, found.y, found.radius + 2 * lattice.step)
        rows, columns = rows - top, columns - left
        inside = (rows > 0) & (rows < then.shape[1] - 1) & (columns > 0) & (columns < then.shape[2] - 1)
        at = (slice(None), rows[inside], columns[inside])
        before = then.astype(np.float32)
        slopes = np.stack([np.gradient(before, axis=axis)[at].ravel() for axis in (2, 1)])
        if not slopes.size or float(np.sqrt(np.mean(slopes**2))) < LEAST_SLOPE:
            return math.inf
        change = (now.astype(np.float32) - before)[at].ravel()
        moved = np.linalg.solve(slopes @ slopes.T, slopes @ change)
        return float(np.hypot(*moved)) * lattice.step
