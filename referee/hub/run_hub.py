"""Runs the hub: broker, database, pages and projections in one process, until a signal ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from referee.hub.accounts import Accounts
from referee.hub.broker_files import TLS_PORT
from referee.hub.broker_side import BrokerSide
from referee.hub.database import Database, opened
from referee.hub.event_desk import EventDesk, store_games
from referee.hub.event_file import EventGame
from referee.hub.hall import Hall
from referee.hub.hall_app import HubParts, create_hub
from referee.hub.ingest import Committed
from referee.hub.ingest_thread import IngestThread
from referee.hub.invitations import Invitations
from referee.hub.mirror import Mirror
from referee.hub.projection import ProjectionThread
from referee.hub.uploads import ROOM_MB, Uploads
from referee.membership.invitation import fingerprint_of
from referee.web.access import SESSIONS_NAME, Access
from referee.web.certificate import own_certificate
from referee.web.connections import keep_quiet
from referee.web.handshakes import Listener
from referee.web.serve import SERVE_EVERYWHERE, WebSettings, addresses, bind, certificate_of, configuration, own_address

PAIR_PORT = 8443
MIRROR_NAME = "boards"
"""Folder of the copies of logs, in the hub's folder."""


@dataclass(frozen=True, slots=True)
class HubSettings:
    """Settings of a hub."""

    folder: Path
    database: str
    """Address of PostgreSQL, such as postgresql:///carrom."""
    broker_port: int
    """Port of the broker on this machine, in clear on the loopback."""
    host: str
    port: int
    pin: str | None
    """The chief's PIN; None: everybody on the network is the chief."""
    private: bool = False
    names: tuple[str, ...] = ()
    https: bool = False
    tls_port: int = TLS_PORT
    """Port of the broker for boards, over TLS."""
    pair_port: int = PAIR_PORT
    """Port at which boards hand in their codes and upload, over TLS."""
    uploads_mb: int = ROOM_MB
    """Room for what boards upload, MB."""
    games: tuple[EventGame, ...] = ()
    """Games of an event file."""


def serve_hub(settings: HubSettings, said: Callable[[Sequence[str]], None]) -> None:
    """Serves until a signal ends it; `said` hears the addresses once the port is bound.

    Raises WebServerError, DatabaseError or OSError.
    """
    settings.folder.mkdir(parents=True, exist_ok=True)
    web = WebSettings(settings.folder / "none.jsonl", settings.folder, settings.host, settings.port, settings.pin,
                      https=settings.https, names=settings.names)  # fmt: skip
    accounts = Accounts(settings.folder)
    with opened(settings.database) as database:
        accounts.publish(database)
        store_games(database, settings.games)
    certificate = certificate_of(web)
    with bind(settings.host, settings.port) as sock, bind(settings.host, settings.pair_port) as paired:
        keep_quiet("uvicorn.error", "asyncio", "websockets.server")
        said(addresses(sock, "https" if certificate else "http"))
        asyncio.run(_serve(settings, web, accounts, sock, paired))


async def _serve(settings: HubSettings, web: WebSettings, accounts: Accounts, sock: Listener, paired: Listener) -> None:
    loop = asyncio.get_running_loop()
    mirror = Mirror(settings.folder / MIRROR_NAME)
    uploads = Uploads(mirror, settings.uploads_mb)
    doors = Access(settings.pin, None, settings.folder / SESSIONS_NAME)

    def committed(done: Sequence[Committed]) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(hall.committed, done)

    ingest = IngestThread(settings.database, mirror, lambda topic, payload: broker.publish(topic, payload), committed)
    broker = BrokerSide(
        accounts.hub(settings.broker_port), ingest.put, lambda address, message: hall.receive(address, message)
    )
    hall = Hall(settings.folder, mirror, uploads, broker.send, doors)
    own = own_certificate(settings.folder, own_address())
    with opened(settings.database) as database:
        _publish_address(database, settings.host, paired, own.cert.read_text(encoding="ascii"))
    invitations = Invitations(fingerprint_of(own.cert.read_text(encoding="ascii")), paired.getsockname()[1])
    event = EventDesk(hall, settings.database)
    app = create_hub(HubParts(hall, mirror, uploads, settings.database, doors, accounts, event, invitations,
                              settings.tls_port, settings.private, settings.names))  # fmt: skip
    server = uvicorn.Server(configuration(app, sock, web, certificate_of(web)))
    beside = uvicorn.Server(configuration(app, paired, web, own))
    with ingest, ProjectionThread(settings.database, mirror), opened(settings.database) as database:
        known = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            work = [tasks.create_task(hall.run(database, known), name="hall")]
            # What the broker retains is heard once it is known who was retired.
            await known.wait()
            work.append(tasks.create_task(broker.run(), name="broker"))
            work.append(tasks.create_task(event.run(), name="event"))
            secure = tasks.create_task(beside.serve(sockets=[paired]), name="boards")
            await server.serve(sockets=[sock])
            beside.should_exit = True
            await secure
            for task in work:
                task.cancel()


def _publish_address(database: Database, host: str, paired: Listener, certificate: str) -> None:
    """Notes where workers on other machines reach the hub over TLS, and which certificate they may trust."""
    here = own_address() if host == SERVE_EVERYWHERE else host
    url = f"https://{f'[{here}]' if here and ':' in here else here or 'localhost'}:{paired.getsockname()[1]}"
    database.execute(
        "insert into reach (url, certificate) values (%s, %s) "
        "on conflict (only_one) do update set url = excluded.url, certificate = excluded.certificate",
        [url, certificate],
    )
