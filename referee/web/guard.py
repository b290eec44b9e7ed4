"""What every request has to pass: pages keep what we sent, bodies are small, and other sites change nothing."""

from __future__ import annotations

import ipaddress
import logging
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

logger = logging.getLogger(__name__)

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; manifest-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    # Browsers ask again each time and get "not modified": after an update no tablet shows a mixture of versions.
    "cache-control": "no-cache",
}
BODY_BYTES = 8192
"""Longest body taken: the longest correction has 200 characters."""
ARCHIVE_BYTES = 8 << 30
"""Longest archive of a match taken: an evening of clips is some gigabytes."""
BOOK_BYTES = 2 << 16
"""Longest rule book taken, as JSON: the longest shipped one has 13,000 bytes."""
UPLOADS = {"/api/matches": ARCHIVE_BYTES}
"""Longest body by address, where it is not BODY_BYTES: these are streamed to the disk, for the owner alone."""
BOOKS = "/api/books/"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
LOCAL = (".local", ".localhost", ".lan", ".home", ".internal", ".home.arpa", ".box")
"""Endings of names that only a local network gives; a name of the wide world may be made to point at us."""


class Guard:
    """Adds HEADERS to every HTTP answer; refuses, and logs, what no page of ours sends."""

    def __init__(self, app: ASGIApp, trusting: bool) -> None:
        """`trusting`: changes need no PIN, so they are only taken under a name of the local network."""
        self.app = app
        self._trusting = trusting

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if refusal := self._refusal(scope):
            await refusal(scope, receive, guarded)
            return
        await self.app(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        """The answer to a change that other sites may have sent, or whose body is too long or of unknown length."""
        headers = Headers(scope=scope)
        if scope["method"] in SAFE:
            return None
        if not same_origin(headers) or (self._trusting and not is_local(headers.get("host", ""))):
            return refused(scope, HTTPStatus.FORBIDDEN, "changes are only taken from the referee's own pages")
        length = headers.get("content-length", "")
        if not length.isdecimal() and "transfer-encoding" in headers:
            return refused(scope, HTTPStatus.LENGTH_REQUIRED, "tell the length of the body")
        path = scope["path"]
        most = BOOK_BYTES if path.startswith(BOOKS) else UPLOADS.get(path, BODY_BYTES)
        if length.isdecimal() and int(length) > most:
            return refused(scope, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body is longer than {most} bytes")
        return None


def refused(scope: Scope, status: HTTPStatus, why: str) -> JSONResponse:
    """An answer that says why, after a line in the program's log."""
    log_refusal(scope, why)
    return JSONResponse({"detail": why}, status)


def log_refusal(scope: Scope, why: str) -> None:
    """Tells who tried what."""
    logger.warning("refused %s from %s: %s", scope.get("path"), address_of(scope), why)


def address_of(scope: Scope) -> str:
    """The other end's address."""
    client = scope.get("client")
    return str(client[0]) if client else "unknown"


def same_origin(headers: Headers) -> bool:
    """True for our own pages and for programs, which send no Origin; a foreign page in a browser always sends one."""
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host")


def is_local(host: str) -> bool:
    """Whether a Host header names an address, a machine without a domain, or a name of the local network."""
    name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return bool(name) and ("." not in name or name.endswith(LOCAL))
    return True
