"""Tracks: who each moving blob is, through speed, knocks and crossings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from calibration.profile import Colour
from models.pieces import Kind, Piece
from referee.foreground.segmentation import Blob
from referee.tracking.tracker import Track, Tracker

HALF = 370.0
DT = 1 / 30
PALE, DARK = (105.0, -6.0, 4.0), (25.0, 0.0, 0.0)
LOOKS = {Kind.WHITE: Colour(PALE, (6.0, 2.0, 2.5)), Kind.BLACK: Colour(DARK, (6.0, 2.0, 2.5))}


def blob(x: float, y: float, tint: tuple[float, float, float] = PALE) -> Blob:
    return Blob(x, y, 755.0, tint)


def tracker() -> Tracker:
    return Tracker(LOOKS, HALF)


def released(watch: Tracker, kind: Kind, x: float, y: float) -> Track:
    return watch.release(0.0, Piece(kind, x, y))


@pytest.mark.parametrize("speed", [300.0, 1500.0, 4000.0, 6000.0])
def test_a_coin_keeps_its_track_at_any_speed(speed: float) -> None:
    watch = tracker()
    track = released(watch, Kind.WHITE, -350.0, 0.0)
    steps = min(12, int(700.0 / (speed * DT)))
    for i in range(1, steps + 1):
        assert watch.update(i * DT, [blob(-350.0 + i * speed * DT, 0.0)]) == []
    assert watch.live == [track]
    assert track.place[0] == pytest.approx(-350.0 + steps * speed * DT)
    assert track.speed == pytest.approx(speed, rel=0.01)


def test_a_coin_that_slows_down_keeps_its_track() -> None:
    watch = tracker()
    track = released(watch, Kind.WHITE, -300.0, 0.0)
    x, speed, t = -300.0, 2000.0, 0.0
    while speed > 0:
        t, x, speed = t + DT, x + speed * DT, speed - 4000.0 * DT
        assert watch.update(t, [blob(x, 0.0)]) == []
    assert track.place == (pytest.approx(x), 0.0)


def test_a_coin_that_bounces_off_the_cushion_keeps_its_track() -> None:
    watch = tracker()
    track = released(watch, Kind.BLACK, 200.0, 0.0)
    for i, x in enumerate((267.0, 334.0, 325.0, 268.0, 211.0), 1):
        assert watch.update(i * DT, [blob(x, 0.0, DARK)]) == []
    assert track.place == (211.0, 0.0)
    assert track.velocity[0] < -1000


@pytest.mark.parametrize("restitution", [0.5, 0.7, 0.9])
def test_a_coin_unseen_while_it_bounces_keeps_its_track(restitution: float) -> None:
    """Three frames at 5 m/s: in a pocket's shade, or merged with another piece."""
    watch, speed, dt, wall = tracker(), 5000.0, 1 / 60, HALF - 15.5
    track = released(watch, Kind.WHITE, 0.0, 300.0)
    for i in range(1, 4):
        assert watch.update(i * dt, [blob(-i * speed * dt, 300.0)]) == []
    beyond = 6 * speed * dt - wall
    x = -wall + restitution * beyond
    assert watch.update(6 * dt, [blob(x, 300.0)]) == []
    assert track.place == (x, 300.0)


@given(angle=st.floats(0.5, math.pi - 0.5), speed=st.floats(500, 3500), late=st.floats(0.25, 0.75), swap=st.booleans())
def test_two_coins_of_one_colour_that_cross_are_not_swapped(angle: float, speed: float, late: float,
                                                            swap: bool) -> None:  # fmt: skip
    watch = tracker()
    ways = [(1.0, 0.0), (math.cos(angle), math.sin(angle))]
    step = speed * DT
    starts = [(-3 * step * x, -3 * step * y) for x, y in ways]
    starts[1] = (starts[1][0] - late * step * ways[1][0], starts[1][1] - late * step * ways[1][1])
    tracks = [released(watch, Kind.WHITE, *s) for s in starts]
    for i in range(1, 7):
        now = [(s[0] + i * step * w[0], s[1] + i * step * w[1]) for s, w in zip(starts, ways, strict=True)]
        blobs = [blob(*p) for p in now]
        assert watch.update(i * DT, blobs[::-1] if swap else blobs) == []
        if i > 1:
            assert [t.place for t in tracks] == now


def test_of_two_near_blobs_each_goes_to_the_piece_that_it_looks_like() -> None:
    watch = tracker()
    white, black = released(watch, Kind.WHITE, -10.0, 0.0), released(watch, Kind.BLACK, 10.0, 0.0)
    watch.update(DT, [blob(-18.0, 60.0, DARK), blob(16.0, 62.0, PALE)])
    assert (white.place, black.place) == ((16.0, 62.0), (-18.0, 60.0))


def test_blobs_that_no_track_explains_are_given_back() -> None:
    watch = tracker()
    track = released(watch, Kind.WHITE, 0.0, 0.0)
    for i in (1, 2, 3):
        watch.update(i * DT, [blob(10.0 * i, 0.0)])
    stray = blob(-300.0, 250.0)
    assert watch.update(4 * DT, [blob(40.0, 0.0), stray]) == [stray]
    assert track.place == (40.0, 0.0)


def test_a_track_unseen_for_a_quarter_of_a_second_has_ended() -> None:
    watch = tracker()
    track = released(watch, Kind.WHITE, 0.0, 0.0)
    watch.update(DT, [blob(30.0, 0.0)])
    watch.update(DT + 0.2, [])
    assert watch.live == [track]
    watch.update(DT + 0.3, [])
    assert (watch.live, watch.ended) == ([], [track])


def test_a_gap_of_two_frames_loses_no_track() -> None:
    watch = tracker()
    track = released(watch, Kind.WHITE, -300.0, 100.0)
    for i in (1, 2, 3, 6, 7):
        assert watch.update(i * DT, [blob(-300.0 + 60.0 * i, 100.0)]) == []
    assert track.place == (120.0, 100.0)


def test_a_slow_coin_is_not_found_again_over_the_frame() -> None:
    watch = tracker()
    track = released(watch, Kind.WHITE, 340.0, 0.0)
    for i in (1, 2):
        watch.update(i * DT, [blob(340.0 + 3.0 * i, 0.0)])
    sleeve = blob(385.0, 0.0)
    assert watch.update(3 * DT, [sleeve]) == [sleeve]
    assert track.place == (346.0, 0.0)


def test_a_fast_coin_is_followed_over_the_frame() -> None:
    watch = tracker()
    track = released(watch, Kind.WHITE, 100.0, 0.0)
    for i in (1, 2, 3):
        assert watch.update(i * DT, [blob(100.0 + 100.0 * i, 0.0)]) == []
    assert track.place == (400.0, 0.0)


def test_a_disc_struck_unseen_under_a_hand_is_followed_though_it_seemed_slow() -> None:
    """At 30 frames a second it crosses a small board in three sightings (simulated world 1337)."""
    watch = tracker()
    striker = watch.adopt(0.0, blob(202.0, -179.0))
    assert watch.update(DT, [blob(202.0, -179.0)]) == []
    for i, x in ((6, 53.0), (7, -83.0), (8, -217.0)):
        assert watch.update(i * DT, [blob(x, -184.0)]) == []
    assert striker.places[-1] == (-217.0, -184.0)


def test_once_the_striker_flies_what_rested_unexplained_goes_off_nowhere() -> None:
    """What the striker's own place showed took up the queen that it drove off (simulated world 13742)."""
    watch = tracker()
    striker = released(watch, Kind.STRIKER, -187.0, 188.0)
    print_ = watch.adopt(-DT, blob(-121.0, 213.0))
    for i in range(1, 8):
        there = [blob(-121.0, 213.0)] if i < 3 else []
        assert watch.update(i * DT, [blob(-187.0 - 14.0 * i, 188.0 - 30.0 * i), *there]) == []
    coin = blob(-268.0, -38.0)
    assert watch.update(8 * DT, [blob(-295.0, -40.0), coin]) == [coin]
    assert (watch.live, watch.ended) == ([striker], [print_])


def test_a_tracks_look_is_told_from_its_sightings() -> None:
    watch = tracker()
    track = watch.adopt(0.0, blob(0.0, 0.0, DARK))
    for i in (1, 2):
        watch.update(i * DT, [blob(20.0 * i, 0.0, DARK)])
    assert watch.unlike(Kind.BLACK, track) < 1.0
    assert watch.unlike(Kind.WHITE, track) > 4.0


def test_a_settled_table_has_no_tracks() -> None:
    watch = tracker()
    released(watch, Kind.WHITE, 0.0, 0.0)
    watch.reset()
    assert (watch.live, watch.ended) == ([], [])


def test_a_piece_at_rest_does_not_leap_to_a_blob_that_is_plainly_of_another_kind() -> None:
    watch = tracker()
    white, other = released(watch, Kind.WHITE, 0.0, 0.0), blob(60.0, 0.0, DARK)
    assert watch.update(DT, [other]) == [other]
    assert watch.update(2 * DT, [blob(60.0, 0.0, (80.0, -4.0, 3.0))]) == []
    assert white.place == (60.0, 0.0), "a blurred white one may be it"


def test_a_blur_of_any_colour_on_its_way_is_a_disc_sooner_than_one_of_its_own_colour_aside() -> None:
    watch = tracker()
    track = released(watch, Kind.WHITE, -300.0, 0.0)
    for i in (1, 2, 3):
        watch.update(i * DT, [blob(-300.0 + 60.0 * i, 0.0)])
    watch.update(4 * DT, [blob(-60.0, 0.0, (30.0, 0.0, 60.0)), blob(-60.0, 65.0)])
    assert track.place == (-60.0, 0.0)


@given(seed=st.integers(0, 2**32 - 1), tracks=st.integers(1, 20), blobs=st.integers(1, 20))
@example(seed=683042521, tracks=13, blobs=4)
def test_what_a_pair_costs_does_not_depend_on_the_others(seed: int, tracks: int, blobs: int) -> None:
    """But for the fastest disc in flight, which tells how fast the others may be."""
    rng = np.random.default_rng(seed)
    watch, kinds = tracker(), (Kind.WHITE, Kind.BLACK, Kind.STRIKER, None)
    for _ in range(tracks):
        track = Track(1, kinds[rng.integers(4)], None, born=0.0)
        place, step = rng.uniform(-390, 390, 2), rng.uniform(-60, 60, 2)
        for i in range(rng.integers(1, 5)):
            track.add(float(i * DT), *(place + i * step + rng.normal(0, 3, 2)).tolist())
        watch.live.append(track)
    tints = [PALE, DARK, (60.0, 0.0, 30.0)]
    seen = [blob(*rng.uniform(-400, 400, 2).tolist(), tint=tints[rng.integers(3)]) for _ in range(blobs)]
    costs = watch.costs(5 * DT, seen)
    known = [k for k in watch.live if len(k.times) > 1]
    flying = [k for k in known if k.kind is Kind.STRIKER][:1]
    fastest = [max(known, key=lambda k: k.state[4])] if flying else []
    for track, row in zip(watch.live, costs, strict=True):
        alone = tracker()
        alone.live = [track, *flying, *fastest]
        np.testing.assert_allclose([alone.costs(5 * DT, [b])[0, 0] for b in seen], row)


def test_no_disc_in_flight_gets_faster_than_the_fastest_was() -> None:
    """The coin that a hard stroke drove off is first seen far ahead, where the striker seems to be heading."""
    watch = tracker()
    striker = released(watch, Kind.STRIKER, 133.0, -107.0)
    for i, (x, y) in enumerate([(165.0, 38.0), (197.0, 180.0)]):
        watch.update((i + 1) / 30, [blob(x, y)])
    coin = watch.release(2 / 30, Piece(Kind.WHITE, 228.0, 228.0))
    watch.update(3 / 30, [blob(331.0, 331.0), blob(192.0, 286.0)])
    assert striker.place == (192.0, 286.0)
    assert coin.place == (331.0, 331.0)


def test_a_frame_that_shows_nothing_new_is_as_one_with_the_same_blobs() -> None:
    seen, passed = tracker(), tracker()
    for watch in (seen, passed):
        released(watch, Kind.BLACK, 0.0, 0.0)
        lost = watch.adopt(0.0, blob(200.0, 0.0))
        lost.add(0.01, 201.0, 0.0)
        for i in range(1, 4):
            watch.update(i * DT, [blob(3.0 * i, 0.0, DARK), blob(-100.0, 50.0)])
            if i == 1:
                watch.adopt(i * DT, blob(-100.0, 50.0))
    for i in range(4, 14):
        seen.update(i * DT, [blob(9.0, 0.0, DARK), blob(-100.0, 50.0)])
        passed.repeat_last(i * DT)
    assert [(k.times, k.places, k.tints) for k in passed.live] == [(k.times, k.places, k.tints) for k in seen.live]
    assert [(k.times, k.places) for k in passed.ended] == [(k.times, k.places) for k in seen.ended]


def test_a_disc_that_turns_round_between_two_frames_is_followed_on() -> None:
    """What it went in that step tells neither its speed before nor after (simulated world 2796: at 4.2 m/s the striker
    seemed to go 11 mm, its track was lost, and the stroke with it).
    """
    watch, dt = tracker(), 1 / 60
    track = watch.adopt(0.0, blob(244.0, 101.0))
    ys = [170.0, 236.0, 304.0, 315.0, 268.0, 221.0]
    for i, y in enumerate(ys):
        watch.update((i + 1) * dt, [blob(251.0 + 7.0 * i, y)])
    assert [round(y) for _, y in track.places] == [101, *map(round, ys)]


def test_a_coin_that_leaps_off_the_board_may_seem_faster_than_the_striker_was() -> None:
    """Clip w94010: lost at once, a coin in the air was told as one that a hand had put back."""
    watch, way = tracker(), [(-40.0, 124.0), (47.0, 62.0), (134.0, 3.0), (209.0, -37.0), (266.0, -62.0)]
    released(watch, Kind.STRIKER, -127.0, 185.0)
    for i, place in enumerate(way[:3], 1):
        watch.update(i * DT, [blob(*place)])
    coin = watch.release(3 * DT, Piece(Kind.BLACK, 207.0, -67.0))
    watch.update(4 * DT, [blob(*way[3]), blob(239.0, -111.0, DARK)])
    watch.update(5 * DT, [blob(*way[4]), blob(336.0, -238.0, DARK)])
    assert coin.place == (336.0, -238.0)
