"""Pieces that wait to be found again before they are believed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from referee.board_state.pending_pieces import PendingPieces
from referee.pieces.disc import Disc
from referee.tracking.tracker import Place

GREY = (120.0, 128.0, 128.0)
PLACE = (30.0, 10.0)


def after(censuses: Sequence[tuple[Place | None, bool]]) -> PendingPieces:
    """A piece that has lain at PLACE since 2 s; what later censuses found, and whether a hand hid the place."""
    waiting = PendingPieces()
    waiting.wait(PLACE, 2.0)
    for place, hidden in censuses:
        found = [] if place is None else [Disc(*place, 15.9, 0.8, GREY, GREY, 1.0)]
        waiting.update(found, lambda _, hidden=hidden: hidden)  # type: ignore[misc]
    return waiting


def test_a_piece_is_known_since_it_was_found_first() -> None:
    assert after([((31.0, 10.0), False)]).since((30.5, 10.5)) == 2.0
    assert not after([]).knows((34.0, 10.0))


@pytest.mark.parametrize(("hidden", "known"), [(True, True), (False, False)])
def test_it_is_waited_for_while_a_hand_hides_its_place_and_else_forgotten(hidden: bool, known: bool) -> None:
    assert after([(None, hidden)] * 4).knows(PLACE) is known


def test_it_may_be_overlooked_now_and_then() -> None:
    missed = [(None, False)] * 2
    assert after([*missed, (PLACE, False), *missed]).knows(PLACE)


def test_what_is_believed_waits_no_longer() -> None:
    """The queen is put back on one place again and again."""
    waiting = after([])
    assert waiting.believe(PLACE) == 2.0
    assert not waiting.knows(PLACE)


@pytest.mark.parametrize("found", [PLACE, None])
def test_what_was_found_just_now_asks_for_one_more_census(found: Place | None) -> None:
    assert not PendingPieces().pending
    assert after([]).pending
    assert not after([(found, True)]).pending
