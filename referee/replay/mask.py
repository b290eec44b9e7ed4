"""Paints over everything beyond the board's frame in a picture before it is encoded."""

from __future__ import annotations

import cv2
import numpy as np
from av.video.frame import VideoFrame
from numpy.typing import NDArray

from calibration.geometry.camera import Camera
from models.board import BoardModel
from referee.replay.encoder import pixels_of

MASK_MARGIN_MM = 10.0
"""Width around the frame that is not painted over, since the frame's outer edge is not measured."""
MASK_STEPS = 16
"""Points along each side of the outline, which a lens with distortion bends."""
MASK_GREY = 128
"""Value of all three planes in the paint: no colour, middle brightness."""

Bools = NDArray[np.bool_]


class SurroundingsMask:
    """Pixels that show what lies beyond the frame, for one pose of the camera."""

    def __init__(self, camera: Camera, board: BoardModel) -> None:
        self.camera = camera
        reach = board.half + board.frame_width + MASK_MARGIN_MM
        side = np.column_stack([np.linspace(-reach, reach, MASK_STEPS, endpoint=False), np.full(MASK_STEPS, -reach)])
        turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
        outline = np.concatenate([side @ np.linalg.matrix_power(turn, k) for k in range(4)])
        shown = np.zeros((camera.height, camera.width), np.uint8)
        cv2.fillPoly(shown, [np.rint(camera.to_pixels(outline)).astype(np.int32)], 1)
        self._beyond: Bools = shown == 0
        self._beyond_half: Bools = self._beyond[::2, ::2]

    def paint(self, frame: VideoFrame) -> None:
        """Paints over the pixels beyond the frame, in place."""
        for plane, beyond in zip(frame.planes, (self._beyond, self._beyond_half, self._beyond_half), strict=True):
            pixels_of(plane)[beyond] = MASK_GREY
