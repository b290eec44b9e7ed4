"""Runs the house on a real port: binding, the addresses to tell people, uvicorn, and an orderly end."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from referee.replay.match_folder import PASSING, tidy
from referee.web.access import random_pairing, random_pin
from referee.web.app import create_app
from referee.web.server import House, Keys

DEFAULT_PORT = 8000
EVERYWHERE = "0.0.0.0"
OFF = "off"
"""Said instead of a PIN to let everybody on the network change the match, instead of a pairing code to have none."""

CLOSE_S = 2
"""Longest wait for open connections when the house closes, seconds."""
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
    host: str = EVERYWHERE
    port: int = DEFAULT_PORT
    """0 lets the system choose."""
    pin: str | None = None
    """The umpire's PIN; "off" for none; None = off on a loopback address, else a random one."""
    pairing: str | None = None
    """The code that pairs a tablet; "off" where none may be paired; None = a random one."""
    private: bool = False
    """Reading needs a session too."""


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
    return Keys(pin, settings.pairing or random_pairing(), settings.private)


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


def addresses(sock: socket.socket) -> tuple[str, ...]:
    """The scoreboard's addresses, the one for other devices first."""
    host, port = sock.getsockname()[:2]
    if host != EVERYWHERE:
        return (f"http://{f'[{host}]' if ':' in host else host}:{port}/",)
    hosts = [own for own in (_own_address(),) if own] + ["127.0.0.1"]
    return tuple(f"http://{h}:{port}/" for h in dict.fromkeys(hosts))


def serve(settings: HouseSettings, opened: Callable[[tuple[str, ...], Keys], None],
          closing: Callable[[Callable[[], None]], None] | None = None) -> None:  # fmt: skip
    """Serves until a signal ends it; `opened` is told the addresses and the keys once the port is ours.

    `closing` may be given to end the house from outside: it is handed the function that does. Raises HouseError.
    """
    with bind(settings.host, settings.port) as sock:
        tidy(settings.folder, PASSING)
        keys = chosen_keys(settings)
        opened(addresses(sock), keys)
        asyncio.run(_serve(settings, keys, sock, closing))


async def _serve(settings: HouseSettings, keys: Keys, sock: socket.socket,
                 closing: Callable[[Callable[[], None]], None] | None) -> None:  # fmt: skip
    house = House(settings.log, settings.folder, keys)
    server = uvicorn.Server(_config(house))
    if closing is not None:
        closing(_closer(server))
    async with asyncio.TaskGroup() as tasks:
        feed = tasks.create_task(house.feed(), name="feed")
        await server.serve(sockets=[sock])
        feed.cancel()


def _config(house: House) -> uvicorn.Config:
    return uvicorn.Config(
        create_app(house.served),
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
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
