"""One line of the log: a JSON object in ASCII whose last key is a check of that line alone."""

from __future__ import annotations

import json
import zlib
from typing import Any

VERSION = 1
"""Of the log's format; a log of another version is refused and left untouched."""

Line = dict[str, Any]
"""A line as read: its `type` and that type's fields, without the check."""

CHECK_START = ',"check":"'
CHECK_END = '"}'
CHECK_DIGITS = 8
TAIL = len(CHECK_START) + CHECK_DIGITS + len(CHECK_END)


class LogError(Exception):
    """A log cannot be read or written; the message is one sentence that says what to do."""


class LogFailed(LogError):
    """The disk refuses to take more; what was written is kept, and writing can go on when there is room again."""


class LineError(ValueError):
    """One line is damaged or does not say what its type promises."""


def encode(line: Line) -> str:
    """`line` as it stands in the file, without the newline; the same object always gives the same text.

    ASCII only, so that no name, path or damaged byte can make a line unreadable. Raises LineError for what JSON
    cannot say (NaN, infinity, foreign types) and for a line without a type.
    """
    if not isinstance(line.get("type"), str) or "check" in line:
        raise LineError(f"a line needs a type and no check of its own, not {sorted(line)}")
    try:
        body = json.dumps(line, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as e:
        raise LineError(f"a line of type {line['type']} cannot be written as JSON: {e}") from None
    return f"{body[:-1]}{CHECK_START}{_check(body)}{CHECK_END}"


def decode(text: str) -> Line:
    """Inverse of `encode`; raises LineError saying how the line is damaged."""
    tail = text[-TAIL:]
    if not (tail.startswith(CHECK_START) and tail.endswith(CHECK_END)):
        raise LineError("it does not end with its check")
    body = text[:-TAIL] + "}"
    written, computed = tail[len(CHECK_START) : -len(CHECK_END)], _check(body)
    if written != computed:
        raise LineError(f"its check is {written} but its text gives {computed}")
    try:
        line = json.loads(body)
    except json.JSONDecodeError as e:
        raise LineError(f"it is not JSON ({e})") from None
    if not isinstance(line, dict) or not isinstance(line.get("type"), str):
        raise LineError("it is no object with a type")
    return line


def _check(body: str) -> str:
    """CRC-32 of the line without its check, eight hexadecimal digits."""
    return f"{zlib.crc32(body.encode('utf-8', 'surrogatepass')):08x}"
