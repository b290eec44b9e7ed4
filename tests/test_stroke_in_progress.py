"""A stroke in progress: which pieces it moved, when, and which a hand had taken away before."""

from __future__ import annotations

import pytest
from sim_scenes import BOARD, SCATTERED, compared, gate_over, studio

from models.pieces import Kind
from referee.board_state.occupancy import Occupancy, RestingPiece
from referee.outcome.stroke_in_progress import Play
from referee.tracking.tracker import Track

DT, SURE = 1 / 60, 0.9


@pytest.fixture(scope="module")
def lying() -> list[RestingPiece]:
    background = gate_over()
    table = Occupancy(background, BOARD)
    table.settle(SCATTERED, compared(background, studio().picture(SCATTERED), 0.0))
    return table.lying


def flown(k: RestingPiece, since: float, step_mm: float) -> Track:
    """The track of a piece that leaves its place at `since` with `step_mm` a frame."""
    track = Track(1, k.piece.kind, k.piece)
    for i in range(4):
        track.add(since + i * DT, k.piece.x_mm + i * step_mm, k.piece.y_mm)
    return track


def test_coins_are_touched_in_the_order_in_which_they_leave_their_places(lying: list[RestingPiece]) -> None:
    late, early, still = lying[:3]
    play = Play(
        1.0, moved=[(late, flown(late, 1.3, 20.0)), (early, flown(early, 1.1, 8.0)), (still, flown(still, 1.0, 0.4))]
    )
    assert play.contacts() == ((1.1, early.piece), (1.3, late.piece))


def test_a_coin_that_left_long_before_the_strike_was_not_touched_by_it(lying: list[RestingPiece]) -> None:
    play = Play(2.0, moved=[(lying[0], flown(lying[0], 1.0, 20.0))])
    assert play.contacts() == ()


def test_a_coin_found_gone_that_nobody_saw_go_was_touched_when_it_was_last_seen(lying: list[RestingPiece]) -> None:
    lying[1].seen = 1.2
    play = Play(1.0, unfollowed=[lying[1]])
    assert play.contacts() == ((1.2, lying[1].piece),)


def test_a_coin_found_gone_that_a_hand_hid_before_the_strike_may_have_been_touched_first(
    lying: list[RestingPiece],
) -> None:
    """Simulated worlds 1503, 1531 and 1610; the striker's course tells which of those touched at once was the first."""
    lying[1].seen = 0.2
    play = Play(1.0, moved=[(lying[0], flown(lying[0], 1.1, 20.0))], unfollowed=[lying[1]])
    assert play.contacts() == ((1.1, lying[0].piece), (1.1, lying[1].piece))
    assert Play(1.0, unfollowed=[lying[1]]).contacts() == ((1.0, lying[1].piece),)


def test_a_striker_that_a_hand_has_picked_up_is_not_known_to_lie_where_it_lay(lying: list[RestingPiece]) -> None:
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
    assert not play.gives_up(7.0)
    assert play.gives_up(9.0)
