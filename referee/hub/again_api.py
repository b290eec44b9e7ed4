"""The hub's API for what is judged again: batches asked for and followed, and files for the workers."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable
from http import HTTPStatus
from importlib.metadata import version
from typing import Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import FileResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, Field

from referee.hub.batches import BatchSource, BatchWish, ask, batch, batches, try_again
from referee.hub.database import Database
from referee.hub.hall import Hall
from referee.hub.mirror import Mirror
from referee.hub.uploads import STORED_FILE_NAME
from referee.log.uid import is_uuid
from referee.web.access import UmpireSession
from referee.web.books import requested_text
from referee.web.sessions import Authorisation, refusal

WORKER_PATIENCE_S = 60.0
"""Longest wait for a board that uploads what it keeps of a stroke for a worker, s."""

Asked = Callable[[Callable[[Database], Any]], Any]


class AskedBatch(BaseModel):
    """The body of POST /api/hall/again."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    rules: str | None = Field(default=None, max_length=80)
    """Rule book with its modifiers; left out: each match's own."""
    source: BatchSource = BatchSource.STROKES
    """`strokes`: facts as logged; `tracks`, `video`: seen again by this program in what the boards keep."""
    since: float | None = Field(default=None, ge=0, le=1e11)
    """Unix seconds: matches that began then or later."""
    player: str | None = Field(default=None, max_length=80)
    """Part of a player's name."""


def add_again_routes(app: FastAPI, hall: Hall, mirror: Mirror, run_query: Asked, porter: Authorisation) -> None:
    """Adds the routes. `run_query` runs a query on the database."""
    readers, chiefs = [Depends(porter.reader)], Depends(porter.owner)

    @app.get("/api/hall/again", dependencies=readers)
    def listed() -> dict[str, Any]:
        """The last batches with their progress, the newest first; `program`: the version that the hub would ask for;
        `books`: rule books to choose from.
        """
        names = hall.books.all_names()
        return {"program": version("carrom-referee"), "books": names, "batches": run_query(batches)}

    @app.get("/api/hall/again/{number}", dependencies=readers)
    def show_batch(number: int) -> dict[str, Any]:
        """A batch with the strokes that differ and the jobs that failed, a thousand of each at most."""
        found: dict[str, Any] | None = run_query(lambda database: batch(database, number))
        if found is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, "there is no such batch")
        return found | {name: hall.linked(found[name]) for name in ("differences", "failures")}

    @app.post("/api/hall/again", status_code=HTTPStatus.ACCEPTED)
    def begin(wish: AskedBatch, session: UmpireSession = chiefs) -> dict[str, int]:
        """Has matches judged again by workers; for the chief alone. Nothing replaces the logs."""
        book = requested_text(wish.rules, hall.books) if wish.rules else None
        chosen = BatchWish(wish.source, version("carrom-referee"), wish.rules or None, book, wish.since,
                           wish.player or None, session.name or session.by)  # fmt: skip
        return {"batch": run_query(lambda database: ask(database, chosen))}

    @app.post("/api/hall/again/{number}/retry", dependencies=[chiefs], status_code=HTTPStatus.ACCEPTED)
    def retry(number: int) -> dict[str, int]:
        """Queues the failed jobs of a batch anew; for the chief alone."""
        return {"jobs": run_query(lambda database: try_again(database, number))}

    @app.get("/match/{uid}", dependencies=readers, include_in_schema=False)
    def match(uid: str) -> RedirectResponse:
        """Leads to a match's replay, whatever its board is called now."""
        query = "select station from match where uid = %s"
        found = run_query(lambda database: database.execute(query, [uid]).fetchone()) if is_uuid(uid) else None
        board = hall.boards.get(found[0]) if found else None
        if board is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, "there is no such match")
        return RedirectResponse(f"/b/{board.slug}/matches/{uid}")

    _add_files(app, hall, mirror, run_query)


def _add_files(app: FastAPI, hall: Hall, mirror: Mirror, run_query: Asked) -> None:
    """Adds the routes at which workers fetch what boards keep of a stroke, with the key of the batch."""

    def station(request: Request, number: int, uid: str, stroke: int) -> str:
        """Returns the station of a match in a batch; raises HTTPException for anybody but its workers."""
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        found = run_query(lambda database: database.execute(
            "select b.key, m.station from part p join batch b on b.id = p.batch join match m on m.uid = p.match "
            "where p.batch = %s and p.match = %s and p.n = %s", [number, uid, stroke]).fetchone()) \
            if is_uuid(uid) else None  # fmt: skip
        if found is None or kind.lower() != "bearer" or not hmac.compare_digest(given.encode(), found[0].encode()):
            raise refusal(request, HTTPStatus.UNAUTHORIZED, "only workers of this batch fetch here")
        return str(found[1])

    def files(place: str, uid: str, stroke: int) -> list[str]:
        folder = mirror.uploads(place, uid)
        found = [*folder.files(stroke), folder.profile]
        return sorted(path.name for path in found if path.is_file() and STORED_FILE_NAME.fullmatch(path.name))

    @app.get("/api/again/{number}/{uid}/{stroke}")
    async def list_files(number: int, uid: str, stroke: int, request: Request) -> list[str]:
        """Names of the files that are kept of a stroke, once its board has uploaded them; for workers."""
        place = await asyncio.to_thread(station, request, number, uid, stroke)
        board = hall.boards.get(place)
        if board is not None:
            await hall.request_upload(board, uid, stroke, WORKER_PATIENCE_S)
        found = await asyncio.to_thread(files, place, uid, stroke)
        if not found and not (board is not None and board.up):
            raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, "its board is away")
        return found

    @app.get("/api/again/{number}/{uid}/{stroke}/{name}")
    def file(number: int, uid: str, stroke: int, name: str, request: Request) -> FileResponse:
        """One of these files; for workers."""
        place = station(request, number, uid, stroke)
        if name not in files(place, uid, stroke):
            raise HTTPException(HTTPStatus.NOT_FOUND, "this file is not kept")
        return FileResponse(mirror.uploads(place, uid).path / name)
