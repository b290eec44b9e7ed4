"""Checks of every request: only known host names, limited bodies, no changes by other sites; and security headers."""

from __future__ import annotations

import ipaddress
import logging
import socket
from collections.abc import Collection
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.web.connections import escaped, network_of

logger = logging.getLogger(__name__)

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; manifest-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), bluetooth=(), "
    "hid=(), midi=(), display-capture=()",
    # Browsers revalidate each time ("not modified"), so no tablet mixes versions after an update.
    "cache-control": "no-cache",
}
OPENER_POLICY = {"cross-origin-opener-policy": "same-origin"}
"""Header that browsers heed on trusted connections only (HTTPS, or this computer itself), and complain of elsewhere."""
TRUSTED_HOSTS = ("localhost", "127.0.0.1", "[::1]")
BODY_BYTES = 8192
"""Greatest length of a body, bytes. The longest correction has 200 characters."""
GUARD_ARCHIVE_BYTES = 8 << 30
"""Greatest length of a match archive, bytes. An evening of clips has some gigabytes."""
BOOK_BYTES = 2 << 16
"""Greatest length of a rule book as JSON, bytes. The longest shipped one has 13,000."""
GUARD_UPLOADS = {"/api/matches": GUARD_ARCHIVE_BYTES, "/api/hall/picture": 20 << 20}
"""Greatest length of a body by address where it is not BODY_BYTES. These are streamed to disk, for the owner alone."""
BOOKS = "/api/books/"
STROKE_FILES, STROKE_FILE_BYTES = "/api/station/kept/", 256 << 20
"""Address below which boards of a hall upload what they keep of a stroke, and the greatest length of a file, bytes."""
FOREIGN_NAME = "this referee is not known under that name: open it by its address, or start it with --name and the name"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
LOCAL = (".local", ".localhost", ".lan", ".home", ".internal", ".home.arpa", ".box")
"""Endings of names that exist only in a local network. Anyone may point an internet name at this machine."""


class Guard:
    """Adds HEADERS to every HTTP response. Refuses, and logs, requests that no page of ours sends."""

    def __init__(self, app: ASGIApp, names: Collection[str] = (), cookie: str = "") -> None:
        """`names`: internet names under which this server is reached. `cookie` carries a session."""
        self.app = app
        self._names = frozenset(name.casefold() for name in (*names, socket.gethostname()))
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        scope["carrom.names"] = self._names
        if scope["type"] == "websocket":
            await self._socket(headers, scope, receive, send)
            return
        # What requires a session must not stay in a shared tablet's cache.
        private = {"cache-control": "no-store"} if self._cookie in headers.get("cookie", "") else {}

        host = headers.get("host", "").rpartition(":")[0] or headers.get("host", "")
        opener = OPENER_POLICY if scope.get("scheme") == "https" or host in TRUSTED_HOSTS else {}

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in (HEADERS | opener | private).items():
                    answer.setdefault(name, value)
            await send(message)

        if refusal := self._refusal(scope, headers):
            await refusal(scope, receive, guarded)
            return
        await self.app(scope, receive, guarded)

    async def _socket(self, headers: Headers, scope: Scope, receive: Receive, send: Send) -> None:
        if self._is_ours(headers):
            await self.app(scope, receive, send)
            return
        log_refusal(scope, f"{FOREIGN_NAME} ({escaped(headers.get('host', ''))})")
        await receive()
        await send({"type": "websocket.close", "code": 1008})

    def _is_ours(self, headers: Headers) -> bool:
        """Tells whether the request's host name cannot be pointed at this machine by strangers (DNS rebinding)."""
        host = headers.get("host", "")
        return is_local(host) or hostname(host) in self._names

    def _refusal(self, scope: Scope, headers: Headers) -> JSONResponse | None:
        """Returns the response to a foreign host name, to a change possibly sent by another site, and to a body too
        long or of unknown length; None if all is well.
        """
        if not self._is_ours(headers):
            return refused(scope, HTTPStatus.FORBIDDEN, FOREIGN_NAME)
        if scope["method"] in SAFE:
            return None
        if not same_origin(headers, self._names):
            return refused(scope, HTTPStatus.FORBIDDEN, "changes are only taken from the referee's own pages")
        length = headers.get("content-length", "")
        if not length.isdecimal() and "transfer-encoding" in headers:
            return refused(scope, HTTPStatus.LENGTH_REQUIRED, "tell the length of the body")
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        most = _most(path)
        if length.isdecimal() and (len(length) > 15 or int(length) > most):
            return refused(scope, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body is longer than {most} bytes")
        return None


def _most(path: str) -> int:
    """Returns the greatest length of a body for an address, bytes."""
    if path.startswith(STROKE_FILES):
        return STROKE_FILE_BYTES
    return BOOK_BYTES if path.startswith(BOOKS) else GUARD_UPLOADS.get(path, BODY_BYTES)


def refused(scope: Scope, status: HTTPStatus, why: str) -> JSONResponse:
    """Returns a response that says why, and logs the refusal."""
    log_refusal(scope, why)
    return JSONResponse({"detail": why}, status)


def log_refusal(scope: Scope, why: str) -> None:
    """Logs who tried what."""
    address, state = client_address(scope), getattr(scope.get("app"), "state", None)
    pace = None if state is None else getattr(state, "lines", None)
    if pace is None or pace.allows(network_of(address)):
        logger.warning("refused %s from %s: %s", escaped(scope.get("path")), address, escaped(why, 300))


def client_address(scope: Scope) -> str:
    """Returns the client's address."""
    client = scope.get("client")
    return str(client[0]) if client else "unknown"


def same_origin(headers: Headers, names: Collection[str] = ()) -> bool:
    """Tells whether a request comes from our own pages, or from a program, which sends no Origin. Browsers always send
    one.

    `names` are ours too: a proxy may ask us under another name than people ask it.
    """
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        netloc = urlsplit(origin).netloc
    except ValueError:
        return False
    return netloc == headers.get("host") or hostname(netloc) in names


def is_local(host: str) -> bool:
    """Tells whether a Host header names an address, a machine without a domain, or a name of the local network."""
    name = hostname(host)
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return bool(name) and ("." not in name or name.endswith(LOCAL))
    return True


def hostname(netloc: str) -> str:
    """Returns the name in a Host header, without its port; empty if there is none."""
    try:
        return (urlsplit(f"//{netloc}").hostname or "").rstrip(".")
    except ValueError:
        return ""
