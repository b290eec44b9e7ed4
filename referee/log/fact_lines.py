"""Converts the facts reported by vision to lines of the match log, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from models.pieces import Kind, Piece, Pocket, Seat
from referee.facts import (
    Alert,
    AlertKind,
    Clearances,
    Fact,
    Fell,
    Formation,
    Foul,
    OffBoard,
    OtherFalls,
    Placement,
    PlacementReason,
    Pocketed,
    Returned,
    Stroke,
    Table,
)
from referee.log.line import Line, LineError

FACT_TIME_DIGITS = 4
"""Decimals of a second: a tenth of a millisecond, finer than any frame or row is timed."""
FACT_MM_DIGITS = 3
"""Decimals of a millimetre: a hundred times finer than the best measurement."""
SHARE_DIGITS = 4
"""Decimals of a probability."""

T = TypeVar("T")


def line_of(fact: Fact) -> Line:
    """Returns the log line of `fact`, with numbers rounded to the log's digits."""
    match fact:
        case Table():
            return {"type": "table", "t": _t(fact.t), "pieces": _pieces(fact.pieces)}
        case Stroke():
            return _stroke_line(fact)
        case Returned():
            return {"type": "returned", "t": _t(fact.t), "kind": fact.kind.value,
                    "x_mm": _mm(fact.x_mm), "y_mm": _mm(fact.y_mm), "by": _name(fact.by)}  # fmt: skip
        case Fell():
            return {"type": "fell", "t": _t(fact.t), "kind": fact.kind.value, "pocket": fact.pocket.value}
        case Formation():
            pieces = _pieces(fact.pieces)
            return {"type": "formation", "t": _t(fact.t), "pieces": pieces, "breaker": _name(fact.breaker)}
        case Alert():
            return {"type": "alert", "t": _t(fact.t), "kind": fact.kind.value, "text": fact.text}


def fact_of(line: Line) -> Fact:
    """Returns the fact in `line`; raises LineError if it is of another type or a field is missing or wrong."""
    read = READERS.get(line.get("type", ""))
    if read is None:
        raise LineError(f"a line of type {line.get('type')!r} is no fact")
    try:
        return read(line)
    except (KeyError, TypeError, ValueError, AttributeError) as e:
        raise LineError(f"a {line['type']} line lacks a field or has a wrong one: {e!r}") from None


def _stroke_line(s: Stroke) -> Line:
    other = s.other and {**_falls_line(s.other.pocketed, s.other.off_board), "confidence": _share(s.other.confidence)}
    return {
        "type": "stroke",
        "n": s.n,
        "seat": s.seat.value,
        "t_placed": None if s.t_placed is None else _t(s.t_placed),
        "t_strike": _t(s.t_strike),
        "t_rest": _t(s.t_rest),
        "t_called": _t(s.t_called),
        "placement": _placement_line(s.placement) if s.placement else None,
        "first_contact": _name(s.first_contact),
        **_falls_line(s.pocketed, s.off_board),
        "fouls": [f.value for f in s.fouls],
        "foul_confidence": {f.value: _share(s.foul_confidence[f]) for f in Foul if f in s.foul_confidence},
        "confidence": _share(s.confidence),
    } | ({"other": other} if other else {})


def _falls_line(pocketed: Sequence[Pocketed], off_board: Sequence[OffBoard]) -> Line:
    return {
        "pocketed": [{"kind": p.kind.value, "pocket": _name(p.pocket), "t": _t(p.t)} for p in pocketed],
        "off_board": [{"kind": o.kind.value, "t": _t(o.t)} for o in off_board],
    }


def _placement_line(p: Placement) -> dict[str, Any]:
    c = p.clearance_mm
    clearance = {"front_line": c.front_line, "rear_line": c.rear_line, "moon": c.moon, "arrow": c.arrow, "ends": c.ends,
                 "circle": c.circle}  # fmt: skip
    return {
        "x_mm": _mm(p.x_mm),
        "y_mm": _mm(p.y_mm),
        "legal": p.legal,
        "reason": _name(p.reason),
        "margin_mm": _mm(p.margin_mm),
        "sigma_mm": _mm(p.sigma_mm),
        "clearance_mm": {name: None if v is None else _mm(v) for name, v in clearance.items()},
    }


def _table(d: Line) -> Table:
    return Table(_number(d["t"]), _read_pieces(d["pieces"]))


def _stroke(d: Line) -> Stroke:
    pocketed, off_board = _falls(d)
    other = d.get("other")
    return Stroke(
        n=_count(d["n"]),
        seat=Seat(d["seat"]),
        t_placed=_maybe(_number, d["t_placed"]),
        t_strike=_number(d["t_strike"]),
        t_rest=_number(d["t_rest"]),
        t_called=_number(d["t_called"]),
        placement=_maybe(_placement, d["placement"]),
        first_contact=_maybe(Kind, d["first_contact"]),
        pocketed=pocketed,
        off_board=off_board,
        fouls=tuple(Foul(f) for f in d["fouls"]),
        foul_confidence=MappingProxyType({Foul(f): _number(c) for f, c in d["foul_confidence"].items()}),
        confidence=_number(d["confidence"]),
        other=None if other is None else OtherFalls(*_falls(other), _number(other["confidence"])),
    )


def _falls(d: Line) -> tuple[tuple[Pocketed, ...], tuple[OffBoard, ...]]:
    pocketed = (Pocketed(Kind(p["kind"]), _maybe(Pocket, p["pocket"]), _number(p["t"])) for p in d["pocketed"])
    return tuple(pocketed), tuple(OffBoard(Kind(o["kind"]), _number(o["t"])) for o in d["off_board"])


def _placement(d: dict[str, Any]) -> Placement:
    if not (d["legal"] is None or isinstance(d["legal"], bool)):
        raise ValueError(f"legal is {d['legal']!r}")
    clearance = {name: _maybe(_number, {"circle": None, **d["clearance_mm"]}[name]) for name in Clearances.__slots__}
    return Placement(
        x_mm=_number(d["x_mm"]),
        y_mm=_number(d["y_mm"]),
        legal=d["legal"],
        reason=_maybe(PlacementReason, d["reason"]),
        margin_mm=_number(d["margin_mm"]),
        sigma_mm=_number(d["sigma_mm"]),
        clearance_mm=Clearances(**clearance),
    )


def _returned(d: Line) -> Returned:
    return Returned(_number(d["t"]), Kind(d["kind"]), _number(d["x_mm"]), _number(d["y_mm"]), _maybe(Seat, d["by"]))


def _fell(d: Line) -> Fell:
    return Fell(_number(d["t"]), Kind(d["kind"]), Pocket(d["pocket"]))


def _formation(d: Line) -> Formation:
    return Formation(_number(d["t"]), _read_pieces(d["pieces"]), _maybe(Seat, d["breaker"]))


def _alert(d: Line) -> Alert:
    if not isinstance(d["text"], str):
        raise ValueError("text is no text")
    return Alert(_number(d["t"]), AlertKind(d["kind"]), d["text"])


READERS: dict[str, Callable[[Line], Fact]] = {
    "table": _table,
    "stroke": _stroke,
    "returned": _returned,
    "fell": _fell,
    "formation": _formation,
    "alert": _alert,
}
FACT_TYPES = frozenset(READERS)
"""Types of the lines that hold facts."""


def _pieces(pieces: tuple[Piece, ...]) -> list[dict[str, Any]]:
    return [{"kind": p.kind.value, "x_mm": _mm(p.x_mm), "y_mm": _mm(p.y_mm)} for p in pieces]


def _read_pieces(pieces: list[dict[str, Any]]) -> tuple[Piece, ...]:
    return tuple(Piece(Kind(p["kind"]), _number(p["x_mm"]), _number(p["y_mm"])) for p in pieces)


def _maybe(read: Callable[[Any], T], value: Any) -> T | None:
    return None if value is None else read(value)


def _name(label: Kind | Pocket | Seat | PlacementReason | None) -> str | None:
    return None if label is None else label.value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{value!r} is no number")
    return float(value)


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{value!r} is no whole number")
    return value


def _t(seconds: float) -> float:
    return _rounded(seconds, FACT_TIME_DIGITS)


def _mm(millimetres: float) -> float:
    return _rounded(millimetres, FACT_MM_DIGITS)


def _share(probability: float) -> float:
    return _rounded(probability, SHARE_DIGITS)


def _rounded(value: float, digits: int) -> float:
    """Returns the value rounded, as Python's float even for a NumPy number, and without a negative zero."""
    return round(float(value), digits) + 0.0
