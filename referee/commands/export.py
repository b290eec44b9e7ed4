"""`referee export`: a stored match as tables, as a sheet to print, or whole as an archive."""

from __future__ import annotations

from pathlib import Path

import click

from referee.log import LogError
from referee.log.stored import stored_match
from referee.replay.archive import ArchiveError, export_archive
from referee.replay.sheet import sheet
from referee.replay.tables import write_tables


@click.command()
@click.argument("match", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for strokes.csv, rulings.csv and match.json; made if it is not there.",
)
@click.option(
    "--sheet",
    "sheet_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A sheet to print (HTML): the result, each board, and what the umpire changed.",
)
@click.option("--archive", type=click.Path(dir_okay=False, path_type=Path),
              help="Everything in one zip file, for `referee import` on another machine.")  # fmt: skip
def command(match: Path, folder: Path | None, sheet_file: Path | None, archive: Path | None) -> None:
    """Write a stored match for others.

    \b
    referee export match.jsonl -o tables
    referee export match.jsonl --sheet match.html --archive match.zip
    """
    if folder is None and sheet_file is None and archive is None:
        raise click.UsageError("say what to write: -o FOLDER, --sheet FILE or --archive FILE")
    try:
        stored = stored_match(match)
        for problem in stored.problems:
            click.echo(f"note: {problem}", err=True)
        if folder is not None:
            write_tables(stored, folder)
            click.echo(f"wrote strokes.csv, rulings.csv and match.json to {folder}")
        if sheet_file is not None:
            sheet_file.write_text(sheet(stored), encoding="utf-8")
            click.echo(f"wrote {sheet_file}")
        if archive is not None:
            click.echo(f"wrote {export_archive(match, archive)} files to {archive}")
    except (LogError, ArchiveError) as e:
        raise click.ClickException(str(e)) from None
    except OSError as e:
        raise click.ClickException(f"cannot write to {e.filename}: {e.strerror}; choose another place") from None
