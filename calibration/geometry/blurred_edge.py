"""Models the brightness profile of an edge under Gaussian blur."""

from __future__ import annotations

from math import erf, sqrt

import numpy as np

from calibration.geometry.camera import F64


def blurred_edge(sigmas: F64) -> F64:
    """Returns the share (n,), 0 to 1, of the full step at distances (n,) from the edge in sigmas of the blur.

    This is the normal distribution function. Loading SciPy's takes a third of a second, longer than this one needs for
    all profiles of a calibration.
    """
    return np.array([0.5 * (1.0 + erf(at / sqrt(2.0))) for at in sigmas.tolist()])
