"""The web application: pages, API and WebSocket of one match."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from importlib import resources
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from referee.languages import fonts_folder
from referee.web.access import Access
from referee.web.app_shell import worker_script
from referee.web.books import ClubBooks, add_books
from referee.web.broadcast import Broadcast
from referee.web.camera_picture import CameraPicture
from referee.web.connections import LinePace
from referee.web.guard import Guard, log_refusal
from referee.web.health import Health
from referee.web.health_api import add_health_routes
from referee.web.joining_api import add_joining
from referee.web.match_library import MatchLibrary
from referee.web.match_reader import MatchReader
from referee.web.matches_api import add_matches
from referee.web.owner_api import add_owner_routes
from referee.web.prefix import Files, below
from referee.web.read_api import add_read_routes
from referee.web.rejudge_api import add_rejudging
from referee.web.sessions import COOKIE, Authorisation, add_sessions
from referee.web.setup_api import SetUpState, add_setup
from referee.web.socket import add_socket
from referee.web.template import MISSING, PAGES, html_of
from referee.web.umpire_api import add_umpire_routes
from referee.web.umpire_requests import RequestDesk
from referee.web.vocabulary import add_vocabulary

NOT_UNDERSTOOD = "Something in the request is not understood; `detail` says what, in a sentence."
APP_MOST_PROBLEMS = 5
"""Greatest number of problems reported for one request."""


DETAIL = {"application/json": {"schema": {"type": "object", "properties": {"detail": {"type": "string"}}}}}
"""Body of every refusal."""


@dataclass(frozen=True, slots=True)
class Served:
    """The objects that the application serves."""

    broadcast: Broadcast
    history: MatchReader
    desk: RequestDesk
    doors: Access
    camera: CameraPicture
    health: Health
    shelf: MatchLibrary
    setup: SetUpState
    books: ClubBooks
    private: bool = False
    """Reading requires a session too."""
    names: tuple[str, ...] = ()
    """Internet names under which this server is reached."""
    root_path: str = ""
    """Path at which a proxy serves it, such as "/carrom"; empty at the top."""


def create_app(served: Served) -> FastAPI:
    """Returns the application of one match."""
    refused: dict[int | str, dict[str, Any]] = {422: {"description": NOT_UNDERSTOOD, "content": DETAIL}}
    app = FastAPI(
        title="Carrom referee", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json", responses=refused
    )
    app.state.lines = LinePace()
    app.add_middleware(Guard, names=served.names, cookie=COOKIE)
    porter = Authorisation(served.doors, served.private)
    served.health.watch_pins(lambda: served.doors.wrong_within_hour)
    app.add_exception_handler(RequestValidationError, partial(_one_sentence, porter))
    app.add_exception_handler(HTTPStatus.BAD_REQUEST, partial(_no_request, porter))
    app.add_exception_handler(HTTPStatus.NOT_FOUND, partial(_not_found, served.root_path))
    _add_pages(app, served.root_path)
    add_vocabulary(app)
    add_read_routes(app, served.broadcast, served.history, served.camera, porter)
    add_books(app, served.books, porter)
    add_health_routes(app, served.health, porter)
    add_sessions(app, porter)
    add_matches(app, served.shelf, porter)
    add_rejudging(app, served.shelf, served.books, porter)
    add_owner_routes(app, served.shelf, porter)
    add_joining(app, served.shelf.folder, porter)
    add_setup(app, served.setup, served.books, porter)
    add_umpire_routes(app, served.desk, served.history, served.books, porter)
    add_socket(app, served.broadcast, porter)
    return app


def static_folder() -> Path:
    """Returns the folder of the pages' files in the installed package."""
    return Path(str(resources.files("referee.web") / "static"))


def _add_pages(app: FastAPI, root_path: str) -> None:
    folder = static_folder()
    manifest = below(root_path, (folder / "manifest.json").read_text(encoding="utf-8"))
    worker = below(root_path, worker_script(folder))
    given: dict[str, Callable[[], Response]] = {
        "/favicon.ico": lambda: FileResponse(folder / "icons" / "icon.svg"),
        "/worker.js": partial(Response, worker, media_type="text/javascript"),
        "/manifest.webmanifest": partial(Response, manifest, media_type="application/manifest+json"),
    }
    given |= {path: partial(HTMLResponse, below(root_path, html_of(page))) for path, page in PAGES.items()}
    for path, answer in given.items():
        app.add_api_route(path, _answering(answer), include_in_schema=False)
    app.mount("/static", Files(folder, root_path), name="static")
    app.mount("/fonts", StaticFiles(directory=fonts_folder()), name="fonts")


def _answering(answer: Callable[[], Response]) -> Callable[[], Awaitable[Response]]:
    async def serve() -> Response:
        return answer()

    return serve


async def _one_sentence(porter: Authorisation, request: Request, error: Exception) -> JSONResponse:
    """Answers an invalid request with one readable sentence, and a sender without rights with a refusal."""
    assert isinstance(error, RequestValidationError)
    if (stranger := porter.stranger(request)) is not None:
        return JSONResponse({"detail": stranger.detail}, stranger.status_code)
    problems = "; ".join(_problem(e) for e in error.errors()[:APP_MOST_PROBLEMS])
    log_refusal(request.scope, f"not understood: {problems}")
    return JSONResponse({"detail": f"not understood: {problems}"}, HTTPStatus.UNPROCESSABLE_ENTITY)


async def _no_request(porter: Authorisation, request: Request, _error: Exception) -> JSONResponse:
    """Answers a body that is not JSON."""
    if (stranger := porter.stranger(request)) is not None:
        return JSONResponse({"detail": stranger.detail}, stranger.status_code)
    log_refusal(request.scope, "not understood")
    return JSONResponse({"detail": "not understood: send JSON"}, HTTPStatus.BAD_REQUEST)


async def _not_found(root_path: str, request: Request, error: Exception) -> Response:
    """Answers unknown addresses: people get a page with links, programs a sentence."""
    assert isinstance(error, HTTPException)
    if request.url.path.startswith(("/api/", "/static/", "/fonts/")):
        return JSONResponse({"detail": error.detail}, HTTPStatus.NOT_FOUND)
    return HTMLResponse(below(root_path, html_of(MISSING)), HTTPStatus.NOT_FOUND)


def _problem(error: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in error["loc"][1:])
    what = str(error["msg"]).removeprefix("Value error, ")
    return f"{where}: {what}" if where else what
