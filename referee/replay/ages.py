"""Ages by a clock that may be set at any moment: what must not be taken for old is not."""

from __future__ import annotations

import ctypes
import sys
import time

UNSYNCHRONISED = 5
"""What adjtimex(2) returns while nothing keeps the clock in step; setting it by hand brings it there too."""
TIMEX_BYTES = 512
"""Room for the kernel's answer, 208 bytes on 64-bit machines."""


def since_boot() -> float:
    """Seconds by a clock that nobody can set and that goes on while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else time.monotonic()


_began = time.time(), since_boot()


def steady_wall() -> float:
    """Unix seconds, never further on from this program's start than time has really gone by."""
    return min(time.time(), steady_now())


def steady_now() -> float:
    """Unix seconds of this program's start and what has really gone by since, whoever sets the clock meanwhile."""
    wall, boot = _began
    return wall + since_boot() - boot


def is_clock_set() -> bool:
    """Whether the kernel says that something keeps the time of day in step; where nobody can say, it is believed."""
    if sys.platform != "linux":
        return True
    try:
        return int(ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(TIMEX_BYTES))) != UNSYNCHRONISED
    except (OSError, AttributeError):
        return True
