"""The players' own plain reading of a stroke."""

from __future__ import annotations

import pytest

from models.pieces import Kind, Pocket, Seat
from referee.sim.scene import TrueFall, TrueStroke
from referee.sim.simple_rules import Judge, is_board_over

W, B, Q, S = Kind.WHITE, Kind.BLACK, Kind.QUEEN, Kind.STRIKER
SOUTH, NORTH = Seat.SOUTH, Seat.NORTH


def stroke(*fell, seat=SOUTH):
    falls = tuple(TrueFall(kind, Pocket.NE, 1.0) for kind in fell)
    return TrueStroke(1, 1, seat, 0.0, 0.5, 2.0, 0.0, -252.6, True, W, falls)


@pytest.mark.parametrize(
    ("fell", "before", "turn", "returns"),
    [
        ((), [], NORTH, ()),
        ((W,), [], SOUTH, ()),
        ((B,), [], NORTH, ()),
        ((W, B), [], SOUTH, ()),
        ((S,), [W], NORTH, (W,)),
        ((S,), [], NORTH, ()),
        ((S, W), [W], SOUTH, (W, W)),
        ((Q,), [], NORTH, (Q,)),
        ((Q,), [W], SOUTH, ()),
        ((Q, W), [W], SOUTH, ()),
        ((Q, S), [W], SOUTH, (Q, W)),
    ],
)
def test_reading_of_a_stroke_by_white(fell, before, turn, returns):
    netted = [*before, *(k for k in fell if k is not S)]
    told = Judge(SOUTH).read(stroke(*fell), netted)
    assert (told.turn, told.returns, told.board_over) == (turn, returns, False)


def test_a_queen_left_uncovered_comes_back():
    judge = Judge(SOUTH)
    assert judge.read(stroke(Q), [W, Q]).turn is SOUTH
    assert judge.read(stroke(), [W, Q]).returns == (Q,)


def test_a_queen_that_the_referee_had_put_back_is_not_put_back_again():
    judge = Judge(SOUTH)
    judge.read(stroke(Q), [W, Q])
    assert judge.read(stroke(), [W]).returns == ()
    assert judge.read(stroke(), [W, Q]).returns == ()


def test_a_covered_queen_stays():
    judge = Judge(SOUTH)
    judge.read(stroke(Q), [W, Q])
    assert judge.read(stroke(W), [W, Q, W]).returns == ()
    assert judge.read(stroke(), [W, Q, W]).returns == ()


def test_a_due_is_paid_with_the_next_coin():
    judge = Judge(SOUTH)
    assert judge.read(stroke(S), []).returns == ()
    assert judge.read(stroke(W), [W]).returns == (W,)


def test_black_plays_black():
    judge = Judge(SOUTH)
    assert judge.colour(NORTH) is B
    assert judge.read(stroke(B, seat=NORTH), [B]).turn is NORTH


def test_the_board_is_over_when_a_colour_has_gone():
    assert Judge(SOUTH).read(stroke(W), [W] * 9).board_over
    assert is_board_over([B] * 9)
    assert not is_board_over([W] * 8 + [B] * 8 + [Q])
