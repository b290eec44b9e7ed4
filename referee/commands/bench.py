"""`referee bench`: speed of the referee here, its whole budget, and its accuracy on clips with ground truth.

Tools for developers (altered clips, simulated worlds, overlays, pages) are not installed: `tools/bench`.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from referee.bench.budget import Budget, BudgetError, measure_budget
from referee.bench.budget_table import budget_json, budget_lines
from referee.bench.child import measure_memory, measure_start
from referee.bench.clips import ClipResult, referee_clips
from referee.bench.laws import laws_lines, measure_laws
from referee.bench.recording import FrameRecording, record_clip, record_sim
from referee.bench.scaling import by_pixels
from referee.bench.speed import measure_speed, timed_calibration
from referee.bench.speed_table import SpeedReport, speed_json, speed_lines
from referee.bench.table import clip_line, clips_json, clips_lines
from referee.bench.truth import TRUTH_SUFFIX, TruthError, chosen_clips, load_truth
from referee.bench.yardsticks import single_threaded
from referee.commands.errors import as_click_errors
from referee.commands.number_range import NumberRange
from referee.commands.rulebooks import situations
from referee.frames.open import open_source
from referee.sim.script import MatchConditions
from referee.sim.source import SimSource

BENCH_SECONDS, BENCH_FPS, BENCH_TEMPO = 8.0, 60.0, 0.5
"""Length (s), frame rate and tempo of the simulated play that is timed: the first stroke and the hands around it."""
BENCH_SIZE = (1456, 1088)
"""Size of the simulated picture, px: that of the Raspberry Pi's global shutter camera."""
MEMORY_FRAMES = 2000
"""Number of frames over which memory is measured. 100000 take hours and find slower leaks."""
DEFAULT = "speed"
"""Measurement that runs when none is named."""

MeasureCommand = Callable[..., None]


class Measurements(click.Group):
    """A command for each measurement; speed if none is named. `--truth`, formerly an option, still selects `truth`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        former = next((name for name in self.commands if f"--{name}" in args), None)
        if former is not None:
            args.remove(f"--{former}")
            args = [former, *args]
        elif not args or (args[0] not in self.commands and args[0] != "--help"):
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)


@dataclass(frozen=True, slots=True)
class TimedPlay:
    """Source of the frames that are timed."""

    clip: Path | None
    """A clip with its truth beside it; None for the simulator."""
    seconds: float
    """Length of the simulated play, s."""
    size: tuple[int, int]
    """Width and height of the simulated picture, px."""

    def record(self, raw: Path, fps: float = BENCH_FPS) -> FrameRecording:
        """Writes the frames to `raw`; `fps` is the simulated rate. Raises TruthError, SourceError."""
        if self.clip is None:
            width, height = self.size
            sim = SimSource(
                width=width, height=height, fps=fps, manner=MatchConditions(tempo=BENCH_TEMPO), keep_scenes=True
            )
            return record_sim(sim, self.seconds, raw)
        truth = load_truth(self.clip.with_name(self.clip.stem + TRUTH_SUFFIX))
        if truth is None:
            raise TruthError(f"the truth beside {self.clip} is of a still picture; give a clip")
        return record_clip(open_source(str(self.clip)), truth, raw)


def timed_play(measurement: MeasureCommand) -> MeasureCommand:
    """Adds the options that choose the frames to a command, which receives them as `play`."""

    @click.option("--clip", type=click.Path(exists=True, dir_okay=False, path_type=Path),
                  help="Time this clip, with its truth file beside it, instead of the simulator.")  # fmt: skip
    @click.option("--seconds", type=NumberRange(1), default=BENCH_SECONDS, show_default=True,
                  help="Seconds of simulated play.")  # fmt: skip
    @click.option("--size", type=(click.IntRange(64), click.IntRange(64)), default=BENCH_SIZE, show_default=True,
                  help="Width and height of the simulated camera's picture.")  # fmt: skip
    @wraps(measurement)
    def with_play(clip: Path | None, seconds: float, size: tuple[int, int], **options: Any) -> None:
        measurement(play=TimedPlay(clip, seconds, size), **options)

    return with_play


json_option = click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path),
                           help="Write all figures to this file.")  # fmt: skip
only_option = click.option("--only", default="", help="Only clips whose names contain this.")
logs_option = click.option(
    "--logs", type=click.Path(file_okay=False, path_type=Path), help="Store the logs in this folder."
)
clips_argument = click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))


@contextmanager
def measuring() -> Iterator[None]:
    """Restricts OpenCV to one thread, and ends the command with one sentence on expected errors."""
    with as_click_errors(), single_threaded():
        try:
            yield
        except (TruthError, BudgetError) as e:
            raise click.ClickException(str(e)) from None


def keep_json(figures: Mapping[str, Any], file: Path | None) -> None:
    """Writes figures to `file` if one is given."""
    if file is not None:
        file.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


@click.group(cls=Measurements)
def command() -> None:
    """Measure speed, or what COMMAND names; see `referee bench speed --help` for the options of speed.

    Times are compared with yardsticks measured in the same run, which makes machines comparable: a copy of the luma
    plane, remapping and converting the whole frame, and the usual tutorial of disc detection.

    \b
    referee bench
    referee bench budget
    referee bench truth clips/ --json figures.json
    """


@command.command(short_help="measure the time of a frame, memory, and the start")
@timed_play
@click.option("--frames", type=click.IntRange(0), default=MEMORY_FRAMES, show_default=True,
              help="Number of frames over which memory is measured; 0 skips it.")  # fmt: skip
@click.option("--scaling/--no-scaling", default=True, help="Also measure pictures of several sizes.")
@json_option
def speed(play: TimedPlay, frames: int, scaling: bool, json_file: Path | None) -> None:
    """Measure the time of a frame by its content, memory, and the time to start.

    \b
    referee bench speed --clip match.mp4 --frames 0
    """
    with measuring(), tempfile.TemporaryDirectory() as passing:
        recording = play.record(Path(passing) / "frames.raw")
        measured = measure_speed(recording)
        profile = _stored_profile(recording, Path(passing))
        memory = measure_memory(recording, frames) if frames else None
        report = SpeedReport(measured, memory, measure_start(recording, profile), by_pixels() if scaling else ())
        _echo(speed_lines(report))
        keep_json(speed_json(report) | _laws(), json_file)


@command.command(short_help="measure the load of `referee run` on this machine")
@timed_play
@click.option("--record", multiple=True, type=click.Choice(["off", "30", "every"]), default=("30", "every"),
              show_default=True, help="What to record: nothing, 30 frames a second, every frame.")  # fmt: skip
@click.option("--fps", multiple=True, type=NumberRange(1), default=(60.0, 120.0), show_default=True,
              help="Frames per second.")  # fmt: skip
@click.option("--sysbench", type=NumberRange(1),
              help="Events per second of `sysbench cpu` on this machine, to estimate a Pi's load.")  # fmt: skip
@json_option
def budget(play: TimedPlay, record: tuple[str, ...], fps: tuple[float, ...], sysbench: float | None,
           json_file: Path | None) -> None:  # fmt: skip
    """Measure the processor time and memory of `referee run` with 5 viewers, on frames from memory.

    \b
    referee bench budget --fps 60 --record 30
    """
    budgets: list[Budget] = []
    with measuring():
        for rate in fps:
            with tempfile.TemporaryDirectory() as passing:
                recording = play.record(Path(passing) / "frames.raw", rate)
                profile = _stored_profile(recording, Path(passing))
                there_and_back = 2 * len(recording.labels) / rate
                budgets += [measure_budget(recording, profile, each, there_and_back) for each in record]
        _echo(budget_lines(budgets, sysbench))
    keep_json(budget_json(budgets), json_file)


@command.command(short_help="measure how many strokes a second each rule book judges")
@json_option
def laws(json_file: Path | None) -> None:
    """Measure how many strokes a second each rule book judges."""
    with measuring():
        keep_json(_laws(), json_file)


@command.command(short_help="compare clips with the truth files beside them")
@clips_argument
@only_option
@logs_option
@json_option
def truth(folder: Path, only: str, logs: Path | None, json_file: Path | None) -> None:
    """Referee the clips of FOLDER and compare each log with its truth, NAME.truth.json.

    \b
    referee bench truth clips/ --only moon --logs logs/
    """
    results: list[ClipResult] = []
    with measuring():
        for result in referee_clips(chosen_clips(folder, only), logs):
            results.append(result)
            click.echo(clip_line(result))
        _echo(clips_lines(results))
        keep_json(clips_json(results), json_file)


def _stored_profile(recording: FrameRecording, folder: Path) -> Path:
    """Writes the recording's own calibration to a file; raises CalibrationError."""
    profile = folder / "profile.json"
    profile.write_text(timed_calibration(recording)[0].to_json(), encoding="utf-8")
    return profile


def _laws() -> dict[str, Any]:
    """Measures and prints the rule books' speed on the situations of docs/rulebooks.md; returns the figures."""
    per_second = measure_laws([(each.state, each.stroke) for each in situations()])
    _echo(laws_lines(per_second))
    return {"laws_per_s": per_second}


def _echo(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)
