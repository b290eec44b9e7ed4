"""The camera's sensor: brightness, flicker of the lamp and noise."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.picture import Picture
from referee.sim.tone import blurred
from referee.sim.trouble import PictureTrouble, swing

U8 = NDArray[np.uint8]
F32 = NDArray[np.float32]
CALM = PictureTrouble()

SLACK_PX = 64
"""Excess size of the noise tiles over the picture, px. Each frame cuts another piece."""
NOISE_BLACK = 16.0
"""Luma of black in video range."""
NOISE_GREY = 128.0
"""Chroma level of grey."""
WHITE_SPAN = 219.0
"""Luma levels from black to white in video range."""
STRIDES = (37, 53)
"""Steps by which the cut moves from frame to frame. They are coprime with the slack, so that it repeats late."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """Settings of the camera and its errors."""

    exposure_s: float = 0.004
    """Shutter time, s. Sliding discs blur over it."""
    gain: float = 1.0
    """Brightness relative to a well exposed picture."""
    noise: float = 1.6
    """Standard deviation of luma noise, grey levels; chroma has half of it."""
    flicker: float = 0.0
    """Amplitude of the lamp's flicker, as a share of its light."""
    mains_hz: float = 50.0
    """Mains frequency; the lamp flickers twice in each period."""
    readout_s: float = 0.0
    """Time from the first to the last row of a rolling shutter; 0 for a global one."""
    gamma: float = 1.0
    """Exponent of the brightness curve; above 1 darkens the middle tones."""
    saturation: float = 1.0
    """Factor on chroma."""
    tint: tuple[float, float] = (0.0, 0.0)
    """Levels that a wrong white balance adds to the blue and red difference."""
    focus_px: float = 0.0
    """Standard deviation of the blur of a lens out of focus, px."""


class Sensor:
    """Turns ideal planes into those of a real sensor."""

    def __init__(self, width: int, height: int, exposure: Exposure, rng: np.random.Generator,
                 trouble: PictureTrouble = CALM) -> None:  # fmt: skip
        self._exposure, self._trouble = exposure, trouble
        shape = (height + SLACK_PX, width + SLACK_PX)
        self._luma = _tiles(shape, exposure.noise, rng)
        self._chroma = _tiles((shape[0] // 2, shape[1] // 2), exposure.noise / 2, rng)

    def expose(self, y: U8, u: U8, v: U8, t: float, index: int) -> Picture:
        """Returns the picture of frame `index`, exposed around time t; the given planes are changed in place."""
        e, trouble = self._exposure, self._trouble
        focus = math.hypot(e.focus_px, trouble.focus_px.at(t))
        if focus > 0:
            y, u, v = _blurred(y, u, v, focus)
        # Less light makes less of a colour too.
        for share in self._shares(t, *y.shape):
            y = _dimmed(y, share)
            u, v = (_dimmed(c, share[::2, ::2], NOISE_GREY) for c in (u, v))
        light = trouble.lamp.at(t) * (1 if e.readout_s else 1 + e.flicker * swing(t, e.mains_hz))
        if e.gain * light != 1.0 or e.gamma != 1.0:
            y = np.asarray(cv2.LUT(y, _bent(e.gain * light, e.gamma)), np.uint8)
        tint = e.tint[0] + trouble.blue.at(t), e.tint[1] + trouble.red.at(t)
        saturation = e.saturation * light
        if saturation != 1.0 or tint != (0.0, 0.0):
            u, v = (_dyed(c, saturation, shift) for c, shift in zip((u, v), tint, strict=True))
        if e.noise > 0:
            _add_noise(y, self._luma, index)
            _add_noise(u, self._chroma, 2 * index)
            _add_noise(v, self._chroma, 2 * index + 1)
        return Picture(y, u, v)

    def _shares(self, t: float, height: int, width: int) -> Iterator[F32]:
        """Yields shares of the light at time t, (h, w) or (h, 1): a passer-by's shadow, and the lamp's flicker, which a
        rolling shutter records as bands.
        """
        e, passer = self._exposure, self._trouble.passer
        if passer is not None and (left := passer.share(t, width, height)) is not None:
            yield left
        if e.flicker and e.readout_s:
            rows = t + (np.arange(height) / height - 0.5) * e.readout_s
            yield np.array([[1 + e.flicker * swing(row, e.mains_hz)] for row in rows], np.float32)


def _dimmed(plane: U8, share: F32, dark: float = NOISE_BLACK) -> U8:
    """Returns a plane (h, w) with a share (h, w) or (h, 1) of its light; without light it is `dark`."""
    return np.asarray(np.clip((plane - np.float32(dark)) * share + np.float32(dark + 0.5), 0, 255), np.uint8)


def _blurred(y: U8, u: U8, v: U8, spread_px: float) -> tuple[U8, U8, U8]:
    """Returns the planes out of focus."""
    u, v = (np.asarray(cv2.GaussianBlur(p, (0, 0), spread_px / 2), np.uint8) for p in (u, v))
    return blurred(y, spread_px), u, v


def _bent(gain: float, gamma: float) -> U8:
    """Returns the brightness curve (256,) of luma."""
    light = np.clip((np.arange(256) - NOISE_BLACK) / WHITE_SPAN, 0.0, None)
    return np.asarray(np.clip(NOISE_BLACK + WHITE_SPAN * gain * light**gamma + 0.5, 0, 255), np.uint8)


def _dyed(plane: U8, saturation: float, shift: float) -> U8:
    """Returns a chroma plane with stronger colours and another tint."""
    table = np.clip((np.arange(256) - NOISE_GREY) * saturation + NOISE_GREY + 0.5 + shift, 0, 255).astype(np.uint8)
    return np.ascontiguousarray(cv2.LUT(plane, table), np.uint8)


def _tiles(shape: tuple[int, int], sigma: float, rng: np.random.Generator) -> tuple[U8, U8]:
    """Returns the positive and the negative part of noise, so that both are saturating operations on bytes."""
    noise = np.round(rng.standard_normal(shape, np.float32) * np.float32(sigma))
    return np.maximum(noise, 0).astype(np.uint8), np.maximum(-noise, 0).astype(np.uint8)


def _add_noise(plane: U8, tiles: tuple[U8, U8], index: int) -> None:
    h, w = plane.shape
    row, column = (STRIDES[0] * index) % (tiles[0].shape[0] - h + 1), (STRIDES[1] * index) % (tiles[0].shape[1] - w + 1)
    piece = slice(row, row + h), slice(column, column + w)
    cv2.add(plane, tiles[0][piece], plane)
    cv2.subtract(plane, tiles[1][piece], plane)
