"""The web application: thin handlers around what it is given to serve."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, aclosing
from http import HTTPStatus
from importlib import resources
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

from fastapi import FastAPI, Header, HTTPException, Query, Request, WebSocket, WebSocketDisconnect
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles

from referee.web.desk import Desk, EyesAway, PinLocked, PinRefused, UmpireRequest
from referee.web.guard import Guard
from referee.web.history import History
from referee.web.hub import Hub

FOREIGN_ORIGIN = 1008
"""WebSocket close code "policy violation": a page of another site tried to read along."""

Pin = Annotated[str | None, Header(description="The umpire's PIN, percent-encoded.")]

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def create_app(hub: Hub, history: History, desk: Desk, lifespan: Lifespan | None = None) -> FastAPI:
    """The pages, the API and the WebSocket over one match; `lifespan` runs what feeds the hub."""
    app = FastAPI(title="Carrom referee", lifespan=lifespan, docs_url=None, redoc_url=None)
    app.add_middleware(Guard)
    app.add_exception_handler(RequestValidationError, _one_sentence)
    _add_pages(app)
    _add_reading(app, hub, history)
    _add_umpire(app, desk)
    _add_socket(app, hub)
    return app


def static_folder() -> Path:
    """Where the pages' files lie in the installed package."""
    return Path(str(resources.files("referee.web") / "static"))


def _add_pages(app: FastAPI) -> None:
    folder = static_folder()

    def page(path: str, name: str) -> None:
        async def serve() -> FileResponse:
            return FileResponse(folder / name)

        app.add_api_route(path, serve, include_in_schema=False)

    page("/", "scoreboard.html")
    page("/umpire", "umpire.html")
    page("/favicon.ico", "icon.svg")
    app.mount("/static", StaticFiles(directory=folder), name="static")


def _add_reading(app: FastAPI, hub: Hub, history: History) -> None:
    @app.get("/api/state")
    async def state() -> Response:
        """Everything the scoreboard shows, as on connecting to /ws."""
        return Response(hub.state(), media_type="application/json")

    @app.get("/api/log")
    async def log(since: Annotated[int, Query(ge=0)] = 0) -> dict[str, Any]:
        """Lines of the match log from number `since` on."""
        return history.page(since)

    @app.get("/api/strokes")
    async def strokes() -> list[dict[str, Any]]:
        """Every stroke with the ruling that holds now, newest first."""
        return history.strokes()


def _add_umpire(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/umpire")
    async def needed() -> dict[str, bool]:
        """Whether changes need a PIN."""
        return {"pin_needed": desk.lock.needed}

    @app.post("/api/umpire/pin", status_code=HTTPStatus.NO_CONTENT)
    async def try_pin(x_umpire_pin: Pin = None) -> None:
        """Tells whether the PIN is right."""
        _unlock(desk, x_umpire_pin)

    @app.post("/api/umpire", status_code=HTTPStatus.ACCEPTED)
    async def change(request: UmpireRequest, x_umpire_pin: Pin = None) -> dict[str, str]:
        """Sends a change to the eyes; it holds once the log shows a correction with this id."""
        _unlock(desk, x_umpire_pin)
        try:
            return {"id": await desk.submit(request)}
        except EyesAway as e:
            raise HTTPException(HTTPStatus.CONFLICT, str(e)) from None


def _unlock(desk: Desk, pin: str | None) -> None:
    try:
        desk.lock.check(None if pin is None else unquote(pin))
    except PinLocked as e:
        raise HTTPException(HTTPStatus.TOO_MANY_REQUESTS, str(e)) from None
    except PinRefused as e:
        raise HTTPException(HTTPStatus.UNAUTHORIZED, str(e)) from None


def _add_socket(app: FastAPI, hub: Hub) -> None:
    @app.websocket("/ws")
    async def watch(socket: WebSocket) -> None:
        if not _same_origin(socket):
            await socket.close(FOREIGN_ORIGIN)
            return
        await socket.accept()
        async with asyncio.TaskGroup() as tasks:
            telling = tasks.create_task(_tell(socket, hub))
            await _left(socket)
            telling.cancel()


async def _tell(socket: WebSocket, hub: Hub) -> None:
    """Sends what the hub says; a page that reads slowly makes only this wait."""
    async with aclosing(hub.messages()) as messages:
        try:
            async for message in messages:
                await socket.send_text(message)
        except WebSocketDisconnect:
            return


async def _left(socket: WebSocket) -> None:
    """Returns when the page has gone; what it says meanwhile is not listened to."""
    while (await socket.receive())["type"] != "websocket.disconnect":
        continue


def _same_origin(socket: WebSocket) -> bool:
    """True for our own pages and for programs, which send no Origin; a foreign page in a browser always sends one."""
    origin = socket.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == socket.headers.get("host")


async def _one_sentence(_request: Request, error: Exception) -> JSONResponse:
    """What is wrong with a request, said once and readably."""
    assert isinstance(error, RequestValidationError)
    problems = "; ".join(_problem(e) for e in error.errors())
    return JSONResponse({"detail": f"not understood: {problems}"}, HTTPStatus.UNPROCESSABLE_ENTITY)


def _problem(error: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in error["loc"][1:])
    what = str(error["msg"]).removeprefix("Value error, ")
    return f"{where}: {what}" if where else what
