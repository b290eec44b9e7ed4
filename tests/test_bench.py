"""`referee bench`: speed beside yardsticks, and clips held against their truth."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from models.rules import rule_names
from referee.cli import main

SHARED = os.environ.get("CARROM_SHARED")


def bench(*words: str) -> Result:
    return CliRunner().invoke(main, ["bench", *words])


def test_speed_is_told_by_what_frames_show_beside_the_yardsticks(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    result = bench("--seconds", "3", "--size", "320", "240", "--frames", "0", "--no-scaling", "--json", str(file))
    assert result.exit_code == 0, result.output
    figures = json.loads(file.read_text())
    assert set(figures["yardsticks_ms"]) == {"copy", "remap", "tutorial"}
    assert set(figures["frames_ms"]) >= {"still", "hand in view"}
    for show, cost in figures["frames_ms"].items():
        assert cost["median"] > 0
        assert figures["in_remaps"][show][0] == pytest.approx(
            cost["median"] / figures["yardsticks_ms"]["remap"]["median"], rel=0.01, abs=2e-3)  # fmt: skip
        assert figures["every_play_ms"][show]["frames"] >= 3 * cost["frames"]
        assert sum(figures["stages"][show].values()) == pytest.approx(1, abs=0.01)
        assert show in result.stdout
    assert figures["memory"] is None
    assert figures["calibration_s"] > 0
    assert figures["start_s"] > 0
    assert set(figures["laws_per_s"]) == set(rule_names())
    assert min(figures["laws_per_s"].values()) > 0
    assert "strokes a second (goal 20000)" in result.output


@pytest.mark.skipif(SHARED is None, reason="needs the shared footage: set CARROM_SHARED")
def test_a_clip_is_held_against_its_truth(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    folder = Path(str(SHARED)) / "footage"
    result = bench("truth", str(folder), "--only", "webcam", "--logs", str(tmp_path), "--json", str(file))
    assert result.exit_code == 0, result.output
    figures = json.loads(file.read_text())
    assert figures["sheets"]["m-z"]["shares"]["strokes found"] == {"right": 1, "of": 1}
    assert figures["sheets"]["a-l"]["shares"] == {}
    assert figures["times_faster_than_tutorial"] > 0
    assert (tmp_path / "webcam.jsonl").is_file()


@pytest.mark.parametrize("former", ["--truth", "--laws", "--budget"])
def test_what_used_to_be_an_option_still_names_the_measurement(tmp_path: Path, former: str) -> None:
    result = bench(former, "--help")
    assert result.exit_code == 0, result.output
    assert f"Usage: main bench {former.removeprefix('--')} " in result.stdout


def test_options_stand_at_the_measurement_that_uses_them(tmp_path: Path) -> None:
    result = bench("truth", str(tmp_path), "--sysbench", "4450")
    assert result.exit_code == 2
    assert "No such option '--sysbench'" in result.stderr


def test_a_folder_without_truth_is_told(tmp_path: Path) -> None:
    result = bench("truth", str(tmp_path))
    assert result.exit_code == 1
    assert "no clips with truth" in result.stderr


def test_a_damaged_truth_is_told(tmp_path: Path) -> None:
    (tmp_path / "odd.truth.json").write_text('{"video": "odd.mp4"}')
    result = bench("truth", str(tmp_path))
    assert result.exit_code == 1
    assert "odd.truth.json is no truth of a clip" in result.stderr
