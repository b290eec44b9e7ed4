"""The heap of a process that referees for hours: what has been freed goes back to the system.

glibc keeps more freed memory the larger the blocks that were ever freed (mallopt(3), M_MMAP_THRESHOLD), and a
calibration frees some of many megabytes. Thresholds that are set no longer follow.
"""

from __future__ import annotations

import ctypes
import sys

KEPT_BYTES = 1_000_000
"""Free memory at the heap's end that is kept for the next frames, which need less."""
OWN_BYTES = 4_000_000
"""Blocks from here on are fetched from the system one by one and given back so; no frame makes any."""
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""mallopt's names of the two, from malloc.h."""


def give_back() -> bool:
    """Whether this process gives freed memory back from now on; a system without glibc's mallopt does as it does."""
    if sys.platform != "linux":
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and all(
        mallopt(name, size) == 1 for name, size in ((TRIM_THRESHOLD, KEPT_BYTES), (MMAP_THRESHOLD, OWN_BYTES))
    )
