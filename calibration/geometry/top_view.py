"""Computes a top view of the playing surface, slightly blurred against wood grain, and interpolates its tones."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.find_board.edge_maps import F32
from calibration.geometry.camera import F64, Camera
from calibration.geometry.lattice import Lattice
from calibration.geometry.picture import Picture

VIEW_STEP_MM, BLUR = 1.5, 0.7
"""Spacing of the top view's points in mm, and its blur (sigma) in points; it suppresses grain but keeps rims."""


@dataclass(frozen=True, slots=True, eq=False)
class Above:
    """Blurred top view Y, U, V (3, n, n) of a square about the board's centre."""

    lattice: Lattice
    yuv: list[F32]

    @classmethod
    def of(cls, picture: Picture, camera: Camera, half_mm: float) -> Above:
        """Returns the top view of all points within `half_mm` of the board's centre along both axes."""
        lattice = Lattice.over(camera, half_mm, VIEW_STEP_MM, 0.0)
        sampled = lattice.sample(picture).astype(np.float32)
        return cls(lattice, [np.asarray(cv2.GaussianBlur(p, (0, 0), BLUR), np.float32) for p in sampled])

    def tones(self, points: F64) -> F32:
        """Returns Y, U, V (3, ...) at board points (..., 2) mm; beyond the square, the values at its edge."""
        return self.lattice.between(self.yuv, points)
