"""Who goes with whom at the least cost in all.

SciPy, which works that out, takes half a second to load. Nobody needs it for a first frame, so nobody waits for it
then: it is loaded beside the first frames that follow.
"""

from __future__ import annotations

from importlib import import_module
from threading import Thread

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64

SOLVER = "scipy.optimize"

I64 = NDArray[np.int64]


def assigned(cost: F64) -> tuple[I64, I64]:
    """Rows and columns (k,) of the pairs that cost (n, m) least together, as many as there can be, in order of rows."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(cost)
    return rows, columns


def prepare() -> None:
    """Loads what `assigned` needs in a thread of its own; who asks sooner waits for it."""
    Thread(target=import_module, args=(SOLVER,), name="loading").start()
