"""The opening formation in pictures: coins that draw no circle between their neighbours are told by their places."""

from __future__ import annotations

import math

import pytest
from sim_scenes import BOARD, FORMATION, studio

from calibration.candidates import candidates
from calibration.formation import completed, find_formation
from calibration.learn import learn
from calibration.profile import Profile
from calibration.view import View
from models.pieces import Kind, Piece

INNER = tuple(p for p in FORMATION if p.kind is Kind.WHITE and math.hypot(p.x_mm, p.y_mm) < 40.0)


def learned() -> Profile:
    return learn(studio().profile, [studio().picture(FORMATION)])


def without(view: View, unseen: tuple[Piece, ...]) -> View:
    """The view with the circles of these coins overlooked."""
    view.coins = [r for r in view.coins if all(math.hypot(r.x - p.x_mm, r.y - p.y_mm) > 8.0 for p in unseen)]
    return view


@pytest.mark.parametrize("unseen", [INNER[:2], (FORMATION[0], INNER[0])])
def test_coins_that_were_overlooked_stand_where_the_formation_has_them(unseen: tuple[Piece, ...]) -> None:
    """Two brown coins between dark ones drew no circle (simulated world 2103)."""
    profile = learned()
    view = without(View(studio().picture(FORMATION), profile), unseen)
    formation = find_formation(candidates(view), BOARD.coin_radius)
    assert formation is not None
    assert len(formation) == 17
    added = completed(formation, view, profile)[17:]
    assert {piece.kind for piece, _ in added} == {p.kind for p in unseen}
    for _, disc in added:
        assert min(math.hypot(disc.x - p.x_mm, disc.y - p.y_mm) for p in unseen) < 1.0


def test_a_place_that_shows_the_board_holds_no_coin() -> None:
    profile = learned()
    view = View(studio().picture(p for p in FORMATION if p not in INNER[:2]), profile)
    formation = find_formation(candidates(view), BOARD.coin_radius)
    assert formation is not None
    assert completed(formation, view, profile) == formation
