"""Reads a log: the whole file, with every damage reported by line number, or new lines as it grows."""

from __future__ import annotations

import errno
import json
import os
import sys
import weakref
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from referee.log.line import FIRST_BEFORE, VERSION, DiskRefused, Line, LinePlace, LogError
from referee.log.rows import Problem, RowReader

HEADER_START = b'{"type":"header"'
"""First bytes of every log; a file that begins otherwise and has no whole line is no log."""
ROW_BYTES = 1 << 20
"""Greatest length of a line, and most that LogTail reads at once (about ten thousand lines)."""
READER_LOG_BYTES = 256 << 20
"""Greatest length of a log: a hundred thousand strokes."""

MOST_LOST = 10_000
"""Greatest number of unreadable lines: a file with more is no log, and reading on would take minutes."""
UNSYNCED = frozenset({errno.EINVAL, errno.ENOTSUP})
"""Errors for files that cannot be synced to a disk. EROFS is none: ext4 says so when it broke off writing."""

READER_FIRST = LinePlace(1, FIRST_BEFORE)


@dataclass(frozen=True, slots=True)
class LogContents:
    """Readable contents of a log."""

    headers: tuple[Line, ...]
    """One for each start of the referee."""
    lines: tuple[Line, ...]
    """All whole lines in the file's order, headers included."""
    problems: tuple[Problem, ...]
    next_place: LinePlace = READER_FIRST
    """Place of the line that is written next."""
    lost: int = 0
    """Number of lines that were left out or are missing, without an unfinished last one."""
    unplaced: int = 0
    """Number of whole lines of older programs, whose order nothing proves."""

    @property
    def last_stroke(self) -> int:
        """Number of the last stroke logged, 0 when none was; the next one is one more."""
        return max((line["n"] for line in self.lines if line["type"] == "stroke"), default=0)


def read_log(path: Path) -> LogContents:
    """Reads the log at `path`; raises LogError if it cannot be opened, is no match log, or is of another version."""
    rows, lines, first = RowReader(), [], b""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size > READER_LOG_BYTES:
                raise LogError(f"{path} is longer than any match log; give another file")
            for row in _rows_of(file):
                first = first or row
                if len(row) > ROW_BYTES:
                    rows.too_long(ROW_BYTES)
                elif (line := rows.add(row.removesuffix(b"\n"), not row.endswith(b"\n"))) is not None:
                    lines.append(line)
                if rows.lost > MOST_LOST:
                    raise LogError(f"{path} holds more than {MOST_LOST} lines that are none; give another file")
    except OSError as e:
        raise LogError(f"cannot read the log {path}: {e.strerror}; give the path of a match log") from None
    if first and not lines and not _begins_as_header(first):
        raise LogError(f"{path} is not a match log and was left untouched; give another file")
    headers = tuple(line for line in lines if line["type"] == "header")
    _refuse_other_versions(path, first, headers)
    return LogContents(headers, tuple(lines), tuple(rows.problems), rows.next_place, rows.lost, rows.unplaced)


def _rows_of(file: IO[bytes]) -> Iterator[bytes]:
    """Yields the rows with their newlines; of one that is too long only its first bytes."""
    while row := file.readline(ROW_BYTES + 1):
        rest = row
        while len(row) > ROW_BYTES and rest and not rest.endswith(b"\n"):
            rest = file.readline(ROW_BYTES)
        yield row


class LogTail:
    """Follows a log that another process writes: each call returns the whole lines added since the last.

    The lines returned are synced to the disk, so they survive a power cut. The system tells a failed write to each
    open file once and then takes its memory for what the disk holds; so the first lines, and those after a failure,
    are read from the disk itself.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._rows = RowReader()
        self._fd: int | None = None
        self._offset = 0
        self._is_memory_trusted = False

    @property
    def problems(self) -> list[Problem]:
        """Damage found so far."""
        return self._rows.problems

    @property
    def lost(self) -> int:
        """Number of lines left out or missing so far."""
        return self._rows.lost

    def new_lines(self) -> list[Line]:
        """Returns the lines completed since the last call, at most a mebibyte of them.

        The list is empty while the file does not exist yet. An unfinished last line is left for the next call. Raises
        LogError if the file was replaced or is of another version, DiskRefused if it cannot be read now; the next call
        then tries again.
        """
        data, is_first = self._read(), self._rows.number == 0
        end = data.rfind(b"\n") + 1
        if end == 0 and len(data) == ROW_BYTES:
            raise LogError(f"{self.path} is not a match log: it holds a line of more than {ROW_BYTES} bytes")
        self._offset += end
        lines = [line for row in data[:end].split(b"\n")[:-1] if (line := self._rows.add(row)) is not None]
        headers = tuple(line for line in lines if line["type"] == "header")
        _refuse_other_versions(self.path, data[:end] if is_first else b"", headers)
        return lines

    def _read(self) -> bytes:
        try:
            if self._fd is None:
                self._fd = os.open(self.path, os.O_RDONLY)
                # It stays open as long as this object: the system reports a disk error once to each open file.
                weakref.finalize(self, os.close, self._fd)
            self._refuse_replaced(self._fd)
            return self._read_synced(self._fd)
        except FileNotFoundError:
            return b""
        except OSError as e:
            self._is_memory_trusted = False
            raise DiskRefused(f"cannot read the log {self.path}: {e.strerror}; check the disk and its rights") from None

    def _read_synced(self, fd: int) -> bytes:
        data = os.pread(fd, ROW_BYTES, self._offset)
        if not data:
            return data
        force(fd)
        if not self._is_memory_trusted:
            forget_memory(fd)
            data, self._is_memory_trusted = os.pread(fd, len(data), self._offset), True
        return data

    def _refuse_replaced(self, fd: int) -> None:
        ours = os.fstat(fd)
        if ours.st_size < self._offset:
            raise LogError(f"{self.path} became shorter while it was read; read it again from its start")
        with suppress(FileNotFoundError):
            # The referee that writes the log writes a deleted one anew.
            if not os.path.samestat(ours, self.path.stat()):
                raise LogError(f"{self.path} was replaced while it was read; read it again from its start")


def sync_log(path: Path) -> None:
    """Waits until a log that another process writes is on the disk. Raises LogError."""
    try:
        with path.open("rb") as file:
            force(file.fileno())
    except OSError as e:
        raise LogError(f"cannot read the log {path}: {e.strerror}; check the disk and its rights") from None


def force(fd: int) -> None:
    """Waits until a file is on the disk; returns at once for what has no disk, such as a pipe. Raises OSError."""
    if sys.platform == "win32":
        return
    try:
        os.fsync(fd)
    except OSError as e:
        if e.errno not in UNSYNCED:
            raise


def forget_memory(fd: int) -> None:
    """Makes the system read a synced file from the disk again, where it can."""
    if sys.platform == "linux":
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)


def _begins_as_header(data: bytes) -> bool:
    return data.startswith(HEADER_START) or HEADER_START.startswith(data)


def _refuse_other_versions(path: Path, data: bytes, headers: tuple[Line, ...]) -> None:
    """Raises LogError for a header of another version, even if its checksum is made in an unknown way."""
    versions = [header.get("version") for header in headers]
    first = data.split(b"\n", 1)[0]
    if not headers and first.startswith(HEADER_START):
        versions.append(_version_unchecked(first))
    for version in versions:
        if version != VERSION:
            raise LogError(
                f"{path} is a log of version {version}, this program reads version {VERSION}; nothing was touched: "
                f"use the program version that wrote it, or give another file"
            )


def _version_unchecked(row: bytes) -> object:
    """Returns the version in a header line whose checksum is wrong.

    It is VERSION if the line cannot be read, since that is just torn then.
    """
    try:
        header = json.loads(row)
    except (ValueError, RecursionError):
        return VERSION
    return header.get("version", VERSION) if isinstance(header, dict) else VERSION
