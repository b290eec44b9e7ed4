"""Resting tracks: coins that were followed to where they lie and whose rims the search does not see whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest
from sim_scenes import BOARD, SCATTERED, gate_over, studio

from calibration.profile import Profile
from models.pieces import Kind, Piece
from referee.foreground.background import BackgroundModel
from referee.outcome.resting_tracks import Resting
from referee.pieces.colour_classes import mean_colour
from referee.pieces.detector import find_pieces, learn_colours
from referee.tracking.tracker import Track

DT = 1 / 30
REACH = BOARD.half - BOARD.pocket_inset
OFF = BOARD.pocket_diameter / 2 / 2**0.5 + 1.5
LIP = Piece(Kind.BLACK, REACH - OFF, OFF - REACH)
"""A coin with its middle two millimetres off the hole."""


@cache
def profile() -> Profile:
    """The board's, with the colours of all kinds."""
    coins = learn_colours(studio().profile, [studio().picture(SCATTERED)])
    striker = next(d for k, d in find_pieces(studio().picture(SCATTERED), coins) if k is Kind.STRIKER)
    return replace(coins, colours={**coins.colours, Kind.STRIKER: mean_colour([striker])})


def arrived(at: Piece, number: int = 1, kind: Kind | None = None) -> Track:
    """The track of a disc that came to `at` half a second ago and was seen there until t = 1 s."""
    track = Track(number, kind, None)
    for i in range(31):
        track.add(i * DT, at.x_mm - max(0, 15 - i) * 20.0, at.y_mm)
    return track


def seen(*pieces: Piece, tracks: Sequence[Track] = ()) -> Resting:
    background = gate_over()
    foreground = background.compare_picture(studio().picture(pieces), 1.0)
    return Resting(profile(), background, foreground, tracks)


def test_a_track_that_moves_or_was_lost_does_not_rest() -> None:
    moving, lost = arrived(LIP), arrived(LIP)
    moving.add(1.0 + DT / 2, LIP.x_mm - 20.0, LIP.y_mm)
    lost.times = [t - 0.2 for t in lost.times]
    assert seen(LIP, tracks=[moving, lost]).tracks() == []


@pytest.mark.parametrize("kind", [Kind.WHITE, Kind.BLACK])
def test_what_lies_on_a_pockets_lip_looks_like_its_kind_as_the_bare_board_does_not(kind: Kind) -> None:
    lying = replace(LIP, kind=kind)
    shown = seen(lying).colours_at(arrived(lying))
    assert min(shown.unlike, key=lambda k: shown.unlike[k]) is kind
    assert shown.unlike[kind] < 3.5 < shown.bare_unlike[kind]


def test_a_ghost_on_the_bare_board_looks_like_the_board() -> None:
    shown = seen().colours_at(arrived(LIP))
    assert shown.unlike[Kind.BLACK] == pytest.approx(shown.bare_unlike[Kind.BLACK], abs=0.5)


def test_of_board_never_seen_bare_it_is_not_told_how_it_looks() -> None:
    coin, background = Piece(Kind.WHITE, 0.0, 0.0), BackgroundModel(profile())
    background.remember(background.lattice.sample(studio().picture([coin])), background.cover([coin], BOARD))
    foreground = background.compare_picture(studio().picture([coin]), 1.0)
    shown = Resting(profile(), background, foreground, [arrived(coin)]).colours_at(arrived(coin))
    assert not shown.bare_unlike
    assert shown.unlike[Kind.WHITE] < 3.5


@pytest.mark.parametrize("kind", [Kind.WHITE, Kind.BLACK])
def test_the_board_beside_a_pocket_is_told_by_what_was_seen_of_it_whatever_lay_there_from_the_start(kind: Kind) -> None:
    """Bared wood beside a dark hole passed for the white coin that had lain on it (simulated world 1708)."""
    coin, background = replace(LIP, kind=kind), BackgroundModel(profile())
    background.remember(background.lattice.sample(studio().picture([coin])), background.cover([coin], BOARD))
    assert background.empty is not None
    background.empty[0][background.known == 0] = 20
    foreground, bare = background.compare_picture(studio().picture(), 1.0), gate_over()
    wood = bare.ground_at(
        bare.compare_picture(studio().picture(), 1.0), coin.x_mm - 60.0, coin.y_mm + 60.0, BOARD.coin_radius
    )
    assert background.ground_at(foreground, coin.x_mm, coin.y_mm, BOARD.coin_radius) == pytest.approx(wood, abs=12.0)
