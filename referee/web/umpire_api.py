"""The API for changes: a request goes to the vision process, or is only tried out on a copy of the match."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

from fastapi import Depends, FastAPI, HTTPException, Request

from referee.laws.sentences import DEFAULT_LANGUAGE
from referee.match import MatchError
from referee.web.access import UmpireSession
from referee.web.books import ClubBooks
from referee.web.match_reader import MatchReader
from referee.web.read_api import LanguageCode, known
from referee.web.sessions import Authorisation, refusal
from referee.web.umpire_preview import preview
from referee.web.umpire_requests import (
    NewMatch,
    NotAllowed,
    RequestDesk,
    RunningRequest,
    UmpireRequest,
    VisionAway,
    Wish,
)


def possible(wish: NewMatch, books: ClubBooks) -> NewMatch:
    """Returns the match to begin; refuses an impossible one with its sentence."""
    try:
        return wish.checked(books.text)
    except ValueError as e:
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, f"not understood: {e}") from None


def add_umpire_routes(
    app: FastAPI, desk: RequestDesk, history: MatchReader, books: ClubBooks, porter: Authorisation
) -> None:
    """Adds the routes for the umpire and a paired tablet."""
    # Checked before the body: a stranger learns nothing of what is wrong with it.
    changer = Depends(porter.changer)

    @app.post("/api/umpire", status_code=HTTPStatus.ACCEPTED)
    async def change(wish: UmpireRequest, request: Request, session: UmpireSession = changer) -> dict[str, str]:
        """Sends a change to the vision process; it is in force once the log shows a correction with this id."""
        return await submit(wish, request, session)

    @app.post("/api/umpire/running", status_code=HTTPStatus.ACCEPTED)
    async def run(wish: RunningRequest, request: Request, session: UmpireSession = changer) -> dict[str, str]:
        """Pauses, continues or ends the match; in force once the log shows a line with this id."""
        return await submit(wish, request, session)

    @app.post("/api/umpire/match", status_code=HTTPStatus.ACCEPTED)
    async def begin(wish: NewMatch, request: Request, session: UmpireSession = changer) -> dict[str, str]:
        """Ends the present match and begins another; in force once the state shows another match."""
        return await submit(possible(wish, books), request, session)

    async def submit(wish: Wish, request: Request, session: UmpireSession) -> dict[str, str]:
        try:
            return {"id": await desk.submit(wish, session)}
        except NotAllowed as e:
            raise refusal(request, HTTPStatus.FORBIDDEN, str(e)) from None
        except VisionAway as e:
            raise HTTPException(HTTPStatus.CONFLICT, str(e)) from None

    @app.post("/api/umpire/preview", dependencies=[Depends(porter.changer)])
    async def try_out(wish: UmpireRequest, lang: LanguageCode = DEFAULT_LANGUAGE) -> dict[str, Any]:
        """Previews the effect of a change on score, turn, queen and dues; nothing is changed."""
        if history.match is None:
            raise HTTPException(HTTPStatus.CONFLICT, "no match has begun")
        try:
            return await asyncio.to_thread(preview, history.match, wish, known(lang))
        except MatchError as e:
            raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, e.text(known(lang))) from None
