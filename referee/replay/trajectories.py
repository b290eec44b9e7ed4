"""Measures the trajectories of moving discs once a stroke is over: each detection by its outline, or left out.

During the stroke discs are tracked by the centres of whatever differs from the bare board: walls, shadows and
neighbours shift those. Afterwards there is time to measure precisely, to search for discs between two detections, and
to go back from where each came to rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from calibration.geometry.camera import F64
from models.pieces import Kind, Piece
from referee.replay.interpolate import FRAME_S
from referee.replay.refine_discs import DiscGuess, DiscMeasurement, DiscMeasurer
from referee.replay.tiles import FrameTiles
from referee.tracking.tracker import Track

FIT_SURE_MM, FIT_ALIKE = 0.6, 6.0
"""Greatest sigma (mm) and greatest colour distance from its kind (standard deviations) of a valid measurement."""
LED_SURE_MM, FIT_LED_MM = 0.4, 2.5
"""Greatest sigma, and greatest distance from the predicted place, of a valid measurement where the disc was not
tracked: only its edges show that it is there."""
FIT_ASIDE_MM = 5.0
"""Greatest distance of a measured disc from its tracked place: farther is something else."""
SLOW_MM = 4.0
"""Greatest step from frame to frame of a disc with hardly any motion blur."""
FIT_RESTS_MM, REST_TEST_FRAMES = 0.6, 6
"""FIT_RESTS_MM: greatest distance of a disc at rest from where it lies at the end. REST_TEST_FRAMES: number of frames
from one test of that to the next."""
FIT_GAP_S, MISSES = 0.12, 3
"""FIT_GAP_S: time from its last measurement up to which a disc is searched for, in seconds. MISSES: number of misses
that end the search."""
PREDICTION_MEASUREMENTS = 3
"""Measurements on each side from which a disc's place is predicted."""
FIT_WINDOW = 7
"""Number of consecutive measurements through which a smooth path is fitted."""
SMOOTH_MM, LEAST_MM_S = 0.5, 150.0
"""SMOOTH_MM: greatest RMS distance of a measurement from a smooth path. LEAST_MM_S: least speed of a disc that does not
come to rest as a piece; of 60 slower places on rendered clips 46 were prints and glints, of 5602 faster ones 21."""
FIT_SAME_DISC_MM, LEAST_SHARED = 15.0, 3
"""FIT_SAME_DISC_MM: greatest distance between two centres of the same disc. LEAST_SHARED: least number of shared
detections of two trajectories of the same disc."""

SOON_S, FIT_LATE_S, FIT_SLOWEST_MM_S = 0.05, 0.15, 20.0
"""SOON_S: time after a piece was missed within which a disc that appears is that piece. FIT_LATE_S: greatest delay of
noticing the miss. FIT_SLOWEST_MM_S: least speed of a disc that leaves its place."""

STRAY_RANK = 2
"""Rank of a trajectory that neither starts where a piece lay nor ends where one came to rest."""

Cutouts = Sequence[FrameTiles]
Wanted = dict[float, list[tuple["DiscTrajectory", float, float]]]


@dataclass(slots=True, eq=False)
class DiscTrajectory:
    """Trajectory of one disc: its detections, with a fix for each that was measured."""

    kind: Kind
    rank: int
    """How surely it is a piece's: 0 ends where one came to rest, 1 starts where one lay or is the striker's, 2
    neither."""
    followed: dict[float, tuple[float, float]] = field(default_factory=dict)
    """Tracked places, mm, by time (s)."""
    fixes: dict[float, DiscMeasurement] = field(default_factory=dict)
    home: Piece | None = None
    """Piece as it lay before."""
    missed: float = math.inf
    """Time (s) at which the vision first missed it there."""
    rests: Piece | None = None
    """Piece as it came to rest."""
    since: float = math.inf
    """Time (s) since which it has rested there."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Place on a trajectory."""

    t: float
    way: int
    """Index of the trajectory."""
    x: float
    y: float
    sigma: float
    """RMS distance (mm) of the measured places around it from a smooth path."""


def measured(tracks: Sequence[tuple[Track, Kind]], arrived: Sequence[Piece], cutouts: Cutouts,
             measurer: DiscMeasurer) -> list[DiscTrajectory]:  # fmt: skip
    """Returns the trajectories of all discs that were tracked or came to rest elsewhere."""
    rests = _rests(arrived, cutouts, measurer)
    _seek(rests, cutouts[::-1], measurer)
    ways = [_trajectory(track, kind) for track, kind in tracks]
    by_time = {cutout.t: cutout for cutout in cutouts}
    slow, fast = _by_speed(ways)
    _fix(rests, slow, by_time, measurer, {})
    _fix([*rests, *ways], fast, by_time, measurer, _drawn_aside(ways))
    ways = _joined(rests, ways)
    _seek(ways, cutouts, measurer)
    _seek(ways, cutouts[::-1], measurer)
    return ways


def _rests(arrived: Sequence[Piece], cutouts: Cutouts, measurer: DiscMeasurer) -> list[DiscTrajectory]:
    """Returns trajectories that end where pieces came to rest, with the time since which they have rested there."""
    ways = [DiscTrajectory(piece.kind, 0, rests=piece) for piece in arrived]
    guesses = [DiscGuess(piece.kind, piece.x_mm, piece.y_mm) for piece in arrived]
    before = [math.inf] * len(ways)
    wanted = [(i, cutout, guess) for cutout in cutouts[::-REST_TEST_FRAMES] for i, guess in enumerate(guesses)]
    fixes = measurer.refine([(cutout, guess) for _, cutout, guess in wanted])
    for (i, cutout, guess), fix in zip(wanted, fixes, strict=True):
        if is_consistent(guess, fix, FIT_RESTS_MM, LED_SURE_MM):
            # The earliest of these may be of a disc that still creeps, so the one after it counts.
            ways[i].since, before[i] = before[i], cutout.t
    for way, guess in zip(ways, guesses, strict=True):
        here = DiscMeasurement(guess.x, guess.y, 0.0, 0.0, guess.kind)
        way.fixes = {cutout.t: here for cutout in cutouts if cutout.t >= way.since}
    return ways


def _trajectory(track: Track, kind: Kind) -> DiscTrajectory:
    """Returns the trajectory of a track, without the place where its piece lay, which is no detection."""
    first = 0 if track.home is None else 1
    sure = track.home is not None or track.kind is Kind.STRIKER
    followed = dict(zip(track.times[first:], track.places[first:], strict=True))
    return DiscTrajectory(kind, 1 if sure else STRAY_RANK, followed, home=track.home, missed=track.times[0])


def _by_speed(ways: Sequence[DiscTrajectory]) -> tuple[Wanted, Wanted]:
    """Returns detections by time: those of discs that move little from frame to frame, and all others."""
    slow: Wanted = {}
    fast: Wanted = {}
    for way in ways:
        steps = [math.dist(a, b) for a, b in pairwise(way.followed.values())]
        for (t, (x, y)), before, after in zip(way.followed.items(), [0.0, *steps], [*steps, 0.0], strict=False):
            (slow if max(before, after) < SLOW_MM else fast).setdefault(t, []).append((way, x, y))
    return slow, fast


def _fix(known: Sequence[DiscTrajectory], wanted: Wanted, cutouts: Mapping[float, FrameTiles], measurer: DiscMeasurer,
         aside: Mapping[Kind, tuple[float, float]]) -> None:  # fmt: skip
    """Measures the `wanted` discs, except at the discs `known` there. `aside`: shift of each kind by shadows (mm)."""
    guesses = []
    for t, sought in wanted.items():
        if (cutout := cutouts.get(t)) is None:
            continue
        here = [(fix.x, fix.y) for way in known if (fix := way.fixes.get(t))]
        for way, x, y in sought:
            dx, dy = aside.get(way.kind, (0.0, 0.0))
            if all(math.dist((x - dx, y - dy), other) > FIT_SAME_DISC_MM for other in here):
                guesses.append((way, cutout, DiscGuess(way.kind, x - dx, y - dy)))
    fixes = measurer.refine([(cutout, guess) for _, cutout, guess in guesses])
    for (way, cutout, guess), fix in zip(guesses, fixes, strict=True):
        if is_consistent(guess, fix, FIT_ASIDE_MM, FIT_SURE_MM):
            way.fixes[cutout.t] = fix


def _joined(rests: Sequence[DiscTrajectory], ways: Sequence[DiscTrajectory]) -> list[DiscTrajectory]:
    """Returns all trajectories; that of a tracked disc is joined with that of the place where it came to rest."""
    left = list(ways)
    for rest in rests:
        shared = [(sum(_is_at(rest, t, place) for t, place in way.followed.items()), way) for way in left
                  if way.kind is rest.kind]  # fmt: skip
        most, way = max(shared, key=lambda s: s[0], default=(0, None))
        if way is not None and most >= LEAST_SHARED:
            rest.home, rest.missed = way.home, way.missed
            rest.followed, rest.fixes = way.followed, way.fixes | rest.fixes
            left.remove(way)
    return [*rests, *left]


def _is_at(way: DiscTrajectory, t: float, place: tuple[float, float]) -> bool:
    """Tells whether a trajectory's disc was measured near a place (mm) at t."""
    fix = way.fixes.get(t)
    return fix is not None and math.dist((fix.x, fix.y), place) <= FIT_SAME_DISC_MM


def is_consistent(guess: DiscGuess, fix: DiscMeasurement, aside_mm: float, sure_mm: float) -> bool:
    """Tells whether a disc of that kind is there: near the guess, measured precisely, and of the kind's colour."""
    if fix.sigma > sure_mm or fix.strange > FIT_ALIKE or fix.likeliest not in (guess.kind, None):
        return False
    return math.dist((guess.x, guess.y), (fix.x, fix.y)) <= aside_mm


def _drawn_aside(ways: Sequence[DiscTrajectory]) -> dict[Kind, tuple[float, float]]:
    """Returns the shift (x, y mm) by walls and shadows of the tracked places of each kind."""
    found: dict[Kind, list[tuple[float, float]]] = {}
    for way in ways:
        off = [(way.followed[t][0] - fix.x, way.followed[t][1] - fix.y) for t, fix in way.fixes.items()]
        found.setdefault(way.kind, []).extend(off)
    return {kind: (float(np.median([x for x, _ in off])), float(np.median([y for _, y in off])))
            for kind, off in found.items() if off}  # fmt: skip


class _Walk:
    """Search for a disc, frame by frame, where its last measurements predict it."""

    def __init__(self, way: DiscTrajectory, cutouts: Iterable[FrameTiles], within_mm: float) -> None:
        self._way, self._cutouts, self._missed, self._within_mm = way, iter(cutouts), 0, within_mm

    def next(self) -> tuple[FrameTiles, DiscGuess] | None:
        """Returns the next frame to be searched and the predicted place; None at the end of the search."""
        for cutout in self._cutouts:
            if cutout.t in self._way.fixes:
                self._missed = 0
            elif self._missed < MISSES and (guess := led(self._way, cutout.t, self._within_mm)):
                self._missed += 1
                return cutout, guess
        return None

    def add(self, t: float, fix: DiscMeasurement) -> None:
        """Records the measurement in the frame of time t."""
        self._way.fixes[t], self._missed = fix, 0


def _seek(ways: Sequence[DiscTrajectory], cutouts: Sequence[FrameTiles], measurer: DiscMeasurer) -> None:
    """Searches the frames, in the given order, for each disc; one step of all discs is measured together."""
    walks = [_Walk(way, cutouts, measurer.within_mm) for way in ways]
    while steps := [(walk, *step) for walk in walks if (step := walk.next())]:
        fixes = measurer.refine([(cutout, guess) for _, cutout, guess in steps])
        for (walk, cutout, guess), fix in zip(steps, fixes, strict=True):
            if is_consistent(guess, fix, FIT_LED_MM, LED_SURE_MM):
                walk.add(cutout.t, fix)


def led(way: DiscTrajectory, t: float, within_mm: float) -> DiscGuess | None:
    """Returns the place at t predicted by the nearest measurements on each side; None if they are too far.

    Measurements whose times hardly differ lead anywhere: None too where that is beyond `within_mm` of an axis.
    """
    near = sorted((s for s in way.fixes if abs(s - t) <= FIT_GAP_S), key=lambda s: abs(s - t))
    before, after = (
        [s for s in near if s < t][:PREDICTION_MEASUREMENTS],
        [s for s in near if s > t][:PREDICTION_MEASUREMENTS],
    )
    used = [*before[:2], *after[:2]] if before and after else before or after
    if len(used) < 2:
        return None
    places = np.array([(way.fixes[s].x, way.fixes[s].y) for s in used])
    line = np.column_stack([np.ones(len(used)), np.array(used) - t])
    x, y = np.linalg.lstsq(line, places, rcond=None)[0][0].tolist()
    return DiscGuess(way.kind, x, y) if max(abs(x), abs(y)) <= within_mm else None


def departure_time(way: DiscTrajectory) -> float:
    """Returns the earliest time (s) at which a disc may have left its home: its first detections are extrapolated back.

    It was never slower before. If it was first detected long after it was missed at home, it may be another disc; then
    the time of the miss, less its greatest delay, is returned.
    """
    places = way.followed | {t: (fix.x, fix.y) for t, fix in way.fixes.items() if t < way.since}
    first, *later = sorted(places)[:PREDICTION_MEASUREMENTS] or [math.inf]
    if way.home is None or not later or first - way.missed > SOON_S:
        return way.missed - FIT_LATE_S
    speed = max(math.dist(places[first], places[t]) / (t - first) for t in later)
    way_mm = math.dist(way.home.place, places[first])
    return min(way.missed, first - way_mm / max(speed, FIT_SLOWEST_MM_S)) - FRAME_S


def smoothed(ways: Sequence[DiscTrajectory]) -> Iterator[Spot]:
    """Yields the measurements before the rest, moved to the smoothest path through each.

    Those on no path are left out.
    """
    for number, way in enumerate(ways):
        times = np.array(sorted(way.fixes))
        places = np.array([(way.fixes[t].x, way.fixes[t].y) for t in times.tolist()]).reshape(-1, 2)
        smooth, scatter = _on_way(times, places)
        for i in np.flatnonzero((times < way.since) & (scatter <= SMOOTH_MM)).tolist():
            if way.rests is not None or _is_moving(times, places, i):
                x, y = smooth[i].tolist()
                yield Spot(float(times[i]), number, x, y, float(scatter[i]))


def _is_moving(times: F64, places: F64, i: int) -> bool:
    """Tells whether a disc moves at its measurement i."""
    near = (np.abs(times - times[i]) <= FIT_GAP_S / 2) & (times != times[i])
    speeds = np.hypot(*(places[near] - places[i]).T) / np.abs(times[near] - times[i])
    return bool(len(speeds) and np.median(speeds) >= LEAST_MM_S)


def _on_way(times: F64, places: F64) -> tuple[F64, F64]:
    """Returns each measurement's place (n, 2) on the smoothest piece of path through it, and the RMS distance (n,), mm.

    `times` (n,), `places` (n, 2). Pieces are parabolas through FIT_WINDOW consecutive measurements; the distance is
    infinite where there is none.
    """
    smooth, least = np.full(places.shape, math.nan), np.full(len(times), math.inf)
    which = np.arange(max(0, len(times) - FIT_WINDOW + 1))[:, None] + np.arange(FIT_WINDOW)
    at, some = times[which] - times[which[:, :1]], places[which]
    across = np.linalg.qr(np.stack([np.ones_like(at), at, at**2], -1))[0]
    curves = across @ (across.transpose(0, 2, 1) @ some)
    scatter = np.sqrt(((curves - some) ** 2).sum((1, 2)) / (2 * (FIT_WINDOW - 3)))
    scatter[at[:, -1] > 2 * FIT_GAP_S] = math.inf
    for k in range(FIT_WINDOW):
        fixes = which[:, k]
        better = scatter < least[fixes]
        smooth[fixes[better]], least[fixes[better]] = curves[better, k], scatter[better]
    return smooth, least
