"""Loads the learned networks that `models` holds, one of each for every thread that asks."""

from __future__ import annotations

import threading
from functools import lru_cache
from importlib import resources

import cv2
import numpy as np

PATCH_SIDE = 48
"""Side of a network's patch in steps; it contains the rim of the largest striker and what is beside it."""
DARKEST_GROUND = 24.0
"""Least luma (levels) of the board by which a patch's differences are divided; in darker ones noise would dominate."""
THREADS_ASKING = 8
"""Number of networks kept, of all threads."""


def network(name: str) -> cv2.dnn.Net:
    """Returns the network of a file in `models` for the calling thread.

    The vision, replays and set-up ask at the same time, and a network holds one question.
    """
    return _loaded(name, threading.get_ident())


@lru_cache(maxsize=THREADS_ASKING)
def _loaded(name: str, _thread: int) -> cv2.dnn.Net:
    weights = (resources.files("models") / name).read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(weights, np.uint8))
