"""`referee courier`: brings this board's logs to the hub of a hall, and the hub's words to the board."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from referee.commands.data_folder import data_folder
from referee.commands.stop import stopping
from referee.log.identity import station_of

SETTINGS_HELP = "Name of this board among others; as in [run]."
STOP_LOOK_S = 0.2
"""Time between two looks for a signal to stop, s."""


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="Folder of the matches; where referee run keeps them when left out.")  # fmt: skip
@click.option("--station", default="", help=SETTINGS_HELP)
def command(data: Path | None, station: str) -> None:
    """Bring this board's matches to the hall's hub, and the hub's words to this board. Ctrl-C ends it.

    The board must have been paired with a hub first. It keeps the truth: what the hub has is a copy of its log files,
    and nothing at the board waits for the network.

    \b
    referee courier
    """
    try:
        from referee.courier.courier import Courier
        from referee.courier.membership import MembershipError, membership_of
    except ImportError as e:
        raise click.ClickException(f"{e.name} is not installed: pip install 'carrom-referee[hall]'") from None
    folder = data or data_folder()
    try:
        place = membership_of(folder)
        if place is None:
            raise click.ClickException(f"the board of {folder} is in no hall: pair it with a hub first")
        place.tls()
        courier = Courier(folder, station_of(folder, station), place, lambda said: click.echo(f"courier: {said}"))
    except MembershipError as e:
        raise click.ClickException(str(e)) from None
    except OSError as e:
        raise click.ClickException(f"{folder} cannot be used: {e.strerror}; give another with --data") from None

    async def run() -> None:
        task = asyncio.create_task(courier.run())
        with stopping() as stop:
            while not stop.asked and not task.done():
                await asyncio.sleep(STOP_LOOK_S)
        if task.done():
            task.result()
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(run())
