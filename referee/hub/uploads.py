"""What boards upload of their strokes, in the hub's folder: so much and no more, the oldest goes first.

Nothing is lost by that: the boards keep the originals, and are asked again when somebody looks.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

from referee.atomic_files import written
from referee.hub.mirror import Mirror
from referee.replay.retention import LEAST_FREE_BYTES, MEGABYTE, leave_room

STORED_FILE_NAME = re.compile(r"profile\.json|\d{4,6}(_[a-z0-9_]{1,40})?(\.times|\.evidence)?\.(npz|mp4|json|jpg)")
"""Names of files that a board keeps of a stroke, and its profile."""
ROOM_MB = 2000
"""Room for all uploads when nothing is said, MB: clips and pictures of about a thousand strokes."""
UPLOADS_MOST_FILES = 20_000
"""Greatest number of uploads: small ones use up a disk's inodes before its bytes."""
FILE_SHARE = 10
"""One file may take a tenth of the room."""
LEFT_SHARE = 0.9
"""Share of the room that stays in use when the oldest go, so that not every upload looks through the folder."""


class UploadTooLarge(Exception):
    """A file that is larger than one may be."""


class Uploads:
    """The uploads of one hub."""

    def __init__(self, mirror: Mirror, room_mb: int = ROOM_MB) -> None:
        self._mirror, self._room = mirror, room_mb * MEGABYTE
        self._held: tuple[int, int] | None = None
        """Bytes and number of files; None before the first look."""
        self._lock = asyncio.Lock()

    @property
    def most_bytes(self) -> int:
        """Greatest size of one file, bytes."""
        return self._room // FILE_SHARE

    def has(self, station: str, uid: str, stroke: int) -> bool:
        """Tells whether there is anything of a stroke."""
        return bool(self._mirror.uploads(station, uid).files(stroke))

    async def keep(self, station: str, uid: str, name: str, pieces: AsyncIterator[bytes]) -> None:
        """Keeps a file and makes room for it. Raises UploadTooLarge, OSError; nothing is kept then."""
        path = self._mirror.uploads(station, uid).path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        # The logs come to the same disk, and need what is left.
        leave_room(path.parent, LEAST_FREE_BYTES)
        size = 0
        with written(path) as part, part.open("wb") as file:
            async for piece in pieces:
                size += len(piece)
                if size > self.most_bytes:
                    raise UploadTooLarge(f"a file may have {self.most_bytes} bytes at most here")
                file.write(piece)
        async with self._lock:
            await asyncio.to_thread(self._count, size)

    def _count(self, size: int) -> None:
        held, files = (0, UPLOADS_MOST_FILES) if self._held is None else self._held
        self._held = held + size, files + 1
        if self._held[0] > self._room or self._held[1] > UPLOADS_MOST_FILES:
            self._make_room()

    def _make_room(self) -> None:
        """Looks what there is, and deletes the oldest until nine tenths of the room are in use, if it is too much."""
        found = sorted((path.stat().st_mtime, path.stat().st_size, path) for path in self._all())
        held, files = sum(size for _, size, _ in found), len(found)
        if held > self._room or files > UPLOADS_MOST_FILES:
            for _, size, path in found:
                if held <= LEFT_SHARE * self._room and files <= LEFT_SHARE * UPLOADS_MOST_FILES:
                    break
                path.unlink(missing_ok=True)
                held, files = held - size, files - 1
        self._held = held, files

    def _all(self) -> list[Path]:
        return [p for p in self._mirror.folder.glob("*/*/*") if STORED_FILE_NAME.fullmatch(p.name) and p.is_file()]
