"""Where something ends and the board begins: what tells a disc's rim from rings printed on the disc."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.rings import CHROMA_GAIN, F32

RIM_EDGE_NEAR_MM, RIM_EDGE_FAR_MM = 1.0, 2.5
"""Between these distances from an edge what lies within and beyond it is looked at: past the edge's own blur, and short
of the next ring of a print, which players are to tell from the rim."""
RIM_EDGE_SHADED, RIM_EDGE_LIT = 0.4, 1.1
"""The board itself is seen between these shares of its luma: in a disc's shade, and where a lamp falls on it."""
LEAST_STEP = 20.0
"""Levels. Discs that differ less from the board are told from it no worse than by so much: noise and grain do."""
RIM_EDGE_HALF = 0.5
"""Of a disc's difference from the board: what differs as much may be either."""
DOUBTFUL = 0.1
"""What an edge still counts that is not where the board begins: a disc on an ornament has nothing else around it."""


def bounds(tones: F32, faces: F32, grounds: F32, step_mm: float) -> F32:
    """How much (n, rays, steps), 0.1..1.1, places of `tones` (3, n, rays, steps) lie between a disc and the board.

    Their Y, U, V (3, n) are `faces` and `grounds`; the places on each ray are `step_mm` apart, from within outwards.
    """
    off = _off_board(tones, grounds[..., None, None])
    scale = RIM_EDGE_HALF * np.maximum(_off_board(faces, grounds), LEAST_STEP)[:, None, None]
    within, beyond = ((_beside(off, side, step_mm) / scale) ** 2 for side in (-1, 1))
    return np.asarray(DOUBTFUL + np.exp(-beyond) * (1 - np.exp(-within)), np.float32)


def _off_board(yuv: F32, ground: F32) -> F32:
    """How far (levels) Y, U, V (3, ...) are from the board's own, whether lit or in the shade."""
    share = yuv[0] / np.maximum(ground[0], 8.0)
    luma = yuv[0] - np.clip(share, RIM_EDGE_SHADED, RIM_EDGE_LIT) * ground[0]
    blue, red = ((yuv[i] - 128.0) - (ground[i] - 128.0) * np.minimum(share, 1.0) for i in (1, 2))
    return np.asarray(np.sqrt(luma**2 + CHROMA_GAIN**2 * (blue**2 + red**2)), np.float32)


def _beside(off: F32, side: int, step_mm: float) -> F32:
    """The mean of `off` (n, rays, steps) a little within (-1) or beyond (1) each place; rays go on as they end."""
    near, far = round(RIM_EDGE_NEAR_MM / step_mm), round(RIM_EDGE_FAR_MM / step_mm)
    taps = np.zeros(2 * far + 1, np.float32)
    taps[far + side * np.arange(near, far + 1)] = 1.0 / (far - near + 1)
    rays = off.reshape(-1, off.shape[-1])
    mean = cv2.filter2D(rays, cv2.CV_32F, taps[None], borderType=cv2.BORDER_REPLICATE)
    return np.asarray(mean, np.float32).reshape(off.shape)
