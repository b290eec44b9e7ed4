"""Files that are there whole or not at all, whenever the program is killed or the power goes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PART = ".part"
"""A file under way; it becomes whole by being renamed."""


@contextmanager
def written(path: Path, to_disk: bool = False) -> Iterator[Path]:
    """Gives a path to write to; what is written there takes `path`'s place at once and whole, or not at all.

    `to_disk` waits until the disk has it, for what must outlast a power cut. Raises OSError; what stood at `path`
    before is untouched then.
    """
    part = path.with_name(path.name + PART)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield part
        if to_disk:
            with part.open("rb") as file:
                os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
