"""Files that are there whole or not at all, whenever the program is killed or the power goes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PART = ".part"
"""A file under way; it becomes whole by being renamed."""


@contextmanager
def written(path: Path) -> Iterator[Path]:
    """Gives a path to write to; what is written there takes `path`'s place at once and whole, or not at all.

    It returns when the disk has the bytes and then the name, which an SD card may take half a second for: never call
    it where frames wait. Raises OSError; what stood at `path` before is untouched then.
    """
    part = path.with_name(path.name + PART)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield part
        # A name that reaches the disk before the bytes would stand for an empty file after a power cut.
        fd = os.open(part, os.O_RDWR)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
        os.replace(part, path)
        sync_folder(path.parent)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Forces the names in a folder to the disk, where the system can."""
    if sys.platform == "win32":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(fd)
    finally:
        os.close(fd)
