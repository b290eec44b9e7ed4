"""A patch: the lattice points of one disc and its surroundings, compared sector by sector.

Means over sectors are compared, not points. Compression and noise change single points; a disc changes whole sectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

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


class LitFrame(Protocol):
    """A frame on the lattice."""

    @property
    def yuv(self) -> U8:
        """Y, U, V (3, n, n)."""

    @property
    def light(self) -> Illumination:
        """Light now, relative to the light in which the bare board was learned."""


@dataclass(frozen=True, slots=True, eq=False)
class DiscPatch:
    """Points of a disc, ordered by sector: `PATCHES_SECTORS` sectors of its inner part, then as many of its rim."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    group: NDArray[np.int64]
    """Number of the sector (k,) of each point."""
    sizes: NDArray[np.float64]
    """Points in each sector, at least 1."""

    @classmethod
    def of(cls, lattice: Lattice, x: float, y: float, radius: float) -> DiscPatch:
        """Returns the patch of a disc at (x, y) mm."""
        rows, columns = lattice.disc_cells(x, y, radius + SKIRT_MM)
        xy = lattice.to_board(np.column_stack([columns, rows])) - (x, y)
        angle = np.arctan2(xy[:, 1], xy[:, 0]) + np.pi
        sector = np.minimum((angle * PATCHES_SECTORS / (2 * np.pi)).astype(np.int64), PATCHES_SECTORS - 1)
        rim = np.hypot(xy[:, 0], xy[:, 1]) > 0.85 * radius
        group = sector + PATCHES_SECTORS * rim.astype(np.int64)
        sizes = np.maximum(np.bincount(group, minlength=2 * PATCHES_SECTORS), 1).astype(np.float64)
        order = np.argsort(group, kind="stable")
        return cls(rows[order], columns[order], group[order], sizes)

    def sample(self, frame: LitFrame) -> F32:
        """Returns Y, U, V (3, k) of the points, converted to the learned light."""
        values = frame.yuv[:, self.rows, self.columns].astype(np.float32)
        return in_light(values, frame.light.gain[self.rows, self.columns], frame.light)

    def difference(self, a: F32, b: F32) -> float:
        """Returns the mean over sectors of the difference (levels) of two samples (3, k), with more weight on
        chroma.
        """
        return float(_Sums.of(self.group, self.sizes[None]).differences(a - b)[0])


class DiscPatches:
    """Several patches compared together, which costs little more than one alone."""

    def __init__(self, patches: Sequence[DiscPatch], shape: tuple[int, int]) -> None:
        """Gathers the patches; `shape` is that of the lattice."""
        counts = [len(p.rows) for p in patches]
        none = np.zeros(0, np.int64)
        rows = np.concatenate([none, *(p.rows for p in patches)])
        self.cells = np.ravel_multi_index((rows, np.concatenate([none, *(p.columns for p in patches)])), shape)
        """Numbers (k,) in the lattice, row by row, of all points, patch after patch."""
        self._owner = np.repeat(np.arange(len(patches)), counts)
        group = np.concatenate([none, *(p.group + 2 * PATCHES_SECTORS * i for i, p in enumerate(patches))])
        self._sums = _Sums.of(group, np.array([p.sizes for p in patches]).reshape(-1, 2 * PATCHES_SECTORS))
        self._counts = np.maximum(counts, 1)

    def at(self, planes: U8) -> F32:
        """Returns values (..., k) of planes (..., n, n) at all points."""
        return planes.reshape(*planes.shape[:-2], -1).take(self.cells, -1).astype(np.float32)

    def sample(self, frame: LitFrame) -> F32:
        """Returns Y, U, V (3, k) of all points, converted to the learned light."""
        return in_light(self.at(frame.yuv), frame.light.gain.take(self.cells), frame.light)

    def differences(self, a: F32, b: F32) -> NDArray[np.float64]:
        """Returns `DiscPatch.difference` of each patch (p,) between two samples (3, k)."""
        return self._sums.differences(a - b)

    def shares(self, mask: U8) -> NDArray[np.float64]:
        """Returns the share of each patch's points (p,) where a mask (n, n) is not 0."""
        hit = self._owner[mask.take(self.cells) > 0]
        return np.bincount(hit, minlength=len(self._counts)) / self._counts


def in_light(values: F32, gain: F32, light: Illumination) -> F32:
    """Returns Y, U, V (3, k) with the effect of `light` removed; `gain` (k,) is its gain at the points. Changes
    `values`.
    """
    values[0] /= gain
    for plane, shift in zip(values[1:], light.shifts, strict=True):
        plane -= shift
        plane /= light.colour
    return values


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Sums three planes of points (k,) by sector.

    Points are ordered by sector, so that running sums suffice: they take a fifth of the time of sorting. One running
    sum over all planes takes half the time of one for each.
    """

    starts: NDArray[np.int64]
    """First position of each sector that has points, among the points of all planes, plane after plane."""
    sector: NDArray[np.int64]
    """Number of each of those sectors."""
    sizes: NDArray[np.float64]
    """Points in each sector (p, 2 SECTORS), at least 1."""

    @classmethod
    def of(cls, group: NDArray[np.int64], sizes: NDArray[np.float64]) -> _Sums:
        """Returns the sums for points whose sectors are `group` (k,)."""
        starts, planes = np.flatnonzero(np.diff(group, prepend=-1)), np.arange(3)[:, None]
        return cls((starts + planes * len(group)).ravel(), (group[starts] + planes * sizes.size).ravel(), sizes)

    def differences(self, off: F32) -> NDArray[np.float64]:
        """Returns the mean difference (p,) of patches whose points differ by `off` (3, k)."""
        sums = np.zeros(3 * self.sizes.size)
        if len(self.starts):
            sums[self.sector] = np.add.reduceat(off.ravel(), self.starts)
        means = np.abs(sums.reshape(3, *self.sizes.shape) / self.sizes).sum(2) / self.sizes.shape[1]
        return np.asarray(PATCHES_WEIGHTS @ means)
