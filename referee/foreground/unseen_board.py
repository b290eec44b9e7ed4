"""Estimates the bare board where it was never seen, from what is seen at the places that its symmetry maps there."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import Camera
from calibration.geometry.lattice import Lattice
from calibration.geometry.least_squares import MAD_SIGMA
from calibration.geometry.picture import U8

LEVEL_MM = 60.0
"""Side of the square whose mean is the local colour of the board."""
LEAST_TWINS = 2
"""Least number of symmetric places that must be seen bare; one alone may be glare."""
SYMMETRIES = tuple(np.array(m, np.float64) for m in (
    ((0, -1), (1, 0)), ((-1, 0), (0, -1)), ((0, 1), (-1, 0)),
    ((-1, 0), (0, 1)), ((1, 0), (0, -1)), ((0, 1), (1, 0)), ((0, -1), (-1, 0)),
))  # fmt: skip
"""Turns and mirror images that map the prints of a board onto themselves."""

Mask = NDArray[np.uint8]


def guessed(lattice: Lattice, camera: Camera, yuv: U8, hidden: Mask, seen: Mask) -> U8:
    """Returns samples (3, n, n) of a lattice at the height of the coins' tops, the `hidden` cells (n, n) estimated from
    those `seen` bare (n, n).

    Cells are inpainted (Telea, 2004), which goes on with the grain. The median of a cell's symmetric places, each
    relative to the board around it, shows its print. It counts as far as it differs from the inpainted value by
    more than the places among themselves (the positive part of James and Stein's estimator, 1961).
    """
    out = np.stack([np.asarray(cv2.inpaint(plane, hidden, 5, cv2.INPAINT_TELEA), np.uint8) for plane in yuv])
    side = round(LEVEL_MM / lattice.step)
    level = np.stack([np.asarray(cv2.blur(plane, (side, side)), np.float32) for plane in out])
    relative = np.concatenate([yuv / np.maximum(level, 1.0), (seen > 0)[None]]).astype(np.float32)
    places = _twins(lattice, camera)
    twins = np.stack([[cv2.remap(plane, *maps, cv2.INTER_LINEAR) for plane in relative] for maps in places])
    bare = twins[:, -1] > 1.0 - 1e-3
    asked = (hidden > 0) & (bare.sum(0) >= LEAST_TWINS)
    shown = np.where(bare[:, None, asked], twins[:, :-1, asked], np.nan) * level[:, asked]
    likely = np.nanmedian(shown, 0)
    scatter = np.maximum(MAD_SIGMA * np.nanmedian(np.abs(shown - likely), 0), 1.0)
    change = likely - out[:, asked]
    surprise = np.mean((change / scatter) ** 2, 0)
    change *= np.maximum(1.0 - 1.0 / np.maximum(surprise, 1e-6), 0.0)
    out[:, asked] = np.clip(out[:, asked] + change + 0.5, 0, 255)
    return out


def _twins(lattice: Lattice, camera: Camera) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Yields for each symmetry columns and rows (n, n) at which the prints appear that repeat each cell's."""
    flat = camera.along_sight(np.stack(lattice.points(), -1).reshape(-1, 2), lattice.z, 0.0)
    for symmetry in SYMMETRIES:
        cells = lattice.to_cells(camera.along_sight(flat @ symmetry.T, 0.0, lattice.z))
        columns, rows = cells.astype(np.float32).T.reshape(2, *lattice.shape)
        yield np.ascontiguousarray(columns), np.ascontiguousarray(rows)
