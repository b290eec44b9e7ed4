"""The ways of moving discs, measured once a stroke is over: each sighting by its outline, or left out.

While the board moves discs are followed by the middles of whatever differs from the bare board: walls, shadows and
neighbours draw those aside. Afterwards there is time to look closer, to seek discs where they must have been between
two sightings, and to go back from where each came to rest.
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
from referee.replay.refine_discs import Fix, Guess, Loupe
from referee.replay.tiles import Scrap
from referee.tracking.tracker import Track

FIT_SURE_MM, FIT_ALIKE = 0.6, 6.0
"""A fix with a greater sigma, or that looks less alike its kind (standard deviations), is none."""
LED_SURE_MM, FIT_LED_MM = 0.4, 2.5
"""The same where a disc was only led to, and how far from there: nothing but the edges says that it is there."""
FIT_ASIDE_MM = 5.0
"""A disc is found at most so far from where it was followed: farther is something else."""
SLOW_MM = 4.0
"""Steps from frame to frame up to which a disc is hardly smeared."""
FIT_RESTS_MM, STRIDE = 0.6, 6
"""A disc found so near to where it came to rest has come to rest; that is asked of every so many frames."""
FIT_GAP_S, MISSES = 0.12, 3
"""A disc is sought so long after its last fix, until it was not found so often."""
NEIGHBOURS = 3
"""Fixes on a side by which it is told where a disc must be."""
FIT_WINDOW = 7
"""Fixes about one that tell whether it lies on a smooth way."""
SMOOTH_MM, LEAST_MM_S = 0.5, 150.0
"""So far (mm, RMS) they scatter at most about a smooth way. What is slower and does not come to rest as a piece is
none: of 60 such places on rendered clips 46 were prints and glints, of faster ones 21 of 5602."""
FIT_SAME_DISC_MM, LEAST_SHARED = 15.0, 3
"""Discs whose middles are so near are one; two ways that share so many sightings are one disc's."""

SOON_S, FIT_LATE_S, FIT_SLOWEST_MM_S = 0.05, 0.15, 20.0
"""A disc seen so soon after it was missed is that one; it may be missed so late. None is slower where it leaves."""

STRAY = 2
"""The rank of a way that neither leads from a place where a piece lay nor to one where it came to rest."""

Scraps = Sequence[Scrap]
Wanted = dict[float, list[tuple["Way", float, float]]]


@dataclass(slots=True, eq=False)
class Way:
    """One disc's sightings; those that were measured have a fix."""

    kind: Kind
    rank: int
    """How surely it is a piece's: 0 leads to where one came to rest, 1 from where one lay, 2 neither."""
    followed: dict[float, tuple[float, float]] = field(default_factory=dict)
    """Where it was followed, mm, by time (s)."""
    fixes: dict[float, Fix] = field(default_factory=dict)
    home: Piece | None = None
    """Where it lay before."""
    missed: float = math.inf
    """When (s) the vision began to miss it there."""
    rests: Piece | None = None
    """Where it came to rest."""
    since: float = math.inf
    """Since when (s) it has rested there."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on a way."""

    t: float
    way: int
    """Index of the way."""
    x: float
    y: float
    sigma: float
    """How far (mm, RMS) the measured places about it scatter from a smooth way."""


def measured(tracks: Sequence[tuple[Track, Kind]], arrived: Sequence[Piece], scraps: Scraps,
             loupe: Loupe) -> list[Way]:  # fmt: skip
    """The ways of all discs that were followed or came to rest elsewhere."""
    rests = _rests(arrived, scraps, loupe)
    _seek(rests, scraps[::-1], loupe)
    ways = [_way(track, kind) for track, kind in tracks]
    by_time = {scrap.t: scrap for scrap in scraps}
    slow, fast = _by_speed(ways)
    _fix(rests, slow, by_time, loupe, {})
    _fix([*rests, *ways], fast, by_time, loupe, _drawn_aside(ways))
    ways = _joined(rests, ways)
    _seek(ways, scraps, loupe)
    _seek(ways, scraps[::-1], loupe)
    return ways


def _rests(arrived: Sequence[Piece], scraps: Scraps, loupe: Loupe) -> list[Way]:
    """Ways that end where pieces came to rest, and since when they have rested there."""
    ways = [Way(piece.kind, 0, rests=piece) for piece in arrived]
    guesses = [Guess(piece.kind, piece.x_mm, piece.y_mm) for piece in arrived]
    before = [math.inf] * len(ways)
    wanted = [(i, scrap, guess) for scrap in scraps[::-STRIDE] for i, guess in enumerate(guesses)]
    fixes = loupe.refine([(scrap, guess) for _, scrap, guess in wanted])
    for (i, scrap, guess), fix in zip(wanted, fixes, strict=True):
        if holds(guess, fix, FIT_RESTS_MM, LED_SURE_MM):
            # The earliest of these looks may be at a disc that still creeps, so the one after it counts.
            ways[i].since, before[i] = before[i], scrap.t
    for way, guess in zip(ways, guesses, strict=True):
        here = Fix(guess.x, guess.y, 0.0, 0.0, guess.kind)
        way.fixes = {scrap.t: here for scrap in scraps if scrap.t >= way.since}
    return ways


def _way(track: Track, kind: Kind) -> Way:
    """A track without the place where its piece lay, which is no sighting."""
    first = 0 if track.home is None else 1
    sure = track.home is not None or track.kind is Kind.STRIKER
    followed = dict(zip(track.times[first:], track.places[first:], strict=True))
    return Way(kind, 1 if sure else STRAY, followed, home=track.home, missed=track.times[0])


def _by_speed(ways: Sequence[Way]) -> tuple[Wanted, Wanted]:
    """Sightings by time, of discs that move little from frame to frame and of all others."""
    slow: Wanted = {}
    fast: Wanted = {}
    for way in ways:
        steps = [math.dist(a, b) for a, b in pairwise(way.followed.values())]
        for (t, (x, y)), before, after in zip(way.followed.items(), [0.0, *steps], [*steps, 0.0], strict=False):
            (slow if max(before, after) < SLOW_MM else fast).setdefault(t, []).append((way, x, y))
    return slow, fast


def _fix(known: Sequence[Way], wanted: Wanted, scraps: Mapping[float, Scrap], loupe: Loupe,
         aside: Mapping[Kind, tuple[float, float]]) -> None:  # fmt: skip
    """Measures what is `wanted` and none of the discs `known` there; `aside` is how far shadows draw each kind."""
    guesses = []
    for t, sought in wanted.items():
        if (scrap := scraps.get(t)) is None:
            continue
        here = [(fix.x, fix.y) for way in known if (fix := way.fixes.get(t))]
        for way, x, y in sought:
            dx, dy = aside.get(way.kind, (0.0, 0.0))
            if all(math.dist((x - dx, y - dy), other) > FIT_SAME_DISC_MM for other in here):
                guesses.append((way, scrap, Guess(way.kind, x - dx, y - dy)))
    fixes = loupe.refine([(scrap, guess) for _, scrap, guess in guesses])
    for (way, scrap, guess), fix in zip(guesses, fixes, strict=True):
        if holds(guess, fix, FIT_ASIDE_MM, FIT_SURE_MM):
            way.fixes[scrap.t] = fix


def _joined(rests: Sequence[Way], ways: Sequence[Way]) -> list[Way]:
    """All ways, a disc's that was followed to where it came to rest as one."""
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


def _is_at(way: Way, t: float, place: tuple[float, float]) -> bool:
    """Whether a way's disc was found near a place (mm) at t."""
    fix = way.fixes.get(t)
    return fix is not None and math.dist((fix.x, fix.y), place) <= FIT_SAME_DISC_MM


def holds(guess: Guess, fix: Fix, aside_mm: float, sure_mm: float) -> bool:
    """Whether a disc of that kind is there."""
    if fix.sigma > sure_mm or fix.strange > FIT_ALIKE or fix.likeliest not in (guess.kind, None):
        return False
    return math.dist((guess.x, guess.y), (fix.x, fix.y)) <= aside_mm


def _drawn_aside(ways: Sequence[Way]) -> dict[Kind, tuple[float, float]]:
    """How far (x, y mm) walls and shadows draw the discs of each kind from their places."""
    found: dict[Kind, list[tuple[float, float]]] = {}
    for way in ways:
        off = [(way.followed[t][0] - fix.x, way.followed[t][1] - fix.y) for t, fix in way.fixes.items()]
        found.setdefault(way.kind, []).extend(off)
    return {kind: (float(np.median([x for x, _ in off])), float(np.median([y for _, y in off])))
            for kind, off in found.items() if off}  # fmt: skip


class _Walk:
    """A disc sought frame by frame where its last fixes lead."""

    def __init__(self, way: Way, scraps: Iterable[Scrap]) -> None:
        self._way, self._scraps, self._missed = way, iter(scraps), 0

    def next(self) -> tuple[Scrap, Guess] | None:
        """The next frame in which it is to be sought, and where; None when there is none any more."""
        for scrap in self._scraps:
            if scrap.t in self._way.fixes:
                self._missed = 0
            elif self._missed < MISSES and (guess := _led(self._way, scrap.t)):
                self._missed += 1
                return scrap, guess
        return None

    def add(self, t: float, fix: Fix) -> None:
        """It was found so in the frame of time t."""
        self._way.fixes[t], self._missed = fix, 0


def _seek(ways: Sequence[Way], scraps: Sequence[Scrap], loupe: Loupe) -> None:
    """Goes through the frames, forwards or backwards, and seeks each disc, all of them step by step together."""
    walks = [_Walk(way, scraps) for way in ways]
    while steps := [(walk, *step) for walk in walks if (step := walk.next())]:
        fixes = loupe.refine([(scrap, guess) for _, scrap, guess in steps])
        for (walk, scrap, guess), fix in zip(steps, fixes, strict=True):
            if holds(guess, fix, FIT_LED_MM, LED_SURE_MM):
                walk.add(scrap.t, fix)


def _led(way: Way, t: float) -> Guess | None:
    """Where the nearest fixes to each side of t lead; None where they are too far."""
    near = sorted((s for s in way.fixes if abs(s - t) <= FIT_GAP_S), key=lambda s: abs(s - t))
    before, after = [s for s in near if s < t][:NEIGHBOURS], [s for s in near if s > t][:NEIGHBOURS]
    used = [*before[:2], *after[:2]] if before and after else before or after
    if len(used) < 2:
        return None
    places = np.array([(way.fixes[s].x, way.fixes[s].y) for s in used])
    line = np.column_stack([np.ones(len(used)), np.array(used) - t])
    x, y = np.linalg.lstsq(line, places, rcond=None)[0][0].tolist()
    return Guess(way.kind, x, y)


def departed(way: Way) -> float:
    """When (s) a disc may have left its home: as its first sightings lead back there, for it was never slower before.

    One that is first seen long after it was missed there may be another's.
    """
    places = way.followed | {t: (fix.x, fix.y) for t, fix in way.fixes.items() if t < way.since}
    first, *later = sorted(places)[:NEIGHBOURS] or [math.inf]
    if way.home is None or not later or first - way.missed > SOON_S:
        return way.missed - FIT_LATE_S
    speed = max(math.dist(places[first], places[t]) / (t - first) for t in later)
    way_mm = math.dist((way.home.x_mm, way.home.y_mm), places[first])
    return min(way.missed, first - way_mm / max(speed, FIT_SLOWEST_MM_S)) - FRAME_S


def smoothed(ways: Sequence[Way]) -> Iterator[Spot]:
    """The fixes before the rest, moved to the smoothest way that leads through each; those alone are left out."""
    for number, way in enumerate(ways):
        times = np.array(sorted(way.fixes))
        places = np.array([(way.fixes[t].x, way.fixes[t].y) for t in times.tolist()]).reshape(-1, 2)
        smooth, scatter = _on_way(times, places)
        for i in np.flatnonzero((times < way.since) & (scatter <= SMOOTH_MM)).tolist():
            if way.rests is not None or _goes(times, places, i):
                x, y = smooth[i].tolist()
                yield Spot(float(times[i]), number, x, y, float(scatter[i]))


def _goes(times: F64, places: F64, i: int) -> bool:
    """Whether a disc moves where it has its sighting i."""
    near = (np.abs(times - times[i]) <= FIT_GAP_S / 2) & (times != times[i])
    speeds = np.hypot(*(places[near] - places[i]).T) / np.abs(times[near] - times[i])
    return bool(len(speeds) and np.median(speeds) >= LEAST_MM_S)


def _on_way(times: F64, places: F64) -> tuple[F64, F64]:
    """Where (n, 2) the smoothest piece of a way (times (n,), places (n, 2)) has each fix, and how it scatters (n,), mm.

    Pieces are parabolas through so many fixes in a row; infinite where there is none.
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
