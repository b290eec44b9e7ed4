"""`referee bench`: how long each stage takes on this machine, beside a yardstick measured in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from statistics import fmean, median

import click
import numpy as np

from calibration.calibrate import calibrate
from calibration.picture import Picture
from models.rules import load_rules
from referee.commands.sentences import told
from referee.detect.hands import SceneReader
from referee.frames.frame import Frame, Source
from referee.frames.open import open_source
from referee.laws import State, StrokeTokens
from referee.laws.apply import apply
from referee.pipeline import Setting
from referee.pipeline.ready import Ready, ready
from referee.sim.source import SimSource

SECONDS = 12.0
"""Length (s) of simulated play that is timed: the first stroke and what hands do around it."""
SIZE = (1456, 1088)
"""Picture of the simulated camera: that of the Raspberry Pi's global shutter camera."""
COPIES = 50
APPLY_S = 0.2
"""How long (s) the laws are timed: some thousand strokes."""
STATE, STROKE = "W4 B2 Q=board due 0/0 score 0:0 mv W", "W@NE,B,S"


@dataclass(frozen=True, slots=True)
class Timing:
    """How long one stage takes."""

    name: str
    seconds: float
    """A frame, or a call: the median for stages that do the same at every frame, else the mean."""


@click.command()
@click.option(
    "--truth",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of clips; each is seen whole and gets a line of its own.",
)
@click.option("--seconds", type=click.FloatRange(1), default=SECONDS, show_default=True, help="Simulated play to time.")
@click.option("--size", type=(click.IntRange(64), click.IntRange(64)), default=SIZE, show_default=True,
              help="Width and height of the simulated camera's picture.")  # fmt: skip
def command(folder: Path | None, seconds: float, size: tuple[int, int]) -> None:
    """Measure the speed of the stages.

    Times are given in milliseconds and in copies of one frame's luma plane, which makes machines comparable.

    \b
    referee bench
    referee bench --truth clips/
    """
    with told():
        if folder is not None:
            _clips(folder)
            return
        sim = SimSource(width=size[0], height=size[1])
        with sim:
            count = round(seconds * sim.options.fps)
            copy = copy_s(next(iter(sim)).picture)
            report(f"simulator {size[0]}x{size[1]}, {count} frames", stages(islice(iter(sim), count)), copy)


def stages(frames: Iterator[Frame]) -> Iterator[Timing]:
    """Every stage timed on the same frames; raises CalibrationError when they show no board."""
    prepared = ready(frames, Setting())
    yield Timing("calibration, once", _took(lambda: calibrate([f.picture for f in prepared.first])))
    gate_s, scene_s, whole_s = [], [], []
    for frame in chain(prepared.first, frames):
        gate, scene, whole = _one_frame(prepared, frame)
        gate_s.append(gate)
        scene_s.append(scene)
        whole_s.append(whole)
    yield Timing("gate, a frame", median(gate_s))
    yield Timing("hands and loose discs, a frame", median(scene_s))
    yield Timing("all of seeing, a usual frame", median(whole_s))
    yield Timing("all of seeing, mean of all frames", fmean(whole_s))
    yield Timing("all of seeing, the slowest frame", max(whole_s))
    yield Timing("laws, a stroke", apply_s())


def _one_frame(prepared: Ready, frame: Frame) -> tuple[float, float, float]:
    """Seconds of the gate, of reading hands and loose discs, and of everything, for the next frame."""
    seeing = prepared.seeing
    gate, explained, half = seeing.watch.gate, seeing.watch.table.explained, prepared.profile.board.half
    reader = SceneReader(gate, half, prepared.profile.board.coin_radius)
    whole_s = _took(lambda: list(seeing.see(frame)))
    gate_s = _took(lambda: gate.see(frame.picture, frame.t))
    assert seeing.moment is not None
    sight = seeing.moment.sight
    return gate_s, _took(lambda: reader.read(sight, explained)), whole_s


def report(title: str, timings: Iterable[Timing], copy: float) -> None:
    """Prints a line a stage."""
    click.echo(f"{title}; one luma copy takes {1e3 * copy:.3f} ms")
    for t in timings:
        click.echo(f"{t.name:36} {1e3 * t.seconds:10.3f} ms {t.seconds / copy:10.1f} copies")
        if t.name.startswith("laws"):
            click.echo(f"{'':36} {1 / t.seconds:10.0f} strokes a second")


def copy_s(picture: Picture) -> float:
    """Seconds to copy a picture's luma plane: the yardstick."""
    target = np.empty_like(picture.y)
    return median(_took(lambda: np.copyto(target, picture.y)) for _ in range(COPIES))


def apply_s() -> float:
    """Seconds that the laws need for one stroke."""
    rules, state, stroke = load_rules(), State.parse(STATE), StrokeTokens.parse(STROKE)
    calls, start = 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < APPLY_S:
        apply(state, stroke, rules)
        calls += 1
    return spent / calls


def _clips(folder: Path) -> None:
    clips = sorted(p for p in folder.iterdir() if p.suffix.lower() in {".mp4", ".mkv", ".avi", ".mov"})
    if not clips:
        raise click.ClickException(f"no clips (mp4, mkv, avi, mov) in {folder}; give a folder that holds some")
    click.echo(f"{'clip':24} {'frames':>7} {'seeing':>12} {'of real time':>13}")
    for clip in clips:
        count, seconds, length = _whole(open_source(str(clip)))
        click.echo(f"{clip.name:24} {count:7} {1e3 * seconds / count:9.2f} ms {100 * seconds / length:11.0f} %")


def _whole(source: Source) -> tuple[int, float, float]:
    """Frames of a source, seconds that decoding and seeing them took, and its length in seconds."""
    with source:
        frames = iter(source)
        prepared = ready(frames, Setting())
        count, t, start = 0, 0.0, time.perf_counter()
        for frame in chain(prepared.first, frames):
            count, t = count + 1, frame.t
            list(prepared.seeing.see(frame))
        return count, time.perf_counter() - start, max(t, 1e-9)


def _took(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
