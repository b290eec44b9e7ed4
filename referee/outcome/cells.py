"""Stores a mask of the board in coarse squares, small enough to be recorded with every stroke."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Cells:
    """A mask of hidden squares of the board; the first row is the north edge, the first column the west edge."""

    half_mm: float
    """Distance from the board's centre to the outer edge of the squares."""
    side: int
    """Number of squares in a row."""
    packed: str
    """One bit per square, row by row, in hexadecimal digits."""

    @classmethod
    def of(cls, mask: NDArray[np.uint8], half_mm: float, side: int) -> Cells:
        """Reduces a mask (n, n), nonzero where hidden, to side x side squares.

        The mask reaches `half_mm` from the board's centre. A square is hidden if any part of it is.
        """
        small = cv2.resize((mask > 0).astype(np.float32), (side, side), interpolation=cv2.INTER_AREA)
        return cls(half_mm, side, np.packbits(small > 0).tobytes().hex())

    @property
    def hidden(self) -> Bools:
        """Returns the mask (side, side), true where hidden."""
        return _unpacked(self.packed, self.side)

    def share(self, x_mm: float, y_mm: float, radius_mm: float, within_mm: float) -> float:
        """Returns the hidden share (0 to 1) of the squares with centres in a circle.

        Squares whose centres lie `within_mm` or more from one of the board's axes are left out. If none remains, the
        nearest one counts.
        """
        x, y = _middles(self.half_mm, self.side)
        near = (np.hypot(x - x_mm, y - y_mm) < radius_mm) & (np.maximum(np.abs(x), np.abs(y)) < within_mm)
        if not near.any():
            near = np.hypot(x - x_mm, y - y_mm) <= np.hypot(x - x_mm, y - y_mm).min()
        return float(np.mean(self.hidden[near]))


@lru_cache(maxsize=64)
def _unpacked(packed: str, side: int) -> Bools:
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(packed), np.uint8), count=side * side)
    return bits.reshape(side, side).astype(np.bool_)


@lru_cache(maxsize=4)
def _middles(half_mm: float, side: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    step = 2 * half_mm / side
    along = -half_mm + step * (np.arange(side) + 0.5)
    x, y = np.meshgrid(along, -along)
    return x, y
