"""What a match is recomputed from: its start, the facts that were seen, and the umpire's word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from models.pieces import Seat
from referee.facts import Seen
from referee.laws import AnyState, FoulName, NotationError, OperatorEvent, Side, StrokeTokens, parse_state
from referee.match.policy import Policy
from referee.match.refusals import MatchError
from referee.match.seating import ToldSeats


class Action(StrEnum):
    """What an umpire can do; every action is one more event."""

    UNDO = "undo"
    """Take back the last stroke, correction or declaration, or the last one about a stroke."""
    REDO = "redo"
    """Bring back what was undone last, or last about a stroke."""
    CORRECT = "correct"
    """Say what a stroke really was."""
    ACCEPT = "accept"
    """A proposed infringement of a stroke counts; without one: the stroke was as the camera saw it."""
    REFUSE = "refuse"
    """A proposed infringement of a stroke does not count."""
    DECLARE = "declare"
    """Say what no camera can see: the state, who plays which colour, who breaks; or what becomes of what it sees."""
    OPERATE = "operate"
    """One of the laws' operator events, such as a waived due or a concession."""


ABOUT_A_STROKE = frozenset({Action.CORRECT, Action.ACCEPT, Action.REFUSE})
"""Actions that say what a stroke was."""
FROM_A_STROKE_ON = frozenset({Action.DECLARE, Action.OPERATE})
"""Actions that change where the match stands, from a stroke on or from now."""


@dataclass(frozen=True, slots=True)
class Start:
    """How a match begins; kept in the log's first header."""

    match: str
    """Identity, stable over restarts."""
    rules: str = "icf"
    seats: ToldSeats = ()
    """Who plays, and which colour in the first board, where that was told; the one to play first leads."""
    players: tuple[tuple[Seat, str], ...] = ()
    state: AnyState | None = None
    """The first board's state, where that was told."""
    policy: Policy = field(default_factory=Policy)
    book: str | None = None
    """The rule book's own text, so that the match is always judged by what it was played under; None: a shipped one."""


@dataclass(frozen=True, slots=True)
class Correction:
    """The umpire's word: one value for the web, which makes it of a request, the link, the match and the log.

    `correction_of` reads its JSON form, `correction_message` and `correction_line` write it.
    """

    action: Action
    t: float | None = None
    """Seconds on the frames' clock when it was taken in."""
    stroke: int | None = None
    """Number of the stroke it is about; declarations and operator events of stroke n hold from after it, 0 from the
    start."""
    tokens: StrokeTokens | None = None
    """What the stroke really was."""
    seat: Seat | None = None
    """Who really played it."""
    state: AnyState | None = None
    seats: ToldSeats = ()
    breaker: Seat | None = None
    """A board begins now and this seat breaks."""
    rematch: bool = False
    """Declared: the match that was won is closed, the next one begins with the same players."""
    target: str = ""
    """What is taken back or brought back: the id of a correction, or `stroke N`; "" for the last one."""
    newest: bool = False
    """Refused when something newer than the target came; asked when the word is taken in, and not kept."""
    by: str = ""
    id: str = ""
    """Given by the sender, to know the event again in the log."""
    wall: float | None = None
    """Unix seconds."""
    foul: FoulName | None = None
    """The proposed infringement that is accepted or refused."""
    event: OperatorEvent | None = None
    """What the operator says that no stroke says."""
    policy: Policy = field(default_factory=Policy)
    """Declared: what becomes of these infringements from now on."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """The referee was started again: times begin anew, so nothing seen before can be compared with what comes."""


Event = Seen | Correction | Resumed


def correction_of(d: Mapping[str, Any], t: float | None = None) -> Correction:
    """The correction that a message or log line says; `t` where it carries none. Raises MatchError naming the fault."""
    try:
        return Correction(
            action=Action(d["action"]),
            t=d.get("t", t),
            stroke=_stroke_number(d.get("stroke")),
            tokens=None if d.get("stroke_text") is None else StrokeTokens.parse(d["stroke_text"]),
            foul=None if d.get("foul") is None else FoulName(d["foul"]),
            event=None if d.get("event") is None else OperatorEvent.parse(d["event"]),
            seat=_seat(d.get("seat")),
            state=None if d.get("state") is None else parse_state(d["state"]),
            seats=seats_of(d.get("seats") or {}),
            breaker=_seat(d.get("breaker")),
            rematch=bool(d.get("rematch")),
            target=str(d.get("target") or ""),
            newest=bool(d.get("newest")),
            policy=Policy.parse(d.get("policy") or {}),
            by=str(d.get("by") or ""),
            id=str(d.get("id") or ""),
            wall=d.get("wall"),
        )
    except NotationError as e:
        raise MatchError(str(e)) from None
    except (KeyError, ValueError, TypeError, AttributeError) as e:
        raise MatchError(f"this correction cannot be read ({e})") from None


def correction_line(c: Correction) -> dict[str, Any]:
    """The log line of a correction; what it does not say is left out."""
    said = {
        "stroke": c.stroke,
        "stroke_text": None if c.tokens is None else str(c.tokens),
        "foul": c.foul and c.foul.value,
        "event": None if c.event is None else str(c.event),
        "seat": c.seat and c.seat.value,
        "state": c.state and str(c.state),
        "seats": _seats_said(c.seats) or None,
        "breaker": c.breaker and c.breaker.value,
        "rematch": c.rematch or None,
        "target": c.target or None,
        "policy": c.policy.as_dict() or None,
        "by": c.by or None,
        "id": c.id or None,
        "wall": c.wall,
    }
    t = None if c.t is None else round(c.t, 4)
    return {"type": "correction", "t": t, "action": c.action.value} | {k: v for k, v in said.items() if v is not None}


def correction_message(c: Correction) -> dict[str, Any]:
    """What travels to the eyes: the log's line without a time, which the eyes give it when they take it in."""
    said = {key: value for key, value in correction_line(c).items() if key != "t"}
    return said | ({"newest": True} if c.newest else {})


def start_fields(start: Start) -> dict[str, Any]:
    """What a header says of the match."""
    return {
        "match": start.match,
        "rules": start.rules,
        "seats": _seats_said(start.seats),
        "players": {seat.value: name for seat, name in start.players},
        "state": start.state and str(start.state),
        "policy": start.policy.as_dict(),
    } | ({} if start.book is None else {"book": start.book})


def start_of(header: Mapping[str, Any]) -> Start:
    """The start that a header says; raises MatchError naming the fault."""
    try:
        return Start(
            match=str(header.get("match") or ""),
            rules=str(header.get("rules") or "icf"),
            seats=seats_of(header.get("seats") or {}),
            players=tuple((Seat(seat), str(name)) for seat, name in (header.get("players") or {}).items()),
            state=None if header.get("state") is None else parse_state(header["state"]),
            policy=Policy.parse(header.get("policy") or {}),
            book=None if header.get("book") is None else str(header["book"]),
        )
    except (ValueError, TypeError, AttributeError) as e:
        raise MatchError(f"the log's header does not say how the match began ({e})") from None


def seats_of(d: Mapping[str, str | None]) -> ToldSeats:
    """Who plays, from `{"south": "white"}`, with null where no colour was told; raises ValueError."""
    return tuple((Seat(seat), None if side is None else Side(side)) for seat, side in d.items())


def _seats_said(seats: ToldSeats) -> dict[str, str | None]:
    """Inverse of `seats_of`."""
    return {seat.value: side and side.value for seat, side in seats}


def _seat(value: Any) -> Seat | None:
    return None if value is None else Seat(value)


def _stroke_number(value: Any) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise ValueError(f"stroke is {value!r}, not a number")
    return value
