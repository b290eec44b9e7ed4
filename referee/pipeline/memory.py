"""Makes a process that referees for hours return freed memory to the system.

glibc keeps more freed memory the larger the blocks that were ever freed (mallopt(3), M_MMAP_THRESHOLD), and a
calibration frees some of many megabytes. Thresholds that are set no longer grow.
"""

from __future__ import annotations

import ctypes
import sys

TRIM_BYTES = 1_000_000
"""Free memory at the heap's end that is retained for the next frames, in bytes; they need less."""
MMAP_BYTES = 4_000_000
"""Size in bytes from which a block is fetched from the system and given back by itself; no frame allocates any."""
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Numbers of these two parameters of mallopt, from malloc.h."""


def return_freed_memory() -> bool:
    """Makes this process return freed memory from now on; tells whether it could (False without glibc's mallopt)."""
    if sys.platform != "linux":
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and all(
        mallopt(name, size) == 1 for name, size in ((TRIM_THRESHOLD, TRIM_BYTES), (MMAP_THRESHOLD, MMAP_BYTES))
    )
