"""A stroke in progress: which pieces it moved, when, and which a hand had taken away before."""

from __future__ import annotations

import pytest
from sim_scenes import BOARD, SCATTERED, gate_over, studio

from models.pieces import Kind
from referee.strokes.play import GIVE_UP_S, Play
from referee.table import Lying, TableWatch
from referee.track import Track

DT = 1 / 60


@pytest.fixture(scope="module")
def lying() -> list[Lying]:
    gate = gate_over()
    table = TableWatch(gate, BOARD)
    table.settle(SCATTERED, gate.see(studio().picture(SCATTERED), 0.0))
    return table.lying


def flown(k: Lying, since: float, step_mm: float) -> Track:
    """The track of a piece that leaves its place at `since` with `step_mm` a frame."""
    track = Track(1, k.piece.kind, k.piece)
    for i in range(4):
        track.add(since + i * DT, k.piece.x_mm + i * step_mm, k.piece.y_mm)
    return track


def test_coins_are_touched_in_the_order_in_which_they_leave_their_places(lying: list[Lying]) -> None:
    late, early, still = lying[:3]
    play = Play(
        1.0, moved=[(late, flown(late, 1.3, 20.0)), (early, flown(early, 1.1, 8.0)), (still, flown(still, 1.0, 0.4))]
    )
    assert play.contacts() == ((1.1, early.piece), (1.3, late.piece))


def test_a_coin_that_left_long_before_the_strike_was_not_touched_by_it(lying: list[Lying]) -> None:
    play = Play(2.0, moved=[(lying[0], flown(lying[0], 1.0, 20.0))])
    assert play.contacts() == ()


def test_a_coin_found_gone_that_nobody_saw_go_was_touched_when_it_was_last_seen(lying: list[Lying]) -> None:
    lying[1].seen = 1.2
    play = Play(1.0, unfollowed=[lying[1]])
    assert play.contacts() == ((1.2, lying[1].piece),)


def test_a_striker_that_a_hand_has_picked_up_is_not_known_to_lie_where_it_lay(lying: list[Lying]) -> None:
    striker = next(k for k in lying if k.piece.kind is Kind.STRIKER)
    coin = next(k for k in lying if k.piece.kind is Kind.WHITE)
    play = Play(1.0, moved=[(k, flown(k, 1.0, 20.0)) for k in (striker, coin)], striker_known=True)
    play.forget_lifted(lying)
    assert play.striker_known
    play.forget_lifted([k for k in lying if k is not striker])
    assert not play.striker_known
    assert [k for k, _ in play.moved] == [coin]


def test_a_census_is_given_up_only_long_after_the_rest() -> None:
    play = Play(1.0)
    assert not play.gives_up(100.0)
    play.t_rest = 2.0
    assert not play.gives_up(2.0 + GIVE_UP_S)
    assert play.gives_up(2.1 + GIVE_UP_S)
