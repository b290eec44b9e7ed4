"""Simulated worlds: pure functions of their seeds, true to their own boards, refereed once and remembered."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from models.board import load_board
from models.pieces import Kind, Seat, from_side
from referee.bench.score import ScoreRow
from referee.facts import PlacementReason
from referee.sim.script import MatchConditions
from referee.sim.source import SimSource
from referee.sim.trouble import PictureTrouble, Push, TroubleCourse
from referee.sim.variety import WorldOdds, world
from tools.bench.explained import recorded
from tools.bench.stand import spot
from tools.bench.worlds import referee_worlds, stored_results, truth_of

BOARD = load_board()


def test_a_world_is_a_pure_function_of_its_seed() -> None:
    assert world(7, 2) == world(7, 2)
    assert world(7, 2) != world(8, 2)


def test_a_worlds_pictures_are_the_same_again() -> None:
    pictures = []
    for _ in range(2):
        with SimSource(replace(world(2, 1), width=320, height=240)) as sim:
            pictures.append(next(iter(islice(sim, 30, None))).picture)
    np.testing.assert_array_equal(pictures[0].y, pictures[1].y)


def test_worlds_differ_in_everything_that_a_camera_meets() -> None:
    worlds = [world(seed, 1) for seed in range(60)]
    assert len({(w.width, w.height, w.fps) for w in worlds}) > 5
    assert {w.exposure.readout_s > 0 for w in worlds} == {True, False}
    assert len({w.appearance.striker_print for w in worlds}) == 4
    assert {w.manner.start is None for w in worlds} == {True, False}
    assert {bool(w.appearance.glares) for w in worlds} == {True, False}


def test_worlds_in_trouble_meet_every_kind_of_it_and_look_as_without() -> None:
    calm = [world(seed, 4) for seed in range(40)]
    worlds = [world(seed, 4, WorldOdds(troubles=1.0)) for seed in range(40)]
    assert {w.trouble for w in calm} == {PictureTrouble()}
    assert [replace(w, trouble=PictureTrouble()) for w in worlds] == calm
    troubles = [w.trouble for w in worlds]
    assert PictureTrouble() not in troubles
    for met in ("lamp", "passer", "pushes", "lost", "focus_px"):
        assert 5 < sum(getattr(t, met) != getattr(PictureTrouble(), met) for t in troubles) < 35, met


def test_people_are_to_be_told_of_a_push_and_of_a_lamp_that_is_switched() -> None:
    lamp, push = TroubleCourse.step(1.0, 1.3, 0.5, 0.1), Push(0.2, 5.0, 0.0, 0.0)
    sim = SimSource(replace(world(2, 1), trouble=PictureTrouble(lamp=lamp, pushes=(push, replace(push, t=0.25)))))
    assert list(islice(sim.scenes(), round(sim.options.fps)))
    assert truth_of(sim, "any").disturbances == (0.5, 0.2)
    dimmed = SimSource(replace(world(2, 1), trouble=PictureTrouble(lamp=TroubleCourse.step(1.0, 1.3, 0.1, 0.8))))
    assert list(islice(dimmed.scenes(), round(dimmed.options.fps)))
    assert truth_of(dimmed, "any").disturbances == ()


def test_coins_joined_in_the_middle_never_overlap() -> None:
    for w in (world(seed, 1) for seed in range(40)):
        if w.manner.start is None or isinstance(w.board, str):
            continue
        places = np.array([(p.x_mm, p.y_mm) for p in w.manner.start])
        apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1)) + 1e6 * np.eye(len(places))
        assert apart.min() > 2 * w.board.coin_radius
        assert np.abs(places).max() <= w.board.half - w.board.coin_radius


@pytest.mark.parametrize(("x", "y", "legal", "reason"), [
    (0.0, 0.0, True, None),
    (0.0, 8.0, False, PlacementReason.NOT_TOUCHING_REAR_LINE),
    (0.0, -6.5, False, PlacementReason.NOT_TOUCHING_FRONT_LINE),
    (219.1, 0.0, True, None),
    (219.1 - 20.0, 0.0, False, PlacementReason.CUTTING_MOON),
    (219.1 + 37.0, 0.0, False, PlacementReason.OUTSIDE_BASELINE),
])  # fmt: skip
def test_a_strikers_place_reads_by_the_marks(x: float, y: float, legal: bool, reason: PlacementReason | None) -> None:
    for seat in Seat:
        stood = spot(BOARD, seat, *from_side(seat, x, y - BOARD.base_y))
        assert (stood.legal, stood.reason) == (legal, reason)


def test_the_simulators_truth_tells_what_it_played() -> None:
    sim = SimSource(
        width=64, height=48, fps=30.0, manner=MatchConditions(tempo=0.4, strokes=2, wait_s=0.0), keep_scenes=True
    )
    for _ in sim.scenes():
        pass
    true = truth_of(sim, "world 0")
    assert len(true.strokes) == len(sim.strokes) == 2
    for play, stroke in zip(true.strokes, sim.strokes, strict=True):
        assert (play.seat, play.t_strike, play.first_contact) == (stroke.seat, stroke.t_strike, stroke.first_contact)
        fallen = sum(p.kind is not Kind.STRIKER for p in stroke.pocketed)
        assert sum(p.kind is not Kind.STRIKER for p in play.rest) <= 19 - fallen
        assert any(h.t_enter < play.t_strike < h.t_leave for h in true.hands)
    assert true.duration_s > true.strokes[-1].t_rest


def test_the_tool_runs_from_a_checkout_keeps_what_came_out_and_referees_no_world_twice(tmp_path: Path) -> None:
    results, observations = tmp_path / "strokes.jsonl", tmp_path / "observed.jsonl"
    words = ["worlds", "1", "--seed", "3", "--results", results.name, "--observations", observations.name,
             "--json", "figures.json"]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run([sys.executable, "-m", "tools.bench", *words], cwd=tmp_path, env=environment,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("world     3 ")
    assert json.loads((tmp_path / "figures.json").read_text())["worlds"] == 1
    (case,) = recorded([observations])
    assert (case.source, case.true) == ("world 3", case.called)
    assert len(case.evidence.sought) > 1
    (first,), size = stored_results(results), results.stat().st_size
    assert (first.seed, first.sheet.of[ScoreRow.FOUND]) == (3, 1)
    (again,) = referee_worlds(1, 3, results)
    assert results.stat().st_size == size
    assert (again.seed, again.sheet.as_dict()) == (3, first.sheet.as_dict())
    with results.open("a") as file:
        file.write('{"seed": 4, "torn')
    assert [r.seed for r in stored_results(results)] == [3]
