"""Separates the errors that all windows of a mark share from those of single windows.

A printed line as a whole is slightly shifted and rotated, and a ring slightly shifted, so many windows on one line do
not count as many lines. Some shared errors have a preferred direction: the shadow beside a cushion lies on the board.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64


@dataclass(frozen=True, slots=True, eq=False)
class SharedErrors:
    """Errors that the windows of each mark have in common."""

    group: NDArray[np.int64]
    """Number of the mark to which each window belongs (n,)."""
    ways: F64
    """Error (n, 3) of each window, in its sigmas, for one sigma of each of three shared errors."""
    inward: F64
    """Scale (n,) of the first shared error where it is negative, relative to where it is positive."""

    def select(self, mask: NDArray[np.bool_]) -> SharedErrors:
        """Returns the windows where `mask` is true."""
        return SharedErrors(self.group[mask], self.ways[mask], self.inward[mask])


@dataclass(frozen=True, slots=True, eq=False)
class Whitening:
    """Separates residuals into each mark's shared errors, in their sigmas, and what remains of its windows."""

    blocks: tuple[tuple[NDArray[np.int64], F64, F64, float], ...]
    """For each mark: its windows' indices (m,), an orthonormal basis (m, k) of its shared errors, the matrix (k, k)
    that makes them independent, and the relative scale of the first one where negative."""

    def __call__(self, residuals: F64) -> F64:
        """Returns independent residuals (..., n + 3 * marks) for those of the windows (..., n)."""
        parts = []
        for rows, basis, apart, inward in self.blocks:
            own = residuals[..., rows]
            common = own @ basis
            shared = common @ apart
            # A smooth step, as the covariance follows from the slopes at the solution.
            shared[..., 0] /= 1.0 + (inward - 1.0) / (1.0 + np.exp(4.0 * np.clip(shared[..., 0], -20.0, 20.0)))
            parts += [own - common @ basis.T, shared]
        return np.concatenate(parts, axis=-1)


def whitening(shared: SharedErrors) -> Whitening:
    """Returns the whitening transform for errors `shared` by the windows of each mark."""
    blocks = []
    for group in np.unique(shared.group):
        rows = np.flatnonzero(shared.group == group)
        basis, size = np.linalg.qr(shared.ways[rows])
        # A basis whose first vector points outward like the first shared error.
        basis, size = basis * np.where(size[0, 0] < 0.0, -1.0, 1.0), size * np.where(size[0, 0] < 0.0, -1.0, 1.0)
        root = np.linalg.cholesky(np.eye(len(size)) + size @ size.T)
        blocks.append((rows, basis, np.asarray(np.linalg.inv(root).T), float(shared.inward[rows[0]])))
    return Whitening(tuple(blocks))
