"""The ledger: what has been moved or taken since the last stroke."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.pieces import Kind, Piece, Pocket
from referee.census.between_strokes import HandDisplacement
from referee.census.ledger import Ledger
from referee.outcome.readings import Claim, How, PieceFate

WAS = Piece(Kind.WHITE, 30.0, 20.0)
COIN, STRIKER = Piece(Kind.WHITE, 10.0, 20.0), Piece(Kind.STRIKER, 0.0, -250.0)


def test_coins_found_gone_or_elsewhere_since_a_strike_are_counted_until_they_are_explained() -> None:
    """A pushed striker sent a coin into a pocket under the hand: it was found gone before the striker was found lying,
    and nothing pocketed was called with 0.99 (slipping world 9451).
    """
    ledger = Ledger()
    ledger.shifts += [
        HandDisplacement(COIN, WAS, 0.5, 0.9),
        HandDisplacement(COIN, WAS, 1.9, 2.1),
        HandDisplacement(STRIKER, STRIKER, 1.9, 2.2),
    ]
    ledger.lost += [(0.8, COIN), (2.3, COIN), (2.3, STRIKER)]
    assert ledger.stirred(1.0) == [WAS, COIN]
    assert ledger.stirred(0.0) == [WAS, WAS, COIN, COIN]
    assert ledger.gone(1.0) == [COIN]
    # What a striker that met a coin sent elsewhere and is found there leaves no doubt (slipping worlds 14239, 14248).
    assert [ledger.unexplained(1.0, met) for met in (False, True)] == [2, 1]
    ledger.forget()
    assert ledger.stirred(0.0) == []


def test_a_stroke_that_is_over_leaves_nothing_to_explain() -> None:
    ledger = Ledger(lost=[(1.0, COIN)])
    ledger.handle(2, 7, 0)
    assert ledger.rebuilding
    ledger.close()
    assert ledger.stirred(0.0) == []
    assert not ledger.rebuilding


def test_what_is_struck_as_the_light_changes_may_be_light() -> None:
    """A person's shadow was a striker that stayed on its lines (0.99) and one pocketed (0.98): worlds 15075, 15085."""
    ledger = Ledger()
    assert not ledger.is_unlit(0.0)
    ledger.unlit = 5.0
    assert [ledger.is_unlit(t) for t in (4.0, 5.2, 5.4)] == [True, True, False]
    ledger.close()
    assert ledger.is_unlit(5.2)


@pytest.mark.parametrize(
    ("handled", "rebuilding"),
    [
        ([(2, 0, 9)], False),
        ([(2, 0, 9), (1, 0, 8)], True),
        ([(0, 3, 12)], False),
        ([(0, 3, 12), (0, 3, 15)], True),
        ([(0, 0, 0), (0, 1, 1)], False),
        ([(1, 0, 0), (0, 1, 1)], True),
    ],
    ids=["two taken", "three taken", "three put back", "six put down", "none were left", "hands took the last"],
)
def test_hands_that_take_or_put_down_many_or_the_last_coin_build_the_board_anew(
    handled: list[tuple[int, int, int]], rebuilding: bool
) -> None:
    """Each: how many coins are moved or taken, put down, and lie then (simulated world 14770: two were left)."""
    ledger = Ledger()
    for lifted, put_down, lying in handled:
        ledger.handle(lifted, put_down, lying)
    assert ledger.rebuilding is rebuilding


def test_a_coin_found_where_one_of_its_kind_was_lost_was_never_away() -> None:
    """A striker that hands take again and again may come to rest where it lay before."""
    ledger = Ledger(lost=[(1.0, COIN), (2.0, STRIKER)])
    beside = replace(COIN, x_mm=COIN.x_mm + 2.0)
    assert ledger.never_away(beside)
    assert not ledger.never_away(replace(beside, kind=Kind.BLACK))
    assert not ledger.never_away(replace(COIN, x_mm=COIN.x_mm + 4.0))
    assert not ledger.never_away(STRIKER)


def test_a_coin_that_lay_there_when_a_stroke_was_told_was_overlooked_and_one_that_came_later_was_not() -> None:
    """What seems a stroke and is none tells nothing: a coin put back meanwhile was no return (slipping world 12389)."""
    ledger = Ledger()
    assert not ledger.lay_there(0.0)
    ledger.call(5.0)
    assert (ledger.strokes, ledger.last_called) == (1, 5.0)
    assert [ledger.lay_there(since) for since in (4.9, 5.0, 5.05, 5.2)] == [False, True, True, False]
    ledger.close()
    assert ledger.lay_there(5.05)


def left(kind: Kind, fate: PieceFate, seen: bool) -> Claim:
    return Claim(None, kind, fate, How.SEEN if seen else How.UNSEEN, None, Pocket.NW, 1.0)


def test_only_what_was_seen_to_leave_is_surely_out() -> None:
    """A coin that is found nowhere counts as pocketed, but may lie where nobody sees it, and turn up later."""
    ledger = Ledger()
    ledger.leave([left(Kind.WHITE, PieceFate.FELL, True), left(Kind.WHITE, PieceFate.FELL, False),
                  left(Kind.BLACK, PieceFate.OFF, True), left(Kind.QUEEN, PieceFate.BOARD, True)])  # fmt: skip
    assert dict(ledger.out) == {Kind.WHITE: 2, Kind.BLACK: 1}
    assert dict(ledger.surely_out) == {Kind.WHITE: 1, Kind.BLACK: 1}


def test_a_coin_that_comes_back_was_first_of_all_one_that_nobody_saw_go() -> None:
    ledger = Ledger()
    ledger.leave([left(Kind.WHITE, PieceFate.FELL, True), left(Kind.WHITE, PieceFate.FELL, False)])
    ledger.comes_back(Kind.WHITE)
    assert ledger.out[Kind.WHITE] == ledger.surely_out[Kind.WHITE] == 1
    ledger.comes_back(Kind.WHITE)
    assert not ledger.surely_out
    ledger.begin()
    assert not ledger.out
