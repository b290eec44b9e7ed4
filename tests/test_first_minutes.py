"""The first ten minutes: what is printed when, what is refused with which words, and matches without a camera."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from match_logs import played, write
from test_run import line_with, running

from referee.cli import main
from referee.commands.analyse import log_beside


def said(*words: object) -> str:
    """What a refused command says."""
    result = CliRunner().invoke(main, [*map(str, words)])
    assert result.exit_code != 0
    return result.output


@pytest.mark.parametrize("command", ["analyse", "run"])
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--players sud=Asha", "sud is no seat: choose south, west, north, east"),
        ("--players south=", "south= leaves a name out; write it as south=Asha,north=Ravi"),
        ("--players south=Asha,south=Ravi", "names one seat twice; write it as south=Asha,north=Ravi"),
        ("--players south=Asha,west=Ravi", "nobody plays at west: two play, who sit opposite each other"),
        ("--players east=Bob", "Error: nobody plays at east: the simulated players sit at south and north\n"),
        ("--seats west=white", "Error: nobody plays at west: the simulated players sit at south and north\n"),
        ("--seats south=red", "red is no colour: choose white or black"),
        ("--seats south=white,sud=black", "sud is no seat: choose south, west, north, east"),
        ("--seats south=white,west=black", "West cannot play against South: name two opposite seats"),
        ("--seats south=white,north=white", "opposite seats, one plays white, one black"),
        ("--rules three_point --seats south,west,east --players north=Bob",
         "nobody plays at north: the seats declared are south, west and east"),
        ("--rules nobook", "unknown rule book 'nobook': choose one of"),
    ],
)  # fmt: skip
def test_who_cannot_play_is_refused_with_the_valid_words(command: str, options: str, says: str, tmp_path: Path) -> None:
    output = said(command, "sim", "--log", tmp_path / "a.jsonl", *options.split())
    assert says in output
    assert "Scoreboard" not in output
    assert not (tmp_path / "a.jsonl").exists()


@pytest.mark.parametrize(("source", "why"), [("none.mp4", "no such file"), ("picamera", "picamera"),
                                              ("rtsp://127.0.0.1:9/none", "127.0.0.1:9")])  # fmt: skip
def test_no_address_is_printed_before_the_source_is_there(source: str, why: str, tmp_path: Path) -> None:
    output = said("run", source, "--log", tmp_path / "a.jsonl", "--port", "0")
    assert why in output
    assert "Scoreboard" not in output
    assert not (tmp_path / "a.jsonl").exists()


def test_the_log_of_a_recording_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "match.mp4").touch()
    assert log_beside(str(tmp_path / "match.mp4")) == tmp_path / "match.jsonl"
    assert log_beside("sim") == Path("sim.jsonl")


def test_stored_matches_are_served_without_a_camera(tmp_path: Path) -> None:
    write(tmp_path / "evening.jsonl", played())
    with running("serve", "--data", tmp_path, "--port", "0", "--host", "127.0.0.1") as process:
        page = line_with(process, "Matches: ")
        found = httpx.get(page.removesuffix("matches") + "api/matches").json()["matches"]
        assert [match["id"] for match in found] == ["evening"]
        assert httpx.get(page).status_code == 200
    assert [path.name for path in tmp_path.glob("*.jsonl")] == ["evening.jsonl"]
    assert "does not exist" in said("serve", "--data", tmp_path / "none")


def test_check_looks_at_the_folder_that_run_uses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "carrom-referee" / "matches"
    folder.mkdir(parents=True)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    output = CliRunner().invoke(main, ["check"]).output
    (line,) = (line for line in output.splitlines() if "data folder" in line)
    assert str(folder) in line
