"""An edge as a blurred picture shows it."""

from __future__ import annotations

from math import erf, sqrt

import numpy as np

from calibration.geometry.camera import F64


def blurred_edge(sigmas: F64) -> F64:
    """Share (n,) of the full step at places (n,) in sigmas of the blur from the edge: the normal distribution.

    SciPy's takes a third of a second to load, longer than all profiles of a calibration take with this one.
    """
    return np.array([0.5 * (1.0 + erf(at / sqrt(2.0))) for at in sigmas.tolist()])
