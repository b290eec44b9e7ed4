"""Runs the web server on a real port: binding, addresses for people, uvicorn, and an orderly end."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from referee.membership.place import is_loopback
from referee.replay.match_folder import TEMPORARY_PATTERN, tidy
from referee.web.access import random_pin, stored_pairing
from referee.web.app import create_app
from referee.web.certificate import Certificate, CertificateError, own_certificate
from referee.web.connections import ConnectionPool, keep_quiet, limited
from referee.web.handshakes import Listener
from referee.web.server import Secrets, WebServer

DEFAULT_PORT = 8000
SERVE_EVERYWHERE = "0.0.0.0"
OFF = "off"
"""Value instead of a PIN that lets everybody on the network change the match; instead of a pairing code: no pairing."""

CLOSE_S = 2
"""Longest wait for open connections when the server closes, s."""
SERVE_BEAT_S = 2.0
"""Interval of the server's heartbeat, s."""
FILES = 4096
"""Number of files that the server may have open: some hundred connections, each perhaps with a clip."""
INCOMING_BYTES = 4096
"""Greatest length of a WebSocket message from a page, bytes. Pages only listen."""
DOCUMENTATION_ADDRESS = ("192.0.2.1", 9)
"""An address for documentation (RFC 5737). Looking up the route to it sends nothing and reveals our own address."""


class WebServerError(Exception):
    """The web server cannot open; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class WebSettings:
    """Settings of the web server."""

    log: Path
    """The match log; it may not exist yet."""
    folder: Path
    """The data folder, with the socket of the vision process."""
    host: str = SERVE_EVERYWHERE
    port: int = DEFAULT_PORT
    """Port; 0 lets the system choose."""
    pin: str | None = None
    """The umpire's PIN; "off" for none; None = off on a loopback address, else a random one."""
    pairing: str | None = None
    """The pairing code of tablets; "off" = none may be paired; None = a random one."""
    private: bool = False
    """Reading requires a session too."""
    names: tuple[str, ...] = ()
    """Internet names under which this server is reached."""
    proxy: str | None = None
    """Address of a proxy that is trusted to report the client's address."""
    root_path: str = ""
    """Path at which the proxy serves it, such as "/carrom"; empty at the top."""
    https: bool = False
    """Serve encrypted, by default with the box's own certificate."""
    cert: Path | None = None
    key: Path | None = None
    """Certificate and key (PEM) of a name that an authority knows."""


def chosen_pin(settings: WebSettings) -> str | None:
    """Returns the effective PIN, None for no check. A server reachable from this machine only has none by default."""
    if settings.pin is None:
        return None if is_loopback(settings.host) else random_pin()
    return None if settings.pin == OFF else settings.pin


def chosen_keys(settings: WebSettings) -> Secrets:
    """Returns the effective PIN and pairing code. Without a PIN there is nothing to pair for."""
    pin = chosen_pin(settings)
    if pin is None or settings.pairing == OFF:
        return Secrets(pin, None, settings.private)
    return Secrets(pin, settings.pairing or stored_pairing(settings.folder), settings.private)


def bind(host: str, port: int) -> Listener:
    """Returns a listening socket. Raises HouseError saying what to do if there is none to be had."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        sock = Listener(family)
    except (OSError, OverflowError) as e:
        raise WebServerError(f"cannot listen at {host}:{port}: {e}; choose another address with --host") from None
    try:
        # Otherwise a restarted server would find its port occupied for a minute by connections just closed.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen()
    except OSError as e:
        sock.close()
        raise WebServerError(_why_not(host, port, e)) from None
    return sock


def addresses(sock: socket.socket, scheme: str = "http") -> tuple[str, ...]:
    """Returns the scoreboard's addresses, the one for other devices first."""
    host, port = sock.getsockname()[:2]
    if host != SERVE_EVERYWHERE:
        return (f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}/",)
    hosts = [own for own in (own_address(),) if own] + ["127.0.0.1"]
    return tuple(f"{scheme}://{h}:{port}/" for h in dict.fromkeys(hosts))


def serve(settings: WebSettings, opened: Callable[[tuple[str, ...], Secrets], None],
          closing: Callable[[Callable[[], None]], None] | None = None,
          beat: Callable[[], None] | None = None) -> None:  # fmt: skip
    """Serves until a signal ends it; `opened` receives the addresses and the keys once the port is bound.

    `beat` is called every two seconds while all goes well. `closing` receives the function that ends the server from
    outside. Raises HouseError.
    """
    certificate = certificate_of(settings)
    with bind(settings.host, settings.port) as sock:
        tidy(settings.folder, TEMPORARY_PATTERN)
        keys = chosen_keys(settings)
        _raise_limit()
        keep_quiet("uvicorn.error", "asyncio", "websockets.server")
        opened(addresses(sock, "https" if certificate else "http"), keys)
        asyncio.run(_serve(settings, keys, sock, closing, certificate, beat))


async def _serve(settings: WebSettings, keys: Secrets, sock: Listener,
                 closing: Callable[[Callable[[], None]], None] | None, certificate: Certificate | None,
                 beat: Callable[[], None] | None) -> None:  # fmt: skip
    web = WebServer(settings.log, settings.folder, keys, settings.names, settings.root_path)
    server = uvicorn.Server(configuration(create_app(web.served), sock, settings, certificate))
    if closing is not None:
        closing(_closer(server))
    async with asyncio.TaskGroup() as tasks:
        feed = tasks.create_task(web.feed(), name="feed")
        beats = tasks.create_task(_beat(beat), name="beat") if beat is not None else None
        await server.serve(sockets=[sock])
        feed.cancel()
        if beats is not None:
            beats.cancel()


async def _beat(beat: Callable[[], None]) -> None:
    """Calls `beat` for ever while this loop runs."""
    while True:
        await asyncio.to_thread(beat)
        await asyncio.sleep(SERVE_BEAT_S)


def certificate_of(settings: WebSettings) -> Certificate | None:
    """Returns the certificate to serve with; None without encryption. Raises HouseError."""
    if settings.cert is not None and settings.key is not None:
        for path in (settings.cert, settings.key):
            if not os.access(path, os.R_OK):
                raise WebServerError(f"{path} cannot be read: give a certificate with --cert and its key with --key")
        return Certificate(settings.cert, settings.key)
    if settings.cert is not None or settings.key is not None:
        raise WebServerError("a certificate needs its key: give both --cert and --key")
    try:
        return own_certificate(settings.folder, own_address()) if settings.https else None
    except CertificateError as e:
        raise WebServerError(str(e)) from None


def _raise_limit() -> None:
    """Raises the limit of open files to what the system grants, for connections and for what they request."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(FILES, hard) if hard != resource.RLIM_INFINITY else FILES
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def configuration(app: ASGIApp, sock: Listener, settings: WebSettings,
                  certificate: Certificate | None = None) -> uvicorn.Config:  # fmt: skip
    """Returns how uvicorn serves the pages on `sock`: its limits, headers, and proxy."""
    proxies = [address.strip() for address in (settings.proxy or "").split(",")]
    return uvicorn.Config(
        app,
        http=limited(ConnectionPool(proxies), sock.handshakes.end),
        root_path=settings.root_path,
        ssl_certfile=certificate.cert if certificate else None,
        ssl_keyfile=certificate.key if certificate else None,
        forwarded_allow_ips=settings.proxy,
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=settings.proxy is not None,
        ws_max_size=INCOMING_BYTES,
        # Messages are small and the network is local: compression for fifty viewers would cost a Pi more than it saves.
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=CLOSE_S,
    )


def _closer(server: uvicorn.Server) -> Callable[[], None]:
    def close() -> None:
        server.should_exit = True

    return close


def own_address() -> str | None:
    """Returns this machine's address on its network; None if it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(DOCUMENTATION_ADDRESS)
        except OSError:
            return None
        return str(probe.getsockname()[0])


def _why_not(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is taken by another program: stop that one, or choose another port with --port"
    if error.errno == errno.EACCES:
        return f"port {port} may only be used by the administrator: choose one above 1023 with --port"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"this machine has no address {host}: choose another with --host"
    return f"cannot listen at {host}:{port}: {error.strerror}; choose another with --host and --port"
