"""Raises the priority of processes that step back for others, where the system permits it."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

NORMAL = 0
"""Nice value of a process that nobody asked to step back."""


def priority_of(pid: int) -> int:
    """Returns the nice value of a process's main thread; NORMAL where there is none."""
    if sys.platform == "linux":
        with suppress(OSError):
            return os.getpriority(os.PRIO_PROCESS, pid)
    return NORMAL


def raise_priority(pid: int) -> None:
    """Gives every thread of a process the normal priority, or that of the main thread where this is all we may."""
    if sys.platform != "linux":
        return
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            raise_thread(int(task), NORMAL)
            raise_thread(int(task), priority_of(pid))


def raise_thread(task: int, nice: int) -> None:
    """Lowers a thread's nice value to `nice`, where we may."""
    if sys.platform == "linux":
        with suppress(OSError):
            if os.getpriority(os.PRIO_PROCESS, task) > nice:
                os.setpriority(os.PRIO_PROCESS, task, nice)
