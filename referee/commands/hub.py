"""`referee hub`: joins the boards of a hall: keeps their logs, shows them on one wall, carries the chief's words."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from referee.commands.data_folder import data_folder
from referee.commands.hall_database import database_option, hub_errors
from referee.web.process import PIN_VARIABLE
from referee.web.serve import OFF, SERVE_EVERYWHERE

HUB_FOLDER = "hub"
"""Name of the hub's folder in the data folder."""
HUB_PORT, BROKER_PORT = 8000, 1883


@click.group(invoke_without_command=True)
@database_option
@click.option("--data", type=click.Path(file_okay=False, path_type=Path),
              help="Folder of the hub; below the data folder when left out.")  # fmt: skip
@click.option("--broker-port", type=click.IntRange(1, 65535), default=BROKER_PORT, show_default=True,
              help="Port of the broker on this machine's loopback.")  # fmt: skip
@click.option("--host", default=SERVE_EVERYWHERE, show_default=True, help="Network address on which to serve.")
@click.option("--port", type=click.IntRange(0, 65535), default=HUB_PORT, show_default=True,
              help="Port of the wall and the chief's desk; 0 takes a free one.")  # fmt: skip
@click.option("--pair-port", type=click.IntRange(0, 65535), default=8443, show_default=True,
              help="Port at which boards join and upload, over TLS; 0 takes a free one.")  # fmt: skip
@click.option("--tls-port", type=click.IntRange(1, 65535), default=8883, show_default=True,
              help="Port of the broker for the boards, over TLS.")  # fmt: skip
@click.option(
    "--pin", envvar=PIN_VARIABLE, help='The chief\'s PIN, or "off" for none; by default a random one is printed.'
)
@click.option("--uploads-mb", type=click.IntRange(10), default=2000, show_default=True,
              help="Room for clips and pictures that boards upload; the oldest go first.")  # fmt: skip
@click.option("--event", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="Event file, CSV or JSON: who plays at which board in which round.")  # fmt: skip
@click.option("--private", is_flag=True, help="Show the pages only to those who sign in.")
@click.option("--https", is_flag=True, help="Serve HTTPS with a self-signed certificate of this machine.")
@click.option("--name", multiple=True, help="Another host name under which browsers may reach the pages.")
@click.pass_context
def command(ctx: click.Context, /, database: str, data: Path | None, **web: Any) -> None:
    """Join the boards of a hall: one wall, one chief's desk, an archive. Ctrl-C ends it.

    It needs PostgreSQL and Mosquitto. The truth stays at the boards: all that the hub has is a copy.

    \b
    referee hub
    referee hub give 0190a5d0-7d6e-7000-8000-000000000001 > match.jsonl
    """
    ctx.obj = database, data or data_folder() / HUB_FOLDER
    if ctx.invoked_subcommand is None:
        _run(*ctx.obj, **web)


def _run(database: str, folder: Path, *, broker_port: int, host: str, port: int, pin: str | None, private: bool,
         https: bool, name: tuple[str, ...], pair_port: int, tls_port: int, uploads_mb: int,
         event: Path | None) -> None:  # fmt: skip
    with hub_errors():
        from referee.hub.event_file import EventFileError, read_event
        from referee.hub.run_hub import HubSettings, serve_hub
        from referee.web.access import random_pin

        chosen = None if pin == OFF else pin or random_pin()

        def announce(urls: Sequence[str]) -> None:
            click.echo(f"Wall: {urls[0]}")
            click.echo(f"Chief's desk: {urls[0]}chief")
            click.echo(f"Chief's PIN: {chosen or 'none, everybody on the network is the chief'}")
            sys.stdout.flush()

        try:
            games = tuple(read_event(event.read_text(encoding="utf-8"))) if event else ()
        except (EventFileError, UnicodeDecodeError) as e:
            raise click.ClickException(f"{event}: {e}") from None
        serve_hub(HubSettings(folder, database, broker_port, host, port, chosen, private, name, https,
                              tls_port, pair_port, uploads_mb, games), announce)  # fmt: skip


@command.command()
@click.pass_obj
def rebuild(obj: tuple[str, Path]) -> None:
    """Drop all that is made from the logs (copies, players, search), and make it anew."""
    with hub_errors():
        from referee.hub.database import opened
        from referee.hub.mirror import Mirror
        from referee.hub.projection import rebuild as make_anew
        from referee.hub.run_hub import MIRROR_NAME

        with opened(obj[0]) as database:
            click.echo(f"{make_anew(database, Mirror(obj[1] / MIRROR_NAME))} matches made anew")


@command.command()
@click.argument("uid")
@click.pass_obj
def give(obj: tuple[str, Path], uid: str) -> None:
    """Write the log of match UID to the standard output, byte for byte, such as after a board's card died.

    Another board goes on with the match: referee run SOURCE --log match.jsonl
    """
    with hub_errors():
        from referee.hub.database import opened
        from referee.hub.ingest import log_bytes
        from referee.log.uid import is_uuid

        if not is_uuid(uid):
            raise click.ClickException(f"{uid} is no match's uid: take it from the address of its replay")
        with opened(obj[0]) as database:
            count = 0
            for rows in log_bytes(database, uid):
                count += len(rows)
                sys.stdout.buffer.write(rows)
        if not count:
            raise click.ClickException(f"the hub has no match {uid}: take its uid from the address of its replay")
        sys.stdout.flush()


@command.command()
@click.pass_context
def broker(ctx: click.Context) -> None:
    """Write the broker's files, and print the settings with which Mosquitto is started."""
    with hub_errors():
        from referee.hub.accounts import Accounts
        from referee.hub.database import opened
        from referee.web.certificate import CertificateError, own_certificate

        address, folder = ctx.obj
        folder.mkdir(parents=True, exist_ok=True)
        try:
            certificate = own_certificate(folder, None)
        except CertificateError as e:
            raise click.ClickException(str(e)) from None
        accounts = Accounts(folder)
        given = ctx.parent.params if ctx.parent else {}
        accounts.files.write_settings(certificate.cert, certificate.key, given["tls_port"], given["broker_port"])
        with opened(address) as database:
            accounts.publish(database)
        click.echo(os.fspath(accounts.files.settings))


@command.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.pass_obj
def export(obj: tuple[str, Path], folder: Path) -> None:
    """Write strokes, results and matches of all boards as Parquet into FOLDER, for statistics over years.

    \b
    referee hub export years
    duckdb -c "select player, avg(coins) from 'years/stroke.parquet' group by player"
    """
    with hub_errors():
        try:
            from referee.hub.parquet import write_parquet
        except ImportError as e:
            raise click.ClickException(f"{e.name} is not installed: pip install 'carrom-referee[archive]'") from None
        from referee.hub.database import opened

        with opened(obj[0]) as database:
            for name, rows in write_parquet(database, folder).items():
                click.echo(f"{folder / name}: {rows} rows")
