"""A process that referees gives freed memory back to the system."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

PLAY = """
from referee.bench.child import status_mb
from referee.pipeline.memory import return_freed_memory
if {asked}:
    assert return_freed_memory()
before = status_mb("VmRSS")
for _ in range(3):
    large = b"x" * 24_000_000
    del large
small = [b"x" * 500_000 for _ in range(40)]
assert status_mb("VmRSS") > before + 15
del small
print(status_mb("VmRSS") - before)
"""
"""Frees large blocks, as a calibration does, then many small ones."""


def kept_mb(asked: bool) -> float:
    """What a process of its own keeps of 20 MB that it has freed."""
    words = [sys.executable, "-c", PLAY.format(asked=asked)]
    return float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="this system has no mallopt of glibc's")
def test_freed_memory_goes_back_to_the_system() -> None:
    assert kept_mb(asked=True) < 3
    assert kept_mb(asked=False) > 15
