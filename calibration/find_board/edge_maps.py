"""Computes maps of dark thin lines, edges and redness of a downscaled picture, normalised for lighting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64, Camera
from calibration.geometry.picture import Picture

F32 = NDArray[np.float32]

SMALL_PIXELS = 600_000
"""Greatest number of pixels of the small picture: a base line of a board that fills 40 % of the height is still a pixel
wide."""
TYPICAL_FOCAL = 1.15
"""Focal length in picture heights of the usual lens over a board (it fills most of the height from about 1.1 m)."""
TYPICAL_K1, TYPICAL_K2 = -0.055, 0.018
"""Radial terms of the usual lens at that focal length."""
NOISE_SHARE = 3.0
"""Multiple of the picture's median response at which a response is halved."""


def typical_camera(width: int, height: int) -> Camera:
    """Returns a camera with the usual lens that looks straight down from 1.1 m."""
    f = TYPICAL_FOCAL * min(width, height)
    k = [[f, 0.0, (width - 1) / 2], [0.0, f, (height - 1) / 2], [0.0, 0.0, 1.0]]
    return Camera.of(width, height, k, [TYPICAL_K1, TYPICAL_K2, 0, 0, 0], np.diag([1.0, -1.0, -1.0]), [0, 0, 1100.0])


@dataclass(frozen=True, slots=True, eq=False)
class EdgeMaps:
    """Maps of one small picture, undistorted by a lens; small pixel p shows picture pixel (p + 0.5) / scale - 0.5."""

    scale: float
    lens: Camera
    """The lens (scaled to the small picture) whose distortion was removed."""
    grey: F32
    """Ink plane (h, w)."""
    ridge: F32
    """Lines of print: double-angle vectors (h, w, 2) of the normal's direction, lengths 0-1."""
    print_edge: F32
    """Gradients (h, w, 2) of the ink plane, lengths 0-1, pointing away from print."""
    edge: F32
    """Brightness gradients (h, w, 2), lengths 0-1, pointing to the bright side."""
    red: F32
    """Redness (h, w) above the picture's median, in grey levels."""

    def to_picture(self, small: F64) -> F64:
        """Converts undistorted small pixels (n, 2) to pixels of the full picture."""
        k = self.lens.k
        norm = (small - k[:2, 2]) / np.array([k[0, 0], k[1, 1]])
        xyz = np.column_stack([norm, np.ones(len(norm))])
        bent = cv2.projectPoints(xyz.reshape(-1, 1, 3), np.zeros(3), np.zeros(3), k, self.lens.dist)[0]
        return np.asarray((bent.reshape(-1, 2) + 0.5) / self.scale - 0.5)


def evidence(picture: Picture, ink: F32, tone: F32, lens: Camera | None = None) -> EdgeMaps:
    """Computes the maps of `picture` with its planes `ink` and `tone`; `lens` replaces the usual one."""
    scale = min(1.0, float(np.sqrt(SMALL_PIXELS / (picture.width * picture.height))))
    size = (round(picture.width * scale), round(picture.height * scale))
    small_lens = _scaled(lens or typical_camera(picture.width, picture.height), scale, size)
    maps: Any = cv2.initUndistortRectifyMap(small_lens.k, small_lens.dist, None, small_lens.k, size, cv2.CV_32FC1)
    grey = _straight(ink, size, maps)
    red = _straight(picture.v.astype(np.float32), size, maps)
    print_edge = _edge(grey)
    edge = print_edge if ink is tone else _edge(_straight(tone, size, maps))
    return EdgeMaps(scale, small_lens, grey, _ridge(grey), print_edge, edge, red - np.float32(np.median(red)))


def _scaled(lens: Camera, scale: float, size: tuple[int, int]) -> Camera:
    k = lens.k.copy()
    k[:2, :2] *= scale
    k[:2, 2] = (k[:2, 2] + 0.5) * scale - 0.5
    return Camera.of(size[0], size[1], k, lens.dist, lens.r, lens.t)


def _straight(plane: F32, size: tuple[int, int], maps: tuple[F32, F32]) -> F32:
    small = cv2.resize(plane, size, interpolation=cv2.INTER_AREA if plane.shape[1] > size[0] else cv2.INTER_LINEAR)
    return np.asarray(cv2.remap(small, *maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)


def _damped(vectors: F32) -> F32:
    """Compresses the lengths of vectors (h, w, 2) to 0-1, so that one strong edge does not outweigh many weak ones."""
    length = np.hypot(vectors[..., 0], vectors[..., 1])
    noise = NOISE_SHARE * float(np.median(length)) + 0.2
    return np.asarray(vectors / (length + noise)[..., None], np.float32)


def _ridge(grey: F32) -> F32:
    soft = cv2.GaussianBlur(grey, (0, 0), 1.0)
    xx = cv2.Sobel(soft, cv2.CV_32F, 2, 0, ksize=3)
    yy = cv2.Sobel(soft, cv2.CV_32F, 0, 2, ksize=3)
    xy = cv2.Sobel(soft, cv2.CV_32F, 1, 1, ksize=3)
    double = np.stack([xx - yy, 2 * xy], -1)
    double[(xx + yy) <= 0] = 0.0
    return _damped(double)


def _edge(grey: F32) -> F32:
    soft = cv2.GaussianBlur(grey, (0, 0), 1.0)
    return _damped(np.stack([cv2.Sobel(soft, cv2.CV_32F, 1, 0), cv2.Sobel(soft, cv2.CV_32F, 0, 1)], -1))
