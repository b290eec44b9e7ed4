"""Exports a stored match as tables for a spreadsheet and as one JSON document."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from referee.log.stored_match import StoredMatch
from referee.match import ruling_line
from referee.match.games import names_of
from referee.replay.statistics import PlayerStatistics

STROKE_COLUMNS = ("n", "seat", "t_placed", "t_strike", "t_rest", "first_contact", "pocketed", "off_board", "fouls",
                  "placement_legal", "placement_reason", "placement_margin_mm", "confidence")  # fmt: skip
BEFORE_NUMBERS = ("stroke", "board", "seat", "stroke_text", "turn", "state", "queen")
AFTER_NUMBERS = ("certain", "annulled", "corrected", "board_over", "text")
PLAYER_COLUMNS = ("player", "strokes", "boards", "strokes_per_board", "pocketing", "pocketing_rate", "coins", "breaks",
                  "breaks_pocketing", "fouls", "uncertain", "speed_mm_s", "fastest_mm_s", "speeds", "placed_left",
                  "placed_middle", "placed_right", "pocket_SW", "pocket_SE", "pocket_NE", "pocket_NW", "time_s",
                  "longest_s", "total_s", "queens", "queens_covered")  # fmt: skip

FORMULA_STARTS = frozenset("=+-@\t\r")
"""First characters of texts that spreadsheets run as formulas (OWASP, CSV injection)."""


def write_tables(stored: StoredMatch, folder: Path) -> None:
    """Writes strokes.csv, rulings.csv and match.json to `folder`, which is created if needed; raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "strokes.csv", STROKE_COLUMNS, stroke_rows(stored))
    _write(folder / "rulings.csv", ruling_columns(stored), ruling_rows(stored))
    (folder / "match.json").write_text(json.dumps(document(stored), indent=1), encoding="utf-8")


def stroke_rows(stored: StoredMatch) -> Iterable[dict[str, Any]]:
    """Yields the strokes as observed."""
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


def ruling_columns(stored: StoredMatch) -> tuple[str, ...]:
    """Returns the columns of `ruling_rows`: score and dues by colour, in collecting games by player."""
    names = names_of(stored.match.book)
    numbers = (*(f"score_{name}" for name in names), *(f"due_{name}" for name in names))
    return (*BEFORE_NUMBERS, *numbers, *AFTER_NUMBERS)


def ruling_rows(stored: StoredMatch) -> Iterable[dict[str, Any]]:
    """Yields the rulings as they hold now, corrections included."""
    for ruling in stored.match.rulings.values():
        line = ruling_line(ruling)
        row = {name: line.get(name) for name in (*BEFORE_NUMBERS, *AFTER_NUMBERS)}
        row |= {f"score_{name}": points for name, points in line["score"].items()}
        row |= {f"due_{name}": owed for name, owed in line["dues"].items()}
        yield row | {"text": " ".join(d["text"] for d in line["decisions"])}


def player_row(p: PlayerStatistics) -> dict[str, Any]:
    """Returns a player's figures; None where nothing was observed."""
    row = {name: getattr(p, name) for name in PLAYER_COLUMNS if hasattr(p, name)} | {"fouls": sum(p.fouls.values())}
    row |= {f"placed_{where}": p.placed.get(where, 0) for where in ("left", "middle", "right")}
    return row | {f"pocket_{name}": p.pockets.get(name, 0) for name in ("SW", "SE", "NE", "NW")}


def document(stored: StoredMatch) -> dict[str, Any]:
    """Returns the match in one document: headers, final scoreboard, strokes with rulings, returns, corrections."""
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


def _write(path: Path, columns: tuple[str, ...], rows: Iterable[dict[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        file.write(csv_text(columns, rows))


def _harmless(value: Any) -> Any:
    """Returns a value with a quote before a text that a spreadsheet would run as a formula.

    A lone sign is no formula.
    """
    return f"'{value}" if isinstance(value, str) and len(value) > 1 and value[0] in FORMULA_STARTS else value


def csv_text(columns: Iterable[str], rows: Iterable[dict[str, Any]]) -> str:
    """Returns a table in CSV, with the names of its columns first."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(columns))
    writer.writeheader()
    writer.writerows({name: _harmless(value) for name, value in row.items()} for row in rows)
    return text.getvalue()
