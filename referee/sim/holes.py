"""Pocket openings: where coins lie in the nets, and which part of them is visible from above."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import Camera
from models.board import BoardModel
from models.pieces import Pocket
from referee.sim.discs import Sprite
from referee.sim.stage import pocket_centre
from referee.sim.texture import circle

HOLES_ASIDE_MM = 12.0
"""Distance of coins from the middle of their net, mm."""
HOLES_SHIFT = 4
"""Fractional bits of OpenCV's drawing coordinates."""


class PocketOpenings:
    """The four openings in one camera's picture."""

    def __init__(self, camera: Camera, board: BoardModel) -> None:
        self._centres = np.array([pocket_centre(board, pocket) for pocket in Pocket])
        self._open = np.zeros((camera.height, camera.width), np.uint8)
        for x, y in self._centres:
            rim = camera.to_pixels(circle((float(x), float(y)), board.pocket_diameter / 2))
            cv2.fillPoly(
                self._open, [np.round(rim * (1 << HOLES_SHIFT)).astype(np.int32)], 255, cv2.LINE_AA, HOLES_SHIFT
            )

    def place(self, disc: int, fell_at: NDArray[np.float64]) -> tuple[float, float]:
        """Returns where piece number `disc` lies, board mm, after it fell near `fell_at` (2,)."""
        x, y = self._centres[int(np.argmin(np.hypot(*(self._centres - fell_at).T)))]
        return float(x) + HOLES_ASIDE_MM * math.cos(2.4 * disc), float(y) + HOLES_ASIDE_MM * math.sin(2.4 * disc)

    def within(self, sprite: Sprite) -> Sprite:
        """Returns the part of a sprite visible through the openings. It throws no shadow."""
        if sprite.patch.is_empty:
            return sprite
        visible = self._open[sprite.patch.slices].astype(np.float32)[..., None] / 255.0
        return Sprite(sprite.patch, np.zeros_like(sprite.shadow), sprite.disc * visible)
