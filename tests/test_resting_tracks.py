"""Resting tracks: coins that were followed to where they lie and whose rims the search does not see whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from sim_scenes import BOARD, SCATTERED, gate_over, studio

from models.pieces import Kind, Piece
from referee.foreground.background import BackgroundModel
from referee.outcome.fates import CensusFate
from referee.outcome.missing_pieces import Reckoning
from referee.outcome.resting_tracks import Resting, fallen_for_good
from referee.outcome.stroke_in_progress import Play
from referee.pieces.colour_classes import mean_colour
from referee.pieces.current_profile import CurrentProfile
from referee.pieces.detector import find_pieces, learn
from referee.pieces.disc_fit import Disc
from referee.tracking.tracker import Track, Tracker

DT = 1 / 30
REACH = BOARD.half - BOARD.pocket_inset
OFF = BOARD.pocket_diameter / 2 / 2**0.5 + 1.5
LIP = Piece(Kind.BLACK, REACH - OFF, OFF - REACH)
"""A coin with its middle two millimetres off the hole."""
LEARNED = learn(studio().profile, [studio().picture(SCATTERED)])
STRIKER = next(d for k, d in find_pieces(studio().picture(SCATTERED), LEARNED) if k is Kind.STRIKER)
PROFILE = replace(LEARNED, colours={**LEARNED.colours, Kind.STRIKER: mean_colour([STRIKER])})


def arrived(at: Piece, number: int = 1, kind: Kind | None = None) -> Track:
    """The track of a disc that came to `at` half a second ago and was seen there until t = 1 s."""
    track = Track(number, kind, None)
    for i in range(31):
        track.add(i * DT, at.x_mm - max(0, 15 - i) * 20.0, at.y_mm)
    return track


def seen(*pieces: Piece, tracks: Sequence[Track] = ()) -> Resting:
    background = gate_over()
    foreground = background.see(studio().picture(pieces), 1.0)
    return Resting(PROFILE, background, foreground, tracks)


def places(
    missing: Piece, resting: Resting, left: float = 0.0, taken: Sequence[tuple[float, float]] = ()
) -> list[Piece]:
    """Where the `missing` piece, which left its place at `left`, is told to lie."""
    return list(resting.places([(missing, left)], resting.tracks(), taken).values())


def test_a_coin_followed_to_a_pockets_lip_lies_there() -> None:
    assert places(LIP, seen(LIP, tracks=[arrived(LIP)])) == [LIP]


def test_a_track_that_moves_or_was_lost_does_not_rest() -> None:
    moving, lost = arrived(LIP), arrived(LIP)
    moving.add(1.0 + DT / 2, LIP.x_mm - 20.0, LIP.y_mm)
    lost.times = [t - 0.2 for t in lost.times]
    assert seen(LIP, tracks=[moving, lost]).tracks() == []


@pytest.mark.parametrize("missing", [Kind.WHITE, Kind.QUEEN])
def test_what_looks_like_another_coin_is_not_the_missing_one(missing: Kind) -> None:
    assert places(replace(LIP, kind=missing), seen(LIP, tracks=[arrived(LIP)])) == []


def test_a_striker_followed_to_a_pockets_lip_lies_there_and_a_coin_there_is_no_striker() -> None:
    lying = replace(LIP, kind=Kind.STRIKER)
    assert places(lying, seen(lying, tracks=[arrived(lying)])) == [lying]
    assert places(lying, seen(LIP, tracks=[arrived(LIP)])) == []


def test_a_track_ghost_on_the_bare_board_is_no_coin() -> None:
    assert places(LIP, seen(tracks=[arrived(LIP)])) == []


def test_what_rested_before_the_coin_left_its_place_is_not_the_coin() -> None:
    """A blob of a print or a net, there all the time; its track was lost for a moment, and another took over."""
    resting = seen(LIP, tracks=[arrived(LIP)])
    assert places(LIP, resting, left=0.4) == [LIP]
    assert places(LIP, resting, left=0.7) == []
    before, after = arrived(LIP), arrived(LIP, 2)
    before.times, before.places = before.times[:22], before.places[:22]
    after.times, after.places = after.times[22:], after.places[22:]
    assert places(LIP, seen(LIP, tracks=[after, before]), left=0.7) == []


def test_a_coin_that_the_search_has_found_is_not_told_twice() -> None:
    assert places(LIP, seen(LIP, tracks=[arrived(LIP)]), taken=[(LIP.x_mm + 3.0, LIP.y_mm)]) == []


def test_a_coin_on_a_pockets_lip_is_not_reckoned_pocketed() -> None:
    """A stranger's track led there: the coin's own was lost in the shade of a hand."""
    background = gate_over()
    foreground = background.see(studio().picture([LIP]), 1.0)
    tracker = Tracker(PROFILE.colours, BOARD.half)
    tracker.live.append(arrived(LIP))
    home = Piece(Kind.BLACK, 100.0, 100.0)
    (told,) = Reckoning(CurrentProfile(PROFILE), background, tracker).missing(
        Play(0.0, t_rest=0.6), [(home, None)], foreground, []
    )
    assert told.fate is CensusFate.LIES
    assert told.piece == LIP


@pytest.mark.parametrize("stood", [True, False])
def test_a_striker_whose_look_is_still_to_be_learned_lies_where_what_stood_on_the_lines_came_to_rest(
    stood: bool,
) -> None:
    """A ring printed on it passed for a coin, its rim for nothing plain: its stroke went untold."""
    lying, background = Piece(Kind.STRIKER, 40.0, 70.0), gate_over()
    foreground, tracker = background.see(studio().picture([lying]), 1.0), Tracker(LEARNED.colours, BOARD.half)
    track = arrived(lying)
    tracker.live.append(track)
    play = Play(0.0, t_rest=0.6, striker=track, seen_since_rest=np.full(background.lattice.shape, 255, np.uint8),
                striker_colour=mean_colour([STRIKER]) if stood else None)  # fmt: skip
    (told,) = Reckoning(CurrentProfile(LEARNED), background, tracker).missing(play, [(lying, track)], foreground, [])
    assert told.fate is (CensusFate.LIES if stood else CensusFate.TAKEN)


@pytest.mark.parametrize("kind", [Kind.WHITE, Kind.BLACK])
def test_the_board_beside_a_pocket_is_told_by_what_was_seen_of_it_whatever_lay_there_from_the_start(kind: Kind) -> None:
    """Bared wood beside a dark hole passed for the white coin that had lain on it (simulated world 1708)."""
    coin, background = replace(LIP, kind=kind), BackgroundModel(PROFILE)
    background.remember(background.lattice.sample(studio().picture([coin])), background.cover([coin], BOARD))
    assert background.empty is not None
    background.empty[0][background.known == 0] = 20
    foreground, bare = background.see(studio().picture(), 1.0), gate_over()
    wood = bare.ground_at(bare.see(studio().picture(), 1.0), coin.x_mm - 60.0, coin.y_mm + 60.0, BOARD.coin_radius)
    assert background.ground_at(foreground, coin.x_mm, coin.y_mm, BOARD.coin_radius) == pytest.approx(wood, abs=12.0)
    assert Resting(PROFILE, background, foreground, [arrived(coin)]).places([(coin, 0.0)], [arrived(coin)], ()) == {}


def test_a_track_that_rests_where_the_board_was_never_seen_may_rest_on_a_print() -> None:
    """The spot in the middle, bared by the break, held another coin's track, and a coin that fell was told to lie there
    (simulated world 2413).
    """
    coin, background = Piece(Kind.WHITE, 0.0, 0.0), BackgroundModel(PROFILE)
    background.remember(background.lattice.sample(studio().picture([coin])), background.cover([coin], BOARD))
    foreground, tracks = background.see(studio().picture([coin]), 1.0), [arrived(coin)]
    assert Resting(PROFILE, background, foreground, tracks).places([(coin, 0.0)], tracks, ()) == {}
    assert places(coin, seen(coin, tracks=tracks)) == [coin]


@pytest.mark.parametrize(("x", "y", "lies"), [(3.0, -4.0, True), (40.0, 0.0, False)])
def test_a_queen_whose_track_never_left_the_centre_is_there_but_in_doubt(x: float, y: float, lies: bool) -> None:
    """A red print of her size lay under her, and the search found none; her track had shifted by 6 mm, as she had
    (slipping world 9301). One that was seen elsewhere meanwhile may have left the print behind.
    """
    queen, background = Piece(Kind.QUEEN, 0.0, 0.0), BackgroundModel(PROFILE)
    background.remember(background.lattice.sample(studio().picture([queen])), background.cover([queen], BOARD))
    track = Track(1, Kind.QUEEN, queen)
    for i in range(31):
        track.add(i * DT, *((0.0, 0.0) if i < 5 else (x, y) if i < 9 else (2.0, -3.0)))
    foreground = background.see(studio().picture([replace(queen, x_mm=2.0, y_mm=-3.0)]), 1.0)
    tracker = Tracker(PROFILE.colours, BOARD.half)
    tracker.live.append(track)
    (told,) = Reckoning(CurrentProfile(PROFILE), background, tracker).missing(
        Play(0.0, t_rest=0.6), [(queen, track)], foreground, []
    )
    assert (told.fate is CensusFate.LIES) is lies
    assert told.confidence < 0.9


@pytest.mark.parametrize(("coin", "off_mm", "after_s", "lies"), [
    (Kind.WHITE, 25.0, 0.1, True), (None, 25.0, 0.1, False), (Kind.BLACK, 25.0, 0.1, False),
    (Kind.WHITE, 120.0, 0.1, False), (Kind.WHITE, 25.0, 0.3, False), (Kind.WHITE, 25.0, -0.1, False),
], ids=["it", "bare board", "another", "too far", "too late", "before"])  # fmt: skip
def test_a_coin_that_bounced_off_a_pockets_rim_lies_where_what_came_from_there_rests(
    coin: Kind | None, off_mm: float, after_s: float, lies: bool
) -> None:
    """Brown on brown it was lost at the mouth, and the search overlooked it (slipping world 13086)."""
    home, there = Piece(Kind.WHITE, 0.0, -REACH), Piece(coin or Kind.WHITE, REACH - 90.0, -REACH)
    background, lost, stray = gate_over(), Track(1, Kind.WHITE, home), Track(2, None, None)
    for i in range(10):
        lost.add(0.1 + i * DT, REACH * i / 9, -REACH)
    for i in range(30):
        stray.add(lost.t + after_s + i * DT, there.x_mm + max(0.0, 1 - i / 4) * off_mm, there.y_mm)
    lost.places[-2:] = [(there.x_mm + 45.0, -REACH), (there.x_mm + 50.0, -REACH)]
    tracker = Tracker(PROFILE.colours, BOARD.half)
    tracker.ended, tracker.live = [lost], [stray]
    foreground = background.see(studio().picture([there] if coin else []), stray.t)
    play = Play(0.0, t_rest=stray.t - 0.3, seen_since_rest=np.full(background.lattice.shape, 255, np.uint8))
    (told,) = Reckoning(CurrentProfile(PROFILE), background, tracker).missing(play, [(home, lost)], foreground, [])
    assert told.fate is (CensusFate.LIES if lies else CensusFate.POCKETED)
    if lies:
        assert (told.piece.x_mm, told.piece.y_mm) == pytest.approx((there.x_mm, there.y_mm))
        assert told.confidence < 0.9


@pytest.mark.parametrize(("kind", "after_s", "x", "bounced"), [
    (Kind.BLACK, DT, 0.0, True), (Kind.WHITE, DT, 0.0, False), (Kind.BLACK, DT, 60.0, False),
    (Kind.BLACK, -DT, 0.0, False),
], ids=["it", "of another kind", "found elsewhere", "before"])  # fmt: skip
def test_a_fall_is_none_if_what_comes_from_the_hole_right_after_is_found_at_rest(
    kind: Kind, after_s: float, x: float, bounced: bool
) -> None:
    """A coin in the net drew its track over the hole; it was told as fallen and as overlooked before (slipping world
    13104).
    """
    fell, stray = Track(1, Kind.BLACK, Piece(Kind.BLACK, 0.0, 0.0)), Track(2, None, None)
    for i in range(5):
        fell.add(i * DT, 300.0 + 10.0 * i, -300.0 - 10.0 * i)
        stray.add((4 + i) * DT + after_s, 335.0 - 15.0 * i, -335.0 + 15.0 * i)
    grey = 128.0, 128.0, 128.0
    lies = Disc(stray.place[0] + x, stray.place[1], BOARD.coin_radius, 0.9, grey, grey, grey, 100.0)
    assert fallen_for_good([fell], [stray], [(kind, lies)]) == ([] if bounced else [fell])
