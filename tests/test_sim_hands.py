"""Hands arrive where and when they should, without jerks."""

from __future__ import annotations

import numpy as np
import pytest

from models.board import load_board
from models.pieces import Seat
from referee.sim.anatomy import capsule_outlines, capsules
from referee.sim.hands import Hand

BOARD = load_board()


def test_a_hand_waits_out_of_the_picture():
    hand = Hand(Seat.WEST, BOARD)
    assert hand.is_out(0.0)
    assert hand.pose(3.0).x_mm < -BOARD.half - BOARD.frame_width


@pytest.mark.parametrize("seat", list(Seat))
def test_a_hand_comes_from_its_own_side_and_arrives_in_time(seat):
    hand = Hand(seat, BOARD)
    goal = hand.over(30.0, 40.0)
    assert hand.move(1.0, 0.8, goal) == pytest.approx(1.8)
    assert not hand.is_out(1.8)
    assert hand.pose(1.8) == hand.pose(9.0)
    assert (hand.pose(1.8).x_mm, hand.pose(1.8).y_mm) == (30.0, 40.0)
    ahead = np.cos(goal.heading) * seat.inward[0] + np.sin(goal.heading) * seat.inward[1]
    assert ahead > 0.9


def test_a_movement_starts_and_ends_gently():
    hand = Hand(Seat.SOUTH, BOARD)
    hand.move(0.0, 1.0, hand.over(0.0, 0.0))
    y = np.array([hand.pose(t).y_mm for t in np.linspace(0, 1, 101)])
    speed = np.diff(y)
    assert (speed >= 0).all()
    assert speed[0] < 0.01 * speed.max()
    assert speed[-1] < 0.01 * speed.max()


def test_a_new_movement_starts_from_where_the_hand_is():
    hand = Hand(Seat.SOUTH, BOARD)
    hand.move(0.0, 1.0, hand.over(0.0, 0.0))
    halfway = hand.pose(0.5)
    hand.move(0.5, 1.0, hand.away())
    assert hand.pose(0.5).y_mm == pytest.approx(halfway.y_mm)
    assert hand.is_out(1.5)


def test_the_finger_meets_the_striker_at_the_strike():
    hand = Hand(Seat.SOUTH, BOARD)
    hand.move(0.0, 1.0, hand.over(0.0, -290.0))
    end = hand.flick(2.0, 1.5)
    assert hand.pose(1.9).flick_mm == 0.0
    assert 10.0 < hand.pose(2.0).flick_mm < 20.0, "a finger waits so far behind the striker"
    assert hand.pose(2.0).flick_mm < hand.pose(end).flick_mm < 40.0


def test_a_limb_s_outline_keeps_its_radii():
    ends, radii = np.array([[[0.0, 0.0], [100.0, 0.0]]]), np.array([[20.0, 10.0]])
    shape = capsule_outlines(ends, radii)[0]
    to_axis = np.hypot(np.maximum(0, np.maximum(-shape[:, 0], shape[:, 0] - 100)), shape[:, 1])
    assert to_axis.max() <= 20.0 + 1e-9
    assert shape[:, 0].max() == pytest.approx(110.0)
    assert shape[:, 0].min() == pytest.approx(-20.0)


def test_a_hand_has_a_forearm_in_a_sleeve():
    limbs = capsules(Hand(Seat.EAST, BOARD).over(0.0, 0.0))
    assert {limb.cover for limb in limbs} == {"skin", "sleeve"}
    assert all(limb.end_z > 0 for limb in limbs)
