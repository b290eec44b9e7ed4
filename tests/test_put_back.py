"""The surface when a coin is put back: a new one is that, whatever a census overlooks, and hides the board."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sim_scenes import BOARD, SCATTERED, compared, gate_over, learned, studio

from models.pieces import Kind, Piece
from referee.board_state.occupancy import Occupancy, Presence
from referee.census.reconcile import Reconciler
from referee.foreground.segmentation import Segmenter
from referee.pieces.current_profile import CurrentProfile

NEW = Piece(Kind.WHITE, 0.0, 20.0)


@pytest.mark.parametrize(("away_mm", "whites", "struck", "moved"),
                         [(200.0, 9, False, False), (200.0, 9, True, True), (200.0, 4, False, True),
                          (45.0, 9, False, True)])  # fmt: skip
def test_a_coin_far_from_one_that_is_overlooked_may_have_been_put_back(
    away_mm: float, whites: int, struck: bool, moved: bool
) -> None:
    """A dull coin that every other search overlooked seemed to be wherever one was put back (slipping world 12315)."""
    coin = next(p for p in SCATTERED if p.kind is Kind.WHITE)
    back = replace(coin, x_mm=coin.x_mm + away_mm)
    background = gate_over()
    table = Occupancy(background, BOARD)
    known = CurrentProfile(replace(learned(), full_set={Kind.WHITE: whites, Kind.BLACK: 9, Kind.QUEEN: 1}))
    surface = Reconciler(known, background, table)
    table.settle(SCATTERED, compared(background, studio().picture(SCATTERED), 0.0))
    picture = studio().picture((*SCATTERED, back), grain=5)
    foreground = compared(background, picture, 0.1)
    scene = Segmenter(background, BOARD.half, BOARD.coin_radius).read(foreground, table.explained)
    overlooked = studio().picture((*(p for p in SCATTERED if p is not coin), back), grain=5)
    ((kind, disc),) = surface.find_new(overlooked, foreground, scene, struck)
    assert kind is Kind.WHITE
    assert (disc.x, disc.y) == pytest.approx((back.x_mm, back.y_mm), abs=1.0)
    assert [k.piece for k in table.lying if k.presence is Presence.GONE] == ([coin] if moved else [])


def test_the_board_is_not_remembered_from_under_a_coin_that_is_still_to_be_believed() -> None:
    background = gate_over()
    surface = Reconciler(CurrentProfile(learned()), background, Occupancy(background, BOARD))
    under = background.lattice.disc_cells(NEW.x_mm, NEW.y_mm, BOARD.coin_radius)
    background.known[under] = 0
    foreground = compared(background, studio().picture([NEW], grain=5), 0.1)
    scene = Segmenter(background, BOARD.half, BOARD.coin_radius).read(foreground, surface.table.explained)
    surface.settle([], foreground, scene, [NEW])
    surface.refresh(foreground, scene)
    assert not np.any(background.known[under])
    surface.settle([], foreground, scene)
    assert np.all(background.known[under])
