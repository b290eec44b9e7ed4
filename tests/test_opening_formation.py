"""The opening formation in pictures: coins that draw no circle between their neighbours are told by their places."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from sim_scenes import BOARD, FORMATION, studio

from calibration.profile import Profile
from models.pieces import Kind, Piece
from referee.pieces.detector import learn_colours
from referee.pieces.disc_set import discs_on_board
from referee.pieces.opening_formation import FORMATION_LEAST_SURE, complete_formation, find_formation
from referee.pieces.scan import View

INNER = tuple(p for p in FORMATION if p.kind is Kind.WHITE and math.hypot(p.x_mm, p.y_mm) < 40.0)


def learned() -> Profile:
    return learn_colours(studio().profile, [studio().picture(FORMATION)])


def without(view: View, unseen: tuple[Piece, ...]) -> View:
    """The view with the circles of these coins overlooked."""
    view.coins = [r for r in view.coins if all(math.hypot(r.x - p.x_mm, r.y - p.y_mm) > 8.0 for p in unseen)]
    return view


@pytest.mark.parametrize("unseen", [INNER[:2], (FORMATION[0], INNER[0]), (FORMATION[0], *INNER[:3], FORMATION[-1])])
def test_coins_that_were_overlooked_stand_where_the_formation_has_them(unseen: tuple[Piece, ...]) -> None:
    """Two brown coins between dark ones drew no circle (simulated world 2103), in another three (2483)."""
    profile = learned()
    view = without(View(studio().picture(FORMATION), profile), unseen)
    seen = find_formation(discs_on_board(view), BOARD.coin_radius, FORMATION_LEAST_SURE)
    assert seen is not None
    assert len(seen) == 19 - len(unseen)
    whole = complete_formation(seen, view, profile)
    added = whole[len(seen) :]
    assert Counter(piece.kind for piece, _ in added) == Counter(p.kind for p in unseen)
    for _, disc in added:
        assert min(math.hypot(disc.x - p.x_mm, disc.y - p.y_mm) for p in unseen) < 1.0


@pytest.mark.parametrize("taken", [INNER[:2], INNER[:3]])
def test_a_place_that_shows_the_board_holds_no_coin(taken: tuple[Piece, ...]) -> None:
    profile = learned()
    view = without(View(studio().picture(p for p in FORMATION if p not in taken), profile), taken)
    seen = find_formation(discs_on_board(view), BOARD.coin_radius, FORMATION_LEAST_SURE)
    assert seen is not None
    assert complete_formation(seen, view, profile) == seen
