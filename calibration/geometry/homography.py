"""Projects points by homographies, which map the board's plane to a picture without lens distortion."""

from __future__ import annotations

import numpy as np

from calibration.geometry.camera import F64


def project(h: F64, points: F64) -> F64:
    """Returns pixels (n, m, 2) of board points (m, 2) under homographies (n, 3, 3)."""
    xyz = np.concatenate([points, np.ones((len(points), 1))], 1) @ h.transpose(0, 2, 1)
    return np.asarray(xyz[..., :2] / xyz[..., 2:])
