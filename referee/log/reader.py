"""Reading a log: whole, with every damage told by its line number; or following it as it grows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from referee.log.line import VERSION, Line, LineError, LogError, decode

HEADER_START = b'{"type":"header"'
"""Every log begins with these bytes; a file that does not, and has no whole line, is somebody else's."""
READ_BYTES = 1 << 20
"""Most bytes that a following reader takes at once (about ten thousand lines), so that it never stalls its caller."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A line that could not be read and was left out."""

    number: int
    """Of the line in the file, from 1."""
    text: str
    """What is wrong with it, in a sentence."""
    torn: bool
    """True for an unfinished last line: the writer was cut off there, nothing is missing in between."""


@dataclass(frozen=True, slots=True)
class LogContents:
    """Everything that could be read from a log."""

    headers: tuple[Line, ...]
    """One for each start of the referee."""
    lines: tuple[Line, ...]
    """All whole lines in the file's order, headers included."""
    problems: tuple[Problem, ...]

    @property
    def last_stroke(self) -> int:
        """Number of the last stroke logged, 0 when none was; the next one is one more."""
        return max((s for s in (_stroke_number(line) for line in self.lines)), default=0)


def read_log(path: Path) -> LogContents:
    """The log at `path`; raises LogError when it cannot be opened, is no match log, or is of another version."""
    try:
        data = path.read_bytes()
    except OSError as e:
        raise LogError(f"cannot read the log {path}: {e.strerror}; give the path of a match log") from None
    lines, problems = _read_lines(data)
    if data and not lines and not _begins_as_header(data):
        raise LogError(f"{path} is not a match log and was left untouched; give another file")
    headers = tuple(line for line in lines if line["type"] == "header")
    _refuse_other_versions(path, data, headers)
    return LogContents(headers, tuple(lines), tuple(problems))


class LogTail:
    """Follows a log that another process writes: each call gives the whole lines that were added since."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[Problem] = []
        """Damaged lines met so far."""
        self._offset = 0
        self._number = 0

    def new_lines(self) -> list[Line]:
        """Lines completed since the last call, at most a mebibyte of them; none while the file does not exist yet.

        An unfinished last line is left for the next call. Raises LogError when the file cannot be read, has become
        shorter (it was replaced), or is of another version.
        """
        data = self._read()
        end = data.rfind(b"\n") + 1
        if end == 0 and len(data) == READ_BYTES:
            raise LogError(f"{self.path} is not a match log: it holds a line of more than {READ_BYTES} bytes")
        lines, problems = _read_lines(data[:end], self._number)
        self._offset += end
        self._number += data.count(b"\n", 0, end)
        self.problems += problems
        _refuse_other_versions(self.path, data[:end], tuple(line for line in lines if line["type"] == "header"))
        return lines

    def _read(self) -> bytes:
        try:
            with self.path.open("rb") as file:
                if file.seek(0, 2) < self._offset:
                    raise LogError(f"{self.path} became shorter while it was read; read it again from its start")
                file.seek(self._offset)
                return file.read(READ_BYTES)
        except FileNotFoundError:
            return b""
        except OSError as e:
            raise LogError(f"cannot read the log {self.path}: {e.strerror}; check the disk and its rights") from None


def _read_lines(data: bytes, numbered_after: int = 0) -> tuple[list[Line], list[Problem]]:
    """Whole lines and what is wrong with the others; a last line without its newline counts when it is whole."""
    lines, problems = [], []
    rows = data.split(b"\n")
    for number, row in enumerate(rows, numbered_after + 1):
        is_last = number == numbered_after + len(rows)
        if is_last and not row:
            continue
        try:
            lines.append(decode(row.decode("ascii")))
        except (LineError, UnicodeDecodeError) as e:
            problems.append(_problem(number, e, is_last))
    return lines, problems


def _problem(number: int, error: Exception, is_last: bool) -> Problem:
    if is_last:
        return Problem(number, f"line {number}, the last, is torn and was left out: the writer was cut off there", True)
    why = "it holds bytes that no log has" if isinstance(error, UnicodeDecodeError) else str(error)
    return Problem(number, f"line {number} is damaged and was left out: {why}", False)


def _begins_as_header(data: bytes) -> bool:
    return data.startswith(HEADER_START) or HEADER_START.startswith(data)


def _refuse_other_versions(path: Path, data: bytes, headers: tuple[Line, ...]) -> None:
    """Raises LogError for a header of another version, also one whose check is made in a way unknown here."""
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
    """The version in a header line whose check does not hold; ours when it cannot be read (then it is just torn)."""
    try:
        header = json.loads(row)
    except ValueError:
        return VERSION
    return header.get("version", VERSION) if isinstance(header, dict) else VERSION


def _stroke_number(line: Line) -> int:
    n = line.get("n") if line["type"] == "stroke" else 0
    return n if isinstance(n, int) else 0
