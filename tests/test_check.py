"""`referee check` tells what works, what is missing and what is broken."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from referee.commands.check import FindingState, command, folder, library, loads, machine


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
