"""`referee statistics`: figures over one match or many, for people and for spreadsheets."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from click.testing import CliRunner
from match_logs import played, write

from models.pieces import Seat
from referee.cli import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two matches of the same two players, one of them the other way round, and a file that is no log."""
    write(tmp_path / "a.jsonl", played())
    write(tmp_path / "b.jsonl", played("m2", ((Seat.SOUTH, "Jürg Müller"), (Seat.NORTH, "Asha Rao"))))
    (tmp_path / "newer.jsonl").write_text('{"type":"header","version":9}\n')
    return tmp_path


def told(*args: object) -> str:
    result = CliRunner().invoke(main, ["statistics", *map(str, args)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_match_is_told_as_a_column_for_each_player(folder: Path) -> None:
    text = told(folder / "a.jsonl")
    assert "Asha Rao" in text
    assert text.splitlines()[1].split() == ["strokes", "3", "2"]
    assert text.splitlines()[-2].split() == ["speed_mm_s", "-", "-"]


def test_a_folder_is_added_up_by_player_as_comma_separated_values(folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(told("--data", folder, "--csv"))))
    assert {row["player"]: row["strokes"] for row in rows} == {"Asha Rao": "5", "Jürg Müller": "5"}
    (asha,) = csv.DictReader(io.StringIO(told("--data", folder, "--csv", "--player", "ASHA")))
    assert asha["boards"] == "2"


def test_a_name_that_a_spreadsheet_would_run_is_text(tmp_path: Path) -> None:
    names = '=HYPERLINK("http://a.example")', "@SUM(1)"
    write(tmp_path / "a.jsonl", played(players=((Seat.SOUTH, names[0]), (Seat.NORTH, names[1]))))
    rows = list(csv.DictReader(io.StringIO(told("--data", tmp_path, "--csv"))))
    assert {row["player"] for row in rows} == {f"'{name}" for name in names}


def test_what_cannot_be_read_is_noted_and_nothing_to_tell_is_a_sentence(folder: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["statistics", "--data", str(folder)])
    assert "version 9" in result.stderr
    (tmp_path / "empty").mkdir()
    for args in (["--data", str(tmp_path / "empty")], [str(folder / "a.jsonl"), "--player", "nobody"]):
        result = CliRunner().invoke(main, ["statistics", *args])
        assert result.exit_code == 1
        assert result.stderr.count("\n") == 1
