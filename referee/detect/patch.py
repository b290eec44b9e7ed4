"""A patch: the lattice points of one disc and a little around, compared sector by sector.

Means over sectors are compared, not points: compression and noise stir points, a disc changes whole sectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from calibration.lattice import Lattice
from calibration.picture import U8
from referee.detect.light import Light

SECTORS = 6
SKIRT_MM = 2.5
"""A patch reaches this far beyond the rim: the shade there tells a pale coin from pale wood."""
CHROMA_WEIGHT = 2.0
"""Chroma differences are small and telling."""


class Look(Protocol):
    """A frame on the lattice."""

    @property
    def yuv(self) -> U8:
        """Y, U, V (3, n, n)."""

    @property
    def light(self) -> Light:
        """Light now relative to the light in which the empty board was remembered."""


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """Points of a disc, in `SECTORS` sectors of its inner part and as many of its rim."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    group: NDArray[np.int64]
    """Number of the sector (k,) of each point."""
    sizes: NDArray[np.float64]
    """Points in each sector, at least 1."""

    @classmethod
    def of(cls, lattice: Lattice, x: float, y: float, radius: float) -> Patch:
        """The patch of a disc at (x, y) mm."""
        rows, columns = lattice.disc_cells(x, y, radius + SKIRT_MM)
        xy = lattice.to_board(np.column_stack([columns, rows])) - (x, y)
        angle = np.arctan2(xy[:, 1], xy[:, 0]) + np.pi
        sector = np.minimum((angle * SECTORS / (2 * np.pi)).astype(np.int64), SECTORS - 1)
        rim = np.hypot(xy[:, 0], xy[:, 1]) > 0.85 * radius
        group = sector + SECTORS * rim.astype(np.int64)
        sizes = np.maximum(np.bincount(group, minlength=2 * SECTORS), 1).astype(np.float64)
        return cls(rows, columns, group, sizes)

    def look(self, look: Look) -> NDArray[np.float32]:
        """Y, U, V (3, k) of the points as they would be in the remembered light."""
        values = look.yuv[:, self.rows, self.columns].astype(np.float32)
        values[0] /= look.light.gain[self.rows, self.columns]
        values[1] -= look.light.tint[0]
        values[2] -= look.light.tint[1]
        return values

    def difference(self, a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
        """Mean over sectors of the difference (levels) of two looks (3, k), chroma counted more."""
        total = 0.0
        for plane, weight in zip(a - b, (1.0, CHROMA_WEIGHT, CHROMA_WEIGHT), strict=True):
            means = np.bincount(self.group, weights=plane, minlength=2 * SECTORS) / self.sizes
            total += weight * float(np.abs(means).mean())
        return total
