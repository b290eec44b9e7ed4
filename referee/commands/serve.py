"""`referee serve`: serves the stored matches without refereeing anything."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from referee.commands.data_folder import data_folder
from referee.commands.errors import as_click_errors
from referee.commands.showing import WEB_OPTIONS, following, web_options
from referee.commands.stop import STOP_POLL_S, stopping

NO_MATCH = "none.jsonl"
"""Name of a log that is never written: nothing is played."""


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="Folder of the matches; where referee run keeps them when left out.")  # fmt: skip
@web_options
def command(data: Path | None, **web: Any) -> None:
    """Serve the stored matches, players and replays, without a camera. Ctrl-C ends it.

    \b
    referee serve
    referee serve --data matches --port 8080
    """
    folder = data or data_folder()
    if not folder.is_dir():
        raise click.ClickException(f"there is no match in {folder} yet; say where they are with --data")
    options = {name: value for name, value in web.items() if name in WEB_OPTIONS} | {"no_web": False}
    with as_click_errors(), stopping() as stop, following(folder / NO_MATCH, **options, only_stored=True):
        click.echo("Ctrl-C ends it.")
        while not stop.asked:
            time.sleep(STOP_POLL_S)
    stop.leave()
