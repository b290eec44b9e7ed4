"""The light on the board: a lamp overhead, a window, the lens's vignetting, and lamps mirrored by the varnish."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import Camera
from referee.sim.layer import Patch
from referee.sim.viewpoint import Appearance

F32 = NDArray[np.float32]

COARSE_PX = 8
"""Spacing of the pixels at which lights, shadows and the lens are computed, px; between them all three are smooth."""
LIGHT_BRIGHTEST = 1.08
"""Brightness right beneath the lamp."""
GLOSS = 0.7
"""Share of the varnish's glare on the duller surfaces of pieces and skin."""


class Light:
    """Brightness and glare of every pixel of one camera's picture."""

    def __init__(self, camera: Camera, appearance: Appearance) -> None:
        columns, rows = -(-camera.width // COARSE_PX), -(-camera.height // COARSE_PX)
        u, v = ((np.arange(n) + 0.5) * COARSE_PX - 0.5 for n in (columns, rows))
        pixels = np.stack(np.meshgrid(u, v), axis=-1).reshape(-1, 2)
        at = camera.to_board(pixels).reshape(rows, columns, 2)
        off_axis = (pixels - np.array([camera.width, camera.height]) / 2) / (np.hypot(camera.width, camera.height) / 2)
        corner = np.sum(off_axis**2, axis=1).reshape(rows, columns)
        size = columns * COARSE_PX, rows * COARSE_PX
        self._gain = _fine(_lamp(at, appearance) * (1.0 - appearance.vignette * corner), size, camera)
        self._glare = _fine(_mirrored(at, appearance), size, camera) if appearance.glares else None
        self._layer_gain = _four(self._gain, 1.0)
        self._layer_glare = _four(self._glare * np.float32(GLOSS / 255.0), 0.0) if self._glare is not None else None

    def on_picture(self, colours: F32) -> F32:
        """Returns the colours (height, width, 3) of the whole picture in this light."""
        lit = colours * self._gain[..., None]
        return lit if self._glare is None else lit + self._glare[..., None]

    def on_layer(self, patch: Patch, covered: F32) -> F32:
        """Returns a layer (h, w, 4) of colours times coverage, in this light."""
        if patch.is_empty:
            return covered
        lit = cv2.multiply(covered, self._layer_gain[patch.slices])
        cover = cv2.merge([cv2.extractChannel(covered, 3)] * 4)
        if self._layer_glare is not None:
            lit = cv2.add(lit, cv2.multiply(cover, self._layer_glare[patch.slices]))
        return np.asarray(cv2.min(lit, cover), np.float32)


def _fine(coarse: NDArray[np.float64], size: tuple[int, int], camera: Camera) -> F32:
    fine = cv2.resize(coarse.astype(np.float32), size, interpolation=cv2.INTER_LINEAR)
    return np.ascontiguousarray(fine[: camera.height, : camera.width], np.float32)


def _four(plane: F32, last: float) -> F32:
    """Returns a plane (h, w) repeated for each colour of a layer, and `last` for its coverage (h, w, 4)."""
    return np.asarray(cv2.merge([plane, plane, plane, np.full_like(plane, last)]), np.float32)


def _lamp(at: NDArray[np.float64], appearance: Appearance) -> NDArray[np.float64]:
    """Returns the light, which falls off with the distance from the spot beneath the lamp, times a window's slope."""
    away = np.hypot(at[..., 0] - appearance.lamp_mm[0], at[..., 1] - appearance.lamp_mm[1])
    lamp = LIGHT_BRIGHTEST / (1.0 + np.square(away / appearance.lamp_falloff_mm) * 0.55)
    return np.asarray(lamp * np.clip(1.0 + at @ np.array(appearance.slope) / 1000.0, 0.2, 2.0))


def _mirrored(at: NDArray[np.float64], appearance: Appearance) -> NDArray[np.float64]:
    """Returns the grey levels that glare adds."""
    spots = [
        g.strength * np.exp(-np.sum(np.square(at - (g.x_mm, g.y_mm)), axis=-1) / g.radius_mm**2)
        for g in appearance.glares
    ]
    return np.asarray(np.sum(spots, axis=0))
