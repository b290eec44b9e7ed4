"""Writing a log: one line per event, on the disk before the next ruling; a write that fails stops the match."""

from __future__ import annotations

import errno
import os
import stat
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from referee.log.line import VERSION, Line, LineError, LogError, LogFailed, encode
from referee.log.reader import LogContents, read_log

if sys.platform != "win32":
    import fcntl

SYNCED = frozenset({"header", "ruling", "correction", "result"})
"""Types that must survive a power cut: each is forced to the disk."""
REFUSALS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO})
"""What a disk says that is full, or has failed and may be mended; other errors are slips in the path or its rights."""


class LogWriter:
    """Appends lines to the log at `path`; use it in a `with`.

    Opening an existing log continues it: what was read from it is `before`, a torn last line is ended with a newline
    so that it stands alone and stays readable. Every line reaches the operating system at once. A synced line is forced
    to the disk by a thread (an SD card may take half a second and the camera does not wait), and the next synced line
    waits for that. Raises LogError when the file is no log of this version or another referee writes it, LogFailed when
    the disk refuses; after a refusal every further write raises too.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.before = LogContents((), (), ())
        self._fd = _open(path)
        self._is_file = stat.S_ISREG(os.fstat(self._fd).st_mode)
        self._failed: str | None = None
        self._syncing: Future[None] | None = None
        self._syncer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="log-sync")
        try:
            if self._is_file:
                self.before = read_log(path)
                self._end_torn_line()
        except LogError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        try:
            if self._failed is None:
                self._finish_sync()
        finally:
            self.close()

    def header(self, wall: float, **fields: object) -> Line:
        """Writes the header of this start (`wall`: Unix seconds at its first frame) and gives it back."""
        line: Line = {"type": "header", "version": VERSION, "wall": round(wall, 3), **fields}
        self.write(line)
        return line

    def write(self, line: Line) -> None:
        """Appends `line`."""
        try:
            data = encode(line).encode("ascii") + b"\n"
        except LineError as e:
            raise LogError(f"this is a fault of the program, please report it: {e}") from None
        # Devices such as /dev/null take lines too but know no syncing.
        synced = self._is_file and line["type"] in SYNCED
        if synced:
            self._finish_sync()
        self._append(data)
        if synced:
            self._syncing = self._syncer.submit(os.fsync, self._fd)

    def flush(self) -> None:
        """Returns when every synced line is on the disk."""
        self._finish_sync()

    def close(self) -> None:
        """Ends writing; the file stays as it is. May be called twice."""
        self._syncer.shutdown(wait=True)
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _append(self, data: bytes) -> None:
        if self._failed is not None:
            raise LogFailed(self._failed)
        if self._fd < 0:
            raise LogError(f"the log {self.path} has been closed; open it again to go on")
        left = data
        try:
            while left:
                left = left[os.write(self._fd, left) :]
        except OSError as e:
            self._take_back(len(data) - len(left))
            raise self._failure(e) from None

    def _take_back(self, count: int) -> None:
        """Cuts off the first bytes of a line that did not fit, so that it is no damage to whoever reads on."""
        if count and self._is_file:
            with suppress(OSError):
                os.ftruncate(self._fd, os.fstat(self._fd).st_size - count)

    def _finish_sync(self) -> None:
        if self._failed is not None:
            raise LogFailed(self._failed)
        pending, self._syncing = self._syncing, None
        if pending is None:
            return
        try:
            pending.result()
        except OSError as e:
            raise self._failure(e) from None

    def _failure(self, error: OSError) -> LogFailed:
        """The error that ends this log's writing, remembered so that nobody writes on after a gap."""
        self._failed = (
            f"the match log {self.path} cannot be written ({error.strerror}); the match stops here and what was "
            f"logged is kept: free some space, or choose another disk and start again"
        )
        return LogFailed(self._failed)

    def _end_torn_line(self) -> None:
        """A last line without its newline gets one, so that what follows starts a line of its own."""
        size = os.fstat(self._fd).st_size
        if size and _last_byte(self.path) != b"\n":
            self._append(b"\n")


def _open(path: Path) -> int:
    is_new = not path.exists()
    try:
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    except OSError as e:
        if e.errno in REFUSALS:
            raise LogFailed(f"the match log {path} cannot be opened ({e.strerror}); free some space there") from None
        raise LogError(f"cannot write the log {path}: {e.strerror}; give a file in a folder you may write") from None
    if not _lock(fd):
        os.close(fd)
        raise LogError(f"another referee is writing {path}; stop it first or give another file")
    if is_new:
        _sync_folder(path.parent)
    return fd


def _lock(fd: int) -> bool:
    """Takes the writer's lock, which the system drops with the process; True where there is no such lock."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # Some network disks know no locks; a match there is better than none.
        return True
    return True


def _sync_folder(folder: Path) -> None:
    """Forces the new file's name to the disk; where folders cannot be synced the first synced line must do."""
    if sys.platform == "win32":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(fd)
    finally:
        os.close(fd)


def _last_byte(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1)
