"""`referee export`: writes a stored match as tables, as a sheet to print, or whole as an archive."""

from __future__ import annotations

from pathlib import Path

import click

from referee.commands.number_range import NumberRange
from referee.languages import languages
from referee.log import LogError
from referee.log.stored_match import stored_match
from referee.replay.archive import ArchiveError, export_archive
from referee.replay.caption import captions
from referee.replay.csv_export import write_tables
from referee.replay.overlay_video import OverlayError, write_overlay_clip
from referee.replay.print_sheet import sheet
from referee.replay.store import Replay
from referee.replay.stroke_figures import players_of
from referee.replay.tracks import TracksError


@click.command()
@click.argument("match", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for strokes.csv, rulings.csv and match.json; created if missing.",
)
@click.option(
    "--sheet",
    "sheet_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a printable sheet (HTML): the result, each board, and the umpire's changes.",
)
@click.option(
    "--clip",
    "clip_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a video of the stroke --stroke in slow motion, with the detections drawn in.",
)
@click.option("--stroke", type=click.IntRange(1), help="Number of the stroke for --clip.")
@click.option(
    "--slow",
    type=NumberRange(1, 16),
    default=4.0,
    show_default=True,
    help="Factor of the slow motion.",
)
@click.option("--language", type=click.Choice(languages()), default="en", show_default=True,
              help="Language of the sheet and the clip.")  # fmt: skip
@click.option("--archive", type=click.Path(dir_okay=False, path_type=Path),
              help="Write everything into one zip file, for `referee import` on another machine.")  # fmt: skip
def command(match: Path, folder: Path | None, sheet_file: Path | None, clip_file: Path | None, stroke: int | None,
            slow: float, language: str, archive: Path | None) -> None:  # fmt: skip
    """Write a stored match as tables, a printable sheet, a clip or an archive.

    \b
    referee export match.jsonl -o tables
    referee export match.jsonl --sheet match.html --archive match.zip
    referee export match.jsonl --clip foul.mp4 --stroke 12
    """
    if folder is None and sheet_file is None and archive is None and clip_file is None:
        raise click.UsageError("say what to write: -o FOLDER, --sheet FILE, --clip FILE or --archive FILE")
    try:
        stored = stored_match(match)
        for problem in stored.problems:
            click.echo(f"note: {problem}", err=True)
        if folder is not None:
            write_tables(stored, folder)
            click.echo(f"wrote strokes.csv, rulings.csv and match.json to {folder}")
        if sheet_file is not None:
            sheet_file.write_text(sheet(stored, language, players_of(Replay(match))), encoding="utf-8")
            click.echo(f"wrote {sheet_file}")
        if clip_file is not None:
            _write_clip(Replay(match), stroke, slow, language, clip_file)
            click.echo(f"wrote {clip_file}")
        if archive is not None:
            click.echo(f"wrote {export_archive(match, archive)} files to {archive}")
    except (LogError, ArchiveError, OverlayError, TracksError) as e:
        raise click.ClickException(str(e)) from None
    except OSError as e:
        raise click.ClickException(f"cannot write to {e.filename}: {e.strerror}; choose another place") from None


def _write_clip(replay: Replay, stroke: int | None, slow: float, language: str, out: Path) -> None:
    """Writes the clip of a stroke with an overlay for others."""
    record = replay.strokes.get(stroke or 0)
    if record is None:
        raise click.UsageError(f"--stroke must be one of this match's strokes, 1 to {max(replay.strokes, default=0)}")
    if record.clip is None:
        raise OverlayError(f"no video of stroke {record.n} was kept, or it was deleted to make room")
    tracks = replay.tracks(record.n) if record.has_tracks else None
    header, lines = replay.header(record.n), captions(replay, record, language)
    write_overlay_clip(replay.folder.clip(record.n), record.clip, tracks, record.line, header, lines, slow, out)
    replay.keep(record.n)
