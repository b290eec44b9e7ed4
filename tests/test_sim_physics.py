"""Sliding discs: what must hold for every stroke, and a few strokes whose outcome is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.board import load_board
from models.pieces import Pocket, opening_formation
from referee.sim.physics import Discs, Flight, Sliding

BOARD = load_board()
RADIUS = np.array([BOARD.coin_radius] * 19 + [BOARD.striker_radius])
MASS = np.array([5.3] * 19 + [15.0])


def discs(places, velocities, count=None):
    """The last `count` discs of a full set at the given places, moving as told."""
    n = len(places)
    return Discs(
        np.array(places, float), np.array(velocities, float), RADIUS[-n:], MASS[-n:], np.ones(count or n, bool)
    )


def run_to_rest(flight):
    t = flight.start_s
    while not flight.rests_by(t):
        t += 1 / 30
    return flight.discs


def broken(seed, speed, heading):
    """A break from the south side, and a few coins strewn about by another stroke before."""
    rng = np.random.default_rng(seed)
    places = [(p.x_mm, p.y_mm) for p in opening_formation(31.2, float(rng.uniform(0, 6)))]
    places.append((float(rng.uniform(-180, 180)), -BOARD.base_y))
    velocities = np.zeros((20, 2))
    velocities[-1] = speed * math.cos(heading), speed * math.sin(heading)
    return discs(places, velocities)


strokes = st.builds(broken, st.integers(0, 10_000), st.floats(500, 6000), st.floats(0.2, math.pi - 0.2))


@settings(max_examples=15)
@given(strokes)
def test_energy_never_grows(start):
    flight = Flight(BOARD, start, 0.0)
    energy, t = flight.discs.energy(), 0.0
    while not flight.rests_by(t):
        t += 1 / 400
        flight.at(t)
        assert flight.discs.energy() <= energy * (1 + 1e-9)
        energy = flight.discs.energy()


@settings(max_examples=15)
@given(strokes)
def test_settled_discs_lie_apart_on_the_board_and_none_is_lost(start):
    flight = Flight(BOARD, start, 0.0)
    end = run_to_rest(flight)
    lying = np.flatnonzero(end.live)
    assert len(lying) + len(flight.falls) == 20
    assert {f.disc for f in flight.falls}.isdisjoint(lying.tolist())
    assert (np.abs(end.pos_mm[lying]) <= (BOARD.half - RADIUS[lying])[:, None] + 1e-6).all()
    gap = np.hypot(*(end.pos_mm[lying][:, None] - end.pos_mm[lying][None]).transpose(2, 0, 1))
    room = gap - RADIUS[lying][:, None] - RADIUS[lying][None]
    assert room[np.triu_indices(len(lying), 1)].min() > -1e-3


@settings(max_examples=8)
@given(strokes, st.floats(0.001, 0.2))
def test_the_stroke_does_not_depend_on_when_somebody_looks(start, interval):
    often, once = Flight(BOARD, start, 1.0), Flight(BOARD, start, 1.0)
    t = 1.0
    while not often.rests_by(t):
        t += interval
        often.at(t)
    np.testing.assert_array_equal(often.at(math.inf), once.at(math.inf))
    assert often.falls == once.falls
    assert often.rest_s == once.rest_s


def test_a_lone_disc_slides_as_far_as_friction_lets_it():
    sliding = Sliding(friction_mm_s2=1000.0)
    flight = Flight(BOARD, discs([(-200, 0)], [(600, 0)]), 0.0, sliding)
    end = run_to_rest(flight)
    assert end.pos_mm[0] == pytest.approx([-200 + 600**2 / 2000, 0], abs=1.5)
    assert flight.rest_s == pytest.approx(0.6, abs=0.005)


def test_a_coin_hit_full_takes_the_speed_of_its_equal():
    start = Discs(
        np.array([[-50.0, 0], [50, 0]]), np.array([[1000.0, 0], [0, 0]]), RADIUS[:2], MASS[:2], np.ones(2, bool)
    )
    flight = Flight(BOARD, start, 0.0, Sliding(disc_restitution=1.0, friction_mm_s2=0.1))
    flight.at(0.1)
    assert flight.discs.vel_mm_s == pytest.approx(np.array([[0, 0], [1000, 0]]), abs=1.0)
    assert [(c.first, c.second) for c in flight.contacts] == [(0, 1)]


def test_a_cushion_sends_a_disc_back_with_its_restitution():
    flight = Flight(BOARD, discs([(0, 300)], [(0, 1000)]), 0.0, Sliding(cushion_restitution=0.5, friction_mm_s2=0.1))
    flight.at(0.1)
    assert flight.discs.vel_mm_s[0] == pytest.approx([0, -500], abs=1.0)


@pytest.mark.parametrize("pocket", list(Pocket))
def test_a_coin_sent_to_a_corner_falls_into_that_pocket(pocket):
    x, y = pocket.corner
    flight = Flight(BOARD, discs([(200 * x, 200 * y)], [(900 * x, 900 * y)]), 2.0)
    run_to_rest(flight)
    assert [(f.disc, f.pocket) for f in flight.falls] == [(0, pocket)]
    assert flight.falls[0].t > 2.0


def test_a_coin_on_the_lip_stays():
    reach = BOARD.half - BOARD.pocket_inset
    lip = reach - (BOARD.pocket_diameter / 2 + 0.5) / math.sqrt(2)
    flight = Flight(BOARD, discs([(lip, lip), (0, 0)], [(0, 0), (0, 300)]), 0.0)
    run_to_rest(flight)
    assert not flight.falls


def test_only_discs_that_slide_are_told_to_move_and_the_others_lie_exactly_where_they_lay():
    places = [(0.1, 0.2), (137.7, -201.3)]
    flight = Flight(BOARD, discs(places, [(0, 500), (0, 0)]), 0.37)
    for t in np.arange(0.37, 0.6, 0.0071):
        assert flight.moving(t).tolist() == [True, False]
        assert tuple(flight.at(t)[1]) == places[1]
    run_to_rest(flight)
    assert not flight.moving(9.0).any()


def test_nothing_moves_without_a_stroke():
    flight = Flight(BOARD, discs([(0, 0)], [(0, 0)]), 5.0)
    assert flight.rests_by(5.0)
    assert flight.rest_s == 5.0
