"""The umpire's desk: who may change the match, and what a wish to change it looks like on its way to the eyes."""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from referee.laws import FoulName, OperatorEvent, StrokeTokens

PIN_DIGITS = 6
"""A million PINs and `Attempts` make guessing from the hall hopeless; six digits can still be read out loud."""

MAX_WRONG = 5
"""Wrong PINs in a row before the desk closes for a while."""

LOCK_S = 30.0
"""How long the desk stays closed after too many wrong PINs, seconds."""

STROKE_TEXT_LIMIT = 200
"""Longest correction in characters: a stroke that pocketed all nineteen coins, each with its pocket, fits."""


class Action(StrEnum):
    """What the umpire can ask for."""

    UNDO = "undo"
    REDO = "redo"
    CORRECT = "correct"
    ACCEPT = "accept"
    """A proposed infringement of a stroke counts; without one: the stroke was as the camera saw it."""
    REFUSE = "refuse"
    """A proposed infringement does not count."""
    OPERATE = "operate"
    """One of the laws' operator events (`waive W`, `concede B`)."""


class UmpireRequest(BaseModel):
    """The body of POST /api/umpire."""

    model_config = ConfigDict(extra="forbid")

    action: Action
    stroke: int | None = Field(default=None, ge=1)
    """Number of the stroke that it is about; for an operator event: from after it, left out: from now."""
    stroke_text: str | None = Field(default=None, max_length=STROKE_TEXT_LIMIT)
    """What really happened, in stroke tokens (`W,S`, `-` for nothing)."""
    foul: FoulName | None = None
    """The infringement that is accepted or refused."""
    event: str | None = Field(default=None, max_length=STROKE_TEXT_LIMIT)
    """The operator event in its text form."""

    @model_validator(mode="after")
    def _complete(self) -> UmpireRequest:
        if self.action is Action.CORRECT and (self.stroke is None or not (self.stroke_text or "").strip()):
            raise ValueError("a correction needs the stroke's number and what happened in it")
        if self.action in (Action.ACCEPT, Action.REFUSE) and self.stroke is None:
            raise ValueError(f"tell the number of the stroke of which to {self.action} a proposal")
        if self.action is Action.REFUSE and self.foul is None:
            raise ValueError("tell which infringement is refused")
        if self.stroke_text is not None:
            StrokeTokens.parse(self.stroke_text.strip())
        if self.action is Action.OPERATE:
            OperatorEvent.parse(self.event or "")
        return self

    def fields(self) -> dict[str, Any]:
        """What the action says, as the eyes read it."""
        if self.action in (Action.UNDO, Action.REDO):
            return {}
        text = self.stroke_text and self.stroke_text.strip()
        said = {"stroke": self.stroke, "stroke_text": text, "foul": self.foul, "event": self.event}
        return {key: value for key, value in said.items() if value is not None}


class PinRefused(Exception):
    """The PIN is missing or wrong; the message is for the umpire."""


class PinLocked(PinRefused):
    """Too many wrong PINs; the desk is closed for a while."""


class EyesAway(Exception):
    """The eyes are not connected, so nothing can be changed now; the message is for the umpire."""


def random_pin() -> str:
    """A new PIN for one run of the house."""
    return f"{secrets.randbelow(10**PIN_DIGITS):0{PIN_DIGITS}d}"


class Lock:
    """The PIN check with its brake against guessing."""

    def __init__(self, pin: str | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._pin = pin
        self._clock = clock
        self._wrong = 0
        self._closed_until = float("-inf")

    @property
    def needed(self) -> bool:
        """False when the house was started without a PIN."""
        return self._pin is not None

    def check(self, given: str | None) -> None:
        """Passes in silence; raises PinRefused, or PinLocked while too many wrong ones are being waited out."""
        if self._pin is None:
            return
        if self._clock() < self._closed_until:
            raise PinLocked(f"too many wrong PINs: wait {self._closed_until - self._clock():.0f} seconds and try again")
        if given is None:
            raise PinRefused("enter the umpire's PIN, which was shown when the referee was started")
        if not secrets.compare_digest(given.encode(), self._pin.encode()):
            self._count_wrong()
            raise PinRefused("that is not the umpire's PIN, which was shown when the referee was started")
        self._wrong = 0

    def _count_wrong(self) -> None:
        self._wrong += 1
        if self._wrong >= MAX_WRONG:
            self._wrong, self._closed_until = 0, self._clock() + LOCK_S


Send = Callable[[Mapping[str, Any]], Awaitable[bool]]
"""Hands a message to the eyes; False when they are away."""


class Desk:
    """Turns an umpire's request into a correction event and hands it to the eyes, which alone write the log."""

    def __init__(self, send: Send, lock: Lock, wall: Callable[[], float] = time.time) -> None:
        self.lock = lock
        self._send = send
        self._wall = wall

    async def submit(self, request: UmpireRequest) -> str:
        """Sends the event and returns its id, which the log's correction line will bear; raises EyesAway."""
        event: dict[str, Any] = {
            "type": "correction",
            "id": secrets.token_hex(6),
            "action": request.action.value,
            "by": "umpire",
            "wall": round(self._wall(), 3),
        } | request.fields()
        if not await self._send(event):
            raise EyesAway("the camera side is not running, so nothing was changed: start it and try again")
        return str(event["id"])
