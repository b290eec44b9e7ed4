"""Converts picture levels to light: lenses and pixels add light, cameras store about its 2.2nd root (IEC 61966-2-1)."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

U8 = NDArray[np.uint8]
F32 = NDArray[np.float32]

TONE = 2.2
TONE_MOST = 65535
"""Light of level 255."""


def shrunk(image: F32, width: int, height: int) -> F32:
    """Returns a picture of levels (h, w, 3) in fewer pixels, each with the mean light of those that it covers."""
    light = np.power(np.maximum(image, 0) / np.float32(255), np.float32(TONE))
    small = np.asarray(cv2.resize(light, (width, height), interpolation=cv2.INTER_AREA), np.float32)
    return np.asarray(255 * np.power(small, np.float32(1 / TONE)), np.float32)


def blurred(plane: U8, spread_px: float) -> U8:
    """Returns a plane of levels out of focus."""
    light, levels = _tables()
    soft = np.asarray(cv2.GaussianBlur(light.take(plane), (0, 0), spread_px), np.uint16)
    return levels.take(soft)


@cache
def _tables() -> tuple[NDArray[np.uint16], U8]:
    """Returns the light (256,) of each level, and the level (65536,) of each light."""
    light = np.rint(TONE_MOST * (np.arange(256) / 255.0) ** TONE).astype(np.uint16)
    return light, np.rint(255 * (np.arange(TONE_MOST + 1) / TONE_MOST) ** (1 / TONE)).astype(np.uint8)
