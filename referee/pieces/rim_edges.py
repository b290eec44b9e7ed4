"""Weighs edges by whether the board begins there, which separates a disc's rim from rings printed on the disc."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.rings import CHROMA_GAIN, F32

RIM_EDGE_NEAR_MM, RIM_EDGE_FAR_MM = 1.0, 2.5
"""Range of distances from an edge, in mm, at which the colours on its two sides are compared: beyond the edge's own
blur, and short of a print's next ring, which players must be able to distinguish from the rim."""
RIM_EDGE_SHADED, RIM_EDGE_LIT = 0.4, 1.1
"""Range of the board's luma, as shares of its usual one: in a disc's shadow, and under a lamp."""
LEAST_DIFFERENCE = 20.0
"""Least difference of a disc from the board, in levels; noise and grain differ as much."""
HALF_DIFFERENCE = 0.5
"""Share of a disc's difference from the board at which a colour may belong to either."""
LEAST_EDGE_WEIGHT = 0.1
"""Weight of an edge where the board does not begin; a disc on an ornament has no other edges."""


def board_edge_weights(tones: F32, faces: F32, grounds: F32, step_mm: float) -> F32:
    """Returns weights (n, rays, steps), 0.1..1.1, of places by how clearly they separate a disc from the board.

    `tones` (3, n, rays, steps): Y, U, V along each ray, `step_mm` apart, from inside outward. `faces` and `grounds` (3,
    n): the colours of disc and board.
    """
    off = _board_difference(tones, grounds[..., None, None])
    scale = HALF_DIFFERENCE * np.maximum(_board_difference(faces, grounds), LEAST_DIFFERENCE)[:, None, None]
    within, beyond = ((_mean_beside(off, side, step_mm) / scale) ** 2 for side in (-1, 1))
    return np.asarray(LEAST_EDGE_WEIGHT + np.exp(-beyond) * (1 - np.exp(-within)), np.float32)


def _board_difference(yuv: F32, ground: F32) -> F32:
    """Returns the difference (levels) of Y, U, V (3, ...) from the board's, whether lit or in shadow."""
    share = yuv[0] / np.maximum(ground[0], 8.0)
    luma = yuv[0] - np.clip(share, RIM_EDGE_SHADED, RIM_EDGE_LIT) * ground[0]
    blue, red = ((yuv[i] - 128.0) - (ground[i] - 128.0) * np.minimum(share, 1.0) for i in (1, 2))
    return np.asarray(np.sqrt(luma**2 + CHROMA_GAIN**2 * (blue**2 + red**2)), np.float32)


def _mean_beside(off: F32, side: int, step_mm: float) -> F32:
    """Returns the mean of `off` (n, rays, steps) a little inside (-1) or outside (1) each place; rays continue as they
    end.
    """
    near, far = round(RIM_EDGE_NEAR_MM / step_mm), round(RIM_EDGE_FAR_MM / step_mm)
    taps = np.zeros(2 * far + 1, np.float32)
    taps[far + side * np.arange(near, far + 1)] = 1.0 / (far - near + 1)
    rays = off.reshape(-1, off.shape[-1])
    mean = cv2.filter2D(rays, cv2.CV_32F, taps[None], borderType=cv2.BORDER_REPLICATE)
    return np.asarray(mean, np.float32).reshape(off.shape)
