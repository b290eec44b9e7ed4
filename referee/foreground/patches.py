"""Patches: the lattice points of discs and their surroundings, compared sector by sector.

Means over sectors are compared, not points. Compression and noise change single points; a disc changes whole sectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.lattice import Lattice
from calibration.geometry.picture import U8
from referee.foreground.illumination import Illumination

F32 = NDArray[np.float32]

PATCHES_SECTORS = 6
SKIRT_MM = 2.5
"""Reach of a patch beyond the rim. The shade there distinguishes a pale coin from pale wood."""
PATCHES_WEIGHTS = np.array([1.0, 2.0, 2.0])
"""Weights of luma, blue and red. Differences of chroma are small and significant."""


@dataclass(frozen=True, eq=False)
class DiscPatches:
    """Points of one or more discs. Several discs compared together cost little more than one alone.

    Points are ordered by sector: `PATCHES_SECTORS` sectors of a disc's inner part, then as many of its rim.
    """

    cells: NDArray[np.int64]
    """Numbers (k,) in the lattice, row by row, of all points."""
    sector: NDArray[np.int64]
    """Number of the sector (k,) of each point, patch after patch."""
    sizes: NDArray[np.float64]
    """Points in each patch's sectors (p, 2 PATCHES_SECTORS), at least 1."""

    @classmethod
    def of(cls, lattice: Lattice, x: float, y: float, radius: float) -> DiscPatches:
        """Returns the patch of a disc at (x, y) mm."""
        rows, columns = lattice.disc_cells(x, y, radius + SKIRT_MM)
        xy = lattice.to_board(np.column_stack([columns, rows])) - (x, y)
        angle = np.arctan2(xy[:, 1], xy[:, 0]) + np.pi
        around = np.minimum((angle * PATCHES_SECTORS / (2 * np.pi)).astype(np.int64), PATCHES_SECTORS - 1)
        rim = np.hypot(xy[:, 0], xy[:, 1]) > 0.85 * radius
        sector = around + PATCHES_SECTORS * rim.astype(np.int64)
        sizes = np.maximum(np.bincount(sector, minlength=2 * PATCHES_SECTORS), 1).astype(np.float64)
        order = np.argsort(sector, kind="stable")
        return cls(np.ravel_multi_index((rows, columns), lattice.shape)[order], sector[order], sizes[None])

    @classmethod
    def joined(cls, patches: Sequence[DiscPatches]) -> DiscPatches:
        """Returns several single patches as one."""
        none = np.zeros(0, np.int64)
        sectors = (p.sector + 2 * PATCHES_SECTORS * i for i, p in enumerate(patches))
        sizes = np.concatenate([np.zeros((0, 2 * PATCHES_SECTORS)), *(p.sizes for p in patches)])
        return cls(np.concatenate([none, *(p.cells for p in patches)]), np.concatenate([none, *sectors]), sizes)

    def at(self, planes: U8) -> F32:
        """Returns values (..., k) of planes (..., n, n) at all points."""
        return planes.reshape(*planes.shape[:-2], -1).take(self.cells, -1).astype(np.float32)

    def sample(self, yuv: U8, light: Illumination) -> F32:
        """Returns Y, U, V (3, k) of all points of a frame (3, n, n), converted from its light to the learned light."""
        return in_light(self.at(yuv), light.gain.take(self.cells), light)

    def differences(self, a: F32, b: F32) -> NDArray[np.float64]:
        """Returns for each patch (p,) the mean over sectors of the difference (levels) of two samples (3, k), with more
        weight on chroma.
        """
        sums, (starts, sectors) = np.zeros(3 * self.sizes.size), self._starts
        if len(starts):
            sums[sectors] = np.add.reduceat((a - b).ravel(), starts)
        means = np.abs(sums.reshape(3, *self.sizes.shape) / self.sizes).sum(2) / self.sizes.shape[1]
        return np.asarray(PATCHES_WEIGHTS @ means)

    @cached_property
    def _starts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First position of each sector that has points, plane after plane, and the sector's number.

        Running sums from there take a fifth of the time of sorting, and one over all planes half that of one for each.
        """
        starts, planes = np.flatnonzero(np.diff(self.sector, prepend=-1)), np.arange(3)[:, None]
        numbers = self.sector[starts] + planes * self.sizes.size
        return (starts + planes * len(self.sector)).ravel(), numbers.ravel()

    def shares(self, mask: U8) -> NDArray[np.float64]:
        """Returns the share of each patch's points (p,) where a mask (n, n) is not 0."""
        counts, hit = (np.bincount(sector // (2 * PATCHES_SECTORS), minlength=len(self.sizes))
                       for sector in (self.sector, self.sector[mask.take(self.cells) > 0]))  # fmt: skip
        return hit / np.maximum(counts, 1)


def in_light(values: F32, gain: F32, light: Illumination) -> F32:
    """Returns Y, U, V (3, k) with the effect of `light` removed; `gain` (k,) is its gain at the points. Changes
    `values`.
    """
    values[0] /= gain
    for plane, shift in zip(values[1:], light.shifts, strict=True):
        plane -= shift
        plane /= light.colour
    return values
