"""One picture as a camera delivers it: planar YUV 4:2:0, never copied."""

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
    """How far a camera that sways or hunts for its focus shows the board from where the profile's camera shows it."""

    right: float = 0.0
    down: float = 0.0
    """Pixels, at the picture's middle."""
    turn: float = 0.0
    """Clockwise as seen in the picture, rad."""
    zoom: float = 0.0
    """By how much of their distance from the middle all things lie farther from it."""
    middle: tuple[float, float] = (0.0, 0.0)
    """Column and row about which the picture turns and grows."""

    def after(self, other: SimilarityTransform) -> SimilarityTransform:
        """Both together; both are small, and about the same middle."""
        return SimilarityTransform(
            self.right + other.right,
            self.down + other.down,
            self.turn + other.turn,
            self.zoom + other.zoom,
            self.middle,
        )

    def less(self, other: SimilarityTransform) -> SimilarityTransform:
        """This sway as seen where `other` is none."""
        return self.after(SimilarityTransform(-other.right, -other.down, -other.turn, -other.zoom))

    def reach(self, px: float) -> float:
        """By how many pixels at most anything moves within so many pixels of the middle."""
        return math.hypot(self.right, self.down) + px * math.hypot(self.turn, self.zoom)

    def moved(self, px: NDArray[Real]) -> NDArray[Real]:
        """Pixels (..., 2) where the swaying camera shows what the still one shows at `px`."""
        return np.asarray(np.stack(self.moved_to(px[..., 0], px[..., 1]), -1), px.dtype)

    def moved_to(self, column: At, row: At) -> tuple[At, At]:
        """The same for one pixel, or for columns and rows of some."""
        x, y = column - self.middle[0], row - self.middle[1]
        return column + (self.right + self.zoom * x - self.turn * y), row + (self.down + self.zoom * y + self.turn * x)


@dataclass(frozen=True, slots=True)
class Picture:
    """Planes of one picture; views into the decoder's or the camera's buffer, so treat them as read-only."""

    y: U8
    """Luma (height, width)."""
    u: U8
    """Blue difference (height / 2, width / 2)."""
    v: U8
    """Red difference (height / 2, width / 2)."""
    full_range: bool = False
    """Luma spans 0-255 (JPEG) instead of 16-235 (video)."""
    sway: SimilarityTransform | None = None
    """Where known, how far the camera had swayed; whoever looks a profile's points up heeds it."""

    @property
    def height(self) -> int:
        return int(self.y.shape[0])

    @property
    def width(self) -> int:
        return int(self.y.shape[1])

    def at(self, columns: F32, rows: F32) -> tuple[F32, F32]:
        """Columns and rows (n, k) that show what a camera that had not swayed shows at those given."""
        return (columns, rows) if self.sway is None else self.sway.moved_to(columns, rows)

    def bgr(self) -> U8:
        """The picture (height, width, 3) for people to look at; a whole-frame conversion, so not for the hot path."""
        yuv = np.concatenate([self.y.ravel(), self.u.ravel(), self.v.ravel()]).reshape(-1, self.width)
        if self.full_range:
            y, u, v = self.y.astype(np.float32), self._large(self.u), self._large(self.v)
            rgb = (y + 1.772 * u, y - 0.344 * u - 0.714 * v, y + 1.402 * v)
            return np.clip(np.stack(rgb, -1) + 0.5, 0, 255).astype(np.uint8)
        return np.asarray(cv2.cvtColor(yuv, cv2.COLOR_YUV2BGR_I420), np.uint8)

    def _large(self, plane: U8) -> NDArray[np.float32]:
        return np.asarray(cv2.resize(plane, (self.width, self.height)), np.float32) - 128.0


def picture_from_bgr(bgr: U8) -> Picture:
    """A still (height, width, 3) as planes; an odd last row or column is cut, since chroma comes in pairs."""
    even = np.ascontiguousarray(bgr[: bgr.shape[0] // 2 * 2, : bgr.shape[1] // 2 * 2])
    ycc = cv2.cvtColor(even, cv2.COLOR_BGR2YCrCb)
    half = (even.shape[1] // 2, even.shape[0] // 2)
    u = cv2.resize(ycc[..., 2], half, interpolation=cv2.INTER_AREA)
    v = cv2.resize(ycc[..., 1], half, interpolation=cv2.INTER_AREA)
    return Picture(np.ascontiguousarray(ycc[..., 0]), np.asarray(u, np.uint8), np.asarray(v, np.uint8), full_range=True)
