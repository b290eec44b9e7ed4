"""`referee export`: a stored match as tables for a spreadsheet and as one JSON document."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from referee.log.line import LogError
from referee.log.stored import StoredMatch, stored_match
from referee.match import ruling_line
from referee.match.games import names_of


@click.command()
@click.argument("match", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("-o", "--output", "folder", type=click.Path(file_okay=False, path_type=Path), required=True,
              help="Folder for strokes.csv, rulings.csv and match.json; made if it is not there.")  # fmt: skip
def command(match: Path, folder: Path) -> None:
    """Write a stored match as tables.

    \b
    referee export match.jsonl -o out
    """
    try:
        stored = stored_match(match)
        folder.mkdir(parents=True, exist_ok=True)
        _write_table(folder / "strokes.csv", STROKE_COLUMNS, _stroke_rows(stored))
        _write_table(folder / "rulings.csv", _ruling_columns(stored), _ruling_rows(stored))
        (folder / "match.json").write_text(json.dumps(_document(stored), indent=1), encoding="utf-8")
    except LogError as e:
        raise click.ClickException(str(e)) from None
    except OSError as e:
        raise click.ClickException(f"cannot write to {folder}: {e.strerror}; choose another folder") from None
    for problem in stored.problems:
        click.echo(f"note: {problem}", err=True)
    click.echo(f"wrote strokes.csv, rulings.csv and match.json to {folder}")


STROKE_COLUMNS = ("n", "seat", "t_placed", "t_strike", "t_rest", "first_contact", "pocketed", "off_board", "fouls",
                  "placement_legal", "placement_reason", "placement_margin_mm", "confidence")  # fmt: skip
BEFORE_NUMBERS = ("stroke", "board", "seat", "stroke_text", "turn", "state", "queen")
AFTER_NUMBERS = ("certain", "annulled", "corrected", "board_over", "text")


def _stroke_rows(stored: StoredMatch) -> Iterable[dict[str, Any]]:
    for line in stored.strokes.values():
        placement = line["placement"] or {}
        yield {name: line.get(name) for name in STROKE_COLUMNS} | {
            "pocketed": " ".join(f"{p['kind']}@{p['pocket'] or '?'}" for p in line["pocketed"]),
            "off_board": " ".join(o["kind"] for o in line["off_board"]),
            "fouls": " ".join(line["fouls"]),
            "placement_legal": placement.get("legal"),
            "placement_reason": placement.get("reason"),
            "placement_margin_mm": placement.get("margin_mm"),
        }


def _ruling_columns(stored: StoredMatch) -> tuple[str, ...]:
    """Score and dues by colour, in collecting games by player."""
    names = names_of(stored.match.book)
    numbers = (*(f"score_{name}" for name in names), *(f"due_{name}" for name in names))
    return (*BEFORE_NUMBERS, *numbers, *AFTER_NUMBERS)


def _ruling_rows(stored: StoredMatch) -> Iterable[dict[str, Any]]:
    for ruling in stored.match.rulings.values():
        line = ruling_line(ruling)
        row = {name: line.get(name) for name in (*BEFORE_NUMBERS, *AFTER_NUMBERS)}
        row |= {f"score_{name}": points for name, points in line["score"].items()}
        row |= {f"due_{name}": owed for name, owed in line["dues"].items()}
        yield row | {"text": " ".join(d["text"] for d in line["decisions"])}


def _document(stored: StoredMatch) -> dict[str, Any]:
    """Everything in one: headers, the scoreboard at the end, each stroke with its ruling, and the corrections."""
    lines = stored.contents.lines
    return {
        "headers": list(stored.contents.headers),
        "match": stored.match.view(),
        "strokes": [{"stroke": stored.strokes[n], "ruling": ruling_line(ruling)}
                    for n, ruling in stored.match.rulings.items()],
        "returned": [line for line in lines if line["type"] == "returned"],
        "corrections": [line for line in lines if line["type"] == "correction"],
        "problems": list(stored.problems),
    }  # fmt: skip


def _write_table(path: Path, columns: tuple[str, ...], rows: Iterable[dict[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
