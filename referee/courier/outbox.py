"""The logs of a data folder as an outbox: whole rows that are on the disk, by uid and place."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from referee.courier.chunk import ROWS_BYTES, Chunk, row_hash
from referee.log.identity import match_uid
from referee.log.index import HIDDEN_PREFIX
from referee.log.reader import ROW_BYTES, force


@dataclass(slots=True)
class OutboxEntry:
    """A log as it was found."""

    path: Path
    uid: str
    inode: int
    size: int = 0
    """Bytes of whole rows on the disk."""


class LogOutbox:
    """Finds the logs of a folder and reads their rows. Files that cannot be read are left out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._logs: dict[Path, OutboxEntry] = {}

    def scan(self) -> dict[str, int]:
        """Returns the size of every log by uid; of two files of one match the longer counts."""
        found = sorted(path for path in self.folder.rglob("*.jsonl") if not self._is_hidden(path))
        self._logs = {path: log for path in found if (log := self._measured(path)) is not None}
        sizes: dict[str, int] = {}
        for log in self._logs.values():
            sizes[log.uid] = max(log.size, sizes.get(log.uid, 0))
        return sizes

    def measure(self, path: Path) -> tuple[str, int] | None:
        """Returns uid and size of one log; None if it has no whole row."""
        log = self._measured(path)
        if log is None:
            return None
        self._logs[path] = log
        return log.uid, log.size

    def path(self, uid: str) -> Path | None:
        """Returns the longest file of a match."""
        logs = [log for log in self._logs.values() if log.uid == uid]
        return max(logs, key=lambda log: log.size).path if logs else None

    def read(self, uid: str, offset: int, epoch: int) -> Chunk | None:
        """Returns the rows of a match from `offset` on that go into one message; None if the file changed."""
        path = self.path(uid)
        log = self._logs.get(path) if path else None
        if log is None:
            return None
        try:
            with log.path.open("rb") as file:
                rows = _rows(file.fileno(), offset, log.size)
                before = _row_before(file.fileno(), offset)
        except OSError:
            return None
        return Chunk(offset, row_hash(before), epoch, rows) if rows else None

    def _is_hidden(self, path: Path) -> bool:
        return any(part.startswith(HIDDEN_PREFIX) for part in path.relative_to(self.folder).parts)

    def _measured(self, path: Path) -> OutboxEntry | None:
        try:
            with path.open("rb") as file:
                stat = os.fstat(file.fileno())
                log = self._logs.get(path)
                if log is None or log.inode != stat.st_ino or stat.st_size < log.size:
                    log = OutboxEntry(path, "", stat.st_ino)
                end = _last_row_end(file.fileno(), log.size, stat.st_size)
                if end > log.size:
                    # Only what no power cut can take back is sent.
                    force(file.fileno())
                    log.size = end
            if log.size and not log.uid:
                log.uid = match_uid(path)
        except OSError:
            return None
        return log if log.uid else None


def _last_row_end(fd: int, start: int, size: int) -> int:
    """Returns where the last whole row ends; `start` if no row ends after it."""
    end = size
    while end > start:
        begin = max(start, end - ROW_BYTES)
        cut = os.pread(fd, end - begin, begin).rfind(b"\n") + 1
        if cut:
            return begin + cut
        end = begin
    return start


def _rows(fd: int, offset: int, size: int) -> bytes:
    """Returns whole rows, as many as go into a message, and at least one."""
    data = os.pread(fd, min(ROWS_BYTES, size - offset), offset)
    end = data.rfind(b"\n") + 1
    while not end and offset + len(data) < size:
        data += os.pread(fd, min(ROW_BYTES, size - offset - len(data)), offset + len(data))
        end = data.find(b"\n") + 1
    return data[:end]


def _row_before(fd: int, offset: int) -> bytes:
    """Returns the row that ends at `offset`; empty at the file's start."""
    row, begin = b"", offset
    while begin > 0:
        length = min(ROWS_BYTES, begin)
        begin -= length
        row = os.pread(fd, length, begin) + row
        start = row.rfind(b"\n", 0, len(row) - 1) + 1
        if start:
            return row[start:]
    return row
