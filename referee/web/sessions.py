"""Sessions over HTTP: opened with the PIN or a pairing code, carried in a cookie that scripts cannot read."""

from __future__ import annotations

import io
from http import HTTPStatus
from typing import Any

import segno
from fastapi import Depends, FastAPI, HTTPException, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import HTTPConnection

from referee.web.access import LASTS_S, Access, AccessRefused, Name, Role, UmpireSession
from referee.web.guard import SAFE, client_address, log_refusal
from referee.web.rate_limit import RateLimit, RateLimited

COOKIE = "carrom_session"
SIGN_IN = "/api/session"
NO_PIN = "enter the umpire's PIN, which was shown when the referee was started"


class SignIn(BaseModel):
    """The body of POST /api/session: the umpire's PIN, or the code that a tablet scanned."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    pin: str | None = Field(default=None, max_length=64)
    pairing: str | None = Field(default=None, max_length=64)
    name: Name = ""
    """Name of the person who signs in, for the log."""


class Authorisation:
    """Finds each request's session and refuses requests without the rights."""

    def __init__(self, doors: Access, private: bool) -> None:
        self.doors, self.private = doors, private
        self._pace = RateLimit()

    def session(self, connection: HTTPConnection) -> UmpireSession | None:
        """Returns the session of a request; None for a spectator's."""
        return self.doors.session(connection.cookies.get(COOKIE))

    def may_read(self, connection: HTTPConnection) -> bool:
        return not self.private or self.session(connection) is not None

    async def reader(self, request: Request) -> None:
        """Lets readers pass; raises HTTPException for others."""
        if not self.may_read(request):
            raise refusal(request, HTTPStatus.UNAUTHORIZED, "this scoreboard is private: sign in at /umpire")

    async def changer(self, request: Request) -> UmpireSession:
        """Returns the session of somebody with rights to change something; raises HTTPException for others."""
        try:
            self._pace.pace(client_address(request.scope))
        except RateLimited as e:
            raise refusal(request, HTTPStatus.TOO_MANY_REQUESTS, str(e)) from None
        session = self.session(request)
        if session is None:
            raise refusal(request, HTTPStatus.UNAUTHORIZED, NO_PIN)
        return session

    def stranger(self, request: Request) -> HTTPException | None:
        """Returns the refusal of an invalid change whose sender has no rights; None for all other requests."""
        may = request.method in SAFE or request.url.path.endswith(SIGN_IN) or self.session(request) is not None
        return None if may else refusal(request, HTTPStatus.UNAUTHORIZED, NO_PIN)

    async def watcher(self, request: Request) -> None:
        """Lets holders of the PIN pass, for pages that poll some times a second; raises HTTPException for others."""
        session = self.session(request)
        if session is None:
            raise HTTPException(HTTPStatus.UNAUTHORIZED, "enter the umpire's PIN for this")
        if session.role is not Role.UMPIRE:
            raise HTTPException(HTTPStatus.FORBIDDEN, "sign in with the umpire's PIN for this")

    async def owner(self, request: Request) -> UmpireSession:
        """Returns the session of a holder of the PIN; raises HTTPException for others."""
        session = await self.changer(request)
        if session.role is not Role.UMPIRE:
            raise refusal(request, HTTPStatus.FORBIDDEN, "sign in with the umpire's PIN for this")
        return session


def refusal(request: Request, status: HTTPStatus, why: str) -> HTTPException:
    """Returns the exception that refuses, and logs the refusal."""
    log_refusal(request.scope, why)
    return HTTPException(status, why)


def add_sessions(app: FastAPI, porter: Authorisation) -> None:
    """Adds the routes for signing in and out, and for pairing a tablet."""

    @app.get("/api/session")
    async def who(request: Request) -> dict[str, Any]:
        """What this browser may do: `role` "umpire", "tablet" or null; whether a PIN is asked and reading is open."""
        session = porter.session(request)
        return {"role": session.role if session else None, "name": session.name if session else "",
                "pin_needed": porter.doors.locked, "private": porter.private,
                "pairing": porter.doors.pairing is not None}  # fmt: skip

    @app.post("/api/session", status_code=HTTPStatus.NO_CONTENT)
    async def sign_in(given: SignIn, request: Request, response: Response) -> None:
        """Opens a session with the PIN or a pairing code; the answer sets its cookie."""
        try:
            token, role = _opened(porter.doors, given, client_address(request.scope))
        except RateLimited as e:
            raise refusal(request, HTTPStatus.TOO_MANY_REQUESTS, str(e)) from None
        except AccessRefused as e:
            raise refusal(request, HTTPStatus.UNAUTHORIZED, str(e)) from None
        secure = request.url.scheme == "https"
        path = request.scope.get("root_path") or "/"
        response.set_cookie(
            COOKIE, token, int(LASTS_S[role]), path=path, httponly=True, samesite="strict", secure=secure
        )

    @app.delete("/api/session", status_code=HTTPStatus.NO_CONTENT)
    async def sign_out(request: Request, response: Response) -> None:
        """Ends this browser's session."""
        porter.doors.close(request.cookies.get(COOKIE))
        response.delete_cookie(COOKIE, request.scope.get("root_path") or "/")

    @app.delete("/api/sessions", dependencies=[Depends(porter.owner)], status_code=HTTPStatus.NO_CONTENT)
    async def sign_out_everywhere() -> None:
        """Ends the session of everybody who gave the PIN, this one too; for the umpire alone."""
        porter.doors.close_all(Role.UMPIRE)

    @app.delete("/api/pairing", dependencies=[Depends(porter.owner)], status_code=HTTPStatus.NO_CONTENT)
    async def unpair() -> None:
        """Unpairs every tablet and replaces the pairing code. For the umpire alone."""
        porter.doors.close_all(Role.TABLET)

    @app.get("/api/pairing")
    async def pairing(request: Request) -> Response:
        """The picture (SVG) of the code that pairs a tablet; for the umpire alone."""
        session = await porter.changer(request)
        if session.role is not Role.UMPIRE or porter.doors.pairing is None:
            raise refusal(request, HTTPStatus.FORBIDDEN, "tablets are paired by the umpire, where the club allows it")
        code = pairing_url(str(request.base_url), porter.doors.pairing)
        return Response(qr_svg(code), media_type="image/svg+xml")


def pairing_url(base: str, code: str) -> str:
    """Returns the address that pairs the tablet opening it. The code after # never leaves the tablet's browser."""
    return f"{base}pair#{code}"


def qr_svg(text: str) -> bytes:
    """Returns a QR code as an SVG picture, dark on light whatever the page's colours."""
    out = io.BytesIO()
    segno.make(text, error="m", micro=False).save(out, kind="svg", scale=8, border=4, dark="#000", light="#fff")
    return out.getvalue()


def qr_text(text: str) -> str:
    """Returns a QR code for a terminal."""
    out = io.StringIO()
    segno.make(text, error="l", micro=False).terminal(out, compact=True)
    return out.getvalue()


def _opened(doors: Access, given: SignIn, address: str) -> tuple[str, Role]:
    if given.pairing is not None:
        return doors.by_pairing(given.pairing, given.name, address), Role.TABLET
    return doors.by_pin(given.pin or "", given.name, address), Role.UMPIRE
