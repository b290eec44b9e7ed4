"""The hub's API for a tournament: the event file, SoL's labels, rounds begun, and how each board stands."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Path
from pydantic import BaseModel, ConfigDict, Field

from referee.hub.again_api import Asked
from referee.hub.event_desk import EventDesk, games_of, store_games
from referee.hub.event_file import EventFileError, EventGame, read_event
from referee.hub.hall import Hall
from referee.hub.hall_board import HallBoard
from referee.hub.sol import SolError
from referee.web.access import UmpireSession
from referee.web.books import requested_text
from referee.web.sessions import Authorisation

EVENT_BYTES = 4 << 20
"""Greatest length of an event file."""


class RoundWish(BaseModel):
    """The body of POST /api/hall/event/begin."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    rules: str = Field(max_length=80)
    """Rule book with its modifiers."""
    tourney: str = Field(default="", max_length=80)
    round: int | None = Field(default=None, ge=1)
    """Round of the event file; left out: the present one of SoL, at every board with a label."""
    boards: list[str] | None = None
    """Names of boards; left out: all of the round."""


class SolLabel(BaseModel):
    """The body of PUT /api/hall/event/cards/STATION."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    url: str = Field(max_length=300)
    """Address of the board's label in SoL."""


class EventText(BaseModel):
    """The body of PUT /api/hall/event."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    text: str = Field(max_length=EVENT_BYTES)
    """The whole file, CSV or JSON."""


def add_event_routes(app: FastAPI, hall: Hall, desk: EventDesk, run_query: Asked, porter: Authorisation) -> None:
    """Adds the routes. `run_query` runs a query on the database."""
    readers, chiefs = [Depends(porter.reader)], Depends(porter.owner)

    @app.get("/api/hall/event", dependencies=readers)
    def event() -> dict[str, Any]:
        """Games of the event file, and every board with its match, its label of SoL and what SoL lacks."""
        games: list[EventGame] = run_query(games_of)
        return {"games": [_game(game) for game in games], "boards": [_board(board, desk) for board in hall.sorted()],
                "books": hall.books.all_names()}  # fmt: skip

    @app.put("/api/hall/event", dependencies=[chiefs])
    def upload(given: EventText) -> dict[str, int]:
        """Stores an event file; its rounds replace those of the same tournament and number. For the chief alone."""
        try:
            games = read_event(given.text)
        except EventFileError as e:
            raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, str(e)) from None
        run_query(lambda database: store_games(database, games))
        return {"games": len(games)}

    @app.post("/api/hall/event/begin", status_code=HTTPStatus.ACCEPTED)
    async def begin(wish: RoundWish, session: UmpireSession = chiefs) -> list[dict[str, Any]]:
        """Begins a round at all boards where no match is under way; tells what became of each. For the chief alone."""
        book = requested_text(wish.rules, hall.books)
        games: list[EventGame] = []
        if wish.round is not None:
            known: list[EventGame] = await desk.run_query(games_of)
            games = [game for game in known if (game.tourney, game.round) == (wish.tourney, wish.round)
                     and (wish.boards is None or game.board in wish.boards)]  # fmt: skip
            if not games:
                raise HTTPException(HTTPStatus.NOT_FOUND, "there is no such round in the event file")
        return await desk.begin(games, wish.rules, book, session.name or session.by)

    @app.put("/api/hall/event/cards/{station}", dependencies=[chiefs], status_code=HTTPStatus.NO_CONTENT)
    async def bind(station: Annotated[str, Path(max_length=36)], label: SolLabel) -> None:
        """Binds the address of SoL's label to a board, for the whole tournament; for the chief alone."""
        if station not in hall.boards:
            raise HTTPException(HTTPStatus.NOT_FOUND, "there is no such board")
        try:
            await desk.bind(station, label.url.strip())
        except SolError as e:
            raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, str(e)) from None

    @app.delete("/api/hall/event/cards/{station}", dependencies=[chiefs], status_code=HTTPStatus.NO_CONTENT)
    async def unbind(station: Annotated[str, Path(max_length=36)]) -> None:
        """Forgets a board's label; for the chief alone."""
        await desk.unbind(station)


def _game(game: EventGame) -> dict[str, Any]:
    return {"tourney": game.tourney, "round": game.round, "board": game.board,
            "players": {seat.value: name for seat, name in game.players.items()}}  # fmt: skip


def _board(board: HallBoard, desk: EventDesk) -> dict[str, Any]:
    card, tile = desk.cards.get(board.station), board.tile()
    shown = board.scorecard
    return {
        "station": board.station, "name": tile["name"], "slug": board.slug, "up": board.up and board.eyes,
        "event": board.event, "free": board.is_free, "over": bool(shown and shown.over),
        "stands": bool(shown and shown.stands), "sides": tile["match"]["sides"] if tile["match"] else [],
        "card": card and {"url": card.url, "ended": card.ended, "problem": card.problem, "entered": bool(card.sent)},
    }  # fmt: skip
