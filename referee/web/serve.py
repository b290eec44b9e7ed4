"""Runs the house on a real port: binding, the addresses to tell people, uvicorn, and an orderly end."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import os
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from referee.replay.match_folder import PASSING, tidy
from referee.web.access import kept_pairing, random_pin
from referee.web.app import create_app
from referee.web.certificate import Certificate, CertificateError, own_certificate
from referee.web.connections import OpenConnection, keep_quiet, limited
from referee.web.server import House, Keys

DEFAULT_PORT = 8000
SERVE_EVERYWHERE = "0.0.0.0"
OFF = "off"
"""Said instead of a PIN to let everybody on the network change the match, instead of a pairing code to have none."""

CLOSE_S = 2
"""Longest wait for open connections when the house closes, seconds."""
SERVE_BEAT_S = 2.0
"""How often a house says that it does not hang, seconds."""
FILES = 4096
"""Files that the house may have open: some hundred connections, each perhaps with a clip."""
INCOMING_BYTES = 4096
"""Longest WebSocket message taken from a page; pages only listen."""
NOWHERE = ("192.0.2.1", 9)
"""An address for documentation (RFC 5737): asking for the way there sends nothing and names our own address."""


class HouseError(Exception):
    """The house cannot open; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class HouseSettings:
    """Where the house finds the match, and where people find the house."""

    log: Path
    """The match log; it may not exist yet."""
    folder: Path
    """The data folder in which the eyes listen."""
    host: str = SERVE_EVERYWHERE
    port: int = DEFAULT_PORT
    """0 lets the system choose."""
    pin: str | None = None
    """The umpire's PIN; "off" for none; None = off on a loopback address, else a random one."""
    pairing: str | None = None
    """The code that pairs a tablet; "off" where none may be paired; None = a random one."""
    private: bool = False
    """Reading needs a session too."""
    names: tuple[str, ...] = ()
    """Names of the wide world under which people reach the house."""
    proxy: str | None = None
    """Address of a proxy whose word on who asks is believed."""
    root_path: str = ""
    """Where the proxy serves the house, such as "/carrom"; empty at the top."""
    https: bool = False
    """Encrypted, with a certificate of the box's own where none is given."""
    cert: Path | None = None
    key: Path | None = None
    """Certificate and key (PEM) of a name that an authority knows."""


def chosen_pin(settings: HouseSettings) -> str | None:
    """The PIN that holds, None for no check: who can only be reached from this machine needs none by default."""
    if settings.pin is None:
        return None if _is_loopback(settings.host) else random_pin()
    return None if settings.pin == OFF else settings.pin


def chosen_keys(settings: HouseSettings) -> Keys:
    """The PIN and the pairing code that hold; without a PIN there is nothing to pair for."""
    pin = chosen_pin(settings)
    if pin is None or settings.pairing == OFF:
        return Keys(pin, None, settings.private)
    return Keys(pin, settings.pairing or kept_pairing(settings.folder), settings.private)


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; raises HouseError saying what to do when it cannot be had."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        sock = socket.socket(family, socket.SOCK_STREAM)
    except (OSError, OverflowError) as e:
        raise HouseError(f"cannot listen at {host}:{port}: {e}; choose another address with --host") from None
    try:
        # Without this a house that restarts would find its own port taken for a minute by connections just closed.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen()
    except OSError as e:
        sock.close()
        raise HouseError(_why_not(host, port, e)) from None
    return sock


def addresses(sock: socket.socket, scheme: str = "http") -> tuple[str, ...]:
    """The scoreboard's addresses, the one for other devices first."""
    host, port = sock.getsockname()[:2]
    if host != SERVE_EVERYWHERE:
        return (f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}/",)
    hosts = [own for own in (_own_address(),) if own] + ["127.0.0.1"]
    return tuple(f"{scheme}://{h}:{port}/" for h in dict.fromkeys(hosts))


def serve(settings: HouseSettings, opened: Callable[[tuple[str, ...], Keys], None],
          closing: Callable[[Callable[[], None]], None] | None = None,
          beat: Callable[[], None] | None = None) -> None:  # fmt: skip
    """Serves until a signal ends it; `opened` is told the addresses and the keys once the port is ours.

    `beat` is called every two seconds while all goes well.
    `closing` may be given to end the house from outside: it is handed the function that does. Raises HouseError.
    """
    certificate = certificate_of(settings)
    with bind(settings.host, settings.port) as sock:
        tidy(settings.folder, PASSING)
        keys = chosen_keys(settings)
        _raise_limit()
        keep_quiet("uvicorn.error", "asyncio", "websockets.server")
        opened(addresses(sock, "https" if certificate else "http"), keys)
        asyncio.run(_serve(settings, keys, sock, closing, certificate, beat))


async def _serve(settings: HouseSettings, keys: Keys, sock: socket.socket,
                 closing: Callable[[Callable[[], None]], None] | None, certificate: Certificate | None,
                 beat: Callable[[], None] | None) -> None:  # fmt: skip
    house = House(settings.log, settings.folder, keys, settings.names, settings.root_path)
    server = uvicorn.Server(configuration(create_app(house.served), settings, certificate))
    if closing is not None:
        closing(_closer(server))
    async with asyncio.TaskGroup() as tasks:
        feed = tasks.create_task(house.feed(), name="feed")
        beats = tasks.create_task(_beat(beat), name="beat") if beat is not None else None
        await server.serve(sockets=[sock])
        feed.cancel()
        if beats is not None:
            beats.cancel()


async def _beat(beat: Callable[[], None]) -> None:
    """Says for ever that this loop turns."""
    while True:
        await asyncio.to_thread(beat)
        await asyncio.sleep(SERVE_BEAT_S)


def certificate_of(settings: HouseSettings) -> Certificate | None:
    """The certificate to serve with; None where nothing is encrypted. Raises HouseError."""
    if settings.cert is not None and settings.key is not None:
        for path in (settings.cert, settings.key):
            if not os.access(path, os.R_OK):
                raise HouseError(f"{path} cannot be read: give a certificate with --cert and its key with --key")
        return Certificate(settings.cert, settings.key)
    if settings.cert is not None or settings.key is not None:
        raise HouseError("a certificate needs its key: give both --cert and --key")
    try:
        return own_certificate(settings.folder, _own_address()) if settings.https else None
    except CertificateError as e:
        raise HouseError(str(e)) from None


def _raise_limit() -> None:
    """As many files as the system grants, for connections and for what they ask for."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(FILES, hard) if hard != resource.RLIM_INFINITY else FILES
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def configuration(app: FastAPI, settings: HouseSettings, certificate: Certificate | None = None) -> uvicorn.Config:
    """How uvicorn serves the house: its limits, its headers, and whose word on who asks is believed."""
    return uvicorn.Config(
        app,
        http=limited(OpenConnection()),
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
        # Messages are small and the network is local: fifty viewers' compression would cost a Pi more than it saves.
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=CLOSE_S,
    )


def _closer(server: uvicorn.Server) -> Callable[[], None]:
    def close() -> None:
        server.should_exit = True

    return close


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _own_address() -> str | None:
    """This machine's address on its network, None when it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(NOWHERE)
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
