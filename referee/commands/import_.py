"""`referee import`: imports a match from another installation's archive."""

from __future__ import annotations

from pathlib import Path

import click

from referee.commands.data_folder import data_folder
from referee.log import LogError
from referee.replay.archive import ArchiveError, Imported, import_archive


@click.command()
@click.argument("archives", metavar="ARCHIVE...", nargs=-1, required=True,
                type=click.Path(exists=True, dir_okay=False, path_type=Path))  # fmt: skip
@click.option("--data", type=click.Path(file_okay=False, path_type=Path),
              help="Folder of the match logs; by default the folder of `referee run`.")  # fmt: skip
def command(archives: tuple[Path, ...], data: Path | None) -> None:
    """Import matches that were exported with --archive, also those of other boards.

    A match that is stored already is not imported again; of one that is stored in part the longer log replaces the
    shorter. No other file is overwritten. What cannot be imported is told, and the other archives are imported.

    \b
    referee import match.zip
    referee import board7/*.zip
    """
    refused = 0
    for archive in archives:
        try:
            imported = import_archive(archive, data or data_folder())
        except (ArchiveError, LogError) as e:
            if len(archives) == 1:
                raise click.ClickException(str(e)) from None
            click.echo(f"{archive.name}: {e}", err=True)
            refused += 1
            continue
        for problem in imported.problems:
            click.echo(f"note: {problem}", err=True)
        click.echo(f"{_described(imported)} {imported.log}")
    if refused:
        raise click.ClickException(f"{refused} of {len(archives)} archives were not imported")


def _described(imported: Imported) -> str:
    if imported.is_longer:
        return "the longer log of this match replaced"
    return "match log" if imported.is_new else "this match is here already:"
