"""The umpire's corrections: what an umpire can do, one such correction, and its JSON form in messages and the log.

A correction may hold an event of the operator, such as a waived due (`referee/laws/operator_word.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from models.pieces import Seat
from referee.laws import AnyState, FoulName, NotationError, OperatorEvent, StrokeTokens, parse_state
from referee.match.policy import Policy
from referee.match.refusals import MatchError
from referee.match.seating import DeclaredSeats, seats_of, seats_said


class Action(StrEnum):
    """What an umpire can do; every action is one more event."""

    UNDO = "undo"
    """Take back the last stroke, correction or declaration, or the last one about a stroke."""
    REDO = "redo"
    """Bring back what was undone last, or last about a stroke."""
    CORRECT = "correct"
    """State what a stroke really was."""
    ACCEPT = "accept"
    """A proposed infringement of a stroke counts; without one: the stroke was as the camera saw it."""
    REFUSE = "refuse"
    """A proposed infringement of a stroke does not count."""
    DECLARE = "declare"
    """State what no camera can detect: the state, who plays which colour, who breaks; or how infringements are
    treated."""
    OPERATE = "operate"
    """One of the laws' operator events, such as a waived due or a concession."""
    CHALLENGE = "challenge"
    """A side asks for a review of a stroke."""
    ANSWER = "answer"
    """The umpire's answer to a challenge: it was right, or the call stands and the challenge is lost."""


ABOUT_A_STROKE = frozenset({Action.CORRECT, Action.ACCEPT, Action.REFUSE})
"""Actions that state what a stroke was."""
FROM_A_STROKE_ON = frozenset({Action.DECLARE, Action.OPERATE})
"""Actions that change the position of the match, from a stroke on or from now."""


@dataclass(frozen=True, slots=True)
class Correction:
    """Correction by the umpire: one value that the web makes of a request, shared by link, match and log.

    `correction_of` reads its JSON form, `correction_message` and `correction_line` write it.
    """

    action: Action
    t: float | None = None
    """Seconds on the frames' clock when it was received."""
    stroke: int | None = None
    """Number of the stroke that it is about. A declaration or operator event holds from after that stroke on, 0: from
    the start."""
    tokens: StrokeTokens | None = None
    """The stroke as it really was."""
    seat: Seat | None = None
    """Seat that really played it."""
    state: AnyState | None = None
    seats: DeclaredSeats = ()
    breaker: Seat | None = None
    """Seat that breaks the board that begins now."""
    rematch: bool = False
    """Declared: the won match is closed, and the next one begins with the same players."""
    target: str = ""
    """Step to undo or redo: the id of a correction, or `stroke N`; "" for the last one."""
    newest: bool = False
    """True: refused if there is a step newer than the target. Only checked when it is received, and not logged."""
    by: str = ""
    id: str = ""
    """Identifier given by the sender, to recognise the event in the log."""
    wall: float | None = None
    """Time of the request in Unix seconds."""
    foul: FoulName | None = None
    """Proposed infringement that is accepted or refused."""
    event: OperatorEvent | None = None
    """Event declared by the operator that no stroke shows."""
    upheld: bool | None = None
    """Answer to a challenge: whether it was right."""
    policy: Policy = field(default_factory=Policy)
    """Declared: treatment of these infringements from now on."""


def correction_of(d: Mapping[str, Any], t: float | None = None) -> Correction:
    """Returns the correction in a message or log line; `t` is its time if it has none.

    Raises MatchError naming the fault.
    """
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
            upheld=None if d.get("upheld") is None else bool(d["upheld"]),
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
    """Returns the log line of a correction; unset fields are left out."""
    said = {
        "stroke": c.stroke,
        "stroke_text": None if c.tokens is None else str(c.tokens),
        "foul": c.foul and c.foul.value,
        "event": None if c.event is None else str(c.event),
        "seat": c.seat and c.seat.value,
        "state": c.state and str(c.state),
        "seats": seats_said(c.seats) or None,
        "breaker": c.breaker and c.breaker.value,
        "rematch": c.rematch or None,
        "target": c.target or None,
        "upheld": c.upheld,
        "policy": c.policy.as_dict() or None,
        "by": c.by or None,
        "id": c.id or None,
        "wall": c.wall,
    }
    t = None if c.t is None else round(c.t, 4)
    return {"type": "correction", "t": t, "action": c.action.value} | {k: v for k, v in said.items() if v is not None}


def correction_message(c: Correction) -> dict[str, Any]:
    """Returns the message to the vision process: the log line without its time, which is set when it is received."""
    said = {key: value for key, value in correction_line(c).items() if key != "t"}
    return said | ({"newest": True} if c.newest else {})


def _seat(value: Any) -> Seat | None:
    return None if value is None else Seat(value)


def _stroke_number(value: Any) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise ValueError(f"stroke is {value!r}, not a number")
    return value
