"""What simulated hands do against the rules, by what the law calls so."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from models.board import load_board
from models.pieces import Kind, Piece, to_side
from referee.sim.anatomy import capsules
from referee.sim.game import Game
from referee.sim.physics import Sliding
from referee.sim.scene import Infringement, Scene, TrueStroke, Where
from referee.sim.script import MatchConditions
from referee.sim.stage import STAGE_STRIKER

BOARD = load_board()
TICK_S = 0.02
START = tuple(Piece(kind, x, y) for kind, x, y in (
    (Kind.WHITE, -120.0, -60.0), (Kind.WHITE, 40.0, 150.0), (Kind.BLACK, 180.0, 60.0), (Kind.BLACK, -60.0, 220.0),
    (Kind.QUEEN, 90.0, -90.0), (Kind.WHITE, 210.0, -120.0), (Kind.BLACK, -220.0, 130.0),
))  # fmt: skip


def watched(slips: float, seed: int = 0, strokes: int = 12) -> tuple[Game, list[Scene]]:
    """A match of scattered coins, and the scenes of every tick."""
    manner = MatchConditions(slips=slips, strokes=strokes, start=START, wait_s=0.0)
    match, scenes, t = Game(BOARD, manner, Sliding(), np.random.default_rng(seed)), [], 0.0
    while not match.over:
        match.advance(t)
        scenes.append(match.stage.scene(t))
        t += TICK_S
    return match, scenes


@pytest.fixture(scope="module")
def matches() -> list[tuple[Game, list[Scene]]]:
    return [watched(1.0, seed) for seed in range(4)]


def played(matches: list[tuple[Game, list[Scene]]], slip: Infringement) -> Iterator[tuple[TrueStroke, list[Scene]]]:
    """The strokes of one slip, with the scenes from the placing of the striker to the rest."""
    for match, scenes in matches:
        for s in match.strokes:
            if s.slip is slip:
                yield s, [k for k in scenes if s.t_placed - 0.1 <= k.t <= s.t_rest + 2 * TICK_S]


def test_without_slips_nobody_slips() -> None:
    assert {s.slip for s in watched(0.0)[0].strokes} == {None}


def test_every_slip_is_played(matches: list[tuple[Game, list[Scene]]]) -> None:
    assert {s.slip for match, _ in matches for s in match.strokes} >= set(Infringement)


def test_a_pushing_finger_goes_with_the_striker(matches: list[tuple[Game, list[Scene]]]) -> None:
    for stroke, scenes in played(matches, Infringement.PUSH):
        along = [k for k in scenes if 0.02 < k.t - stroke.t_strike < 0.06]
        assert along
        for scene in along:
            gap = min(math.dist(scene.pos_mm[STAGE_STRIKER], (h.x_mm, h.y_mm)) for h in scene.hands)
            assert gap < BOARD.striker_radius + 8.0


def test_a_coin_is_moved_before_the_strike_and_lies_free(matches: list[tuple[Game, list[Scene]]]) -> None:
    for stroke, scenes in played(matches, Infringement.TOUCHED_COIN):
        before = [k for k in scenes if k.t < stroke.t_strike]
        moved = np.hypot(*(before[-1].pos_mm - before[0].pos_mm)[:STAGE_STRIKER].T)
        assert np.count_nonzero(moved) == 1
        assert 6.0 <= moved.max() <= 25.0
        lying = [i for i in range(STAGE_STRIKER) if before[-1].where[i] is Where.BOARD]
        assert len(lying) == sum(before[0].where[i] is Where.BOARD for i in range(STAGE_STRIKER))
        at = before[-1].pos_mm[int(moved.argmax())]
        assert min(math.dist(at, before[-1].pos_mm[i]) for i in lying if i != moved.argmax()) > 2 * BOARD.coin_radius


def test_a_leaning_arm_lies_over_a_diagonal_while_it_aims_and_no_other_does(
    matches: list[tuple[Game, list[Scene]]],
) -> None:
    for slip in (Infringement.OVER_DIAGONAL, Infringement.PUSH):
        for stroke, scenes in played(matches, slip):
            scene = next(k for k in scenes if k.t > stroke.t_strike - 0.1)
            hand = next(h for h in scene.hands if h.seat is stroke.seat)
            assert 8.0 < hand.z_mm < 16.0, "a finger on the striker"
            assert _is_over_diagonal(scene, stroke) is (slip is Infringement.OVER_DIAGONAL)


def _is_over_diagonal(scene: Scene, stroke: TrueStroke) -> bool:
    """Whether the middle of any part of the arm lies over the board beyond its side's diagonals."""
    for hand in (h for h in scene.hands if h.seat is stroke.seat):
        for part in capsules(hand):
            for share in np.linspace(0.0, 1.0, 40):
                x, y = ((1 - share) * a + share * b for a, b in zip(part.start, part.end, strict=True))
                sx, sy = to_side(stroke.seat, x, y)
                if max(abs(sx), abs(sy)) < BOARD.half and sy + abs(sx) > 0:
                    return True
    return False


def test_a_striker_hardly_flicked_stays_on_its_lines_and_touches_nothing(
    matches: list[tuple[Game, list[Scene]]],
) -> None:
    for stroke, scenes in played(matches, Infringement.NO_LEAVE):
        assert stroke.first_contact is None
        assert stroke.pocketed == ()
        way = math.dist(scenes[-1].pos_mm[STAGE_STRIKER], (stroke.x_mm, stroke.y_mm))
        assert 9.0 < way < BOARD.line_gap / 2 + BOARD.striker_radius
