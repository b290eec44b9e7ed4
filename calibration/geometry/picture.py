"""Holds one picture as delivered by a camera: planar YUV 4:2:0, without copying it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

U8 = NDArray[np.uint8]
F32 = NDArray[np.float32]
Real = TypeVar("Real", np.float32, np.float64)
At = TypeVar("At", float, NDArray[np.float32], NDArray[np.float64])


@dataclass(frozen=True, slots=True)
class SimilarityTransform:
    """Displacement of the picture relative to the profile's camera, when the camera sways or its autofocus hunts."""

    right: float = 0.0
    down: float = 0.0
    """Displacement down, pixels, at the picture's centre, like `right`."""
    turn: float = 0.0
    """Rotation, clockwise as seen in the picture, rad."""
    zoom: float = 0.0
    """Relative magnification about the centre; 0 is none, 0.01 enlarges by 1 %."""
    middle: tuple[float, float] = (0.0, 0.0)
    """Column and row of the centre of rotation and magnification."""

    def after(self, other: SimilarityTransform) -> SimilarityTransform:
        """Returns the sum of both displacements, which must be small and about the same centre."""
        return SimilarityTransform(
            self.right + other.right,
            self.down + other.down,
            self.turn + other.turn,
            self.zoom + other.zoom,
            self.middle,
        )

    def less(self, other: SimilarityTransform) -> SimilarityTransform:
        """Returns this displacement relative to `other`."""
        return self.after(SimilarityTransform(-other.right, -other.down, -other.turn, -other.zoom))

    def reach(self, px: float) -> float:
        """Returns the greatest movement, in pixels, of any point within `px` pixels of the centre."""
        return math.hypot(self.right, self.down) + px * math.hypot(self.turn, self.zoom)

    def moved(self, px: NDArray[Real]) -> NDArray[Real]:
        """Returns the pixels (..., 2) at which the swayed camera shows what the still one shows at `px`."""
        return np.asarray(np.stack(self.moved_to(px[..., 0], px[..., 1]), -1), px.dtype)

    def moved_to(self, column: At, row: At) -> tuple[At, At]:
        """Returns the same as `moved`, for a column and a row or arrays of them."""
        x, y = column - self.middle[0], row - self.middle[1]
        return column + (self.right + self.zoom * x - self.turn * y), row + (self.down + self.zoom * y + self.turn * x)


@dataclass(frozen=True, slots=True)
class Picture:
    """Planes of one picture. They are views into the decoder's or the camera's buffer, so treat them as read-only."""

    y: U8
    """Luma (height, width)."""
    u: U8
    """Blue difference (height / 2, width / 2)."""
    v: U8
    """Red difference (height / 2, width / 2)."""
    full_range: bool = False
    """Luma spans 0-255 (JPEG) instead of 16-235 (video)."""
    sway: SimilarityTransform | None = None
    """Displacement of the camera, where known; code that looks up a profile's points must correct for it."""

    @property
    def height(self) -> int:
        return int(self.y.shape[0])

    @property
    def width(self) -> int:
        return int(self.y.shape[1])

    def at(self, columns: F32, rows: F32) -> tuple[F32, F32]:
        """Returns the columns and rows (n, k) that show what a still camera shows at the given ones."""
        return (columns, rows) if self.sway is None else self.sway.moved_to(columns, rows)

    def bgr(self) -> U8:
        """Returns the picture as BGR (height, width, 3) for display; it converts the whole frame, so avoid it per
        frame.
        """
        yuv = np.concatenate([self.y.ravel(), self.u.ravel(), self.v.ravel()]).reshape(-1, self.width)
        if self.full_range:
            y, u, v = self.y.astype(np.float32), self._large(self.u), self._large(self.v)
            rgb = (y + 1.772 * u, y - 0.344 * u - 0.714 * v, y + 1.402 * v)
            return np.clip(np.stack(rgb, -1) + 0.5, 0, 255).astype(np.uint8)
        return np.asarray(cv2.cvtColor(yuv, cv2.COLOR_YUV2BGR_I420), np.uint8)

    def _large(self, plane: U8) -> NDArray[np.float32]:
        return np.asarray(cv2.resize(plane, (self.width, self.height)), np.float32) - 128.0


def picture_from_bgr(bgr: U8) -> Picture:
    """Returns a BGR image (height, width, 3) as planes, without an odd last row or column, because chroma is halved."""
    even = np.ascontiguousarray(bgr[: bgr.shape[0] // 2 * 2, : bgr.shape[1] // 2 * 2])
    ycc = cv2.cvtColor(even, cv2.COLOR_BGR2YCrCb)
    half = (even.shape[1] // 2, even.shape[0] // 2)
    u = cv2.resize(ycc[..., 2], half, interpolation=cv2.INTER_AREA)
    v = cv2.resize(ycc[..., 1], half, interpolation=cv2.INTER_AREA)
    return Picture(np.ascontiguousarray(ycc[..., 0]), np.asarray(u, np.uint8), np.asarray(v, np.uint8), full_range=True)
