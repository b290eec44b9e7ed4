"""Estimates the bare board where it was never seen, from what is seen at the places that its symmetry maps there."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64
from calibration.geometry.lattice import Lattice
from calibration.geometry.picture import U8
from calibration.profile import Profile

LEVEL_MM = 60.0
"""Side of the square whose mean is the local colour of the board."""
LEAST_TWINS = 2
"""Least number of symmetric places that must be seen bare; one alone may be glare."""
REMAPPED_CELLS = 10_000
"""Most cells that one call of OpenCV interpolates."""
MAD_SIGMA = 1.4826
"""Standard deviation of a normal distribution in median absolute deviations."""
SYMMETRIES = tuple(np.array(m, np.float64) for m in (
    ((0, -1), (1, 0)), ((-1, 0), (0, -1)), ((0, 1), (-1, 0)),
    ((-1, 0), (0, 1)), ((1, 0), (0, -1)), ((0, 1), (1, 0)), ((0, -1), (-1, 0)),
))  # fmt: skip
"""Turns and mirror images that map the prints of a board onto themselves."""

Mask = NDArray[np.uint8]


class UnseenBoard:
    """Guesses the bare board at cells of a lattice at the height of the coins' tops."""

    def __init__(self, profile: Profile, lattice: Lattice) -> None:
        self._lattice = lattice
        eye = profile.camera.position
        self._lifted, self._eye = float(profile.board.coin_height / eye[2]), np.asarray(eye[:2], np.float64)

    def guessed(self, yuv: U8, hidden: Mask, seen: Mask) -> U8:
        """Returns samples (3, n, n) with the `hidden` cells (n, n) estimated from those `seen` bare (n, n).

        Cells are inpainted (Telea, 2004), which goes on with the grain. The median of a cell's symmetric places, each
        relative to the board around it, shows its print. It counts as far as it differs from the inpainted value by
        more than the places among themselves (the positive part of James and Stein's estimator, 1961).
        """
        out = np.stack([np.asarray(cv2.inpaint(plane, hidden, 5, cv2.INPAINT_TELEA), np.uint8) for plane in yuv])
        rows, columns = np.nonzero(hidden)
        if not len(rows):
            return out
        side = round(LEVEL_MM / self._lattice.step)
        level = np.stack([np.asarray(cv2.blur(plane, (side, side)), np.float32) for plane in out])
        cells = self._twins(self._lattice.to_board(np.column_stack([columns, rows])))
        relative = np.concatenate([yuv / np.maximum(level, 1.0), (seen > 0)[None]]).astype(np.float32)
        *planes, shown = (self._at(plane, cells) for plane in relative)
        bare = shown > 1.0 - 1e-3
        asked = bare.sum(0) >= LEAST_TWINS
        where = rows[asked], columns[asked]
        twins = np.where(bare, np.stack(planes), np.nan)[:, :, asked] * level[:, None, *where]
        likely = np.nanmedian(twins, 1)
        scatter = np.maximum(MAD_SIGMA * np.nanmedian(np.abs(twins - likely[:, None]), 1), 1.0)
        change = likely - out[:, *where]
        surprise = np.mean((change / scatter) ** 2, 0)
        change *= np.maximum(1.0 - 1.0 / np.maximum(surprise, 1e-6), 0.0)
        out[:, *where] = np.clip(out[:, *where] + change + 0.5, 0, 255)
        return out

    def _twins(self, points: F64) -> F64:
        """Returns the cells (7, k, 2) at which the prints appear that repeat those at `points` (k, 2), board mm."""
        flat = (points - self._lifted * self._eye) / (1.0 - self._lifted)
        each = [flat @ m.T for m in SYMMETRIES]
        return np.stack([self._lattice.to_cells(at + (self._eye - at) * self._lifted) for at in each])

    @staticmethod
    def _at(plane: NDArray[np.float32], cells: F64) -> NDArray[np.float32]:
        """Returns a plane (n, n) between its cells (7, k, 2); 0 outside."""
        parts = np.array_split(cells.astype(np.float32), 1 + cells.shape[1] // REMAPPED_CELLS, 1)
        return np.concatenate([cv2.remap(plane, part[..., 0], part[..., 1], cv2.INTER_LINEAR) for part in parts], 1)
