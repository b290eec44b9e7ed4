"""The budget: frames are fed as a camera gives them, and what a whole running referee takes is measured."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from referee.bench.budget import Budget, ProcessorTime
from referee.bench.budget_child import PacedRecording
from referee.bench.budget_table import Pi, budget_lines, prediction
from referee.bench.recording import FrameRecording, Label
from referee.cli import main

FRAMES, FPS = 10, 100.0


@pytest.fixture
def recording(tmp_path: Path) -> FrameRecording:
    """Ten tiny frames, each of its number's shade."""
    path = tmp_path / "frames.raw"
    path.write_bytes(b"".join(bytes([number] * (8 * 6 * 3 // 2)) for number in range(FRAMES)))
    return FrameRecording(path, "shades", 8, 6, FPS, False, (Label(False, 0),) * FRAMES)


class Clock:
    """A clock that goes on only when somebody waits or works."""

    def __init__(self) -> None:
        self.now = 5.0

    def wait(self, seconds: float) -> None:
        self.now += seconds


def test_frames_come_at_their_time_there_and_back(recording: FrameRecording) -> None:
    clock = Clock()
    with PacedRecording(recording, lambda: clock.now, clock.wait) as feed:
        frames = list(islice(feed, 15))
        shades = [int(frame.picture.y[0, 0]) for frame in frames]
    assert shades == [*range(10), *range(9, 4, -1)]
    assert [frame.t for frame in frames] == pytest.approx(np.arange(15) / FPS)
    assert clock.now == pytest.approx(5.0 + 14 / FPS)
    assert not any(frame.dropped for frame in frames)


def test_a_referee_that_is_held_up_loses_what_a_camera_would_lose_and_sees_the_present(
    recording: FrameRecording,
) -> None:
    clock = Clock()
    with PacedRecording(recording, lambda: clock.now, clock.wait) as feed:
        frames = iter(feed)
        first = next(frames)
        clock.wait(0.255)
        short = list(islice(frames, 25))
        clock.wait(1.0)
        late = next(frames)
        assert (first.dropped, sum(frame.dropped for frame in short), late.dropped) == (0, 0, 70)
        assert late.t == pytest.approx(0.96)
        assert late.index == 26


BUDGET = Budget("sim", 60.0, "30", 30.0, ProcessorTime(12.0, 6.0, 1.5, 1.5), 2, 0.1, 0, 0, 500.0, 25.0, 4.9)


def test_the_share_of_the_machine_and_of_a_pi_follow_from_the_seconds_spent() -> None:
    assert (BUDGET.per_minute, BUDGET.share) == (pytest.approx(42.0), pytest.approx(0.35))
    least, most = prediction(BUDGET, Pi("a Pi", 2000.0), 4000.0)
    assert (least, most) == (pytest.approx(0.8), pytest.approx(1.6))
    text = "\n".join(budget_lines([BUDGET, replace(BUDGET, fps=120.0)], 4000.0))
    assert "35.0 %" in text
    assert text.count("Pi 5") == 2
    assert "met, 35 % at most" in text
    assert "met, vision 0, recording 0" in text
    assert "measure again" not in text
    busy = "\n".join(budget_lines([replace(BUDGET, fps=120.0, lost=3, others=0.6)], None))
    assert "missed, vision 3, recording 0" in busy
    assert "measure again" in busy
    assert "--sysbench EVENTS" in "\n".join(budget_lines([BUDGET], None))


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="only Linux tells what processes take")
def test_a_running_referee_with_viewers_and_recording_is_measured(tmp_path: Path) -> None:
    file = tmp_path / "budget.json"
    words = ["bench", "budget", "--seconds", "1", "--size", "480", "360", "--fps", "30", "--record", "30"]
    result = CliRunner().invoke(main, [*words, "--json", str(file)])
    assert result.exit_code == 0, result.output
    (budget,) = json.loads(file.read_text())["budgets"]
    assert all(budget["spent"][part] > 0 for part in ("vision", "recording", "house"))
    assert 50 < budget["memory_mb"] < 1000
    assert budget["updates"] > 5
    assert budget["pictures"] > 1
