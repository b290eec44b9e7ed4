"""Rectifies a part of a picture: the board seen from straight above, at a scale of its own, as a JPEG."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import Camera
from calibration.geometry.picture import U8, Picture

RECTIFY_BLACK, RECTIFY_GREY = 16, 128
HEIGHT_SHARES = (0.25, 0.5, 0.75, 1.0)
"""Shares of a disc's height at which the surface hidden by its wall and top is computed."""
HIDDEN_REACH_HEIGHTS = 2.0
"""Reach of the hidden surface beside a disc, in its heights, for a camera at least 27 degrees above the surface."""

Maps = tuple[NDArray[np.float32], NDArray[np.float32]]


class RectifiedView:
    """Rectified view: the place of each of its pixels in the camera's picture; north is up."""

    def __init__(self, camera: Camera, centre: tuple[float, float], reach_mm: float, size_px: int, z: float) -> None:
        """Shows `reach_mm` to each side of `centre` (mm) in `size_px` (even) pixels, true to scale at height z (mm)."""
        middles = (np.arange(size_px) + 0.5) / size_px * 2 - 1
        x, y = np.meshgrid(centre[0] + middles * reach_mm, centre[1] - middles * reach_mm)
        self._camera, self._x, self._y = camera, x, y
        self._places: NDArray[np.float64] = self._pixels_at(np.ones(x.shape, np.bool_), z).reshape(*x.shape, 2)
        self._hidden = np.zeros(x.shape, np.bool_)
        self._maps: tuple[Maps, Maps] | None = None

    def raise_disc(self, x: float, y: float, radius: float, height: float) -> None:
        """Shows the top face of a disc (mm) in its true place, as seen from straight above it.

        The surface beside it that it hides from the camera is greyed.
        """
        away = np.hypot(self._x - x, self._y - y)
        near, top = away <= radius + HIDDEN_REACH_HEIGHTS * height, away <= radius
        for share in HEIGHT_SHARES:
            hidden = self._camera.to_board(self._places[near], share * height)
            self._hidden[near] |= np.hypot(hidden[:, 0] - x, hidden[:, 1] - y) <= radius
        self._hidden &= ~top
        self._places[top] = self._pixels_at(top, height)
        self._maps = None

    def _pixels_at(self, chosen: NDArray[np.bool_], z: float) -> NDArray[np.float64]:
        return self._camera.to_pixels(np.column_stack([self._x[chosen], self._y[chosen]]), z)

    def jpeg(self, picture: Picture, quality: int) -> bytes:
        """Returns the view of a picture as a JPEG."""
        if self._maps is None:
            # Chroma samples lie between the luma samples that share them.
            halves = (self._places[::2, ::2] + self._places[1::2, 1::2]) / 4 - 0.25
            self._maps = _maps(self._places), _maps(halves)
        full, half = self._maps
        y = _drawn(picture.y, full, RECTIFY_BLACK)
        u, v = (_drawn(plane, half, RECTIFY_GREY) for plane in (picture.u, picture.v))
        y[self._hidden] = y[self._hidden] // 2 + RECTIFY_GREY // 2
        u[self._hidden[::2, ::2]] = v[self._hidden[::2, ::2]] = RECTIFY_GREY
        square = Picture(y, u, v, picture.full_range)
        encoded = cv2.imencode(".jpg", square.bgr(), [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        return bytes(encoded.tobytes())


def _maps(places: NDArray[np.float64]) -> Maps:
    """Returns columns and rows of `places` (n, n, 2) apart, for cv2.remap."""
    return places[..., 0].astype(np.float32), places[..., 1].astype(np.float32)


def _drawn(plane: U8, places: Maps, outside: int) -> U8:
    """Returns a plane resampled at `places`; its value is `outside` beyond the picture."""
    return np.asarray(cv2.remap(plane, *places, cv2.INTER_LINEAR, borderValue=outside), np.uint8)
