"""Input of a match: its start, and its events: facts reported by vision, and the umpire's corrections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from models.pieces import Seat
from referee.facts import Fact
from referee.laws import AnyState, parse_state
from referee.match.corrections import Correction
from referee.match.policy import Policy
from referee.match.refusals import MatchError
from referee.match.seating import DeclaredSeats, seats_of, seats_said


@dataclass(frozen=True, slots=True)
class Start:
    """Start of a match, stored in the log's first header."""

    match: str
    """Identity, stable over restarts."""
    rules: str = "icf"
    seats: DeclaredSeats = ()
    """Seats that play, with their colour in the first board if declared; the one to play first comes first."""
    players: tuple[tuple[Seat, str], ...] = ()
    state: AnyState | None = None
    """State of the first board, if declared."""
    policy: Policy = field(default_factory=Policy)
    book: str | None = None
    """Text of the rule book, so that the match is always judged by the book under which it was played; None = a shipped
    one."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """Restart of the referee: times begin anew, so earlier observations cannot be compared with later ones."""


Event = Fact | Correction | Resumed


def start_fields(start: Start) -> dict[str, Any]:
    """Returns the header's fields on the start of the match."""
    return {
        "match": start.match,
        "rules": start.rules,
        "seats": seats_said(start.seats),
        "players": {seat.value: name for seat, name in start.players},
        "state": start.state and str(start.state),
        "policy": start.policy.as_dict(),
    } | ({} if start.book is None else {"book": start.book})


def start_of(header: Mapping[str, Any]) -> Start:
    """Returns the start in a header; raises MatchError naming the fault."""
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
