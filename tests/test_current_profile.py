"""The known: what a second striker is told to be, and how one not yet learned looks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sim_scenes import BOARD, FORMATION, SCATTERED, compared, gate_over, studio

from calibration.profile import Colour, Profile
from models.pieces import Kind, Piece
from referee.board_state.occupancy import Occupancy, RestingPiece
from referee.board_state.second_striker import rename_second_striker
from referee.foreground.background import BackgroundModel
from referee.pieces.current_profile import CurrentProfile
from referee.pieces.detector import learn_colours


def learned(*unseen: Kind) -> Profile:
    """A profile that knows the looks of all coins but the `unseen` kinds."""
    profile = learn_colours(studio().profile, [studio().picture(FORMATION)])
    return replace(profile, colours={k: look for k, look in profile.colours.items() if k not in unseen})


def taken_for_a_striker(kind: Kind) -> tuple[RestingPiece, BackgroundModel]:
    """A coin that was told to be the striker."""
    background, coin = gate_over(), next(p for p in SCATTERED if p.kind is kind)
    table = Occupancy(background, BOARD)
    table.settle([replace(coin, kind=Kind.STRIKER)], compared(background, studio().picture(SCATTERED), 0.0))
    return table.lying[0], background


@pytest.mark.parametrize("kind", [Kind.WHITE, Kind.BLACK])
def test_a_second_striker_is_the_coin_that_it_looks_like(kind: Kind) -> None:
    """Not the queen, whom nobody has seen yet (simulated world 1969)."""
    lying, background = taken_for_a_striker(kind)
    assert rename_second_striker(lying, learned(Kind.QUEEN), background)
    assert lying.piece.kind is kind


def test_a_second_striker_that_looks_like_no_coin_seen_is_of_the_kind_not_yet_seen() -> None:
    lying, background = taken_for_a_striker(Kind.QUEEN)
    assert rename_second_striker(lying, learned(Kind.QUEEN), background)
    assert lying.piece.kind is Kind.QUEEN


def test_a_second_striker_that_looks_like_no_coin_of_a_known_set_keeps_its_name() -> None:
    lying, background = taken_for_a_striker(Kind.STRIKER)
    before: Piece = lying.piece
    assert not rename_second_striker(lying, learned(), background)
    assert lying.piece == before


def test_a_striker_looks_as_it_did_where_it_stood_until_its_look_is_learned() -> None:
    look, other = (Colour((level, 0.0, 0.0), (2.0, 2.0, 2.0)) for level in (90.0, 95.0))
    known = CurrentProfile(learned())
    assert Kind.STRIKER not in known.profile.colours
    assert known.with_striker(None) is known.profile
    inferred_side = known.with_striker(look)
    assert inferred_side.colours == {**known.profile.colours, Kind.STRIKER: look}
    assert known.with_striker(look) is inferred_side, "searches of the same picture for the same are not made twice"
    assert known.with_striker(other).colours[Kind.STRIKER] is other
    known.profile = inferred_side
    assert known.with_striker(other) is inferred_side
