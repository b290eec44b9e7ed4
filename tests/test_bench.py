"""`referee bench`: a line a stage with its time beside the yardstick, or a line a clip."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner
from sim_clips import QUIET, one_stroke, record

from referee.cli import main

STAGES = ("calibration", "gate", "hands and loose discs", "all of seeing", "laws")


def test_every_stage_has_its_time_and_its_ratio_to_the_yardstick() -> None:
    result = CliRunner().invoke(main, ["bench", "--seconds", "1", "--size", "480", "360"])
    assert result.exit_code == 0, result.output
    title, *lines = result.stdout.splitlines()
    assert title.startswith("simulator 480x360, 30 frames; one luma copy takes")
    for stage in STAGES:
        (line, *_) = [line for line in lines if line.startswith(stage)]
        ms, copies = map(float, re.search(r"([\d.]+) ms +([\d.]+) copies", line).groups())  # type: ignore[union-attr]
        assert ms > 0
        assert copies > 0


def test_a_folder_of_clips_gets_a_line_a_clip(tmp_path: Path) -> None:
    record(tmp_path / "a.mkv", one_stroke(QUIET + 12))
    result = CliRunner().invoke(main, ["bench", "--truth", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert [line.split()[:2] for line in result.stdout.splitlines()[1:]] == [["a.mkv", "12"]]


def test_a_folder_without_clips_is_told(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["bench", "--truth", str(tmp_path)])
    assert result.exit_code == 1
    assert "no clips" in result.stderr
