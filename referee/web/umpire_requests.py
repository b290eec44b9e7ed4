"""The umpire's desk: requests to change the match on their way to the vision process, and who may send them."""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, model_validator

from models.pieces import Seat
from models.rules import CollectRules, book_of
from referee.laws import FoulName, OperatorEvent, Reason, Side
from referee.log.running import Running
from referee.match import Action, Correction, Match, Start, Treatment, correction_message, correction_of
from referee.match.doubts import DoubtReason
from referee.match.seating import DeclaredSeats
from referee.web.access import Name, Role, UmpireSession

STROKE_TEXT_LIMIT = 200
"""Greatest length of a correction, characters. A stroke that pocketed all nineteen coins, with pockets, fits."""

TARGET_LIMIT = 40
"""Greatest length of the name of an undone step, characters."""

ActId = Annotated[str, Field(pattern=r"^[0-9A-Za-z-]{8,40}$")]
"""Id of an act, made by its sender: the log's line bears it, and an act that arrives twice is done once."""

Texts = Callable[[str], str | None]
"""Returns the text of a rule book by its name; None for a shipped one. Raises ValueError for an unknown one."""

TABLETS_ACTIONS = frozenset({Action.ACCEPT, Action.REFUSE, Action.UNDO, Action.REDO, Action.CHALLENGE, Action.ANSWER})
"""Actions of a paired tablet without the PIN. It may also correct the last stroke and those that the referee asks
about, pause and continue, and begin the next match once this one is over.
"""


class UmpireRequest(BaseModel):
    """The body of POST /api/umpire."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    action: Action
    stroke: int | None = Field(default=None, ge=1)
    """Number of the stroke concerned. For events and declarations: effective after it; left out: from now."""
    stroke_text: str | None = Field(default=None, max_length=STROKE_TEXT_LIMIT)
    """What really happened, in stroke tokens (`W,S`, `-` for nothing)."""
    seat: Seat | None = None
    """Who really played the corrected stroke."""
    foul: FoulName | None = None
    """The infringement that is accepted or refused."""
    event: str | None = Field(default=None, max_length=STROKE_TEXT_LIMIT)
    """The operator event in its text form."""
    seats: dict[Seat, Side] | None = None
    """Declared: who plays which colour."""
    breaker: Seat | None = None
    """Declared: a board begins and this seat breaks."""
    state: str | None = Field(default=None, max_length=STROKE_TEXT_LIMIT)
    """Declared: how the board stands, in the notation of states."""
    policy: dict[FoulName, Treatment] | None = None
    """Declared: how these infringements are treated from now on when the camera detects them."""
    rematch: bool = False
    """Declared: the finished match is closed, and the next one begins with the same players."""
    target: str | None = Field(default=None, max_length=TARGET_LIMIT)
    """What undo or redo concerns: `stroke 7`, or the id of a correction or an undo; left out: the last one."""
    upheld: bool | None = None
    """Answer to the challenge that is the target: whether it was right."""
    newest: bool = False
    """Undo: refuse if something newer than the target has arrived."""
    seen: int | None = Field(default=None, ge=0)
    """Number of changes that the sender knew of (`corrections` of the log section): if a later one is about the same
    stroke, this one is refused. Left out: never.
    """
    id: ActId | None = None
    """Id of this act; left out: the answer tells the one that it got."""

    @model_validator(mode="after")
    def _complete(self) -> UmpireRequest:
        if self.action is Action.CORRECT and (self.stroke is None or not (self.stroke_text or "").strip()):
            raise ValueError("a correction needs the stroke's number and what happened in it")
        if self.action in (Action.ACCEPT, Action.REFUSE) and self.stroke is None:
            raise ValueError(f"tell the number of the stroke of which to {self.action} a proposal")
        if self.action is Action.REFUSE and self.foul is None:
            raise ValueError("tell which infringement is refused")
        if self.action is Action.CHALLENGE and (self.stroke is None or self.seat is None):
            raise ValueError("a challenge needs the stroke's number and the seat of the player who asks")
        if self.action is Action.ANSWER and (not self.target or self.upheld is None):
            raise ValueError("tell which challenge is answered, and whether it was right")
        if self.action is Action.DECLARE and not (
            self.seats or self.breaker or self.policy or self.state or self.rematch
        ):
            raise ValueError("tell seats, breaker, state, policy or rematch")
        if self.action is Action.OPERATE:
            OperatorEvent.parse(self.event or "")
        self.correction()
        return self

    def correction(self) -> Correction:
        """Returns the request as a correction of the match. Raises MatchError naming what cannot be read."""
        return correction_of(self.model_dump(mode="json", exclude_none=True))

    def message(self) -> dict[str, Any]:
        """Returns the request as a message to the vision process."""
        return correction_message(self.correction()) | ({} if self.seen is None else {"seen": self.seen})


class RunningRequest(BaseModel):
    """The body of POST /api/umpire/running: pause the match, continue it, or end it."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    state: Running
    """`paused` and `ended`: nothing on the board counts; `playing`: it counts again."""
    id: ActId | None = None
    """Id of this act; left out: the answer tells the one that it got."""

    def message(self) -> dict[str, Any]:
        """Returns the request as a message to the vision process."""
        return {"type": "running", "state": self.state.value}


class NewMatch(BaseModel):
    """The body of POST /api/umpire/match: the present match ends and another begins."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    rules: str = Field(max_length=80, pattern=r"^[a-z0-9_]+(\+[a-z0-9_=]+)*$")
    """Rule book, modifiers after a plus; see GET /api/books."""
    players: dict[Seat, Name] = {}
    """Players' names by seat."""
    first: Seat | None = None
    """Who plays first, and white where there are colours; left out: whoever breaks."""
    policy: dict[FoulName, Treatment] = {}
    """How each kind of infringement is treated that the camera detects; kinds left out as usual."""
    south: Seat = Seat.SOUTH
    """The side, by its present name, that is called south from now on; the others follow clockwise."""
    id: ActId | None = None
    """Id of this act; left out: the answer tells the one that it got."""

    _book: str | None = PrivateAttr(default=None)
    """Text of one of the club's own books."""

    def checked(self, books: Texts) -> NewMatch:
        """Returns the request with the text of its book; `books` returns it by name, None for a shipped one.

        Only the server's own books may be named over the network, not paths. Raises ValueError.
        """
        self._book = books(self.rules.partition("+")[0])
        Match(Start("", self.rules, self._seats(), book=self._book))
        return self

    def _seats(self) -> DeclaredSeats:
        book = book_of(self.rules, self._book)
        if not isinstance(book, CollectRules):
            return ((self.first, Side.WHITE),) if self.first else ()
        if self.first is None and book.seating.players != len(Seat) - 1:
            return ()
        # Three players leave a side of the board empty: the seats with names are taken.
        order = [seat for seat in Seat if seat in self.players and seat is not self.first]
        return tuple((seat, None) for seat in ([self.first] if self.first else []) + order)

    def message(self) -> dict[str, Any]:
        """Returns the request as a message to the vision process."""
        said = {"type": "new_match", "rules": self.rules, "players": self.players, "seats": dict(self._seats()),
                "policy": self.policy, "south": self.south.value}  # fmt: skip
        return said if self._book is None else said | {"book": self._book}


Wish = UmpireRequest | RunningRequest | NewMatch


class NotAllowed(Exception):
    """This session may not do that; the message says who may."""


class VisionAway(Exception):
    """The vision process is not connected, so nothing can be changed now; the message is for the umpire."""


Send = Callable[[Mapping[str, Any]], Awaitable[bool]]
"""Sends a message to the vision process; False if it is away."""


class RequestDesk:
    """Turns a request into a correction event and sends it to the vision process, which alone writes the log."""

    def __init__(self, send: Send, match: Callable[[], Match | None], wall: Callable[[], float] = time.time) -> None:
        self._send, self._match, self._wall = send, match, wall

    async def submit(self, request: Wish, session: UmpireSession) -> str:
        """Sends the event and returns its id, which its line in the log will bear. Raises NotAllowed or EyesAway."""
        if not self._allowed(request, session):
            raise NotAllowed("a paired tablet may answer, undo, pause and correct the last stroke: "
                             "enter the umpire's PIN for more")  # fmt: skip
        mark = request.id or secrets.token_hex(6)
        event = request.message() | {"id": mark, "by": session.by, "wall": round(self._wall(), 3)}
        if not await self._send(event):
            raise VisionAway("the camera side is not running, so nothing was changed: start it and try again")
        return mark

    def _allowed(self, request: Wish, session: UmpireSession) -> bool:
        if session.role is Role.UMPIRE:
            return True
        if isinstance(request, RunningRequest):
            # The players say that a result stands.
            return request.state is not Running.ENDED or self._is_won()
        if isinstance(request, NewMatch):
            return self._is_over()
        if request.rematch:
            return self._is_over() and request == UmpireRequest(
                action=Action.DECLARE, rematch=True, id=request.id, seen=request.seen
            )
        return request.action in TABLETS_ACTIONS or self._corrects_what_it_may(request)

    def _is_over(self) -> bool:
        """Tells whether another match would lose nothing: this one is won, or no stroke of it was played."""
        match = self._match()
        return match is not None and (match.position.match_over or not match.rulings)

    def _is_won(self) -> bool:
        match = self._match()
        return match is not None and match.position.match_over

    def _corrects_what_it_may(self, request: UmpireRequest) -> bool:
        return request.action is Action.CORRECT and (self._is_last(request.stroke) or self._is_asked(request.stroke))

    def _is_last(self, stroke: int | None) -> bool:
        match = self._match()
        return match is not None and stroke is not None and stroke == next(reversed(match.rulings), None)

    def _is_asked(self, stroke: int | None) -> bool:
        match = self._match()
        ruling = match.rulings.get(stroke or 0) if match else None
        if ruling is None:
            return False
        unsure = any(d.why is DoubtReason.FALLS_UNSURE for d in ruling.doubts)
        return unsure or any(d.reason is Reason.CHOICE for d in ruling.decisions)
