"""Writes a log: one line per event, synced to the disk soon after; a write that fails stops the match."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from referee.log.line import VERSION, DiskRefused, Line, LineError, LinePlace, LogError, content_check, encode
from referee.log.logfile import LogFile
from referee.log.reader import LogContents, read_log


class LogWriter:
    """Appends lines to the log at `path`; use it in a `with`.

    Opening an existing log continues it: `before` holds its contents, and a torn last line is ended with a newline so
    that it does not spoil the next. Every line reaches the operating system at once and the disk within the time of a
    sync; closing waits for the last. Raises LogError if the file is no log of this version or another referee writes
    it, DiskRefused if the disk refuses. After a refusal every further write raises too.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.before = LogContents((), (), ())
        self._failed: str | None = None
        self._is_closed = False
        self._file = LogFile(path)
        try:
            if self._file.is_file:
                self.before = read_log(path)
                self._settle()
                if self._file.ends_torn:
                    self._append(b"\n")
        except LogError:
            self.close()
            raise
        self._place = self.before.next_place

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        try:
            if self._failed is None:
                self.flush()
        finally:
            self.close()

    def header(self, wall: float, **fields: object) -> Line:
        """Writes the header of this start and returns it. `wall`: Unix seconds at its first frame."""
        line: Line = {"type": "header", "version": VERSION, "wall": round(wall, 3), **fields}
        self.write(line)
        return line

    def write(self, line: Line) -> None:
        """Appends `line`; raises LogError."""
        try:
            data = encode(line, self._place).encode("ascii") + b"\n"
        except LineError as e:
            raise LogError(f"this is a fault of the program, please report it: {e}") from None
        self._append(data)
        self._place = LinePlace(self._place.number + 1, content_check(line))

    def take_restored(self) -> bool:
        """Tells whether the file was deleted or replaced, and written anew, since the last call."""
        was, self._file.restored = self._file.restored, False
        return was

    def flush(self) -> None:
        """Returns when every line is on the disk."""
        if self._failed is not None:
            raise DiskRefused(self._failed)
        try:
            self._file.flush()
        except OSError as e:
            raise self._failure(e) from None

    def close(self) -> None:
        """Ends writing; the file stays as it is. May be called twice."""
        self._is_closed = True
        self._file.close()

    def _settle(self) -> None:
        try:
            self._file.write_again()
        except OSError as e:
            raise self._failure(e) from None

    def _append(self, data: bytes) -> None:
        if self._failed is not None:
            raise DiskRefused(self._failed)
        if self._is_closed:
            raise LogError(f"the log {self.path} has been closed; open it again to go on")
        try:
            self._file.append(data)
        except OSError as e:
            raise self._failure(e) from None

    def _failure(self, error: OSError) -> DiskRefused:
        """Returns the error that ends the writing; it is stored so that nothing is written after a gap."""
        self._failed = (
            f"the match log {self.path} cannot be written ({error.strerror}); the match stops here and what was "
            f"logged is kept: free some space, or choose another disk and start again"
        )
        return DiskRefused(self._failed)
