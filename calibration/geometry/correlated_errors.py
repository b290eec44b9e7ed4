"""Whitens residuals whose errors are correlated within a mark, so that many windows on one line do not count as many
lines.

A printed line as a whole is slightly shifted and rotated, and a ring slightly shifted. With unit scatter of the single
windows (residuals divided by their sigmas) and shared errors Z, residuals are multiplied by (I + Z Z')^(-1/2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """Errors that the windows of each mark have in common."""

    group: NDArray[np.int64]
    """Number of the mark to which each window belongs (n,)."""
    ways: F64
    """Error (n, 3) of each window, in its sigmas, for one sigma of each of three shared errors."""

    def select(self, mask: NDArray[np.bool_]) -> Shared:
        """Returns the windows where `mask` is true."""
        return Shared(self.group[mask], self.ways[mask])


@dataclass(frozen=True, slots=True, eq=False)
class Whitening:
    """Whitening transform of residuals: one symmetric block for each mark, with the indices of its windows."""

    blocks: tuple[tuple[NDArray[np.int64], F64], ...]

    def __call__(self, residuals: F64) -> F64:
        """Returns whitened residuals (..., n)."""
        out = np.empty_like(residuals)
        for rows, block in self.blocks:
            # The blocks are symmetric.
            out[..., rows] = residuals[..., rows] @ block
        return out


def whitening(shared: Shared) -> Whitening:
    """Returns the whitening transform for errors `shared` by the windows of each mark."""
    blocks = []
    for group in np.unique(shared.group):
        rows = np.flatnonzero(shared.group == group)
        z = shared.ways[rows]
        values, vectors = np.linalg.eigh(np.eye(len(rows)) + z @ z.T)
        blocks.append((rows, np.asarray(vectors / np.sqrt(values) @ vectors.T)))
    return Whitening(tuple(blocks))
