"""The hub's web application: the hall's pages and API, and below /b/NAME/ each board's own pages."""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from referee.hub.accounts import Accounts
from referee.hub.again_api import add_again_routes
from referee.hub.api import add_hall_routes, asking
from referee.hub.event_api import add_event_routes
from referee.hub.event_desk import EventDesk
from referee.hub.hall import Hall
from referee.hub.hall_board import HallBoard
from referee.hub.invitations import Invitations
from referee.hub.mirror import Mirror
from referee.hub.pairing_api import add_pairing_routes
from referee.hub.uploads import Uploads
from referee.languages import fonts_folder
from referee.web.access import Access
from referee.web.app import create_app, static_folder
from referee.web.connections import LinePace
from referee.web.guard import SAFE, Guard
from referee.web.prefix import Files
from referee.web.sessions import COOKIE, Authorisation, add_sessions
from referee.web.socket import add_socket
from referee.web.template import HALL_PAGES, MISSING, Page, html_of
from referee.web.vocabulary import add_vocabulary

BOARD_PATH = re.compile(r"/b/([a-z0-9-]{1,60})(/.*)?")
STROKE_PATH = re.compile(r"/api/matches/([0-9a-f-]{36})/strokes/(\d{1,6})(/.*)?")
"""Address of what was kept of a stroke, below a board's."""
CHANGES_FROM_AFAR = ("/api/umpire", "/api/session")
"""Beginnings of addresses at which a board's match may be changed from the hub."""
AT_THE_BOARD = "this is done at the board itself"
UPLOAD_PATIENCE_S = 4.0
"""Longest wait for the first file of a stroke from its board, s."""


@dataclass(frozen=True, slots=True)
class HubParts:
    """What the application serves."""

    hall: Hall
    mirror: Mirror
    uploads: Uploads
    database: str
    """Its address."""
    doors: Access
    accounts: Accounts
    event: EventDesk
    invitations: Invitations
    broker_port: int
    """Port at which boards come to the broker."""
    private: bool = False
    names: tuple[str, ...] = ()


def create_hub(parts: HubParts) -> ASGIApp:
    """Returns the application."""
    hall, names = parts.hall, parts.names
    app = FastAPI(title="Carrom hall", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    app.state.lines = LinePace()
    app.add_middleware(Guard, names=names, cookie=COOKIE)
    porter = Authorisation(parts.doors, parts.private)
    for path, page in HALL_PAGES.items():
        app.add_api_route(path, partial(_page, page), include_in_schema=False)
    app.add_exception_handler(HTTPStatus.NOT_FOUND, _not_found)
    folder = static_folder()
    app.add_api_route("/favicon.ico", lambda: FileResponse(folder / "icons" / "icon.svg"), include_in_schema=False)
    app.mount("/static", Files(folder, ""), name="static")
    app.mount("/fonts", StaticFiles(directory=fonts_folder()), name="fonts")
    add_vocabulary(app)
    add_sessions(app, porter)
    run_query = asking(parts.database)
    add_hall_routes(app, hall, parts.mirror, parts.uploads, run_query, porter)
    add_again_routes(app, hall, parts.mirror, run_query, porter)
    add_event_routes(app, hall, parts.event, run_query, porter)
    add_pairing_routes(app, hall, parts.accounts, parts.invitations, parts.database, parts.broker_port, porter)
    add_socket(app, hall.broadcast, porter)
    return Boards(app, hall, parts.private, names)


class Boards:
    """Hands requests below /b/NAME/ to that board's pages, which are made when first asked for."""

    def __init__(self, app: ASGIApp, hall: Hall, private: bool, names: tuple[str, ...]) -> None:
        self._app, self._hall, self._private, self._names = app, hall, private, names
        self._apps: dict[str, tuple[str, ASGIApp]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = BOARD_PATH.fullmatch(scope.get("path", ""))
        board = self._hall.by_slug(found[1]) if found else None
        if found is None or board is None:
            await self._app(scope, receive, send)
            return
        if found[2] is None:
            await RedirectResponse(f"/b/{board.slug}/")(scope, receive, send)
            return
        if refusal := self._refusal(scope, found[2]):
            await refusal(scope, receive, send)
            return
        if stroke := STROKE_PATH.fullmatch(found[2]):
            await self._hall.request_upload(board, stroke[1], int(stroke[2]), UPLOAD_PATIENCE_S)
        await self._pages(board)(_below(scope, f"/b/{board.slug}"), receive, send)

    def _refusal(self, scope: Scope, path: str) -> JSONResponse | None:
        """Returns the answer to a change that is made at the board only; None for everything else."""
        if scope["type"] != "http" or scope["method"] in SAFE or path.startswith(CHANGES_FROM_AFAR):
            return None
        return JSONResponse({"detail": AT_THE_BOARD}, HTTPStatus.FORBIDDEN)

    def _pages(self, board: HallBoard) -> ASGIApp:
        slug, app = self._apps.get(board.station, ("", None))
        if app is None or slug != board.slug:
            app = create_app(board.served_at(f"/b/{board.slug}", self._private, self._names))
            self._apps[board.station] = board.slug, app
        return app


def _below(scope: Scope, path: str) -> MutableMapping[str, Any]:
    return {**scope, "root_path": scope.get("root_path", "") + path}


async def _page(page: Page) -> HTMLResponse:
    return HTMLResponse(html_of(page))


async def _not_found(request: Any, error: Exception) -> HTMLResponse | JSONResponse:
    if request.url.path.startswith(("/api/", "/static/", "/fonts/")):
        return JSONResponse({"detail": getattr(error, "detail", "not found")}, HTTPStatus.NOT_FOUND)
    return HTMLResponse(html_of(MISSING), HTTPStatus.NOT_FOUND)
