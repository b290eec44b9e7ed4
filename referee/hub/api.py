"""The hub's API: open questions, players, search, and what boards upload."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any

import psycopg
from fastapi import Depends, FastAPI, HTTPException, Path, Query, Request

from referee.facts import PlacementReason
from referee.hub import queries
from referee.hub.accounts import is_station
from referee.hub.database import Database, connect
from referee.hub.hall import Hall
from referee.hub.mirror import Mirror
from referee.hub.uploads import STORED_FILE_NAME, Uploads, UploadTooLarge
from referee.laws.sentences import DEFAULT_LANGUAGE
from referee.log.uid import is_uuid
from referee.web.read_api import LanguageCode, known
from referee.web.sessions import Authorisation, refusal

Ask = Callable[[Callable[[Database], Any]], Any]


def asking(address: str) -> Ask:
    """Returns what runs a query on the database at an address; it raises HTTPException while that is away."""

    def run_query(query: Callable[[Database], Any]) -> Any:
        try:
            with connect(address) as database:
                return query(database)
        except psycopg.OperationalError:
            raise HTTPException(
                HTTPStatus.SERVICE_UNAVAILABLE, "the database does not answer; try again soon"
            ) from None

    return run_query


def add_hall_routes(app: FastAPI, hall: Hall, mirror: Mirror, uploads: Uploads, run_query: Ask,
                    porter: Authorisation) -> None:  # fmt: skip
    """Adds the routes. `run_query` runs a query on the database."""
    readers = [Depends(porter.reader)]

    @app.get("/api/hall/questions", dependencies=readers)
    async def questions(lang: LanguageCode = DEFAULT_LANGUAGE) -> list[dict[str, Any]]:
        """Open questions of all boards, the oldest first, with their likely answers; answers go to
        /b/BOARD/api/umpire.
        """
        return hall.questions(known(lang))

    @app.get("/api/hall/boards", dependencies=readers)
    async def boards() -> list[dict[str, Any]]:
        """Every board as the wall shows it."""
        return [board.tile() for board in hall.boards.values()]

    @app.get("/api/hall/players", dependencies=readers)
    def players() -> list[dict[str, Any]]:
        """Every named player over all matches, those who played last first."""
        found: list[dict[str, Any]] = run_query(queries.players)
        return found

    @app.get("/api/hall/players/{name}", dependencies=readers)
    def player(name: Annotated[str, Path(max_length=80)]) -> dict[str, Any]:
        """One player: figures, head to head, and the placements nearest to a limit."""
        found: dict[str, Any] | None = run_query(lambda database: queries.player(database, name))
        if found is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, "nobody of that name played here")
        return found | {"nearest": hall.linked(found["nearest"])}

    @app.get("/api/hall/search", dependencies=readers)
    def search(
        limit: PlacementReason | None = None,
        within_mm: Annotated[float | None, Query(ge=0, le=1000)] = None,
        missed: bool | None = None,
        foul: Annotated[str | None, Query(max_length=40)] = None,
        player: Annotated[str | None, Query(max_length=80)] = None,
        certain: bool | None = None,
        since: Annotated[float | None, Query(ge=0, le=1e11)] = None,
    ) -> list[dict[str, Any]]:
        """Strokes of all matches: near a limit the nearest first, else the newest; 200 at most."""
        wish = queries.Search(limit, within_mm, missed, foul, player, certain, since)
        found: list[dict[str, Any]] = run_query(lambda database: queries.search_strokes(database, wish))
        return hall.linked(found)

    @app.put("/api/station/kept/{uid}/{name}", status_code=HTTPStatus.NO_CONTENT)
    async def keep(uid: str, name: str, request: Request) -> None:
        """Takes a file that a board keeps of a stroke; for paired boards, with user and secret (HTTP Basic)."""
        station = await asyncio.to_thread(_station, request, run_query)
        if not is_uuid(uid) or not STORED_FILE_NAME.fullmatch(name):
            raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, "this is no file of a stroke")
        if not mirror.log(station, uid).exists():
            raise HTTPException(HTTPStatus.NOT_FOUND, "the hub has no such match of this board")
        try:
            await uploads.keep(station, uid, name, request.stream())
        except UploadTooLarge as e:
            raise refusal(request, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, str(e)) from None
        except OSError as e:
            raise refusal(request, HTTPStatus.INSUFFICIENT_STORAGE, e.strerror or "the file cannot be kept") from None


def _station(request: Request, run_query: Ask) -> str:
    """Returns the station that sends a request; raises HTTPException for anybody else."""
    kind, _, login = request.headers.get("authorization", "").partition(" ")
    try:
        user, _, secret = base64.b64decode(login).decode("ascii").partition(":")
    except ValueError:
        user = secret = ""
    if kind.lower() == "basic" and user and run_query(lambda database: is_station(database, user, secret)):
        return user
    raise refusal(request, HTTPStatus.UNAUTHORIZED, "only boards that are paired with this hub upload here")
