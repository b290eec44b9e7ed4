"""Linear assignment by SciPy, loaded in the background.

SciPy takes half a second to import and no first frame needs it, so it is loaded beside the frames that follow.
"""

from __future__ import annotations

from importlib import import_module
from threading import Thread

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64

SOLVER = "scipy.optimize"
IMPOSSIBLE_COST = 1e6
"""Cost that stands for an infinite one, which the solver would refuse where no pair is possible."""

I64 = NDArray[np.int64]


def assigned(cost: F64) -> tuple[I64, I64]:
    """Returns the rows and columns (k,) of the assignment of least total cost (n, m), in order of rows."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(cost)
    return rows, columns


def possible_pairs(cost: F64) -> tuple[I64, I64]:
    """Returns the assignment of least total cost without its impossible pairs, which are those of infinite cost."""
    rows, columns = assigned(np.minimum(cost, IMPOSSIBLE_COST))
    possible = np.isfinite(cost[rows, columns])
    return rows[possible], columns[possible]


def prepare() -> None:
    """Imports the solver in a thread. A call of `assigned` before it is done waits."""
    Thread(target=import_module, args=(SOLVER,), name="loading").start()
