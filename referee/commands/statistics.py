"""`referee statistics`: prints players' figures over stored matches, as text or as a table for a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from referee.commands.data_folder import data_folder
from referee.log import LogError
from referee.replay.csv_export import PLAYER_COLUMNS, csv_text, player_row
from referee.replay.statistics import statistics
from referee.replay.store import Library, Replay
from referee.replay.stroke_figures import figures

STATISTICS_SHOWN = (
    "strokes",
    "boards",
    "strokes_per_board",
    "pocketing_rate",
    "coins",
    "breaks",
    "fouls",
    "speed_mm_s",
    "time_s",
)
"""Figures of the text; the CSV has everything."""
NAME_WIDTH, NUMBER_WIDTH = 20, 11


@click.command()
@click.argument("matches", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="Use all matches of this folder; by default the folder of `referee run`.")  # fmt: skip
@click.option("--player", help="Only players whose name contains this text, in upper or lower case.")
@click.option("--csv", "as_csv", is_flag=True, help="Print all figures as comma-separated values.")
def command(matches: tuple[Path, ...], data: Path | None, player: str | None, as_csv: bool) -> None:
    """Print the players' statistics of stored matches.

    \b
    referee statistics match.jsonl
    referee statistics --data matches --player asha --csv > asha.csv
    """
    try:
        logs = list(matches) or _logs(data or data_folder(), player)
        totals = statistics(figures(Replay(log)) for log in logs)
    except LogError as e:
        raise click.ClickException(str(e)) from None
    rows = [player_row(p) for p in totals if not player or player.casefold() in p.player.casefold()]
    if as_csv:
        click.echo(csv_text(PLAYER_COLUMNS, rows), nl=False)
        return
    if not rows:
        raise click.ClickException("nobody with that name has played a stroke in these matches")
    for text in _table(rows):
        click.echo(text)


def _logs(folder: Path, player: str | None) -> list[Path]:
    """Returns the logs of a folder in which the player played, and prints which cannot be read."""
    library = Library(folder)
    found = [library.log(path) for path in dict.fromkeys(row.path for row in library.find(player))]
    for problem in library.problems:
        click.echo(f"note: {problem}", err=True)
    if not found:
        raise LogError(f"there is no match in {folder}; say where they are with --data")
    return found


def _table(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yields the table, a column for each player."""
    rows = list(rows)
    yield " " * NAME_WIDTH + "".join(f"{row['player'][:NUMBER_WIDTH]:>{NUMBER_WIDTH + 1}}" for row in rows)
    for name in STATISTICS_SHOWN:
        yield f"{name:<{NAME_WIDTH}}" + "".join(f"{_number(row[name]):>{NUMBER_WIDTH + 1}}" for row in rows)


def _number(value: object) -> str:
    """Returns a figure as text, a dash if it was never measured."""
    return "-" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
