"""Warps a picture by an affine map, all planes together."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.geometry.camera import F64
from calibration.geometry.picture import U8, Picture


def warped(picture: Picture, way: F64, width: int, height: int) -> Picture:
    """Returns a picture of `width` x `height` (even) to whose pixels `way` (2, 3) maps those of `picture`, centre to
    centre.
    """
    half = way.copy()
    # A chroma sample lies in the middle of four pixels, at 2 x + 0.5 in theirs.
    half[:, 2] = (way[:, :2] @ (0.5, 0.5) + way[:, 2] - 0.5) / 2
    y = _warped(picture.y, way, (width, height))
    u, v = (_warped(plane, half, (width // 2, height // 2)) for plane in (picture.u, picture.v))
    return Picture(y, u, v, picture.full_range)


def _warped(plane: U8, way: F64, size: tuple[int, int]) -> U8:
    return np.asarray(
        cv2.warpAffine(plane, way, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )
