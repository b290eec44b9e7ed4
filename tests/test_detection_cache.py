"""The search for discs: twice for the same picture, then no more until it changes or a second has passed."""

from __future__ import annotations

from sim_scenes import SCATTERED, gate_over, studio

from calibration.geometry.picture import Picture
from calibration.profile import Profile
from models.pieces import Kind, Piece
from referee.board_state.detection_cache import DetectionCache, Discs
from referee.pieces.detector import find_pieces, learn

EVERY_S = 0.25


def shown(grain: int, *more: Piece) -> Picture:
    return studio().picture((*SCATTERED, *more), grain=grain)


def learned() -> Profile:
    return learn(studio().profile, [shown(0)])


def searching(profile: Profile) -> DetectionCache:
    search = DetectionCache(profile, gate_over())
    search.still.learn_noise([shown(grain) for grain in range(4)])
    return search


def test_what_two_searches_agree_upon_stands_for_a_picture_that_shows_the_same() -> None:
    profile = learned()
    search = searching(profile)
    first, second, third = (search.discs(shown(i + 5), i * EVERY_S, profile, ()) for i in range(3))
    assert second is not first
    assert {(k, d.x, d.y) for k, d in second} == {(k, d.x, d.y) for k, d in find_pieces(shown(6), profile)}
    assert third is second


def test_a_search_is_made_afresh_after_a_while_and_when_anything_is_new() -> None:
    profile = learned()
    search = searching(profile)

    def again(t: float, *more: Piece, settled: tuple[Piece, ...] = ()) -> Discs:
        return search.discs(shown(7, *more), t, profile, settled)

    again(0.0)
    kept = again(EVERY_S)
    assert again(1.0) is kept
    assert again(1.5) is not kept
    coin = Piece(Kind.WHITE, 0.0, 20.0)
    assert len(again(1.5, coin)) == len(kept) + 1
    asked = again(1.5, coin, settled=SCATTERED)
    assert asked != again(1.75, coin)
