"""`python -m tools.bench overlay`: rings that lie on their pieces are told from those that do not."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from bench_truth import MARKS, truth
from click.testing import CliRunner
from sim_clips import FPS, LAST, QUIET, simulator

from referee.replay.match_folder import MatchFolder
from referee.replay.store import Replay
from referee.replay.tracks import TRACKS_LETTERS
from referee.sim.scene import Where
from tools.bench.__main__ import main
from tools.bench.overlay import Overlay, Sort, Visible, held
from tools.bench.overlay_table import halves, overlay_json, overlay_line, overlay_table, spotless
from tools.bench.overlay_truth import Poses, poses

COIN_MM = 8.0


@pytest.fixture(scope="module")
def true() -> Poses:
    """Where everything really was in the recorded clip."""
    sim = simulator()
    scenes = list(islice(sim.scenes(), LAST))[QUIET:]
    there = np.array([[where is Where.BOARD for where in scene.where] for scene in scenes])
    pos = np.array([np.column_stack([scene.pos_mm, np.zeros(len(scene.pos_mm))]) for scene in scenes])
    pos[~there, 2] = -100.0
    px = np.array([sim.camera.to_pixels(scene.pos_mm, COIN_MM) for scene in scenes])
    letters = np.array([TRACKS_LETTERS[kind] for kind in scenes[0].kinds])
    return poses(np.arange(len(scenes)) / FPS, letters, pos, px, np.ones_like(there), MARKS.half)


@pytest.fixture(scope="module")
def overlay(true: Poses, kept: MatchFolder) -> Overlay:
    return held(Replay(kept.log), true, "one_stroke")


def test_every_sure_ring_of_every_frame_of_the_clip_lies_on_its_piece(overlay: Overlay) -> None:
    assert overlay.failures == []
    assert overlay.frames > 90
    assert len(overlay.off_px[Sort.MOVING]) > 50
    assert max(overlay.off_px[Sort.MOVING] + overlay.off_px[Sort.AT_REST]) < 2.0
    assert overlay.marked[Visible.AT_REST] > 0.75 * overlay.pieces[Visible.AT_REST]


def test_rings_off_their_pieces_and_on_pieces_of_another_kind_are_astray(true: Poses, kept: MatchFolder) -> None:
    aside = held(Replay(kept.log), replace(true, px=true.px + np.array([0.0, 3.0])), "aside")
    assert len(aside.astray) > 0.99 * sum(len(off) for off in aside.off_px.values())
    assert aside.astray[0].off_px == pytest.approx(3.0, abs=1.0)
    assert aside.ringed.total() <= 1
    others = held(Replay(kept.log), replace(true, kinds=np.full_like(true.kinds, b"Q")), "others")
    assert {a.kind for a in others.astray} == {"W", "B", "S"}


def test_a_piece_that_was_never_there_has_no_nearest(true: Poses, kept: MatchFolder) -> None:
    gone = held(Replay(kept.log), replace(true, is_there=np.zeros_like(true.is_there)), "gone")
    assert {a.off_px for a in gone.astray} == {float("inf")}


def test_tables_tell_clips_for_tuning_from_others(overlay: Overlay) -> None:
    results = [(truth(), overlay)]
    whole = halves(results)
    assert whole["m-z"].frames == whole["all"].frames == overlay.frames
    assert whole["a-l"].frames == 0
    assert any("sure, about a moving piece" in line for line in overlay_table(whole))
    assert spotless(results).endswith("1 of 1 clips: moon")
    assert "frames" in overlay_line(overlay)
    figures = json.loads(json.dumps(overlay_json(results)))
    assert figures["sheets"]["all"]["rings"][Sort.MOVING.value]["px"]["worst"] < 2.0


def test_an_overlay_without_truth_is_told(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["overlay", str(tmp_path)])
    assert result.exit_code == 1
    assert "no clips with truth" in result.stderr
