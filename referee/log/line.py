"""One line of the log: a JSON object in ASCII whose last key is a check of that line alone."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import Any, NoReturn

VERSION = 1
"""Of the log's format; a log of another version is refused and left untouched."""

Line = dict[str, Any]
"""A line as read: its `type` and that type's fields, without its place and its check."""

CHECK_START = ',"check":"'
CHECK_END = '"}'
CHECK_DIGITS = 8
LINE_TAIL = len(CHECK_START) + CHECK_DIGITS + len(CHECK_END)
NUMBER, BEFORE = "line", "after"
"""Keys of a line's place: its number, and the check of what the line before it says."""
PLACE_DIGITS = 1_000_000_000
"""No log has so many lines."""
SURROGATE = "\\ud"
"""How JSON in ASCII begins half a character."""


class LogError(Exception):
    """A log cannot be read or written; the message is one sentence that says what to do."""


class LogFailed(LogError):
    """The disk refuses to take more; what was written is kept, and writing can go on when there is room again."""


class LineError(ValueError):
    """One line is damaged or does not say what its type promises."""


@dataclass(frozen=True, slots=True)
class LinePlace:
    """Where a line stands in its log, so that a missing, doubled or edited line shows."""

    number: int
    """From 1 in the file."""
    before: str
    """`content_check` of the line before; that of nothing for the first."""


def encode(line: Line, place: LinePlace | None = None) -> str:
    """`line` as it stands in the file, without the newline; the same object always gives the same text.

    ASCII only, so that no name, path or damaged byte can make a line unreadable. Raises LineError for what JSON
    cannot say (NaN, infinity, foreign types) and for a line without a type.
    """
    if not isinstance(line.get("type"), str) or not line.keys().isdisjoint(("check", NUMBER, BEFORE)):
        raise LineError(f"a line needs a type and no check or place of its own, not {sorted(line)}")
    body = _body(line)
    if place is not None:
        body = f'{body[:-1]},"{NUMBER}":{place.number},"{BEFORE}":"{place.before}"}}'
    return f"{body[:-1]}{CHECK_START}{_check(body)}{CHECK_END}"


def decode(text: str) -> Line:
    """Inverse of `encode`, without the line's place; raises LineError saying how the line is damaged."""
    return decode_placed(text)[0]


def decode_placed(text: str) -> tuple[Line, LinePlace | None]:
    """Inverse of `encode`; no place in the lines of older programs. Raises LineError."""
    tail = text[-LINE_TAIL:]
    if not (tail.startswith(CHECK_START) and tail.endswith(CHECK_END)):
        raise LineError("it does not end with its check")
    body = text[:-LINE_TAIL] + "}"
    written, computed = tail[len(CHECK_START) : -len(CHECK_END)], _check(body)
    if written != computed:
        raise LineError(f"its check is {written} but its text gives {computed}")
    line = _object(body)
    return line, _place(line)


def content_check(line: Line) -> str:
    """Check of what a line says, whatever its place; a header's time of day is left out.

    So two analyses of one recording write the same lines after headers of different times.
    """
    said = {key: value for key, value in line.items() if key != "wall"} if line["type"] == "header" else line
    return _check(_body(said))


LINE_NOTHING = f"{0:08x}"
"""`content_check` of the line before the first."""


def _body(line: Line) -> str:
    try:
        body = json.dumps(line, separators=(",", ":"), allow_nan=False)
        if SURROGATE in body:
            # Half a character comes from a name in a foreign encoding; nothing that speaks UTF-8 can show it.
            whole = json.dumps(json.loads(body), separators=(",", ":"), ensure_ascii=False)
            body = json.dumps(json.loads(whole.encode("utf-8", "replace")), separators=(",", ":"))
    except (TypeError, ValueError) as e:
        raise LineError(f"a line of type {line['type']} cannot be written as JSON: {e}") from None
    return body


def _object(body: str) -> Line:
    try:
        line = json.loads(body, parse_constant=_refused)
        if SURROGATE in body:
            json.dumps(line, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as e:
        raise LineError(f"it is not JSON ({str(e)[:100]})") from None
    if not isinstance(line, dict) or not isinstance(line.get("type"), str):
        raise LineError("it is no object with a type")
    return line


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _place(line: Line) -> LinePlace | None:
    """Takes the place out of a line."""
    number, before = line.pop(NUMBER, None), line.pop(BEFORE, None)
    if number is None and before is None:
        return None
    is_number = isinstance(number, int) and not isinstance(number, bool) and 0 < number < PLACE_DIGITS
    if not is_number or not isinstance(before, str):
        raise LineError(f"it stands at {str(number)[:20]!r}, which is no place")
    return LinePlace(number, before)


def _check(body: str) -> str:
    """CRC-32 of the line without its check, eight hexadecimal digits."""
    return f"{zlib.crc32(body.encode('utf-8', 'surrogatepass')):08x}"
