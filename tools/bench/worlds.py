"""Simulated strokes through the pixels: worlds as different as real ones, compared with their truth.

A world is a pure function of its seed, so any of them can be played again. Results are appended to a file, a line each,
and a run continues where that file ends.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from calibration.calibrate import CalibrationError
from models.pieces import Kind
from referee.bench.measure import logged, score_clip
from referee.bench.score import Call, Error, ScoreFault, ScoreRow, ScoreSheet
from referee.bench.truth import Gone, PutBack, TrueMarks, TruePlay, Truth, Visit
from referee.facts import Foul
from referee.log import read_log
from referee.match import Ruling
from referee.pipeline import MatchSettings, referee
from referee.sim.scene import Infringement, TrueStroke
from referee.sim.source import SimSource
from referee.sim.variety import VARIETY_NONE, WorldOdds, world
from tools.bench.observed import Observed
from tools.bench.pictures import keep_world
from tools.bench.stand import spot

STROKES_A_WORLD = 4
"""Strokes played in each world: the opening, and three on the coins that it scattered."""
SWITCHED, SWITCHED_S = 0.15, 0.5
"""Least relative change of light, within at most this time (s), that the referee must report."""
REASONS = {f.value.removeprefix("placement:"): f for f in Foul if f.value.startswith("placement:")}


@dataclass(frozen=True, slots=True)
class WorldResult:
    """Result of one world."""

    seed: int
    scene: str
    """Size, frame rate and board, in words."""
    failure: str | None
    sheet: ScoreSheet
    odds: WorldOdds = VARIETY_NONE


def referee_world(seed: int, folder: Path, strokes: int, pictures: Path | None = None,
                  odds: WorldOdds = VARIETY_NONE, observations: Path | None = None) -> WorldResult:  # fmt: skip
    """Plays and referees one world and returns its result.

    Its log stays in `folder`. Cases that went wrong are drawn into `pictures`. The observations of each stroke are
    appended to `observations` with their truth.
    """
    sim = SimSource(world(seed, strokes, odds))
    o = sim.options
    log = folder / f"world-{seed}.jsonl"
    log.unlink(missing_ok=True)

    def obey(ruling: Ruling) -> None:
        back = [kind for kind, n in ruling.to_return for _ in range(n)]
        sim.announce(ruling.turn, back, ruling.board_over)

    failure, observed = None, Observed()
    try:
        referee(sim, MatchSettings(), log, f"world {seed}", players=obey, audience=observed if observations else None)
    except CalibrationError as e:
        failure = str(e)
        for _ in sim.scenes():
            continue
    lines = read_log(log).lines if log.is_file() else ()
    truth = truth_of(sim, f"world {seed}")
    if observations is not None:
        observed.append_to(observations, truth)
    sheet = score_clip(truth, logged(lines, (o.width, o.height)))
    sheet.count(ScoreRow.CALIBRATED, failure is None)
    if failure is not None:
        sheet.wrong.insert(0, f"world {seed}: {failure}")
    if pictures is not None:
        keep_world(sim, sheet.cases, pictures)
    shutter = "rolling" if o.exposure.readout_s else "global"
    scene = f"{o.width}x{o.height} {o.fps:g} fps {shutter}, {sim.board.name}"
    return WorldResult(seed, scene, failure, sheet, odds)


def truth_of(sim: SimSource, name: str) -> Truth:
    """Returns the truth of a simulator that stored its scenes."""
    board, fps = sim.board, sim.options.fps
    inset = board.half - board.pocket_inset
    marks = TrueMarks(board.half, board.base_circle_x, board.base_y, inset)
    strokes = sim.strokes
    ends = [*(s.t_strike for s in strokes[1:]), math.inf]
    plays = tuple(_play(sim, s, end) for s, end in zip(strokes, ends, strict=False))
    frames = sim.frames
    return Truth(name, fps, frames, frames / fps, sim.camera, marks, plays, _visits(sim), _disturbances(sim), False)


def _play(sim: SimSource, s: TrueStroke, end: float) -> TruePlay:
    stood = spot(sim.board, s.seat, s.x_mm, s.y_mm)
    fouls = {REASONS[stood.reason.value]} if stood.reason else set()
    if any(p.kind is Kind.STRIKER for p in s.pocketed):
        fouls.add(Foul.STRIKER_POCKETED)
    if s.slip is not None:
        fouls.add(Foul(s.slip.value))
    rest = sim.truth(min(math.ceil(s.t_rest * sim.options.fps) + 1, sim.frames - 1)).pieces()
    returned = tuple(PutBack(r.kind, r.t) for r in sim.returns if s.t_rest <= r.t < end)
    pocketed = tuple(Gone(p.kind, p.pocket, p.t) for p in s.pocketed)
    left = s.slip is not Infringement.NO_LEAVE
    return TruePlay(s.seat, s.t_strike, s.t_rest, stood, left, s.first_contact, pocketed, (), frozenset(fouls), rest,
                returned, None)  # fmt: skip


def _disturbances(sim: SimSource) -> tuple[float, ...]:
    """Returns the times (s) of disturbances that must be reported."""
    trouble = sim.options.trouble
    (start, before), (end, after) = trouble.lamp.points[0], trouble.lamp.points[-1]
    switched = end - start < SWITCHED_S and abs(after / before - 1) > SWITCHED
    told = [start] if switched else []
    told += [p.t for p in trouble.pushes[:1]]
    return tuple(t for t in told if t * sim.options.fps < sim.frames)


def _visits(sim: SimSource) -> tuple[Visit, ...]:
    """Returns the times at which hands were in the picture."""
    out: list[Visit] = []
    since: float | None = None
    for index in range(sim.frames):
        scene = sim.truth(index)
        if scene.hands and since is None:
            since = scene.t
        elif not scene.hands and since is not None:
            out.append(Visit(since, scene.t))
            since = None
    return (*out, Visit(since, math.inf)) if since is not None else tuple(out)


def referee_worlds(strokes: int, first_seed: int, results: Path | None, pictures: Path | None = None,
                   strokes_a_world: int = STROKES_A_WORLD, odds: WorldOdds = VARIETY_NONE,
                   observations: Path | None = None) -> Iterator[WorldResult]:  # fmt: skip
    """Yields results of worlds from `first_seed` on until `strokes` strokes are played, at most `strokes_a_world` in
    each. Those in `results` are not repeated.
    """
    strokes_a_world = min(strokes, strokes_a_world)
    kept = stored_results(results) if results is not None and results.is_file() else ()
    done = {r.seed: r for r in kept if r.odds == odds}
    with tempfile.TemporaryDirectory() as passing:
        for seed in range(first_seed, first_seed + -(-strokes // strokes_a_world)):
            result = done.get(seed)
            if result is None:
                result = referee_world(seed, Path(passing), strokes_a_world, pictures, odds, observations)
                if results is not None:
                    with results.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(_as_line(result)) + "\n")
            yield result


def stored_results(path: Path) -> Iterator[WorldResult]:
    """Yields the worlds of a results file; an incomplete last line is skipped."""
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.endswith("\n"):
            d = json.loads(line)
            odds = WorldOdds(d.get("slips", 0.0), d.get("stars", 0.0), d.get("troubles", 0.0))
            yield WorldResult(d["seed"], d["scene"], d["failure"], _sheet(d["sheet"]), odds)


def _as_line(r: WorldResult) -> dict[str, Any]:
    s = r.sheet
    sheet = {
        "right": s.right, "of": s.of, "faults": s.faults, "errors": s.errors, "fouls": s.fouls, "alerts": s.alerts,
        "calls": [asdict(c) for c in s.calls], "wrong": s.wrong,
    }  # fmt: skip
    return {"seed": r.seed, "scene": r.scene, "failure": r.failure, **asdict(r.odds), "sheet": sheet}


def _sheet(d: dict[str, Any]) -> ScoreSheet:
    sheet = ScoreSheet(calls=[Call(**c) for c in d["calls"]], wrong=d["wrong"])
    sheet.right.update({ScoreRow(k): n for k, n in d["right"].items()})
    sheet.of.update({ScoreRow(k): n for k, n in d["of"].items()})
    sheet.faults.update({ScoreFault(k): n for k, n in d["faults"].items()})
    sheet.alerts.update(d["alerts"])
    sheet.errors.update({Error(k): v for k, v in d["errors"].items()})
    for name, counts in d["fouls"].items():
        sheet.fouls[name].update(counts)
    return sheet
