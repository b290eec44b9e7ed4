"""Atomic files: written whole or not at all, even if the program is killed or the power fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PART = ".part"
"""Suffix of a file while it is written. Renaming makes it complete."""


@contextmanager
def written(path: Path) -> Iterator[Path]:
    """Yields a temporary path to write to. Its contents then replace `path` at once and whole, or not at all.

    It returns when the disk has stored the bytes and then the name. An SD card may need half a second for that, so
    never call it where frames wait. Raises OSError; the previous file at `path` then remains.
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
    """Forces the names in a folder to the disk, on systems that can."""
    if sys.platform == "win32":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(fd)
    finally:
        os.close(fd)
