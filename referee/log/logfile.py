"""The log's file.

It only grows, a thread syncs it to the disk, and it is written anew if it was deleted or replaced.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from referee.atomic_files import PART, sync_folder
from referee.log.line import DiskRefused, LogError
from referee.log.reader import force

if sys.platform != "win32":
    import fcntl

REFUSALS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO})
"""Errors of a disk that is full, or has failed and may be mended; other errors are mistakes in the path or its
rights."""
LOGFILE_FOREIGN = ".foreign"
"""Suffix for a file that was found in the log's place."""


class LogFile:
    """File of a log, opened for its only writer; raises LogError or DiskRefused if it cannot be opened.

    `append` returns once the system has the bytes. Within the time of one sync they are on the disk too (an SD card may
    need half a second, and the camera does not wait). Bytes that come meanwhile go with the next sync.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = _open(path)
        self.is_file = stat.S_ISREG(os.fstat(self._fd).st_mode)
        """False for a device such as /dev/null, which accepts lines but cannot be synced."""
        self.restored = False
        """True after the file was deleted or replaced and written anew; the caller that reports it sets it back."""
        self._known = bytearray(path.read_bytes() if self.is_file else b"")
        self._grown = threading.Condition()
        self._synced, self._is_closing = len(self._known), False
        self._error: OSError | None = None
        self._syncer = threading.Thread(target=self._sync, name="log-sync", daemon=True)
        if self.is_file:
            self._syncer.start()

    @property
    def ends_torn(self) -> bool:
        """True if the last line is unfinished."""
        return bool(self._known) and not self._known.endswith(b"\n")

    def write_again(self) -> None:
        """Writes and syncs what the file holds; raises OSError.

        After a failed write the system takes its memory for what the disk holds, and never writes it of itself.
        """
        if not self._known:
            return
        fd = os.open(self.path, os.O_WRONLY)
        try:
            left = memoryview(self._known)
            while left:
                left = left[os.write(fd, left) :]
            force(fd)
        finally:
            os.close(fd)

    def append(self, data: bytes) -> None:
        """Adds whole lines. Raises OSError, also for a failed sync since the last call."""
        with self._grown:
            if self._error is not None:
                raise self._error
            self._restore_if_taken()
            self._write(data)
            if self.is_file:
                self._known += data
                self._grown.notify_all()

    def flush(self) -> None:
        """Returns when everything is on the disk; raises OSError."""
        with self._grown:
            self._restore_if_taken()
            if self.is_file:
                self._grown.wait_for(lambda: self._error is not None or self._synced >= len(self._known))
            if self._error is not None:
                raise self._error

    def close(self) -> None:
        """Ends writing, after a last sync; may be called twice."""
        with self._grown:
            self._is_closing = True
            self._grown.notify_all()
        if self._syncer.ident is not None:
            self._syncer.join()
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _write(self, data: bytes) -> None:
        left = data
        try:
            while left:
                left = left[os.write(self._fd, left) :]
        except OSError:
            if self.is_file and len(left) < len(data):
                # The first bytes of a line that did not fit would be damage for a reader.
                with suppress(OSError):
                    os.ftruncate(self._fd, len(self._known))
            raise

    def _sync(self) -> None:
        """Syncs to the disk what was added since the last time, until the end."""
        while True:
            with self._grown:
                self._grown.wait_for(lambda: self._is_closing or self._synced < len(self._known))
                if self._synced >= len(self._known):
                    return
                wanted, fd = len(self._known), os.dup(self._fd)
            error = None
            try:
                force(fd)
            except OSError as e:
                error = e
            finally:
                os.close(fd)
            with self._grown:
                self._synced, self._error = wanted, error
                self._grown.notify_all()
                if error is not None:
                    return

    def _restore_if_taken(self) -> None:
        """Writes everything anew if the file was deleted, replaced or cut; a file in its place is renamed."""
        if not self.is_file or self._fd < 0 or self._is_there():
            return
        new = self.path.with_name(f".{self.path.name}{PART}")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new.unlink(missing_ok=True)
        fd = os.open(new, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o644)
        try:
            left = memoryview(self._known)
            while left:
                left = left[os.write(fd, left) :]
            force(fd)
            _lock(fd)
            if self.path.exists() and self.path.stat().st_size:
                os.replace(self.path, _free(self.path))
            os.replace(new, self.path)
        except OSError:
            os.close(fd)
            raise
        sync_folder(self.path.parent)
        os.close(self._fd)
        self._fd, self._synced, self.restored = fd, len(self._known), True

    def _is_there(self) -> bool:
        ours = os.fstat(self._fd)
        try:
            return ours.st_size >= len(self._known) and os.path.samestat(ours, self.path.stat())
        except OSError:
            return False


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keeps referees from writing an existing log while it is replaced. Raises LogError if one is writing it."""
    fd = _open(path)
    try:
        yield
    finally:
        os.close(fd)


def _free(path: Path) -> Path:
    """Returns a free name for the file that was found in the log's place."""
    names = (path.with_name(f"{path.name}{LOGFILE_FOREIGN}{n or ''}") for n in range(1000))
    return next(name for name in names if not name.exists())


def _open(path: Path) -> int:
    is_new = not path.exists()
    try:
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    except OSError as e:
        if e.errno in REFUSALS:
            raise DiskRefused(f"the match log {path} cannot be opened ({e.strerror}); free some space there") from None
        raise LogError(f"cannot write the log {path}: {e.strerror}; give a file in a folder you may write") from None
    if not _lock(fd):
        os.close(fd)
        raise LogError(f"another referee is writing {path}; stop it first or give another file")
    if is_new:
        sync_folder(path.parent)
    return fd


def _lock(fd: int) -> bool:
    """Acquires the writer's lock, which the system releases with the process; True where there is no such lock."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # Some network disks have no locks; a match there is better than none.
        return True
    return True
