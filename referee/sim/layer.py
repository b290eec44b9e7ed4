"""Transparent layers: shapes drawn finely, reduced to the picture's pixels and blended into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.sim.viewpoint import Bgr

U8 = NDArray[np.uint8]
F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

LAYER_SHIFT = 4
"""Fractional bits of OpenCV's drawing coordinates."""

TO_YUV = np.array([
    [0.098, 0.504, 0.257, 16.0],
    [0.439, -0.291, -0.148, 128.0],
    [-0.071, -0.368, 0.439, 128.0],
])  # fmt: skip
"""ITU-R BT.601 in video range, from blue, green, red."""


@dataclass(frozen=True, slots=True)
class Patch:
    """A rectangle of the picture with even corners, so that 4:2:0 chroma samples stay whole."""

    left: int
    top: int
    right: int
    bottom: int

    @classmethod
    def around(cls, outline: F64, margin: float, width: int, height: int) -> Patch:
        """Returns the patch that holds points (n, 2) and a margin, clipped to the picture."""
        low, high = outline.min(axis=0) - margin, outline.max(axis=0) + margin
        left = min(max(int(low[0]) // 2 * 2, 0), width)
        top = min(max(int(low[1]) // 2 * 2, 0), height)
        right = max(min((int(high[0]) + 3) // 2 * 2, width), left)
        bottom = max(min((int(high[1]) + 3) // 2 * 2, height), top)
        return cls(left, top, right, bottom)

    def common(self, other: Patch) -> Patch:
        """Returns the intersection of two patches; empty when they are apart."""
        return Patch(max(self.left, other.left), max(self.top, other.top),
                     min(self.right, other.right), min(self.bottom, other.bottom))  # fmt: skip

    @property
    def is_empty(self) -> bool:
        return self.right <= self.left or self.bottom <= self.top

    @property
    def slices(self) -> tuple[slice, slice]:
        """Rows and columns in the full picture."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    @property
    def half_slices(self) -> tuple[slice, slice]:
        """Rows and columns in the chroma planes."""
        return slice(self.top // 2, self.bottom // 2), slice(self.left // 2, self.right // 2)


class Layer:
    """A drawing over one patch, with `fine` samples along each side of a pixel, and its coverage."""

    def __init__(self, patch: Patch, fine: int) -> None:
        self.patch, self.fine = patch, fine
        shape = ((patch.bottom - patch.top) * fine, (patch.right - patch.left) * fine, 4)
        self._image = np.zeros(shape, np.uint8)

    def fill(self, outlines: Sequence[F64], colour: Bgr) -> None:
        """Fills the area between outlines (n, 2) in picture pixels; the second one is a hole in the first."""
        cv2.fillPoly(self._image, [self._fixed(o) for o in outlines], (*colour, 255), cv2.LINE_8, LAYER_SHIFT)

    def soften(self, pixels: float) -> None:
        """Blurs everything drawn so far by about `pixels` of the picture."""
        size = max(round(pixels * self.fine), 1) * 2 + 1
        self._image = np.asarray(cv2.blur(self._image, (size, size)), np.uint8)

    def covered(self) -> F32:
        """Returns colours times coverage, and coverage (h, w, 4), all 0-255."""
        h, w = self._image.shape[0] // self.fine, self._image.shape[1] // self.fine
        return np.asarray(cv2.resize(self._image, (w, h), interpolation=cv2.INTER_AREA), np.float32)

    def _fixed(self, outline: F64) -> NDArray[np.int32]:
        corner = np.array([self.patch.left, self.patch.top])
        samples = (outline - corner + 0.5) * self.fine - 0.5
        return np.asarray(np.round(samples * (1 << LAYER_SHIFT)), np.int32)


def blend(image: U8, patch: Patch, covered: F32, share: float = 1.0, within: Patch | None = None) -> None:
    """Blends a layer into the picture, in place; only `within` a patch if one is given.

    A `share` below 1 makes the layer translucent.
    """
    part = patch if within is None else patch.common(within)
    if part.is_empty:
        return
    piece = covered[part.top - patch.top : part.bottom - patch.top, part.left - patch.left : part.right - patch.left]
    through = cv2.merge([1.0 - cv2.extractChannel(piece, 3) * np.float32(share / 255.0)] * 3)
    under = cv2.multiply(image[part.slices], through, dtype=cv2.CV_32F)
    image[part.slices] = cv2.scaleAdd(cv2.cvtColor(piece, cv2.COLOR_BGRA2BGR), share, under) + np.float32(0.5)


def planes(image: U8) -> tuple[U8, U8, U8]:
    """Returns video-range Y (h, w), U and V (h / 2, w / 2) of a picture (h, w, 3) of even size."""
    yuv = cv2.transform(image, TO_YUV)
    y, chroma = cv2.extractChannel(yuv, 0), yuv[..., 1:]
    half = cv2.resize(chroma, (image.shape[1] // 2, image.shape[0] // 2), interpolation=cv2.INTER_AREA)
    u, v = cv2.split(half)
    return np.asarray(y, np.uint8), np.asarray(u, np.uint8), np.asarray(v, np.uint8)
