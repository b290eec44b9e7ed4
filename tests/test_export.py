"""`referee export` and its tables."""

from __future__ import annotations

import csv
import json

from click.testing import CliRunner
from match_logs import played, write

from referee.cli import main


def run(*args: object):
    return CliRunner().invoke(main, ["export", *map(str, args)])


def test_a_match_becomes_two_tables_and_a_document(tmp_path):
    match = write(tmp_path / "a.jsonl", played())
    result = run(tmp_path / "a.jsonl", "-o", tmp_path / "deep" / "out")
    assert result.exit_code == 0
    out = tmp_path / "deep" / "out"
    with (out / "strokes.csv").open(encoding="utf-8", newline="") as file:
        strokes = list(csv.DictReader(file))
    assert [row["n"] for row in strokes] == ["1", "2", "3", "4", "5"]
    assert strokes[3]["pocketed"] == "black@NE striker@NE"
    with (out / "rulings.csv").open(encoding="utf-8", newline="") as file:
        rulings = list(csv.DictReader(file))
    assert rulings[0]["state"] == str(match.rulings[1].state)
    assert "White plays again." in rulings[0]["text"]
    document = json.loads((out / "match.json").read_text(encoding="utf-8"))
    assert document["match"] == match.view()
    assert len(document["strokes"]) == 5


def test_a_folder_that_cannot_be_made_says_so(tmp_path):
    write(tmp_path / "a.jsonl", played())
    (tmp_path / "file").touch()
    result = run(tmp_path / "a.jsonl", "-o", tmp_path / "file" / "out")
    assert result.exit_code == 1
    assert "cannot write to" in result.output


def test_a_file_that_is_no_log_says_so(tmp_path):
    (tmp_path / "x").write_text("hello")
    result = run(tmp_path / "x", "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert "not a match log" in result.output
