"""Puts the image tiles around some discs into one mosaic, square below square, so that all are measured at once.

One disc costs the interpreter as much as a dozen; each has a square of its own, whichever frame it is from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64
from calibration.geometry.picture import F32, U8
from referee.replay.tiles import TILE_PX, FrameTiles, strips


@dataclass(frozen=True, slots=True, eq=False)
class Mosaic:
    """Squares of tiles, black where no tile was retained."""

    y: U8
    """Luma (n * side, side)."""
    u: U8
    """Blue difference (n * side / 2, side / 2)."""
    v: U8
    """Red difference, as `u`."""
    first: NDArray[np.int64]
    """Column and row (n, 2) of the camera's picture at which each square begins."""

    @classmethod
    def of(cls, cutouts: Sequence[FrameTiles], px: F64, reach: float, width: int) -> Mosaic:
        """Returns a square for each cutout with all pixels within `reach` of its point of `px` (n, 2).

        `width`: that of the camera's picture, in pixels.
        """
        across = width // TILE_PX
        tiles = int(2 * reach) // TILE_PX + 2
        first = np.floor((px - reach) / TILE_PX).astype(np.int64)
        down = np.arange(tiles)
        planes: list[U8] = [np.zeros((len(px) * tiles * side, tiles * side), np.uint8)
                            for side in (TILE_PX, TILE_PX // 2, TILE_PX // 2)]  # fmt: skip
        squares = [strips(plane, plane.shape[1] // tiles) for plane in planes]
        for i, (cutout, (column, row)) in enumerate(zip(cutouts, first.tolist(), strict=True)):
            numbers = (row + down)[:, None] * across + column + down
            at = np.minimum(np.searchsorted(cutout.numbers, numbers), len(cutout.numbers) - 1)
            inside = (cutout.numbers[at] == numbers) & (column + down >= 0) & (column + down < across)
            rows, columns = np.nonzero(inside)
            for square, plane in zip(squares, (cutout.y, cutout.u, cutout.v), strict=True):
                here = plane[at[inside]].reshape(-1, plane[0].size)
                square[rows + i * tiles, :, columns] = here.view(square.dtype)
        return cls(planes[0], planes[1], planes[2], first * TILE_PX)

    def at(self, columns: F32, rows: F32) -> tuple[F32, F32]:
        """Converts columns and rows (n, k) in each square's own picture to those in the mosaic."""
        below = np.arange(len(self.first)) * self.y.shape[1]
        moved = columns - self.first[:, :1], rows - (self.first[:, 1] - below)[:, None]
        return np.asarray(moved[0], np.float32), np.asarray(moved[1], np.float32)
