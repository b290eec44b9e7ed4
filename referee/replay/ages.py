"""Wall-clock time for file ages that survives a change of the clock: a new file never counts as old.

A machine without a clock of its own starts with a wrong date, which the network corrects later.
"""

from __future__ import annotations

import ctypes
import sys
import time

UNSYNCHRONISED = 5
"""Return value of adjtimex(2) while the clock is not synchronised, also after it was set by hand."""
TIMEX_BYTES = 512
"""Size of the buffer for the kernel's answer; it takes 208 bytes on 64-bit machines."""


def since_boot() -> float:
    """Returns seconds by a clock that nobody can set and that runs on while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else time.monotonic()


_began = time.time(), since_boot()


def steady_wall() -> float:
    """Returns Unix seconds, but never more than the time of this program's start plus the time elapsed since."""
    return min(time.time(), steady_now())


def steady_now() -> float:
    """Returns the Unix time at program start plus the time elapsed since, even if the clock was set."""
    wall, boot = _began
    return wall + since_boot() - boot


def is_clock_set() -> bool:
    """Tells whether the kernel reports the clock as synchronised; True where the system cannot report it."""
    if sys.platform != "linux":
        return True
    try:
        return int(ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(TIMEX_BYTES))) != UNSYNCHRONISED
    except (OSError, AttributeError):
        return True
