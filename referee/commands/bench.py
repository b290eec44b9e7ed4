"""`referee bench`: how fast and how right the referee is, measured on this machine."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from referee.bench.budget import Budget, BudgetError, measure_budget
from referee.bench.budget_table import budget_json, budget_lines
from referee.bench.child import measure_memory, measure_start
from referee.bench.clips import SHOWN_AS_IT_IS, ClipResult, Shown, referee_clips, tutorial_ratio
from referee.bench.laws import laws_lines, measure_laws
from referee.bench.overlay import Overlay, measure_overlay
from referee.bench.overlay_table import astray_lines, halves, overlay_json, overlay_line, overlay_table, spotless
from referee.bench.page import CLIPS, PICTURES, SPEED, STROKES, write_report
from referee.bench.pictures import keep_clip
from referee.bench.recording import Recording, record_clip, record_sim
from referee.bench.scaling import by_pixels
from referee.bench.score import Sheet, total
from referee.bench.speed import calibrated, measure_speed
from referee.bench.speed_table import SpeedReport, speed_json, speed_lines
from referee.bench.table import (
    certain_lines,
    clip_line,
    clips_json,
    foul_table,
    reliability_table,
    sheet_table,
    split,
    world_line,
    worlds_json,
    wrong_lines,
)
from referee.bench.truth import SUFFIX, Truth, TruthError, clips_of, load_truth
from referee.bench.worlds import WorldResult, referee_worlds
from referee.bench.yardsticks import single_threaded
from referee.commands.errors import as_click_errors
from referee.commands.rulebooks import situations
from referee.frames.open import open_source
from referee.sim.script import Manner
from referee.sim.source import SimSource
from referee.sim.variety import Odds

SECONDS, FPS, TEMPO = 8.0, 60.0, 0.5
"""Length (s), rate and briskness of the simulated play that is timed: the first stroke and what hands do around it."""
SIZE = (1456, 1088)
"""Picture of the simulated camera: that of the Raspberry Pi's global shutter camera."""
REFERENCE = 500
"""Simulated strokes that make a reference run; they take hours."""
MEMORY_FRAMES = 2000
"""Frames over which memory is watched; 100000 take hours and find slower leaks."""


@dataclass(frozen=True, slots=True)
class Wish:
    """The options as given; see their help."""

    folder: Path | None
    only: str
    logs: Path | None
    overlay: bool
    relit: int | None
    swayed: int | None
    rehung: int | None
    strokes: int | None
    seed: int
    slips: float
    stars: float
    troubles: float
    results: Path | None
    clip: Path | None
    seconds: float
    size: tuple[int, int]
    frames: int
    scaling: bool
    laws: bool
    budget: bool
    record: tuple[str, ...]
    fps: tuple[float, ...]
    sysbench: float | None
    report: Path | None
    json_file: Path | None

    @property
    def shown(self) -> Shown:
        """How clips are shown."""
        return Shown(self.relit, self.swayed, self.rehung)

    @property
    def kind(self) -> str:
        """What is measured."""
        return CLIPS if self.folder is not None else STROKES if self.strokes is not None else SPEED

    @property
    def pictures(self) -> Path | None:
        """Where pictures of what went wrong go; the folder is made."""
        if self.report is None:
            return None
        folder = self.report / PICTURES
        folder.mkdir(parents=True, exist_ok=True)
        return folder


@click.command()
@click.option("--truth", "folder", type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="A folder of clips with truth: score them instead of measuring speed.")  # fmt: skip
@click.option("--only", default="", help="With --truth: only clips whose names contain this.")
@click.option("--logs", type=click.Path(file_okay=False, path_type=Path), help="With --truth: keep the logs here.")
@click.option("--overlay", is_flag=True,
              help="With --truth: hold what a replay draws over each clip's video against it.")  # fmt: skip
@click.option("--relit", type=click.IntRange(0), metavar="SEED",
              help="With --truth: show the clips in another light, colours and focus, drawn by this seed.")  # fmt: skip
@click.option("--swayed", type=click.IntRange(0), metavar="SEED",
              help="With --truth: show the clips from a camera that trembles and hunts for its focus.")  # fmt: skip
@click.option("--rehung", type=click.IntRange(0), metavar="SEED",
              help="With --truth: show the clips mirrored, turned a little and with fewer pixels.")  # fmt: skip
@click.option(
    "--strokes", type=click.IntRange(1), help=f"Referee so many simulated strokes; {REFERENCE} for reference."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="With --strokes: the first world.")
@click.option("--slips", type=click.FloatRange(0, 1), default=0.0, show_default=True,
              help="With --strokes: share of them in which a hand pushes, touches a coin, reaches too far, or flicks "
              "too weakly.")  # fmt: skip
@click.option("--stars", type=click.FloatRange(0, 1), default=0.0, show_default=True,
              help="With --strokes: share of the boards that bear a star.")  # fmt: skip
@click.option("--troubles", type=click.FloatRange(0, 1), default=0.0, show_default=True,
              help="With --strokes: share of the worlds in which lamps are switched, shadows pass, the camera is "
              "pushed, loses frames or its focus.")  # fmt: skip
@click.option("--results", type=click.Path(dir_okay=False, path_type=Path),
              help="With --strokes: keep each world's result here, and go on where the file ends.")  # fmt: skip
@click.option("--clip", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="Time this clip (its truth lies beside it) instead of the simulator.")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(1), default=SECONDS, show_default=True, help="Simulated play to time.")
@click.option("--size", type=(click.IntRange(64), click.IntRange(64)), default=SIZE, show_default=True,
              help="Width and height of the simulated camera's picture.")  # fmt: skip
@click.option("--frames", type=click.IntRange(0), default=MEMORY_FRAMES, show_default=True,
              help="Frames over which memory is watched; 0 leaves it out.")  # fmt: skip
@click.option("--scaling/--no-scaling", default=True, help="Measure pictures of several sizes too.")
@click.option("--laws", is_flag=True, help="Measure only how fast the rule books judge strokes.")
@click.option("--budget", is_flag=True,
              help="Measure what all of `referee run` takes with 5 viewers, on frames from memory.")  # fmt: skip
@click.option("--record", multiple=True, type=click.Choice(["off", "30", "every"]), default=("30", "every"),
              show_default=True, help="With --budget: record nothing, 30 frames a second, every frame.")  # fmt: skip
@click.option("--fps", multiple=True, type=click.FloatRange(1), default=(60.0, 120.0), show_default=True,
              help="With --budget: frames a second.")  # fmt: skip
@click.option("--sysbench", type=click.FloatRange(1),
              help="With --budget: events of `sysbench cpu` a second here, to tell a Pi's share.")  # fmt: skip
@click.option("--report", type=click.Path(file_okay=False, path_type=Path),
              help="Keep the figures in this folder, with a page of tables and plots of all runs.")  # fmt: skip
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write all figures here.")
def command(**options: Any) -> None:
    """Measure speed; with --truth or --strokes, how right the referee is.

    Times stand beside yardsticks measured in the same run, which makes machines comparable: a copy of the luma plane,
    remapping and converting the whole frame, and what tutorials do.

    \b
    referee bench
    referee bench --truth clips/ --json figures.json
    referee bench --truth clips/ --overlay
    referee bench --truth clips/ --relit 1
    referee bench --truth clips/ --swayed 1
    referee bench --truth clips/ --rehung 1
    referee bench --strokes 500 --results strokes.jsonl
    referee bench --budget
    """
    wish = Wish(**options)
    if (wish.laws or wish.budget or wish.overlay) and wish.report is not None:
        raise click.UsageError("--laws, --budget and --overlay make no page: use --json, or leave them out")
    if wish.overlay and wish.folder is None:
        raise click.UsageError("--overlay needs clips with truth: name their folder with --truth")
    if wish.shown != SHOWN_AS_IT_IS and (wish.folder is None or wish.overlay):
        raise click.UsageError(
            "--relit, --swayed and --rehung show clips with truth in another way: use them with --truth, without "
            "--overlay"
        )
    with as_click_errors(), single_threaded():
        try:
            figures = _measured(wish)
        except (TruthError, BudgetError) as e:
            raise click.ClickException(str(e)) from None
    if wish.report is not None:
        click.echo(f"report {write_report(wish.report, wish.kind, figures)}")
    if wish.json_file is not None:
        wish.json_file.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def _measured(wish: Wish) -> dict[str, Any]:
    """What was asked for, told in the terminal, and its figures."""
    if wish.folder is not None:
        clips = _chosen(wish.folder, wish.only)
        return _overlays(clips, wish.logs) if wish.overlay else _clips(clips, wish)
    if wish.strokes is not None:
        return _worlds(wish.strokes, wish)
    if wish.laws:
        return _laws()
    if wish.budget:
        return _budgets(wish)
    with tempfile.TemporaryDirectory() as passing:
        recording = _recording(wish, Path(passing) / "frames.raw")
        return _speed(recording, wish, Path(passing) / "profile.json")


def _budgets(wish: Wish) -> dict[str, Any]:
    """Each rate with each way of recording, one after the other."""
    budgets: list[Budget] = []
    for fps in wish.fps:
        with tempfile.TemporaryDirectory() as passing:
            recording = _recording(wish, Path(passing) / "frames.raw", fps)
            profile = Path(passing) / "profile.json"
            profile.write_text(calibrated(recording)[0].to_json(), encoding="utf-8")
            there_and_back = 2 * len(recording.labels) / fps
            budgets += [measure_budget(recording, profile, record, there_and_back) for record in wish.record]
    for line in budget_lines(budgets, wish.sysbench):
        click.echo(line)
    return budget_json(budgets)


def _recording(wish: Wish, raw: Path, fps: float = FPS) -> Recording:
    if wish.clip is None:
        width, height = wish.size
        sim = SimSource(width=width, height=height, fps=fps, manner=Manner(tempo=TEMPO), keep_scenes=True)
        return record_sim(sim, wish.seconds, raw)
    truth = load_truth(wish.clip.with_name(wish.clip.stem + SUFFIX))
    if truth is None:
        raise TruthError(f"the truth beside {wish.clip} is of a still picture; give a clip")
    return record_clip(open_source(str(wish.clip)), truth, raw)


def _speed(recording: Recording, wish: Wish, profile: Path) -> dict[str, Any]:
    speed = measure_speed(recording)
    profile.write_text(calibrated(recording)[0].to_json(), encoding="utf-8")
    memory = measure_memory(recording, wish.frames) if wish.frames else None
    report = SpeedReport(speed, memory, measure_start(recording, profile), by_pixels() if wish.scaling else ())
    for line in speed_lines(report):
        click.echo(line)
    return speed_json(report) | _laws()


def _laws() -> dict[str, Any]:
    """The rule books' speed on the situations of docs/rulebooks.md, told and as figures."""
    per_second = measure_laws([(each.state, each.stroke) for each in situations()])
    for line in laws_lines(per_second):
        click.echo(line)
    return {"laws_per_s": per_second}


def _chosen(folder: Path, only: str) -> list[Truth]:
    clips = [c for c in clips_of(folder) if only in c.name]
    if not clips:
        raise TruthError(f"no clip in {folder} has {only} in its name")
    return clips


def _overlays(clips: list[Truth], logs: Path | None) -> dict[str, Any]:
    """What a replay draws, clip by clip and together; matches are kept in `logs` when it is given."""
    results: list[tuple[Truth, Overlay]] = []
    with tempfile.TemporaryDirectory() as passing:
        for truth in clips:
            results.append((truth, measure_overlay(truth, logs or Path(passing))))
            click.echo(overlay_line(results[-1][1]))
    whole = halves(results)
    for lines in (overlay_table(whole), [spotless(results)], astray_lines(whole["all"])):
        click.echo("\n".join(["", *lines]))
    return overlay_json(results)


def _clips(clips: list[Truth], wish: Wish) -> dict[str, Any]:
    results: list[ClipResult] = []
    for result in referee_clips(clips, wish.logs, wish.shown):
        results.append(result)
        click.echo(clip_line(result))
        if wish.pictures is not None:
            keep_clip(result, wish.pictures)
    _print_sheets(split(results), "all")
    ratio = tutorial_ratio(results)
    if ratio is not None:
        click.echo(f"\n{ratio:.1f} times faster than the tutorial pipeline (goal 7), decoding apart")
    return clips_json(results)


def _worlds(strokes: int, wish: Wish) -> dict[str, Any]:
    results: list[WorldResult] = []
    for result in referee_worlds(
        strokes, wish.seed, wish.results, pictures=wish.pictures, odds=Odds(wish.slips, wish.stars, wish.troubles)
    ):
        results.append(result)
        click.echo(world_line(result))
    _print_sheets({"simulated": total([r.sheet for r in results])}, "simulated")
    return worlds_json(results)


def _print_sheets(sheets: dict[str, Sheet], whole: str) -> None:
    """The tables of score sheets; details of the `whole` one."""
    sheet = sheets[whole]
    for lines in (sheet_table(sheets), foul_table(sheet), reliability_table(sheet), certain_lines(sheet),
                  wrong_lines(sheet)):  # fmt: skip
        click.echo("\n".join(["", *lines]))
