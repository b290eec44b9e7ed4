"""The camera's chip: brightness, flicker of the lamp and noise."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.picture import Picture

U8 = NDArray[np.uint8]

SLACK_PX = 64
"""How much larger than the picture the noise tiles are, so that each frame cuts another piece."""
BLACK = 16.0
"""Luma of black in video range."""
STRIDES = (37, 53)
"""Steps by which the cut moves from frame to frame; coprime with the slack, so it returns late."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """How pictures are taken."""

    exposure_s: float = 0.004
    """Shutter time; sliding discs blur over it."""
    gain: float = 1.0
    """Brightness against a well exposed picture."""
    noise: float = 1.6
    """Spread of the luma noise, grey levels; chroma has half of it."""
    flicker: float = 0.0
    """Share by which the lamp's light swings."""
    mains_hz: float = 50.0
    """The lamp swings twice in each period of the mains."""


class Sensor:
    """Turns planes of perfect light into planes of a real chip."""

    def __init__(self, width: int, height: int, exposure: Exposure, rng: np.random.Generator) -> None:
        self._exposure = exposure
        shape = (height + SLACK_PX, width + SLACK_PX)
        self._luma = _tiles(shape, exposure.noise, rng)
        self._chroma = _tiles((shape[0] // 2, shape[1] // 2), exposure.noise / 2, rng)

    def expose(self, y: U8, u: U8, v: U8, t: float, index: int) -> Picture:
        """The picture of frame `index`, exposed around time t; the planes given are changed in place."""
        swing = math.sin(2 * math.tau * self._exposure.mains_hz * t)
        gain = self._exposure.gain * (1 + self._exposure.flicker * swing)
        if gain != 1.0:
            y = np.asarray(cv2.convertScaleAbs(y, alpha=gain, beta=BLACK * (1 - gain)), np.uint8)
        if self._exposure.noise > 0:
            _add_noise(y, self._luma, index)
            _add_noise(u, self._chroma, 2 * index)
            _add_noise(v, self._chroma, 2 * index + 1)
        return Picture(y, u, v)


def _tiles(shape: tuple[int, int], sigma: float, rng: np.random.Generator) -> tuple[U8, U8]:
    """What noise adds and what it takes away, so that both are saturating steps on bytes."""
    noise = np.round(rng.standard_normal(shape, np.float32) * np.float32(sigma))
    return np.maximum(noise, 0).astype(np.uint8), np.maximum(-noise, 0).astype(np.uint8)


def _add_noise(plane: U8, tiles: tuple[U8, U8], index: int) -> None:
    h, w = plane.shape
    row, column = (STRIDES[0] * index) % (tiles[0].shape[0] - h + 1), (STRIDES[1] * index) % (tiles[0].shape[1] - w + 1)
    piece = slice(row, row + h), slice(column, column + w)
    cv2.add(plane, tiles[0][piece], plane)
    cv2.subtract(plane, tiles[1][piece], plane)
