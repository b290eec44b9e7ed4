"""Connected components of a mask as lists of cells, so that statistics of all of them are summed at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64
from referee.foreground.background import Mask

Window = tuple[slice, slice]
"""Rows and columns of a lattice."""


def labels_of(mask: Mask) -> NDArray[np.uint16]:
    """Returns the component label (n, m) of each cell of a mask, 0 for none.

    Numbers of 16 bits take a third of the time of 32, and are sorted in half the time.
    """
    return np.asarray(cv2.connectedComponentsWithAlgorithm(mask, 8, cv2.CV_16U, cv2.CCL_DEFAULT)[1], np.uint16)


@dataclass(frozen=True, slots=True, eq=False)
class Components:
    """Cells (k,) of a mask, ordered by component."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    """Lattice columns. Within a component cells run row by row, until `share_out` reorders them."""
    sizes: list[int]
    """Cells of each component, at least 1."""

    @classmethod
    def of(cls, mask: Mask, window: Window) -> Components:
        """Returns components of a mask within a window, in OpenCV's order.

        OpenCV's statistics of the patches take longer than the labels.
        """
        part = mask[window]
        inside = np.flatnonzero(part > 0)
        owner = labels_of(part).take(inside)
        rows, columns = np.divmod(inside.take(np.argsort(owner, kind="stable")), part.shape[1])
        return cls(rows + window[0].start, columns + window[1].start, np.bincount(owner)[1:].tolist())

    def patches(self) -> Iterator[slice]:
        """Yields the slice of the cells of each component."""
        first = 0
        for size in self.sizes:
            yield slice(first, first + size)
            first += size

    def share_out(self, patch: slice, middles: NDArray[np.int64]) -> list[int]:
        """Divides a component's cells among the nearest of `middles` (p, 2) (column, row) and reorder them so; the
        number of cells of each part.
        """
        across, down = (self.columns[patch, None] - middles[:, 0], self.rows[patch, None] - middles[:, 1])
        owner = (across * across + down * down).argmin(1)
        order = np.argsort(owner, kind="stable")
        self.columns[patch], self.rows[patch] = self.columns[patch][order], self.rows[patch][order]
        shares: list[int] = np.bincount(owner).tolist()
        return shares

    def means(self, planes: Sequence[NDArray[Any]], sizes: Sequence[int]) -> F64:
        """Returns the means of column, row and planes (n, m) over consecutive runs of `sizes` cells, (2 +
        planes, p).
        """
        at = self.rows * planes[0].shape[1] + self.columns
        values = np.empty((2 + len(planes), len(at)))
        values[0], values[1] = self.columns, self.rows
        for row, plane in zip(values[2:], planes, strict=True):
            row[:] = plane.take(at)
        counts = np.array(sizes)
        return np.asarray(np.add.reduceat(values, np.cumsum(counts) - counts, axis=1) / counts)
