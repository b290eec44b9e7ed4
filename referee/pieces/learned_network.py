"""Loads the learned networks that `models` holds, one of each for every thread that asks."""

from __future__ import annotations

import threading
from importlib import resources

import cv2
import numpy as np

PATCH_SIDE = 48
"""Side of a network's patch in steps; it contains the rim of the largest striker and what is beside it."""
DARKEST_GROUND = 24.0
"""Least luma (levels) of the board by which a patch's differences are divided; in darker ones noise would dominate."""
LEAST_TONE = -1.5
"""Least difference of a patch from what is around, as a share of its luma."""

_own = threading.local()


def network(name: str) -> cv2.dnn.Net:
    """Returns the network of a file in `models` for the calling thread.

    The vision, replays and set-up ask at the same time, and a network holds one question.
    """
    networks: dict[str, cv2.dnn.Net] = vars(_own)
    if name not in networks:
        weights = (resources.files("models") / name).read_bytes()
        networks[name] = cv2.dnn.readNetFromONNX(np.frombuffer(weights, np.uint8))
    return networks[name]
