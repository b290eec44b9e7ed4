"""What `run` and `demo` share: the link in the data folder, the scoreboard's process, and the lines that say where."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from referee.commands.matches import next_log
from referee.link import EyesLink
from referee.pipeline.publisher import Publisher
from referee.web.process import PIN_VARIABLE, HouseProcess
from referee.web.serve import DEFAULT_PORT, EVERYWHERE, OFF, HouseError, HouseSettings
from referee.web.startup_message import welcome

WEB_OPTIONS = ("port", "host", "pin", "no_web", "no_pairing", "private")
"""What `web_options` adds, as `shown` takes it."""

Command = TypeVar("Command", bound=Callable[..., Any])


def web_options(command: Command) -> Command:
    """--port, --host, --pin, --no-pairing, --private and --no-web."""
    for option in (
        click.option("--private", is_flag=True, help="Only who signs in may look."),
        click.option("--no-pairing", is_flag=True, help="No tablet may be paired: only the PIN opens the desk."),
        click.option("--no-web", is_flag=True, help="Do not serve the scoreboard."),
        click.option("--pin", envvar=PIN_VARIABLE,
                     help='Umpire\'s PIN, "off" for none; drawn and printed when left out.'),
        click.option("--host", default=EVERYWHERE, show_default=True, help="Address at which to serve."),
        click.option("--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True,
                     help="Port of the scoreboard; 0 takes a free one."),
    ):  # fmt: skip
        command = option(command)
    return command


@contextmanager
def shown(log: Path, *, port: int, host: str, pin: str | None, no_web: bool, no_pairing: bool = False,
          private: bool = False, serves_on: Callable[[], bool] | None = None) -> Iterator[Publisher]:  # fmt: skip
    """The audience that a match logged at `log` needs; prints where the scoreboard is."""
    with EyesLink(log.parent) as link:
        click.echo(f"Match log: {log}")
        if no_web:
            with Publisher(link) as audience:
                yield audience
            return
        try:
            house = HouseProcess(HouseSettings(log, log.parent, host, port, pin, OFF if no_pairing else None, private))
            with house, Publisher(link, serves_on) as audience:
                _announce(house)
                yield audience
        except HouseError as e:
            raise click.ClickException(str(e)) from None


def _announce(house: HouseProcess) -> None:
    for line in welcome(house.urls, house.keys):
        click.echo(line)


def data_folder() -> Path:
    """Where matches are kept in the user's data folder; it may not be there yet."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "carrom-referee" / "matches"


def new_log() -> Path:
    """A log for a match that begins now, in the data folder, which is made if it is not there."""
    folder = data_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise click.ClickException(f"cannot make {folder}: {e.strerror}; give a file with --log") from None
    return next_log(folder)
