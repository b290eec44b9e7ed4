"""The API for reading: the state, the log, strokes, changes, layouts and the camera's picture."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Depends, FastAPI, Path, Query, Response

from referee.laws.sentences import DEFAULT_LANGUAGE
from referee.web.broadcast import Broadcast, compact_json
from referee.web.camera_picture import CameraPicture
from referee.web.match_reader import MatchReader
from referee.web.sessions import Authorisation
from referee.web.wording import LANGUAGES

LanguageCode = Annotated[str, Query(description=f"One of {', '.join(LANGUAGES)}.", max_length=8)]


def known(language: str) -> str:
    """Returns the requested language, or English for an unknown one."""
    return language if language in LANGUAGES else DEFAULT_LANGUAGE


def add_read_routes(
    app: FastAPI, broadcast: Broadcast, history: MatchReader, camera: CameraPicture, porter: Authorisation
) -> None:
    """Adds the routes for reading, open to all on the network unless the server is private."""
    readers = [Depends(porter.reader)]

    @app.get("/api/state", dependencies=readers)
    async def state(lang: LanguageCode = DEFAULT_LANGUAGE) -> Response:
        """Everything that the pages show, as on connecting to /ws."""
        return Response(broadcast.state(known(lang)), media_type="application/json")

    @app.get("/api/log", dependencies=readers)
    async def log(since: Annotated[int, Query(ge=0)] = 0) -> dict[str, Any]:
        """Lines of the match log from number `since` on."""
        return history.page(since)

    @app.get("/api/strokes", dependencies=readers)
    async def strokes(lang: LanguageCode = DEFAULT_LANGUAGE) -> list[dict[str, Any]]:
        """Every stroke with its present ruling, newest first."""
        return history.strokes(known(lang))

    @app.get("/api/strokes/{stroke}/board", dependencies=readers)
    async def board_before(stroke: Annotated[int, Path(ge=1)]) -> dict[str, Any]:
        """The last settled `pieces` before a stroke of the present match."""
        return {"pieces": history.board_before(stroke)}

    @app.get("/api/changes", dependencies=readers)
    async def changes() -> list[dict[str, Any]]:
        """Everything that people changed, newest first: who, when and what."""
        return history.changes()

    @app.get("/api/layouts", dependencies=readers)
    async def layouts() -> list[dict[str, Any]]:
        """The last settled boards, newest first, each with the number of the stroke that led to it."""
        return history.layouts()

    @app.get("/api/camera.jpg", dependencies=readers, response_class=Response)
    async def picture(after: float = -1.0) -> Response:
        """The board as the camera sees it, rectified (JPEG), once there is one other than that of time `after` (s).

        Header `x-time` says when it was taken (s on the frames' clock), `x-reach` how far it shows from the middle
        (mm), `x-seen` the detections in it (the live section, percent-encoded JSON). 204 if none comes within a few
        seconds.
        """
        shot = await camera.newer_than(after)
        if shot is None:
            return Response(status_code=HTTPStatus.NO_CONTENT)
        headers = {"x-time": str(shot.t), "x-reach": str(shot.reach_mm), "x-seen": quote(compact_json(shot.detections))}
        return Response(shot.jpeg, media_type="image/jpeg", headers=headers)
