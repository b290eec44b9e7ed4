"""Schema of the log: checks that no required field of a line is missing, and none is of a wrong type or immense."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from models.pieces import Seat
from referee.log.fact_lines import FACT_TYPES, fact_of
from referee.log.line import Line, LineError
from referee.log.running import running_of
from referee.log.uid import is_uuid
from referee.match import MatchError, correction_of

SCHEMA_MOST_NUMBER = 1e12
"""Greatest absolute value of a number; Unix seconds have ten digits, and no length or count comes near."""
MOST_TEXT, MOST_BOOK = 4000, 2 << 16
"""Greatest number of characters of one text, and of a club's rule book. A ruling's longest sentence has some hundred,
the longest shipped book 13,000; the desk accepts no longer book either."""
MOST_ENTRIES = 4096
"""Greatest number of entries of one list or object; a header has some dozen marks."""
MOST_DEPTH = 12
MOST_STROKES = 1_000_000

Check = Callable[[Any], bool]


def check_line(line: Line) -> None:
    """Raises LineError naming the field if a line of a known type lacks a field or has a wrong one.

    Of other types only the sizes of numbers, texts and lists are checked.
    """
    kind = line["type"]
    check_plain(kind, _without_book(line))
    if kind in FACT_TYPES:
        fact_of(line)
    for name, holds in REQUIRED.get(kind, {}).items():
        if not (name in line and holds(line[name])):
            raise LineError(_wrong(kind, name, line.get(name)))
    for name, holds in ALLOWED.get(kind, {}).items():
        if line.get(name) is not None and not holds(line[name]):
            raise LineError(_wrong(kind, name, line[name]))
    if kind == "running":
        running_of(line)
    elif kind == "correction":
        _check_correction(line)


def _without_book(line: Line) -> Line:
    """Returns a line without the text of a club's rule book, which may be longer than other texts."""
    rest = {name: value for name, value in line.items() if name != "book"}
    if isinstance(rest.get("start"), dict):
        rest["start"] = {name: value for name, value in rest["start"].items() if name != "book"}
    return rest


def _starts(value: Any) -> bool:
    """Tells whether it may be a formation's `start`, which repeats the header's fields on how the match began."""
    return isinstance(value, dict) and (value.get("book") is None or _book(value["book"]))


def _check_correction(line: Line) -> None:
    try:
        correction_of(line)
    except MatchError as e:
        raise LineError(str(e)) from None


def _wrong(kind: str, name: str, value: Any) -> str:
    return f"a {kind} line says {name} is {str(value)[:40]!r}"


def check_plain(kind: str, value: Any, most: int = MOST_ENTRIES, depth: int = MOST_DEPTH) -> None:
    """Raises LineError unless all numbers, texts and lists (`most` entries) in a value are of possible sizes."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        if depth == 0 or len(value) > most:
            raise LineError(f"a {kind[:20]} line is nested or listed beyond all measure")
        for each in (*value, *inner) if isinstance(value, dict) else inner:
            check_plain(kind, each, most, depth - 1)
    elif isinstance(value, str):
        if len(value) > MOST_TEXT:
            raise LineError(f"a {kind[:20]} line holds a text of {len(value)} characters")
        if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
            raise LineError(f"a {kind[:20]} line holds half a character")
    elif isinstance(value, int | float) and not abs(value) <= SCHEMA_MOST_NUMBER:
        raise LineError(f"a {kind[:20]} line holds a number beyond all measure")


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_STROKES


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _book(value: Any) -> bool:
    return _text(value) and len(value) <= MOST_BOOK and not any("\ud800" <= c <= "\udfff" for c in value)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _numbers(value: Any) -> bool:
    """Tells whether it is an object of numbers or nulls, such as a score."""
    return isinstance(value, dict) and all(v is None or _number(v) for v in value.values())


def _list_of(holds: Check, least: int = 0, most: int = MOST_ENTRIES) -> Check:
    return lambda value: isinstance(value, list) and least <= len(value) <= most and all(map(holds, value))


def _names(value: Any) -> bool:
    """Tells whether it is an object of texts or nulls by seat."""
    seats = {seat.value for seat in Seat}
    return isinstance(value, dict) and value.keys() <= seats and all(v is None or _text(v) for v in value.values())


def _known_by_id(value: Any) -> bool:
    """Tells whether it is a person or a station: an id, and a name or none."""
    return isinstance(value, dict) and _text(value.get("id")) and (value.get("name") is None or _text(value["name"]))


def _people(value: Any) -> bool:
    """Tells whether it is an object of people by seat."""
    seats = {seat.value for seat in Seat}
    return isinstance(value, dict) and value.keys() <= seats and all(map(_known_by_id, value.values()))


def _decision(value: Any) -> bool:
    """Tells whether it is a decision in words."""
    return isinstance(value, dict) and _text(value.get("kind")) and _text(value.get("text"))


def _camera(value: Any) -> bool:
    """Tells whether it is OpenCV's camera model, or a part of it, with matrices of the right shapes."""
    if not isinstance(value, dict):
        return False
    three = _list_of(_number, 3, 3)
    shapes: dict[str, Check] = {
        "K": _list_of(three, 3, 3), "R": _list_of(three, 3, 3), "t_mm": three, "dist": _list_of(_number, 4, 14),
        "surface_mm": _number, "rms_mm": _number, "width": _number, "height": _number,
    }  # fmt: skip
    return all(name not in shapes or shapes[name](each) for name, each in value.items())


def _board(value: Any) -> bool:
    """Tells whether it is a board's geometry: lengths, and marks as lists of objects of numbers or texts."""

    def is_mark(mark: Any) -> bool:
        return isinstance(mark, dict) and all(_number(v) or _text(v) for v in mark.values())

    return isinstance(value, dict) and all(
        _list_of(is_mark)(each)
        if isinstance(each, list)
        else each is None or _number(each) or _text(each) or _flag(each)
        for each in value.values()
    )


REQUIRED: dict[str, dict[str, Check]] = {
    "header": {"version": _count},
    "clock": {"t": _number, "wall": _number},
    "ruling": {"stroke": _count, "decisions": _list_of(_decision)},
    "correction": {"action": _text},
    "running": {"state": _text},
    "stroke": {"n": _count},
}
"""Fields that a line of this type always has; those of facts are read by `fact_of`."""
ALLOWED: dict[str, dict[str, Check]] = {
    "header": {"wall": _number, "match": _text, "rules": _text, "source": _text, "program": _text, "state": _text,
               "seats": _names, "players": _names, "book": _book, "fps": _number, "first_frames": _count,
               "calibration": _camera, "board": _board, "uid": is_uuid, "station": _known_by_id, "people": _people,
               "event": lambda v: isinstance(v, dict), "word": _text},
    "ruling": {"rules": _text, "seat": _text, "stroke_text": _text, "seen_text": _text, "turn": _text,
               "colours": lambda v: isinstance(v, dict), "dues": _numbers, "queen": _text, "queen_side": _text,
               "score": _numbers, "returned": _numbers, "state": _text, "board": _count,
               "certain": _flag, "board_over": _flag, "annulled": _flag, "corrected": _flag},
    "correction": {"t": _number, "stroke": _count, "wall": _number, "by": _text, "id": _text,
                   "decisions": _list_of(_decision)},
    "running": {"t": _number, "wall": _number, "by": _text, "id": _text},
    "formation": {"start": _starts},
}  # fmt: skip
"""Fields that a line of this type may lack, or have as null."""
