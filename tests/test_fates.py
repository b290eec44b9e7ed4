"""The census: what became of pieces that no longer lie where they lay."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from sim_scenes import BOARD, SIZE, book_profile

from calibration.profile import Colour
from models.pieces import Kind, Piece, Pocket
from referee.outcome.fates import (
    CensusFate,
    Missing,
    assign,
    ends,
    explain,
    fate,
    nearest_pocket,
)
from referee.pieces.disc_fit import Disc
from referee.sim.viewpoint import Mount, camera_over
from referee.tracking.tracker import Track

PROFILE = book_profile(camera_over(BOARD, *SIZE, Mount()))
HOLE = BOARD.half - BOARD.pocket_inset
COIN = Piece(Kind.WHITE, 0.0, 0.0)
DT = 1 / 60


def flown(*places: tuple[float, float], dt: float = DT, kind: Kind = Kind.WHITE) -> Track:
    """A track that went through `places`, one a frame."""
    track = Track(1, kind, Piece(kind, *places[0]))
    for i, (x, y) in enumerate(places):
        track.add(i * dt, x, y)
    return track


def told(*places: tuple[float, float], dt: float = DT) -> Missing:
    return fate(PROFILE, COIN, flown(*places, dt=dt), 5.0)


@pytest.mark.parametrize("pocket", Pocket)
def test_a_track_that_ended_over_a_hole_was_pocketed_there(pocket: Pocket) -> None:
    sx, sy = pocket.corner
    missing = told((sx * 300.0, sy * 300.0), (sx * 325.0, sy * 325.0), (sx * HOLE, sy * HOLE))
    assert (missing.fate, missing.pocket) == (CensusFate.POCKETED, pocket)
    assert missing.confidence > 0.95
    assert missing.t == pytest.approx(DT + DT * at_rim(325.0))


def at_rim(last: float) -> float:
    """At what share of its way from there to a hole's middle a coin comes over the hole."""
    way = math.dist((last, last), (HOLE, HOLE))
    return 1.0 - PROFILE.pockets[Pocket.NE].radius / way


def test_a_coin_seen_lying_in_the_net_fell_when_it_came_over_the_hole() -> None:
    missing = told((300.0, 300.0), (320.0, 320.0), *[(HOLE, HOLE)] * 20)
    assert missing.t == pytest.approx(DT + DT * at_rim(320.0))


def test_of_two_coins_that_come_over_two_holes_between_two_looks_the_nearer_one_fell_first() -> None:
    """All rolled out slowly, and every fourth frame was looked at: both falls were told for one moment (13908)."""
    first, then = told((310.0, 310.0), (330.0, 330.0), (HOLE, HOLE)), told((0.0, 0.0), (-318.0, 318.0), (-HOLE, HOLE))
    assert DT < first.t < then.t < 2 * DT


@pytest.mark.parametrize(("last", "gap_s", "t"), [(320.0, 0.1, 0.0), (320.0, 2 * DT, None), (280.0, 0.1, 0.1)])
def test_a_coin_lost_at_the_rim_fell_then_though_another_is_seen_in_the_net_later(
    last: float, gap_s: float, t: float | None
) -> None:
    """Of two coins that followed each other the first was told as the last to fall (simulated world 12126)."""
    track = flown((last - 15.0, last - 15.0), (last, last))
    track.add(DT + gap_s, HOLE, HOLE)
    assert fate(PROFILE, COIN, track, 5.0).t == pytest.approx(DT + (at_rim(last) * gap_s if t is None else t))


def test_a_coin_that_shows_in_a_net_is_not_the_end_of_one_that_rolls_past() -> None:
    """Two whites were followed to pockets, and one had fallen: the call named the wrong pocket (world 14602)."""
    net = (HOLE + 14.0, HOLE + 4.0)
    shows, past, fell = Track(1, None, None), Track(2, None, None), Track(3, None, None)
    for i in range(12):
        shows.add(i * DT - 1.0, *net)
    for i, place in enumerate([(266.0, 339.0), (276.0, 348.0), (286.0, 350.0), (295.0, 344.0), net]):
        past.add(i * DT, *place)
    for i, y in enumerate((280.0, 296.0, 310.0, 332.0)):
        fell.add(i * DT, -HOLE, y)
    ended = ends(PROFILE, [shows, past, fell], 1.0)
    pockets = {k.number: (m.pocket, m.over_hole) for k, m in ended}
    assert pockets[2] == (Pocket.NE, False)
    assert explain([(COIN, None)], ended[1:], lambda piece, track: 0.7) == [(0, 1)]


def test_a_track_that_ended_at_a_pockets_mouth_was_pocketed() -> None:
    missing = told((250.0, -250.0), (280.0, -280.0), (315.0, -315.0))
    assert (missing.fate, missing.pocket) == (CensusFate.POCKETED, Pocket.SE)


def test_a_fast_coin_last_seen_on_its_way_into_a_pocket_was_pocketed_in_time() -> None:
    missing = told((-100.0, 100.0), (-150.0, 150.0), (-200.0, 200.0), (-250.0, 250.0))
    assert (missing.fate, missing.pocket) == (CensusFate.POCKETED, Pocket.NW)
    assert 3 * DT < missing.t < 3 * DT + 0.05


def test_a_slow_coin_lost_on_its_way_to_a_pocket_is_unknown() -> None:
    missing = told((250.0, 250.0), (252.0, 252.0), (254.0, 254.0), (256.0, 256.0))
    assert missing.fate is CensusFate.UNKNOWN
    assert missing.confidence < 0.9


def test_a_fast_coin_that_heads_beside_the_pocket_is_unknown() -> None:
    assert told((-100.0, 100.0), (-150.0, 130.0), (-200.0, 160.0), (-250.0, 190.0)).fate is CensusFate.UNKNOWN


@pytest.mark.parametrize("over", [(400.0, 20.0), (-20.0, 378.0), (-395.0, -300.0)])
def test_a_track_that_ended_over_the_frame_went_off_the_board(over: tuple[float, float]) -> None:
    x, y = over
    missing = told((0.6 * x, 0.6 * y), (0.8 * x, 0.8 * y), over)
    assert (missing.fate, missing.pocket) == (CensusFate.OFF_BOARD, None)


def test_a_piece_without_a_track_is_unknown_and_in_doubt() -> None:
    missing = fate(PROFILE, COIN, None, 5.0)
    assert (missing.fate, missing.t) == (CensusFate.UNKNOWN, 5.0)
    assert missing.confidence <= 0.5


def test_a_track_that_stopped_in_the_middle_is_unknown() -> None:
    assert told((0.0, 0.0), (30.0, 0.0), (50.0, 0.0)).fate is CensusFate.UNKNOWN


def test_only_tracks_that_left_the_board_count_as_ends() -> None:
    fell, stayed = flown((300.0, 300.0), (HOLE, HOLE)), flown((0.0, 0.0), (40.0, 0.0))
    assert [track for track, _ in ends(PROFILE, [fell, stayed], 1.0)] == [fell]


def test_nearest_pocket_counts_from_the_rim() -> None:
    assert nearest_pocket(PROFILE, HOLE, -HOLE) == (Pocket.SE, pytest.approx(-22.25))
    assert nearest_pocket(PROFILE, -HOLE + 32.25, HOLE) == (Pocket.NW, pytest.approx(10.0))


def strange(piece: Piece, track: Track) -> float:
    return 0.0 if track.kind is piece.kind else 9.0


def test_a_piece_is_explained_by_its_own_tracks_end() -> None:
    own, other = flown((300.0, 300.0), (HOLE, HOLE)), flown((-300.0, 300.0), (-HOLE, HOLE))
    ended = ends(PROFILE, [other, own], 1.0)
    assert explain([(COIN, own)], ended, strange) == [(0, 1)]


def test_a_piece_whose_track_was_lost_is_explained_by_the_end_that_looks_like_it() -> None:
    white, black = flown((300.0, 300.0), (HOLE, HOLE)), flown((-300.0, 300.0), (-HOLE, HOLE), kind=Kind.BLACK)
    ended = ends(PROFILE, [black, white], 1.0)
    assert explain([(COIN, None)], ended, strange) == [(0, 1)]


@pytest.mark.parametrize(("left", "near", "tells"), [(0.5, False, False), (0.5, True, True), (0.0, False, True)])
def test_what_ended_elsewhere_before_a_piece_had_left_is_not_its_end(left: float, near: bool, tells: bool) -> None:
    """A finger drawn back over the frame passed for a coin that was struck after it (simulated world 2198)."""
    own = Track(1, Kind.WHITE, COIN)
    own.add(left, COIN.x_mm, COIN.y_mm)
    own.add(1.0, COIN.x_mm + 6.0, COIN.y_mm)
    way = ((20.0, 40.0), (0.0, 200.0)) if near else ((-200.0, 100.0), (-200.0, 200.0))
    over = flown(*way, (-200.0, BOARD.half + 20.0))
    ended = ends(PROFILE, [over], 1.0)
    assert len(ended) == 1
    assert bool(explain([(COIN, own)], ended, lambda piece, track: 0.5)) is tells


def test_an_end_that_looks_like_another_kind_explains_nothing() -> None:
    ended = ends(PROFILE, [flown((-300.0, 300.0), (-HOLE, HOLE), kind=Kind.BLACK)], 1.0)
    assert explain([(COIN, None)], ended, strange) == []


def disc(x: float, y: float, luma: float, radius: float = BOARD.coin_radius) -> Disc:
    ground = (180.0, 120.0, 140.0)
    colour = (luma, 128.0, 128.0)
    return Disc(x, y, radius, 0.8, colour, ground, colour, 90.0)


LOOKS = {
    Kind.WHITE: Colour((110.0, 0.0, 0.0), (6.0, 2.0, 2.5)),
    Kind.BLACK: Colour((25.0, 0.0, 0.0), (6.0, 2.0, 2.5)),
}


def test_moved_pieces_are_found_again_by_their_kinds() -> None:
    white, black = Piece(Kind.WHITE, 0.0, 0.0), Piece(Kind.BLACK, 50.0, 0.0)
    found = [(Kind.BLACK, disc(0.0, 100.0, 45.0)), (Kind.WHITE, disc(50.0, 100.0, 198.0))]
    assert sorted(assign(PROFILE, [white, black], found)) == [(0, 1), (1, 0)]


def test_the_striker_is_found_by_its_size() -> None:
    striker = Piece(Kind.STRIKER, 0.0, -250.0)
    found = [(Kind.WHITE, disc(100.0, 0.0, 198.0)), (Kind.STRIKER, disc(0.0, 100.0, 198.0, BOARD.striker_radius))]
    assert sorted(assign(PROFILE, [striker, COIN], found)) == [(0, 1), (1, 0)]


def test_nothing_is_assigned_where_nothing_moved_or_nothing_was_found() -> None:
    assert assign(PROFILE, [], [(Kind.WHITE, disc(0.0, 0.0, 198.0))]) == []
    assert assign(PROFILE, [COIN], []) == []


def test_a_blob_born_over_the_frame_is_no_disc_that_jumped() -> None:
    outside = BOARD.half + 20.0
    assert told((27.0, outside)).fate is CensusFate.UNKNOWN
    assert told((27.0, outside), (30.0, outside + 3.0)).fate is CensusFate.UNKNOWN
    assert told((27.0, 300.0), (27.0, outside)).fate is CensusFate.OFF_BOARD


def test_of_two_discs_where_one_piece_moved_the_plain_one_is_it() -> None:
    """An ornament that was never seen bare draws a poor ring nearer by."""
    plain, poor = replace(disc(120.0, 0.0, 40.0), support=0.9), replace(disc(40.0, 0.0, 40.0), response=0.55)
    found = [(Kind.BLACK, poor), (Kind.BLACK, plain)]
    assert assign(PROFILE, [Piece(Kind.BLACK, 0.0, 0.0)], found) == [(0, 1)]


def test_a_piece_whose_own_track_broke_off_is_told_by_one_that_looks_like_it_and_did_not() -> None:
    broken = flown((0.0, 0.0), (0.0, 360.0), (0.0, BOARD.half + 20.0), dt=0.2)
    whole = flown(*((-20.0 * i, -20.0 * i) for i in range(18)))
    ended = ends(PROFILE, [broken, whole], 5.0)
    assert [m.fate for _, m in ended] == [CensusFate.OFF_BOARD, CensusFate.POCKETED]
    assert explain([(COIN, broken)], ended, lambda piece, track: 0.5) == [(0, 1)]
    assert explain([(COIN, broken)], ended, lambda piece, track: 4.0) == [(0, 0)]


def test_a_piece_whose_own_track_looks_unlike_it_is_told_by_one_that_looks_like_it() -> None:
    """Its track went on with a hand that was drawn back over the frame (simulated world 1392)."""
    hand = flown((0.0, 0.0), (0.0, 180.0), (0.0, BOARD.half + 20.0))
    fell = flown(*((-20.0 * i, -20.0 * i) for i in range(18)))
    ended = ends(PROFILE, [hand, fell], 5.0)
    assert [m.fate for _, m in ended] == [CensusFate.OFF_BOARD, CensusFate.POCKETED]
    assert explain([(COIN, hand)], ended, lambda piece, track: 4.2 if track is hand else 0.6) == [(0, 1)]
    assert explain([(COIN, hand)], ended, lambda piece, track: 3.0 if track is hand else 0.6) == [(0, 0)]


def test_a_piece_that_was_only_seen_where_it_lay_before_a_pocket_tells_no_fall_of_another() -> None:
    """It was hit away from there and found again (simulated world 1413)."""
    lay = flown((HOLE - 30.0, HOLE - 30.0))
    ended = ends(PROFILE, [lay], 5.0)
    assert [m.fate for _, m in ended] == [CensusFate.POCKETED]
    assert explain([(Piece(Kind.WHITE, 47.0, 0.0), None)], ended, strange) == []
    assert explain([(COIN, lay)], ended, strange) == [(0, 0)]


def test_a_coin_lost_on_its_way_is_told_the_pocket_that_its_whole_course_leads_to() -> None:
    """Its last sightings lie close together: a few millimetres of jitter turn them by many degrees."""
    step = (HOLE - 20.0) / 8
    way = [(20.0 + i * step, 20.0 + i * step) for i in range(5)]
    x, y = way[-1]
    lost = flown(*way, (x + 4.0, y + 1.0), (x + 7.0, y + 3.0))
    told = fate(PROFILE, COIN, lost, 9.0)
    assert (told.fate, told.pocket) == (CensusFate.UNKNOWN, Pocket.NE)


def test_what_came_in_over_the_frame_and_went_out_again_is_no_coin_that_left_the_board() -> None:
    finger = flown((-125.0, -BOARD.half - 7.0), (-127.0, -311.0), (-138.0, -329.0), (-161.0, -BOARD.half - 42.0))
    assert fate(PROFILE, COIN, finger, 9.0).fate is CensusFate.UNKNOWN
