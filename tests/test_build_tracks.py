"""Tracks told again after the stroke: what is drawn lies on the disc that is there, else nothing is drawn."""

from __future__ import annotations

import math
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from sim_clips import FPS, LAST, QUIET, SIZE

from calibration.geometry.picture import Picture
from calibration.profile import Profile, load_profile
from models.pieces import Kind, Piece
from referee.foreground.background import BackgroundModel
from referee.replay.interpolate import interpolated, pieces_at
from referee.replay.match_folder import MatchFolder
from referee.replay.refine_discs import DiscMeasurement
from referee.replay.store import Replay
from referee.replay.tiles import TileCutter
from referee.replay.tracks import DISC, HAND, LYING, PLACED, TRACKS_LETTERS, VERSION, Tracks
from referee.replay.trajectories import DiscTrajectory, departure_time, led, smoothed
from referee.sim.scene import Scene, Where
from referee.sim.script import MatchConditions
from referee.sim.source import SimSource

COIN_MM, NEAR_PX = 8.0, 2.0


@pytest.fixture(scope="module")
def world() -> tuple[SimSource, list[Scene]]:
    """What really happened in the recorded clip, frame by frame."""
    sim = SimSource(width=SIZE[0], height=SIZE[1], manner=MatchConditions(tempo=0.4))
    return sim, list(islice(sim.scenes(), LAST))[QUIET:]


@pytest.fixture(scope="module")
def profile(profile_file: Path) -> Profile:
    return load_profile(profile_file)


@pytest.fixture(scope="module")
def tracks(kept: MatchFolder) -> Tracks:
    return Replay(kept.log).tracks(1)


def test_every_ring_of_every_frame_lies_within_two_pixels_of_a_piece_of_its_kind(
    world: tuple[SimSource, list[Scene]], tracks: Tracks, kept: MatchFolder
) -> None:
    sim, scenes = world
    strike = Replay(kept.log).strokes[1].line["t_strike"]
    drawn, missed = 0, 0
    for i, scene in enumerate(scenes):
        shown = pieces_at(tracks, i / FPS, strike)
        on = np.array([where is Where.BOARD for where in scene.where])
        letters = np.array([TRACKS_LETTERS[kind] for kind in scene.kinds])
        true = sim.camera.to_pixels(scene.pos_mm, COIN_MM)
        for p in shown:
            off = np.hypot(*(true - sim.camera.to_pixels([(p.x, p.y)], COIN_MM)).T)
            assert off[on & (letters == p.kind)].min() < NEAR_PX or not p.sure, (i, p)
        drawn += len(shown)
        missed += max(0, int(on.sum()) - len(shown))
    assert missed < 0.25 * drawn


def test_no_piece_lies_and_moves_at_once(tracks: Tracks) -> None:
    for t in np.arange(tracks.span[0], tracks.span[1], 1 / FPS):
        places = np.array([(p.x, p.y) for p in pieces_at(tracks, float(t), 0.0)]).reshape(-1, 2)
        apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1)) + 99 * np.eye(len(places))
        assert apart.min(initial=99.0) > 20.0


def test_where_a_disc_was_not_seen_for_long_it_is_not_drawn() -> None:
    rows = np.array([(1.0, 1, b"W", 0, 0, 0.1), (1.04, 1, b"W", 8, -4, 0.4), (2.0, 1, b"W", 10, -20, 0.1)], DISC)
    here = interpolated(rows, 1.02)
    assert here is not None
    assert (here.x, here.y, here.sure) == (pytest.approx(4.0), pytest.approx(-2.0), False)
    assert interpolated(rows, 1.0) is not None
    assert interpolated(rows, 1.5) is None
    assert interpolated(rows, 0.9) is None
    assert interpolated(rows, 2.1) is None


def test_a_cutout_is_the_picture_where_something_differs_and_nothing_elsewhere(profile: Profile) -> None:
    rng = np.random.default_rng(1)
    planes = [rng.integers(1, 255, (SIZE[1] >> half, SIZE[0] >> half), np.uint8) for half in (0, 1, 1)]
    lattice = BackgroundModel(profile).lattice
    where = np.zeros(lattice.shape, np.uint8)
    where[lattice.disc_cells(50.0, -20.0, 15.0)] = 255
    cutout = TileCutter(profile.camera, lattice).cut(Picture(*planes), 1.0, 1.0, where)
    assert cutout is not None
    picture = cutout.picture(*SIZE)
    column, row = np.rint(profile.camera.to_pixels([(50.0, -20.0)], 8.0)[0]).astype(int)
    assert np.array_equal(picture.y[row - 6 : row + 6, column - 6 : column + 6],
                          planes[0][row - 6 : row + 6, column - 6 : column + 6])  # fmt: skip
    assert picture.y[0].max() == 0
    assert cutout.size < sum(plane.size for plane in planes) / 10


def test_the_tiles_of_a_cutout_are_those_that_show_it_and_their_neighbours(profile: Profile) -> None:
    rng = np.random.default_rng(2)
    planes = [rng.integers(0, 256, (SIZE[1] >> half, SIZE[0] >> half), np.uint8) for half in (0, 1, 1)]
    lattice = BackgroundModel(profile).lattice
    where = np.zeros(lattice.shape, np.uint8)
    where[lattice.disc_cells(-120.0, 200.0, 16.0)] = where[lattice.disc_cells(300.0, -310.0, 21.0)] = 255
    cutout = TileCutter(profile.camera, lattice).cut(Picture(*planes), 1.0, 1.0, where)
    assert cutout is not None
    side = cutout.y.shape[1]
    rows, columns = SIZE[1] // side, SIZE[0] // side
    x, y = (plane[where > 0] for plane in lattice.points())
    shown = profile.camera.to_pixels(np.column_stack([x, y]), lattice.z)
    first = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), -1).reshape(-1, 1, 2) * side
    beyond = np.maximum(np.maximum(first - shown, shown - (first + side - 1)), 0.0)
    away = np.hypot(*beyond.transpose(2, 0, 1)).min(1) / float(profile.camera.px_per_mm(z=lattice.z)[0])
    kept = set(cutout.numbers.tolist())
    assert kept >= set(np.flatnonzero(away < 8.0).tolist()), "of a pale coin often only a part differs"
    assert kept.isdisjoint(np.flatnonzero(away > 60.0).tolist())
    for plane, tiles in zip(planes, (cutout.y, cutout.u, cutout.v), strict=True):
        side = tiles.shape[1]
        for number, tile in zip(cutout.numbers.tolist(), tiles, strict=True):
            row, column = divmod(number, columns)
            np.testing.assert_array_equal(tile, plane[row * side :, column * side :][:side, :side])


def test_nothing_is_no_cutout(profile: Profile) -> None:
    lattice = BackgroundModel(profile).lattice
    where = np.zeros(lattice.shape, np.uint8)
    blank = Picture(*(np.zeros((SIZE[1] >> half, SIZE[0] >> half), np.uint8) for half in (0, 1, 1)))
    assert TileCutter(profile.camera, lattice).cut(blank, 0.0, 1.0, where) is None


def test_a_place_off_a_smooth_way_is_left_out_and_what_stands_still_is_no_disc() -> None:
    line = {i / 60: DiscMeasurement(10.0 * i, 0.0, 0.2, 0.0, Kind.WHITE) for i in range(12)}
    smooth = list(smoothed([DiscTrajectory(Kind.WHITE, 1, fixes=line)]))
    assert [round(s.x) for s in smooth] == [10 * i for i in range(12)]
    assert max(s.sigma for s in smooth) < 0.01
    jagged = {t: DiscMeasurement(fix.x, 9.0 * (i % 3), 0.2, 0.0, Kind.WHITE) for i, (t, fix) in enumerate(line.items())}
    assert not list(smoothed([DiscTrajectory(Kind.WHITE, 1, fixes=jagged)]))
    still = {t: DiscMeasurement(5.0, 5.0, 0.2, 0.0, Kind.WHITE) for t in line}
    assert not list(smoothed([DiscTrajectory(Kind.WHITE, 1, fixes=still)]))


def test_the_smoothest_parabola_through_a_fix_is_the_one_of_least_squares() -> None:
    """Of those through seven fixes in a row; none leads over half a second in which the disc was not seen."""
    rng = np.random.default_rng(5)
    times = np.cumsum(rng.uniform(1 / 120, 1 / 60, 30) + 0.5 * (np.arange(30) == 18))
    places = 400.0 * np.column_stack([times, times**2]) + rng.normal(0.0, 0.1, (30, 2))
    fixes = {
        t: DiscMeasurement(x, y, 0.2, 0.0, Kind.WHITE)
        for t, (x, y) in zip(times.tolist(), places.tolist(), strict=True)
    }
    told = {spot.t: spot for spot in smoothed([DiscTrajectory(Kind.WHITE, 1, fixes=fixes)])}
    for i, t in enumerate(times.tolist()):
        fits = []
        for first in range(max(0, i - 6), min(i, len(times) - 7) + 1):
            at, some = times[first : first + 7] - t, places[first : first + 7]
            curve = np.column_stack([np.ones(7), at, at**2])
            found = np.linalg.lstsq(curve, some, rcond=None)[0]
            if at[-1] - at[0] < 0.5:
                fits.append((math.sqrt(((curve @ found - some) ** 2).sum() / 8), *found[0].tolist()))
        assert (t in told) == bool(fits)
        if fits:
            assert (told[t].sigma, told[t].x, told[t].y) == pytest.approx(min(fits), abs=1e-6)


def test_a_disc_left_when_its_first_sightings_lead_back_home_though_it_was_missed_later() -> None:
    home = Piece(Kind.WHITE, 0.0, 0.0)
    seen = {0.16 + i / 60: (60.0 + 10.0 * i, 0.0) for i in range(4)}
    assert departure_time(DiscTrajectory(Kind.WHITE, 1, seen, home=home, missed=0.15)) == pytest.approx(0.04)
    long_after = {t + 0.3: place for t, place in seen.items()}
    assert departure_time(DiscTrajectory(Kind.WHITE, 1, long_after, home=home, missed=0.15)) == pytest.approx(0.0)


def test_times_that_hardly_differ_lead_no_disc_off_the_board() -> None:
    """A driver's stamps were 1 us apart: a fifth of a millimetre led a search 20 m away, into pictures of petabytes."""
    fixes = {t: DiscMeasurement(100.0 + x, 0.0, 0.2, 0.0, Kind.WHITE) for t, x in ((1.0, 0.0), (1.000001, 0.2))}
    assert led(DiscTrajectory(Kind.WHITE, 1, fixes=fixes), 1.1, 450.0) is None
    apart = {1.0: fixes[1.0], 1.02: fixes[1.000001]}
    guess = led(DiscTrajectory(Kind.WHITE, 1, fixes=apart), 1.04, 450.0)
    assert guess is not None
    assert (guess.x, guess.y) == pytest.approx((100.4, 0.0))


def test_what_is_slow_and_comes_to_no_rest_is_a_print_or_a_glint() -> None:
    creeping = {i / 60: DiscMeasurement(1.0 * i, 0.0, 0.2, 0.0, Kind.WHITE) for i in range(12)}
    assert not list(smoothed([DiscTrajectory(Kind.WHITE, 1, fixes=creeping)]))
    assert list(smoothed([DiscTrajectory(Kind.WHITE, 0, fixes=creeping, rests=Piece(Kind.WHITE, 11.0, 0.0))]))


def still(placed: list[tuple[float, float]], hand_s: float) -> Tracks:
    """A coin in the middle over which a hand is at `hand_s`, and looks (s, x mm) at the striker."""
    square = [(-30, -30), (30, -30), (30, 30), (-30, 30)]
    return Tracks(
        version=np.array(VERSION), span=np.array([0.0, 2.0]), discs=np.zeros(0, DISC), changes=np.zeros(1),
        lying=np.array([(0, b"W", 0, 0), (0, b"S", 0, -250)][: 1 if placed else 2], LYING),
        placed=np.array([(t, x, -250.0, 0.1) for t, x in placed], PLACED),
        hands=np.array([(hand_s, 0, x, y) for x, y in square], HAND))  # fmt: skip


def test_a_coin_that_a_hand_was_over_is_in_doubt_for_a_moment_and_after_the_tracks_end() -> None:
    tracks = still([], 1.0)
    told = {t: [(p.kind, p.sure) for p in pieces_at(tracks, t, 1.9)] for t in (0.9, 1.0, 1.3, 1.6, 2.1)}
    assert told[0.9] == told[1.6] == [(b"W", True), (b"S", True)]
    assert told[1.0] == [(b"S", True)]
    assert told[1.3] == [(b"W", False), (b"S", True)]
    assert told[2.1] == [(b"W", False)]


def test_the_striker_is_sure_between_two_looks_that_tell_of_one_place() -> None:
    tracks = still([(0.5, 10.0), (0.6, 10.1), (0.7, 40.0)], 1.9)

    def striker(t: float) -> list[bool]:
        return [p.sure for p in pieces_at(tracks, t, 1.5) if p.kind == b"S"]

    assert [striker(t) for t in (0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.9)] == [
        [], [True], [True], [True], [False], [False], [False], []]  # fmt: skip
