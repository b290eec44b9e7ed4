"""The ending of a stroke: what keeps its census open."""

from __future__ import annotations

import pytest

from models.pieces import Kind, Piece, Pocket
from referee.strokes.census import UNSEEN, Fate, Missing
from referee.strokes.ending import Count

COIN = Piece(Kind.QUEEN, 0.0, 0.0)


def count(*missing: Missing) -> Count:
    return Count([], [], [], [], [], list(missing))


@pytest.mark.parametrize("pocket", [None, Pocket.SW])
def test_a_coin_that_nobody_saw_go_is_sought_again_whatever_pocket_its_way_led_to(pocket: Pocket | None) -> None:
    """Simulated world 1503: one census overlooked a queen that was last seen rolling towards a pocket."""
    assert count(Missing(COIN, Fate.POCKETED, pocket, 5.0, UNSEEN)).lost


def test_a_coin_that_was_seen_to_fall_is_sought_no_more() -> None:
    assert not count(Missing(COIN, Fate.POCKETED, Pocket.SW, 5.0, 0.85)).lost
    assert not count(Missing(COIN, Fate.TAKEN, None, 5.0, UNSEEN)).lost
