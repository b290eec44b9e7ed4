"""Faint coins: a coin that a break left where it lay is told there, if nothing else tells where it is."""

from __future__ import annotations

import pytest

from models.pieces import Kind, Piece, Pocket
from referee.outcome.fates import FATE_UNSEEN, CensusFate, Missing
from referee.outcome.undetected_pieces import faint_on, never_left
from referee.pieces.disc_fit import Disc

COIN = Piece(Kind.WHITE, 62.0, -1.0)
LOST = Missing(Piece(Kind.WHITE, -31.0, 53.0), CensusFate.POCKETED, None, 3.2, FATE_UNSEEN)


def disc(x: float, y: float) -> Disc:
    return Disc(x, y, 15.5, 0.4, (150.0, 118.0, 135.0), (146.0, 116.0, 137.0), (150.0, 118.0, 135.0), 97.0)


@pytest.mark.parametrize("off_mm", [0.5, 6.0])
def test_a_missing_coin_is_the_faint_one_of_its_kind_that_lies_where_one_lay(off_mm: float) -> None:
    """A break left it there, or moved it by 6 mm; it was told as pocketed somewhere (simulated world 2872, and a clip
    in dim light), and missed from then on.
    """
    faint = faint_on([COIN], [(Kind.WHITE, disc(COIN.x_mm + off_mm, COIN.y_mm)), (Kind.WHITE, disc(200.0, 0.0))])
    (told,) = never_left([LOST], faint)
    assert (told.fate, told.piece) == (CensusFate.LIES, Piece(Kind.WHITE, COIN.x_mm + off_mm, COIN.y_mm))
    assert told.confidence < 0.9


@pytest.mark.parametrize("lost", [
    Missing(Piece(Kind.BLACK, 0.0, 0.0), CensusFate.POCKETED, None, 3.2, FATE_UNSEEN),
    Missing(Piece(Kind.WHITE, 0.0, 0.0), CensusFate.POCKETED, Pocket.NE, 3.2, 0.98),
    Missing(Piece(Kind.WHITE, 0.0, 0.0), CensusFate.OFF_BOARD, None, 3.2, 0.95),
    Missing(Piece(Kind.STRIKER, 0.0, 0.0), CensusFate.TAKEN, None, 3.2, FATE_UNSEEN),
])  # fmt: skip
def test_coins_of_other_kinds_and_those_seen_to_go_are_gone(lost: Missing) -> None:
    assert never_left([lost], [(Kind.WHITE, disc(COIN.x_mm, COIN.y_mm))]) == [lost]


def test_one_faint_disc_is_one_coin() -> None:
    told = never_left([LOST, LOST], [(Kind.WHITE, disc(COIN.x_mm, COIN.y_mm))])
    assert [m.fate for m in told] == [CensusFate.LIES, CensusFate.POCKETED]


def test_what_lies_elsewhere_or_is_of_another_kind_than_lay_there_is_not_faint() -> None:
    assert faint_on([COIN], [(Kind.BLACK, disc(COIN.x_mm, COIN.y_mm)), (Kind.WHITE, disc(0.0, 0.0))]) == []
