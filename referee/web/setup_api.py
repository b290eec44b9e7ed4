"""The API of the set-up: passes requests to the vision process, and its state and picture back; PIN required."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from calibration.fit_board.solve import HEIGHTS_MM
from calibration.rescale import RESCALE_LEAST_MM, RESCALE_MOST_MM
from calibration.sheet import sheet_pdf
from models.board import board_names
from referee.setup.steps import Step
from referee.web.books import ClubBooks
from referee.web.camera_picture import PATIENCE_S
from referee.web.sessions import Authorisation
from referee.web.umpire_api import possible
from referee.web.umpire_requests import NewMatch

SETUP_ASK_EVERY_S = 2.0
"""Interval at which the vision process hears that a page shows the set-up, s."""
SETUP_AWAY = "the camera side is not running: start it and try again"


class SetUpAction(StrEnum):
    """Requests of a page."""

    BEGIN = "begin"
    """Stop the match and begin, or continue, the set-up."""
    GO = "go"
    """Go to another step."""
    FIND = "find"
    """Search the board with these choices."""
    KEEP = "keep"
    """Save a step's last result."""
    SHOOT = "shoot"
    """Store a picture of the sheet."""
    CLEAR_SHEET = "clear_sheet"
    MEASURE_LENS = "measure_lens"
    OWN_LENS = "own_lens"
    """Measure the lens by the board's own lines."""
    FORMATION = "formation"
    STRIKER = "striker"
    MATCH = "match"
    """Set rule book and players of the match after it."""
    FINISH = "finish"
    LEAVE = "leave"
    """Leave the set-up; what was saved stays saved."""
    RESTART = "restart"


PixelCoordinate = Annotated[float, Field(ge=-20000, le=20000)]


class SetUpRequest(BaseModel):
    """The body of POST /api/setup."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    ask: SetUpAction
    step: Step | None = None
    """The step to go to, or whose result to save."""
    board: str | None = Field(default=None, max_length=40)
    """Model of the board; left out, it is recognised."""
    surface_mm: float | None = Field(default=None, ge=RESCALE_LEAST_MM, le=RESCALE_MOST_MM)
    """Side of the playing surface by tape measure, mm."""
    height_mm: float | None = Field(default=None, ge=HEIGHTS_MM[0], le=HEIGHTS_MM[1])
    """Height of the lens above the playing surface by tape measure, mm."""
    turn: int = Field(default=0, ge=0, le=3)
    """Clockwise quarter turns from the picture's bottom to south."""
    mirror: bool = False
    """The picture is flipped left to right."""
    corners: list[tuple[PixelCoordinate, PixelCoordinate]] | None = Field(default=None, min_length=4, max_length=4)
    """Corners of the surface (px of the full picture): top left, top right, bottom right, bottom left."""
    match: NewMatch | None = None
    """The match to begin afterwards; left out, the present one continues."""
    begin: bool = False
    """With `finish`: begin that match."""

    @model_validator(mode="after")
    def _complete(self) -> SetUpRequest:
        if self.ask in (SetUpAction.GO, SetUpAction.KEEP) and self.step is None:
            raise ValueError("tell the step")
        if self.board is not None and self.board not in board_names():
            raise ValueError(f"there is no board {self.board}: choose one of {', '.join(board_names())}")
        return self

    def message(self) -> dict[str, Any]:
        """Returns the request as a message to the vision process."""
        said = self.model_dump(mode="json", exclude={"match"})
        return {"type": "setup", **said} | ({"match": self.match.message()} if self.match else {})


class SetUpState:
    """Newest state and picture of a set-up; lives in the web server's event loop."""

    def __init__(self, send: Callable[[Mapping[str, Any]], Awaitable[bool]]) -> None:
        self._send = send
        self._state: dict[str, Any] = {"open": False}
        self._n = 0
        self.jpeg = b""
        self._news = asyncio.Event()
        self._asked_at = float("-inf")

    def add(self, state: Mapping[str, Any], jpeg: bytes) -> None:
        """Stores a state and picture from the vision process."""
        self._n += 1
        self._state, self.jpeg = {**state, "n": self._n}, jpeg
        self._news.set()
        self._news = asyncio.Event()

    async def newer_than(self, n: int) -> dict[str, Any]:
        """Returns the state once its number differs from `n`, or the same one after a while; tells the vision process
        that somebody watches.
        """
        now = asyncio.get_running_loop().time()
        if now >= self._asked_at + SETUP_ASK_EVERY_S:
            self._asked_at = now
            await self._send({"type": "setup_wanted"})
        if self._n == n:
            try:
                await asyncio.wait_for(self._news.wait(), PATIENCE_S)
            except TimeoutError:
                return self._state
        return self._state

    async def ask(self, request: SetUpRequest) -> bool:
        """Passes a request on; False if the vision process is away."""
        return await self._send(request.message())


def add_setup(app: FastAPI, door: SetUpState, books: ClubBooks, porter: Authorisation) -> None:
    """Adds the routes of the set-up for holders of the PIN; the sheet is for every reader."""
    owners, watchers = [Depends(porter.owner)], [Depends(porter.watcher)]

    @app.get("/api/setup", dependencies=watchers)
    async def state(after: int = -1) -> dict[str, Any]:
        """The state of the set-up once its number `n` differs from `after`, at the latest after a second or two."""
        return await door.newer_than(after)

    @app.get("/api/setup.jpg", dependencies=watchers, response_class=Response)
    async def picture() -> Response:
        """The camera's whole picture; 204 if no set-up is under way."""
        if not door.jpeg:
            return Response(status_code=HTTPStatus.NO_CONTENT)
        return Response(door.jpeg, media_type="image/jpeg")

    @app.post("/api/setup", dependencies=owners, status_code=HTTPStatus.ACCEPTED)
    async def ask(request: SetUpRequest) -> dict[str, str]:
        """Sends a request to the set-up; the state shows its result."""
        if request.match:
            possible(request.match, books)
        if not await door.ask(request):
            raise HTTPException(HTTPStatus.CONFLICT, SETUP_AWAY)
        return {"asked": request.ask}

    @app.get("/api/sheet.pdf", dependencies=[Depends(porter.reader)], response_class=Response)
    def sheet() -> Response:
        """The sheet for measuring a lens, an A4 page to print at 100 %."""
        named = {"content-disposition": 'inline; filename="charuco-sheet.pdf"'}
        return Response(sheet_pdf(), media_type="application/pdf", headers=named)
