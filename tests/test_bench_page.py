"""The bench's report: one page that stands alone, of whichever runs were kept."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from bench_truth import PLAY, STROKE, TABLE, log, truth
from click.testing import CliRunner

from models.pieces import Kind, Piece
from referee.bench.measure import score_clip
from referee.bench.recording import FrameContent, FrameRecording, Label
from referee.bench.speed import Speed
from referee.bench.speed_table import SpeedReport, speed_json
from referee.bench.yardsticks import Cost, Yardstick
from referee.sim.source import SimSource
from tools.bench.__main__ import main
from tools.bench.page import PICTURES, SPEED, STROKES, write_report
from tools.bench.pictures import keep_world
from tools.bench.worlds import WorldResult
from tools.bench.worlds_table import worlds_json


def wrong_world() -> WorldResult:
    astray = replace(TABLE, pieces=(*TABLE.pieces, Piece(Kind.QUEEN, 200.0, 200.0)))
    nothing = replace(STROKE, pocketed=(), confidence=0.99)
    return WorldResult(5, "any", None, score_clip(truth(PLAY), log(nothing, astray)))


def measured_speed(folder: Path) -> Speed:
    """What a bench of four still frames may find."""
    cost = Cost.of([0.001, 0.0012])
    recording = FrameRecording(folder / "frames.raw", "four frames", 240, 180, 30.0, False, (Label(False, 0),) * 4)
    return Speed(recording, dict.fromkeys(Yardstick, cost), {FrameContent.STILL: cost}, {FrameContent.STILL: cost},
                 {0: cost}, {"still": {"referee.seeing": 1.0}}, 0.5, 30_000)  # fmt: skip


def test_the_page_tells_the_worst_calls_and_needs_nothing_from_outside(tmp_path: Path) -> None:
    text = write_report(tmp_path, STROKES, worlds_json([wrong_world()])).read_text()
    assert "true white in NE + black in NW, logged nothing" in text
    assert text.count("<svg") >= 3
    assert not re.search(r'(src|href)="(?!data:)', text)


def test_confidence_stands_beside_what_was_right_with_its_interval(tmp_path: Path) -> None:
    text = write_report(tmp_path, STROKES, worlds_json([wrong_world()])).read_text()
    assert "<td>simulated</td><td>0.99 to 1</td><td>1</td><td>0.990</td><td>0.000</td>" in text
    assert text.count("95 % intervals") == 2


def test_runs_kept_before_stay_on_the_page(tmp_path: Path) -> None:
    write_report(tmp_path, STROKES, worlds_json([wrong_world()]))
    text = write_report(tmp_path, SPEED, speed_json(SpeedReport(measured_speed(tmp_path), None, None, ()))).read_text()
    assert "Simulated strokes" in text
    assert "yardstick" in text


def test_a_page_without_figures_is_told_with_what_to_do(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["page", str(tmp_path)])
    assert result.exit_code == 1
    assert "speed.json" in result.stderr
    write_report(tmp_path, STROKES, worlds_json([wrong_world()]))
    (tmp_path / "index.html").unlink()
    assert CliRunner().invoke(main, ["page", str(tmp_path)]).exit_code == 0
    assert (tmp_path / "index.html").is_file()


def test_cases_are_drawn_with_what_is_true_and_what_was_seen(tmp_path: Path) -> None:
    folder = tmp_path / PICTURES
    folder.mkdir()
    sim = SimSource(width=320, height=240, keep_scenes=True)
    for _, scene in zip(range(120), sim.scenes(), strict=False):
        assert scene.pieces()
    keep_world(sim, wrong_world().sheet.cases, folder)
    (file,) = folder.iterdir()
    image = cv2.imread(str(file))
    assert image is not None
    blue, green, red = (image[..., i].astype(int) for i in range(3))
    assert np.count_nonzero((green > 150) & (red < 120)) > 100
    assert np.count_nonzero((red > 200) & (blue < 100) & (green < 100)) > 100
    assert file.stem in write_report(tmp_path, STROKES, worlds_json([wrong_world()])).read_text()
