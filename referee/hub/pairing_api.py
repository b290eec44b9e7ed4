"""The hub's API for pairing: invitations for the chief, the code handed in by a board, stations listed and retired."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Annotated, Any

import psycopg
from fastapi import Depends, FastAPI, HTTPException, Path, Request
from pydantic import BaseModel, ConfigDict, Field

from referee.hub.accounts import Accounts
from referee.hub.database import connect
from referee.hub.hall import MOST_NAME, Hall
from referee.hub.invitations import GOOD_S, Invitations
from referee.log.uid import is_uuid
from referee.web.access import UmpireSession
from referee.web.guard import client_address, hostname
from referee.web.rate_limit import RateLimit, RateLimited
from referee.web.sessions import Authorisation, qr_svg, refusal


class JoiningStation(BaseModel):
    """The board that joins."""

    model_config = ConfigDict(extra="forbid")
    id: str = Field(max_length=36)
    name: str = Field(default="", max_length=MOST_NAME)


class Joining(BaseModel):
    """The body of POST /api/station/join."""

    model_config = ConfigDict(extra="forbid")
    code: str = Field(max_length=64)
    station: JoiningStation


def add_pairing_routes(app: FastAPI, hall: Hall, accounts: Accounts, invitations: Invitations, database: str,
                       broker_port: int, porter: Authorisation) -> None:  # fmt: skip
    """Adds the routes. `database`: its address; `broker_port`: where boards come to the broker."""
    chiefs, brake = Depends(porter.owner), RateLimit()

    @app.post("/api/hall/invitation")
    async def invite(request: Request, session: UmpireSession = chiefs) -> dict[str, Any]:
        """Invites a board: `text` and its QR code (`svg`), good once and for two minutes."""
        host = hostname(request.headers.get("host", ""))
        invitation = str(invitations.invite(f"[{host}]" if ":" in host else host, session.name or session.by))
        return {"text": invitation, "svg": qr_svg(invitation).decode(), "good_s": GOOD_S}

    @app.post("/api/station/join")
    async def join(joining: Joining, request: Request) -> dict[str, Any]:
        """Takes the code of an invitation, over TLS, and gives the board its secret at the broker."""
        address = client_address(request.scope)
        if request.url.scheme != "https":
            raise refusal(request, HTTPStatus.FORBIDDEN, "codes are taken over TLS only")
        try:
            brake.check(address)
        except RateLimited as e:
            raise refusal(request, HTTPStatus.TOO_MANY_REQUESTS, str(e)) from None
        by = invitations.accept(joining.code)
        if by is None or not is_uuid(joining.station.id):
            brake.wrong(address)
            raise refusal(request, HTTPStatus.UNAUTHORIZED, "this code is not good, or not any more")
        brake.right(address)
        station = joining.station
        secret: str = await asyncio.to_thread(_with, database, lambda d: accounts.add(d, station.id, station.name, by))
        hall.welcome(station.id)
        hall.name(hall.board(station.id), station.name)
        return {"user": station.id, "secret": secret, "port": broker_port}

    @app.get("/api/hall/stations", dependencies=[chiefs])
    def stations() -> list[dict[str, Any]]:
        """Every station that was paired, with who paired it and when."""
        found = _with(database, lambda d: d.execute(
            "select id, name, paired_by, extract(epoch from paired_at), extract(epoch from retired_at) from station "
            "where paired_at is not null order by name, id").fetchall())  # fmt: skip
        return [{"id": i, "name": name, "by": by, "at": float(at), "retired_at": None if gone is None else float(gone)}
                for i, name, by, at, gone in found]  # fmt: skip

    @app.delete("/api/hall/stations/{station}", dependencies=[chiefs], status_code=HTTPStatus.NO_CONTENT)
    async def retire(station: Annotated[str, Path(max_length=36)]) -> None:
        """Retires a station, such as a lost one: its secret is void at once, its matches stay."""
        if not await asyncio.to_thread(_with, database, lambda d: accounts.retire(d, station)):
            raise HTTPException(HTTPStatus.NOT_FOUND, "there is no such station")
        hall.retire(station)


def _with(address: str, act: Any) -> Any:
    try:
        with connect(address) as database:
            return act(database)
    except psycopg.OperationalError:
        raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, "the database does not answer; try again soon") from None
