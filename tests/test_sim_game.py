"""Whole boards as played, with and without a referee."""

from __future__ import annotations

import math

import numpy as np
import pytest

from models.board import load_board
from models.pieces import FULL_SET, Kind, Seat
from referee.sim.game import Game
from referee.sim.physics import Sliding
from referee.sim.scene import Where
from referee.sim.script import MatchConditions
from referee.sim.simple_rules import Announcement
from referee.sim.stage import KINDS, STAGE_STRIKER

BOARD = load_board()
TICK_S = 0.25
LONGEST_S = 3600.0


def game(seed=0, **manner):
    return Game(BOARD, MatchConditions(**manner), Sliding(), np.random.default_rng(seed))


def play(match, until=lambda: False, each=lambda t: None):
    """Let a match run tick by tick until something holds or it is over; returns the time."""
    t = match.stage.now
    while not match.over and not until() and t < LONGEST_S:
        match.advance(t)
        each(t)
        t += TICK_S
    assert t < LONGEST_S
    return t


def coins_where(match, *places):
    return sum(match.stage.where[i] in places for i in range(STAGE_STRIKER))


@pytest.fixture(scope="module")
def two_boards():
    """A match of two boards without a referee, and the scenes of every tick."""
    match, scenes = game(5, boards=2, wait_s=0.0), []
    play(match, each=lambda t: scenes.append(match.stage.scene(t)))
    return match, scenes


def test_two_boards_are_played_to_the_end_without_a_referee(two_boards):
    match, _ = two_boards
    assert match.over
    assert {s.board for s in match.strokes} == {1, 2}


def test_the_breaker_alternates(two_boards):
    match, _ = two_boards
    first = {board: next(s.seat for s in match.strokes if s.board == board) for board in (1, 2)}
    assert first == {1: Seat.SOUTH, 2: Seat.NORTH}


def test_strokes_follow_each_other_in_time(two_boards):
    match, _ = two_boards
    for s in match.strokes:
        assert s.t_placed < s.t_strike < s.t_rest
    for before, after in zip(match.strokes, match.strokes[1:], strict=False):
        assert before.t_rest < after.t_placed
        assert after.n == before.n + 1


def test_pieces_never_overlap_on_the_board(two_boards):
    _, scenes = two_boards
    radius = np.where(np.arange(len(KINDS)) == STAGE_STRIKER, BOARD.striker_radius, BOARD.coin_radius)
    for scene in scenes:
        lying = [i for i, w in enumerate(scene.where) if w is Where.BOARD and not scene.moving[i]]
        pos = scene.pos_mm[lying]
        gap = np.hypot(*(pos[:, None] - pos[None]).transpose(2, 0, 1)) - radius[lying][:, None] - radius[lying][None]
        assert gap[np.triu_indices(len(lying), 1)].min(initial=1.0) > -1e-3


def test_pocketed_and_returned_coins_add_up(two_boards):
    match, _ = two_boards
    fell = [f.kind for s in match.strokes if s.board == 2 for f in s.pocketed]
    start = min(s.t_placed for s in match.strokes if s.board == 2)
    back = [r.kind for r in match.returns if r.t > start]
    for kind, full in FULL_SET.items():
        netted = len(match.stage.indices(Where.NET, kind))
        assert fell.count(kind) - back.count(kind) == netted
        assert netted + len(match.stage.indices(Where.BOARD, kind)) == full


def test_the_second_formation_stands_before_its_break(two_boards):
    match, scenes = two_boards
    placed = next(s.t_placed for s in match.strokes if s.board == 2)
    scene = max((s for s in scenes if s.t < placed), key=lambda s: s.t)
    kinds = [p.kind for p in scene.pieces()]
    assert {k: kinds.count(k) for k in FULL_SET} == FULL_SET
    arm = min((p for p in scene.pieces() if p.kind is Kind.WHITE), key=lambda p: -p.y_mm)
    assert math.atan2(arm.y_mm, arm.x_mm) == pytest.approx(math.pi / 2, abs=0.15)
    queen = next(p for p in scene.pieces() if p.kind is Kind.QUEEN)
    assert math.hypot(queen.x_mm, queen.y_mm) < 3.0


def test_players_obey_the_turn_they_are_told():
    match = game(1, boards=1)
    for turn in (Seat.NORTH, Seat.NORTH, Seat.SOUTH, Seat.SOUTH):
        count = len(match.strokes)
        play(match, until=lambda n=count: len(match.strokes) > n)
        match.ear.announce(Announcement(turn))
        play(
            match, until=lambda n=count: match.stage.where[STAGE_STRIKER] is Where.BOARD and len(match.strokes) > n + 1
        )
        assert match.strokes[count + 1].seat is turn


def test_told_returns_are_put_back_by_the_opponent_within_the_outer_circle():
    match = game(2, boards=1)
    while not match.stage.indices(Where.NET, Kind.WHITE):
        count = len(match.strokes)
        play(match, until=lambda n=count: len(match.strokes) > n)
        match.ear.announce(Announcement(Seat.SOUTH))
    match.ear.announce(Announcement(Seat.SOUTH, (Kind.WHITE,)))
    play(match, until=lambda: bool(match.returns))
    back = match.returns[0]
    assert back.kind is Kind.WHITE
    assert back.by is match.strokes[-1].seat.opposite
    reach = math.hypot(back.x_mm, back.y_mm)
    assert BOARD.centre_circle_radius + BOARD.coin_radius < reach < BOARD.outer_circle_radius - BOARD.coin_radius


def test_a_coin_that_is_not_in_a_net_cannot_be_put_back():
    match = game(3, boards=1)
    play(match, until=lambda: bool(match.strokes))
    match.ear.announce(Announcement(Seat.NORTH, (Kind.QUEEN,) * 3))
    play(match, until=lambda: len(match.strokes) == 2)
    assert len(match.returns) <= 1


def test_a_board_told_over_is_cleared_and_built_anew():
    match = game(4, boards=2, tempo=0.5)
    play(match, until=lambda: bool(match.strokes))
    match.ear.announce(Announcement(None, (), True))
    play(match, until=lambda: match.board_number == 2)
    assert coins_where(match, Where.BOARD) == sum(FULL_SET.values())
    assert len(match.strokes) == 1


def test_players_wait_for_a_ruling_no_longer_than_agreed():
    quick, slow = game(6, boards=1, wait_s=0.0), game(6, boards=1, wait_s=2.0)
    for match in (quick, slow):
        play(match, until=lambda m=match: len(m.strokes) == 2)
    pause = [m.strokes[1].t_placed - m.strokes[0].t_rest for m in (quick, slow)]
    assert pause[1] - pause[0] == pytest.approx(2.0, abs=0.1)


def test_neighbours_cannot_play_each_other():
    with pytest.raises(ValueError, match="opposite"):
        game(seats=(Seat.SOUTH, Seat.WEST))
