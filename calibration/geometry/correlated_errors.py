"""Errors that the windows of one mark share, so that many windows on one line do not count as many lines.

A whole printed line lies a little off and askew, a whole ring a little beside its place. With unit scatter of the
windows themselves (residuals divided by their sigmas) and shared errors Z, residuals are multiplied by
(I + Z Z')^(-1/2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """How the windows of each mark err together."""

    group: NDArray[np.int64]
    """Which mark each window belongs to (n,)."""
    ways: F64
    """Error (n, 3), in the windows' sigmas, that one sigma of each of three shared errors makes."""

    def select(self, mask: NDArray[np.bool_]) -> Shared:
        """The windows where `mask` holds."""
        return Shared(self.group[mask], self.ways[mask])


@dataclass(frozen=True, slots=True, eq=False)
class Whitening:
    """Square blocks to multiply residuals with."""

    blocks: tuple[tuple[NDArray[np.int64], F64], ...]

    def __call__(self, residuals: F64) -> F64:
        """Residuals (..., n) with their shared errors taken out of the weight."""
        out = np.empty_like(residuals)
        for rows, block in self.blocks:
            # The blocks are symmetric.
            out[..., rows] = residuals[..., rows] @ block
        return out


def whitening(shared: Shared) -> Whitening:
    """The blocks of `shared`, one a mark."""
    blocks = []
    for group in np.unique(shared.group):
        rows = np.flatnonzero(shared.group == group)
        z = shared.ways[rows]
        values, vectors = np.linalg.eigh(np.eye(len(rows)) + z @ z.T)
        blocks.append((rows, np.asarray(vectors / np.sqrt(values) @ vectors.T)))
    return Whitening(tuple(blocks))
