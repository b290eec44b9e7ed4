"""The simulated player places legally, aims at what can be pocketed, and misplaces only when told to."""

from __future__ import annotations

import math

import numpy as np
import pytest

from models.board import board_names, load_board
from models.pieces import Seat, to_side
from referee.sim.physics import Discs, Flight, Sliding
from referee.sim.player import Player, Skill

BOARD = load_board()
BOARDS = [load_board(name) for name in board_names()]
SLIDING = Sliding()
PERFECT = Skill(angle_rad=0.0, speed_share=0.0)
SEATS = list(Seat)


def player(seat, skill=PERFECT, board=BOARD):
    return Player(seat, board, SLIDING, skill, (5.3, 15.0))


def legal(x, y, board=BOARD):
    """Whether the striker touches both lines, covers or clears the base circles and clears arrows; south's view."""
    touches = abs(y + board.base_y) < board.striker_radius - board.line_gap / 2
    off = math.hypot(abs(x) - board.base_circle_x, y + board.base_y)
    covers = off <= board.striker_radius - board.base_circle_radius
    clears = off >= board.striker_radius + board.base_circle_radius
    from_arrow = (-y - abs(x)) / math.sqrt(2) - board.striker_radius - board.arrow_thickness / 2
    return touches and (covers or clears) and from_arrow > 0


@pytest.mark.parametrize("board", BOARDS, ids=lambda b: b.name)
@pytest.mark.parametrize("seat", SEATS)
def test_the_striker_is_placed_legally_and_free_of_coins(seat, board):
    rng = np.random.default_rng(3)
    for k in range(60):
        coins = rng.uniform(-board.half + 30, board.half - 30, (12, 2)) if k else np.array([(0.0, 0.0)])
        aim = player(seat, Skill(place_mm=3.0), board).choose(coins, coins[:6], k == 0, rng)
        assert aim.legal
        assert legal(*to_side(seat, aim.x_mm, aim.y_mm), board)
        assert np.hypot(*(coins - (aim.x_mm, aim.y_mm)).T).min() > board.striker_radius + board.coin_radius


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("coin", [(60.0, 40.0), (-120.0, 10.0), (0.0, -30.0)])
def test_a_perfect_player_pockets_a_lone_coin(seat, coin):
    aim = player(seat).choose(np.array([coin]), np.array([coin]), False, np.random.default_rng(0))
    velocity = [(0, 0), (aim.speed_mm_s * math.cos(aim.heading), aim.speed_mm_s * math.sin(aim.heading))]
    places = np.array([coin, (aim.x_mm, aim.y_mm)])
    radii = np.array([BOARD.coin_radius, BOARD.striker_radius])
    start = Discs(places, np.array(velocity, float), radii, np.array([5.3, 15.0]), np.ones(2, bool))
    flight = Flight(BOARD, start, 0.0, SLIDING)
    flight.at(math.inf)
    assert 0 in [f.disc for f in flight.falls]


@pytest.mark.parametrize("seat", SEATS)
def test_a_player_strikes_towards_the_board(seat):
    rng = np.random.default_rng(8)
    for untouched in (True, False):
        coins = rng.uniform(-340, 340, (5, 2))
        aim = player(seat).choose(coins, coins, untouched, rng)
        ahead = np.array(seat.inward) @ (math.cos(aim.heading), math.sin(aim.heading))
        assert ahead > 0


def test_a_player_told_to_misplaces_the_striker():
    rng = np.random.default_rng(1)
    coins = np.array([(0.0, 100.0)])
    for _ in range(20):
        aim = player(Seat.SOUTH, Skill(illegal=1.0)).choose(coins, coins, False, rng)
        assert not aim.legal
        assert not legal(aim.x_mm, aim.y_mm)


def test_a_player_strikes_even_when_every_coin_is_hidden_behind_the_lines():
    coins = np.array([(x, -340.0) for x in (-200, 0, 200)], float)
    aim = player(Seat.SOUTH).choose(coins, coins, False, np.random.default_rng(2))
    assert math.sin(aim.heading) > 0
