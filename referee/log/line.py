"""One line of the log: a JSON object in ASCII whose last key is a checksum of that line alone."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import Any, NoReturn

VERSION = 1
"""Version of the log's format; a log of another version is refused and left untouched."""

Line = dict[str, Any]
"""A line as read: its `type` and that type's fields, without its place and its check."""

CHECK_START = ',"check":"'
CHECK_END = '"}'
CHECK_DIGITS = 8
LINE_TAIL = len(CHECK_START) + CHECK_DIGITS + len(CHECK_END)
NUMBER, BEFORE = "line", "after"
"""Keys of a line's place: its number, and the content check of the line before it."""
MOST_LINE_NUMBER = 1_000_000_000
"""Bound on the numbers of lines; no log has so many."""
SURROGATE = "\\ud"
"""Start of a lone surrogate (half a character) in ASCII JSON."""


class LogError(Exception):
    """A log cannot be read or written; the message is one sentence that says what to do."""


class DiskRefused(LogError):
    """The disk accepts no more; lines written so far stay, and writing can go on when there is space again."""


class LineError(ValueError):
    """One line is damaged or lacks what its type requires."""


@dataclass(frozen=True, slots=True)
class LinePlace:
    """Place of a line in its log, by which a missing, doubled or edited line is detected."""

    number: int
    """Number in the file, from 1."""
    before: str
    """`content_check` of the line before; FIRST_BEFORE for the first."""


def encode(line: Line, place: LinePlace | None = None) -> str:
    """Returns the text of `line` in the file, without the newline; the same object always gives the same text.

    It is ASCII only, so that no name, path or damaged byte can make a line unreadable. Raises LineError for what JSON
    cannot express (NaN, infinity, foreign types) and for a line without a type.
    """
    if not isinstance(line.get("type"), str) or not line.keys().isdisjoint(("check", NUMBER, BEFORE)):
        raise LineError(f"a line needs a type and no check or place of its own, not {sorted(line)}")
    body = _body(line)
    if place is not None:
        body = f'{body[:-1]},"{NUMBER}":{place.number},"{BEFORE}":"{place.before}"}}'
    return f"{body[:-1]}{CHECK_START}{_check(body)}{CHECK_END}"


def decode(text: str) -> Line:
    """Returns the line of a text made by `encode`, without its place; raises LineError saying how it is damaged."""
    return decode_placed(text)[0]


def decode_placed(text: str) -> tuple[Line, LinePlace | None]:
    """Returns the line of a text made by `encode`, and its place (None in lines of older programs).

    Raises LineError.
    """
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
    """Returns the checksum of a line's content, whatever its place; a header's time of day is left out.

    So two analyses of one recording write the same lines after headers of different times.
    """
    said = {key: value for key, value in line.items() if key != "wall"} if line["type"] == "header" else line
    return _check(_body(said))


FIRST_BEFORE = f"{0:08x}"
"""Value of `before` in the first line."""


def _body(line: Line) -> str:
    try:
        body = json.dumps(line, separators=(",", ":"), allow_nan=False)
        if SURROGATE in body:
            # Half a character comes from a name in a foreign encoding; it does not exist in UTF-8.
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
    """Removes the place from a line and returns it; None if it has none."""
    number, before = line.pop(NUMBER, None), line.pop(BEFORE, None)
    if number is None and before is None:
        return None
    is_number = isinstance(number, int) and not isinstance(number, bool) and 0 < number < MOST_LINE_NUMBER
    if not is_number or not isinstance(before, str):
        raise LineError(f"it stands at {str(number)[:20]!r}, which is no place")
    return LinePlace(number, before)


def _check(body: str) -> str:
    """Returns the CRC-32 of the line without its checksum, as eight hexadecimal digits."""
    return f"{zlib.crc32(body.encode('utf-8', 'surrogatepass')):08x}"
