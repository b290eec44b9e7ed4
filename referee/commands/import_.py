"""`referee import`: imports a match from another installation's archive."""

from __future__ import annotations

from pathlib import Path

import click

from referee.commands.data_folder import data_folder
from referee.log import LogError
from referee.replay.archive import ArchiveError, import_archive


@click.command()
@click.argument("archive", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--data", type=click.Path(file_okay=False, path_type=Path),
              help="Folder of the match logs; by default the folder of `referee run`.")  # fmt: skip
def command(archive: Path, data: Path | None) -> None:
    """Import a match that was exported with --archive.

    Existing files are never overwritten. A match that is stored already is not imported again.

    \b
    referee import match.zip
    """
    try:
        imported = import_archive(archive, data or data_folder())
    except (ArchiveError, LogError) as e:
        raise click.ClickException(str(e)) from None
    for problem in imported.problems:
        click.echo(f"note: {problem}", err=True)
    click.echo(f"match log {imported.log}" if imported.is_new else f"this match is here already: {imported.log}")
