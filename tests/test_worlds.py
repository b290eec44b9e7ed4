"""Single simulated worlds that were once called wrongly: `worlds/*.toml` says which, what must come out, and why."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sim_scenes import RING_INK_MM
from watching import BEGINNING

from calibration.calibrate import calibrate
from calibration.geometry.picture import Picture
from calibration.profile import Profile
from models.board import load_board
from models.pieces import Pocket, Seat, from_side
from referee.facts import Stroke
from referee.pieces.detector import detect_and_learn
from referee.seeing import Seeing
from referee.sim.source import SimOptions, SimSource
from referee.sim.variety import WorldOdds, world

CIRCLE_MM, RADIUS_MM = 0.5, 0.5
STRIKER_TOP_MM, ASIDE_MM, HEIGHT_SHARE = 9.0, 0.5, 0.2
GRID_MM = np.array([(x, y) for x in (-250.0, 0.0, 250.0) for y in (-250.0, 0.0, 250.0)])


@dataclass(frozen=True)
class World:
    """One row of a file of worlds."""

    seed: int
    must: tuple[str, ...]
    why: str
    strokes: int = 1
    slips: float = 0.0
    pictures: tuple[int, ...] = (5,)
    until_s: float = 0.0
    pocketed: tuple[tuple[str, ...], ...] = ()

    @property
    def options(self) -> SimOptions:
        return world(self.seed, self.strokes, WorldOdds(slips=self.slips))


def row(fields: dict[str, Any]) -> World:
    known = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    return World(**known | {"pocketed": tuple(map(tuple, known.get("pocketed", ())))})


def load() -> list[World]:
    files = sorted((Path(__file__).parent / "worlds").glob("*.toml"))
    return [row(fields) for file in files for fields in tomllib.loads(file.read_text("utf-8"))["world"]]


WORLDS = load()


def must(what: str) -> pytest.MarkDecorator:
    """The worlds in which `what` must come out, each with every number of pictures asked for."""
    rows = [(w, n) for w in WORLDS if what in w.must for n in w.pictures]
    return pytest.mark.parametrize(("w", "pictures"), rows, ids=[f"{w.seed}-{n}" for w, n in rows])


@lru_cache(maxsize=2)
def first(w: World) -> tuple[SimSource, list[Picture]]:
    """A world's source, and its first pictures."""
    with SimSource(w.options, keep_scenes=True) as sim:
        return sim, [frame.picture for frame in islice(sim, max(w.pictures))]


@lru_cache(maxsize=4)
def found(w: World, pictures: int) -> Profile:
    """The board as calibrated from a world's first pictures."""
    return calibrate(first(w)[1][:pictures])


def test_every_row_asks_for_something_that_a_test_asks() -> None:
    asked = {"model", "scale", "circles", "wide pockets", "height", "pieces", "strokes", "upset"}
    assert {what for w in WORLDS for what in w.must} == asked
    assert all(w.why for w in WORLDS)
    assert len({w.seed for w in WORLDS}) == len(WORLDS), "one row a world"


@must("model")
def test_the_board_is_of_the_right_model(w: World, pictures: int) -> None:
    assert found(w, pictures).board.name == first(w)[0].board.name


@must("scale")
def test_the_model_is_sure_and_the_scale_right(w: World, pictures: int) -> None:
    profile, source = found(w, pictures), first(w)[0]
    assert profile.residuals.model_sure
    assert profile.camera.px_per_mm()[0] == pytest.approx(source.camera.px_per_mm()[0], rel=0.01)


@must("circles")
def test_base_circles_are_measured_where_they_lie(w: World, pictures: int) -> None:
    profile, board = found(w, pictures), first(w)[0].board
    for seat, side in profile.sides.items():
        for circle, sign in ((side.left_circle, -1), (side.right_circle, 1)):
            assert circle is not None
            true = from_side(seat, sign * board.base_circle_x, -board.base_y)
            assert math.dist(circle.centre, true) < CIRCLE_MM
            assert circle.radius == pytest.approx(board.base_circle_radius - RING_INK_MM / 2, abs=RADIUS_MM)


@must("wide pockets")
def test_wide_pockets_are_measured(w: World, pictures: int) -> None:
    profile, board = found(w, pictures), first(w)[0].board
    radius, place = board.pocket_diameter / 2, board.half - board.pocket_inset
    assert radius > load_board().pocket_diameter / 2 + 2.0
    for pocket in Pocket:
        hole = profile.pockets[pocket]
        assert hole.radius == pytest.approx(radius, abs=1.2)
        assert math.dist(hole.centre, np.array(pocket.corner) * place) < 1.0


@must("height")
def test_strikers_are_placed_right_at_their_height(w: World, pictures: int) -> None:
    camera, true = found(w, pictures).camera, first(w)[0].camera
    assert camera.position[2] == pytest.approx(true.position[2], rel=HEIGHT_SHARE)
    seen = camera.to_board(true.to_pixels(GRID_MM, STRIKER_TOP_MM), STRIKER_TOP_MM)
    assert np.max(np.linalg.norm(seen - GRID_MM, axis=1)) < ASIDE_MM


@must("pieces")
def test_all_pieces_and_no_others_are_found(w: World, pictures: int) -> None:
    sim, shown = first(w)
    pieces = detect_and_learn(shown[0], found(w, pictures))[1]
    assert Counter(kind for kind, _ in pieces) == Counter(p.kind for p in sim.truth(0).pieces())


@must("strokes")
def test_the_strokes_are_told(w: World, pictures: int) -> None:
    called: list[Stroke] = []
    upset = False
    with SimSource(w.options) as source:
        frames = iter(source)
        begin = list(islice(frames, BEGINNING))
        seeing = Seeing(calibrate([f.picture for f in begin[:pictures]]), [f.picture for f in begin])
        for frame in chain(begin, frames):
            called += [fact for fact in seeing.process(frame) if isinstance(fact, Stroke)]
            upset |= seeing.watch.guard.since <= frame.t
            if frame.t > w.until_s:
                break
    assert [tuple(f"{p.kind} {p.pocket}" for p in s.pocketed) for s in called] == list(w.pocketed)
    assert upset or "upset" not in w.must, (
        "nothing looked like a push of the camera: the world shows no longer what it did"
    )
    assert all(isinstance(s.seat, Seat) for s in called)
