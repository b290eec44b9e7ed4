"""`referee courier`: brings this board's logs to the hub of a hall, and the hub's words to the board."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from referee.commands.data_folder import data_folder
from referee.commands.stop import STOP_POLL_S, stopping
from referee.log.identity import station_of

SETTINGS_HELP = "Name of this board among others; as in [run]."


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="Folder of the matches; where referee run keeps them when left out.")  # fmt: skip
@click.option("--station", default="", help=SETTINGS_HELP)
@click.option("--join", "text", help="Join the hall of this invitation, as the chief's desk shows it.")
@click.option("--leave", "leaves", is_flag=True, help="Leave the hall; matches stay where they are.")
def command(data: Path | None, station: str, text: str | None, leaves: bool) -> None:
    """Bring this board's matches to the hall's hub, and the hub's words to this board. Ctrl-C ends it.

    The board must have joined the hall first, here or on the machine's page. It keeps the truth: what the hub has is a
    copy of its log files, and nothing at the board waits for the network.

    \b
    referee courier --join 'carrom-hub:192.168.1.5:8443#…'
    referee courier
    """
    if text or leaves:
        _change(data or data_folder(), station, text)
        return
    try:
        from referee.courier.courier import Courier
        from referee.membership.place import MembershipError, membership_of
    except ImportError as e:
        raise click.ClickException(f"{e.name} is not installed: pip install 'carrom-referee[hall]'") from None
    folder = data or data_folder()
    stored = _stamp(folder)
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
                if _stamp(folder) != stored:
                    click.echo("courier: the board has left its hall, or joined another")
                    break
                await asyncio.sleep(STOP_POLL_S)
        if task.done():
            task.result()
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(run())


def _stamp(folder: Path) -> int | None:
    """Returns when the board's place in a hall was stored; None if it is in none."""
    from referee.membership.place import HALL_FILE

    try:
        return (folder / HALL_FILE).stat().st_mtime_ns
    except FileNotFoundError:
        return None


def _change(folder: Path, name: str, text: str | None) -> None:
    """Joins the hall of an invitation, or leaves the hall."""
    from referee.membership.invitation import InvitationError, invitation_of
    from referee.membership.join import join_hall
    from referee.membership.place import leave

    try:
        if text is None:
            leave(folder)
            click.echo("This board is in no hall.")
            return
        folder.mkdir(parents=True, exist_ok=True)
        place = join_hall(invitation_of(text), station_of(folder, name), folder)
    except InvitationError as e:
        raise click.ClickException(str(e)) from None
    except OSError as e:
        raise click.ClickException(f"{folder} cannot be used: {e.strerror}; give another with --data") from None
    click.echo(f"This board belongs to the hall of {place.hub}")
