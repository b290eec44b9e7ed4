"""Unchanged strip: whether a base strip shows the same as at its last search, the striker unmoved to 0.15 mm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.geometry.picture import U8
from calibration.profile import Profile
from models.pieces import Piece
from referee.foreground.background import BackgroundModel, ForegroundFrame
from referee.striker.baseline_search import StrikerSighting

UNCHANGED_AFRESH_S = 0.4
"""Greatest age of a search."""
UNCHANGED_SHIFT_MM = 0.15
"""Measured shift up to which a striker is unmoved. Sightings of one at rest scatter by as much."""


@dataclass(frozen=True, slots=True, eq=False)
class StripSearch:
    """One search of a strip."""

    t: float
    planes: U8
    """Y, U, V (3, n, m) of the strip."""
    profile: Profile
    lying: tuple[Piece, ...]
    found: StrikerSighting | None


class UnchangedStrip:
    """The last search of a strip, and whether it still holds."""

    def __init__(self, background: BackgroundModel, area: tuple[slice, slice]) -> None:
        """Begins without a search; `area`: rows and columns of the background lattice."""
        self._background, self._area = background, area
        self._last: StripSearch | None = None

    def learn(
        self, foreground: ForegroundFrame, profile: Profile, lying: tuple[Piece, ...], found: StrikerSighting | None
    ) -> None:
        """Stores a search of this frame; `found`: the striker, None without one."""
        self._last = StripSearch(foreground.t, self._sample(foreground), profile, lying, found)

    def lasts(self, foreground: ForegroundFrame, profile: Profile, lying: tuple[Piece, ...]) -> bool:
        """Tells whether a search of this frame would give the same result."""
        last = self._last
        if (
            last is None
            or foreground.t > last.t + UNCHANGED_AFRESH_S
            or last.profile is not profile
            or last.lying != lying
        ):
            return False
        now = self._sample(foreground)
        if np.count_nonzero(self._background.differs(last.planes, now)):
            return False
        return last.found is None or self._shift(last.found, last.planes, now) < UNCHANGED_SHIFT_MM

    def _sample(self, foreground: ForegroundFrame) -> U8:
        rows, columns = self._area
        return np.ascontiguousarray(foreground.yuv[:, rows, columns])

    @property
    def last(self) -> StrikerSighting | None:
        """The striker of the last search; None without one."""
        return self._last.found if self._last else None

    def _shift(self, found: StrikerSighting, then: U8, now: U8) -> float:
        """Returns the shift (mm) of the striker between two samples (3, n, m) of the strip (Lucas and Kanade, 1981)."""
        lattice, (top, left) = self._background.lattice, (part.start for part in self._area)
        rows, columns = lattice.disc_cells(found.x, found.y, found.radius + 2 * lattice.step)
        rows, columns = rows - top, columns - left
        inside = (rows > 0) & (rows < then.shape[1] - 1) & (columns > 0) & (columns < then.shape[2] - 1)
        at = (slice(None), rows[inside], columns[inside])
        before = then.astype(np.float32)
        slopes = np.stack([np.gradient(before, axis=axis)[at].ravel() for axis in (2, 1)])
        change = (now.astype(np.float32) - before)[at].ravel()
        moved = np.linalg.lstsq(slopes.T, change, rcond=None)[0]
        return float(np.hypot(*moved)) * lattice.step
