"""`referee check` tells what works, what is missing and what is broken."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from campaign.damage import good_log
from click.testing import CliRunner

from referee.commands.check import FindingState, command, folder, library, loads, machine, webcams
from referee.log.line import decode, decode_placed, encode


def test_a_sound_installation_passes_and_lists_everything(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["--data", str(tmp_path)])
    assert result.exit_code == 0, result.output
    names = {line.split()[1] for line in result.output.splitlines()}
    assert {"python", "numpy", "av", "boards", "rule", "web", "video", "picamera2", "webcams", "data"} <= names


def test_findings_can_be_read_by_programs(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["--json", "--data", str(tmp_path)])
    findings = [json.loads(line) for line in result.output.splitlines()]
    assert {finding["state"] for finding in findings} <= {"ok", "missing"}
    assert findings[0]["name"] == "python"


def test_a_folder_that_cannot_be_written_is_broken(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["--data", str(tmp_path / "missing")])
    assert result.exit_code == 1
    assert "1 broken: data folder" in result.output
    assert "--data" in folder(tmp_path / "missing").text


def test_webcams_are_told_by_the_name_that_stays(tmp_path: Path) -> None:
    """A tree as udev makes it, in a folder: no webcam is at hand where tests run."""
    devices, names = tmp_path / "dev", tmp_path / "dev" / "v4l" / "by-id"
    names.mkdir(parents=True)
    assert webcams(devices, names).text == "none connected"
    for number in (0, 1, 10):
        (devices / f"video{number}").touch()
    links = [names / f"usb-Maker_HD_0123-video-index{i}" for i in range(2)]
    links[0].symlink_to("../../video0")
    links[1].symlink_to("../../video1")
    told = webcams(devices, names)
    assert (told.state, told.text) == (FindingState.OK, f"{links[0]}, {links[1]}, {devices / 'video10'}")
    links[0].unlink()
    (devices / "video0").rename(devices / "video4")
    links[0].symlink_to("../../video4")
    assert str(links[0]) in webcams(devices, names).text
    assert links[0].resolve() == devices / "video4", "what the settings name is the same camera"


def test_a_library_that_does_not_load_is_broken() -> None:
    finding = library("some-library", "no_such_module_anywhere")
    assert finding.state is FindingState.BROKEN
    assert "deploy/dev check" in finding.text


def test_damaged_data_is_broken() -> None:
    def load() -> str:
        raise ValueError("no [points] table")

    assert loads("rule books", load).state is FindingState.BROKEN


def test_the_computers_heat_and_clock_are_told(tmp_path: Path) -> None:
    finding = machine(tmp_path)
    assert finding.state in (FindingState.OK, FindingState.MISSING)
    assert "°C" in finding.text or "not told" in finding.text


def checked(path: Path) -> tuple[int, str]:
    result = CliRunner().invoke(command, [str(path)])
    return result.exit_code, result.output


def test_an_untouched_log_is_shown_to_be_one(tmp_path: Path) -> None:
    log = tmp_path / "match.jsonl"
    rows = good_log(log).splitlines(keepends=True)
    code, said = checked(log)
    assert code == 0
    assert said.startswith("ok       match.jsonl")
    assert f"{len(rows)} lines, numbered and chained" in said
    assert hashlib.sha256(log.read_bytes()).hexdigest() in said


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (lambda rows: rows[:5] + rows[6:], "a line is missing before line 6"),
        (lambda rows: rows[:6] + rows[5:], "line 7 stands there twice"),
        (lambda rows: [*rows[:5], rows[5].replace(b":", b": ", 1), *rows[6:]], "line 6 is damaged"),
        (lambda rows: [b"nothing\n"], "is not a match log"),
    ],
)
def test_a_log_that_somebody_touched_says_where(
    tmp_path: Path, edit: Callable[[list[bytes]], list[bytes]], why: str
) -> None:
    log = tmp_path / "match.jsonl"
    log.write_bytes(b"".join(edit(good_log(log).splitlines(keepends=True))))
    code, said = checked(log)
    assert code == 1
    assert why in said
    assert "ok " not in said


def test_a_line_put_back_with_a_right_check_of_its_own_is_told_by_the_next(tmp_path: Path) -> None:
    log = tmp_path / "match.jsonl"
    rows = good_log(log).splitlines(keepends=True)
    line, place = decode_placed(rows[5].decode().strip())
    rows[5] = encode(line | {"t": 0.125}, place).encode() + b"\n"
    log.write_bytes(b"".join(rows))
    assert "what stands before line 7 is not what was written" in checked(log)[1]


def test_lines_of_an_older_program_are_said_to_show_nothing(tmp_path: Path) -> None:
    log = tmp_path / "match.jsonl"
    lines = [decode(row) for row in good_log(log).decode().splitlines()]
    log.write_text("".join(f"{encode(line)}\n" for line in lines))
    code, said = checked(log)
    assert code == 0
    assert f"{len(lines)} of {len(lines)} lines are of an older program" in said
