"""Flights: which tracks are those of discs that slide freely, and since when."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from referee.tracking.tracker import JITTER_MM, LEAST_S, TOP_SPEED_MM_S, Sighting, Track

FREE_MM_S = 180.0
"""A disc that was struck is at least this fast when it is seen free of the hand."""
LEAST_FLIGHT = 3
"""So many sightings tell a flight."""
DETOUR = 1.25
"""A flight's way is at most this much longer than the straight line; blobs of hands jump to and fro."""
FLIGHT_S = 0.11
"""Three sightings of a flight come within this time, at 30 frames a second too."""
LEFT_MM, STIRRED_MM = 6.0, 2.0
"""A coin this far from its place has left it, and begun to when it was seen this far off."""
STEADY = 3.0
"""A disc that slides is at most so many times faster in one of two steps than in the other."""
FASTER = 1.1
"""A step so many times as fast as the one before was not the board's doing."""
LEAP_MM = 90.0
"""At 30 frames a second a hard stroke is seen free just once; patches of one hand lie nearer to each other."""
PATCH_MM, LEAP_TURNS = 50.0, 0.5
"""A leap so long from where a disc lay nowhere known was to a patch of the hand if it goes on by a turn of a lower
cosine."""
SLID_MM = 8.0
"""What goes straight on this far within `FLIGHT_S` slides, or a hand moves it."""
HIDDEN_FLIGHT_S = 0.3
"""A striker flies at most this long before it is seen free of the hand that pushes it."""
START_MM = 25.0
"""A blob that has travelled this far by itself has been struck."""

Point = tuple[float, float]


def flight_start(track: Track) -> int:
    """Index of a track's last sighting before it flew.

    It rested there in the last two steps: a finger that hides a part of a disc shifts one sighting against its way.
    Nor does a disc that turned up first ahead of its way fly from there, nor one that leapt from its rest to elsewhere
    and went another way: that sighting was another's.
    """
    start = _rested(track)
    return start + 1 if _is_anothers(track, start) else start


def _rested(track: Track) -> int:
    """Index of a track's last sighting at rest; of the first one if it was never seen to rest."""
    for i in range(len(track.times) - 1, 0, -1):
        if _rests(track, i - 1, i) and (i < 2 or _rests(track, i - 2, i)):
            return i
    return 0


def _is_anothers(track: Track, i: int) -> bool:
    """Whether a track of a disc that lay nowhere leads from its sighting after the i-th on back past that one, or aside
    of a leap from it.
    """
    if track.home is not None or len(track.places) < i + LEAST_FLIGHT + 1:
        return False
    (x0, y0), (x1, y1), (x, y) = track.places[i], track.places[i + 1], track.place
    along, leap = (x1 - x0) * (x - x1) + (y1 - y0) * (y - y1), math.hypot(x1 - x0, y1 - y0)
    if leap > PATCH_MM:
        return along < LEAP_TURNS * leap * math.hypot(x - x1, y - y1)
    return i == 0 and along < 0


def _rests(track: Track, first: int, last: int) -> bool:
    """Whether a track hardly moves from one of its sightings to another."""
    step = math.dist(track.places[first], track.places[last])
    return step < 3.0 or step / (track.times[last] - track.times[first]) < FREE_MM_S / 2


def left_at(track: Track, surely: bool = False) -> float | None:
    """When a disc was last seen on its place, if it has left it, as it `surely` has if it is found elsewhere; one never
    seen again has, wherever it went.
    """
    here = track.places[0]
    away = [math.dist(here, p) for p in track.places]
    if len(away) > 1 and max(away) < LEFT_MM and not surely:
        return None
    return next((t for t, d in zip(track.times, away[1:], strict=False) if d > STIRRED_MM), track.t)


def travelled(track: Track) -> float:
    """How far (mm) a track has flown."""
    return math.dist(track.places[flight_start(track)], track.place)


def is_followed(track: Track) -> bool:
    """Whether a flight was seen all along its way: no step was half of it."""
    flight = track.places[flight_start(track) :]
    return max((math.dist(a, b) for a, b in pairwise(flight)), default=math.inf) < travelled(track) / 2


def before_cushion(flight: Sequence[Sighting], reach_mm: float) -> tuple[Point, Point] | None:
    """Where a flight was last seen before a cushion may have turned it, and with which velocity (mm/s) it had come
    there; None where it was to meet none, or too little of it was seen before.

    Middles of discs get `reach_mm` far from the board's.
    """
    (t0, (x0, y0)), *seen = flight
    for (t, (x, y)), then in pairwise(seen):
        velocity = (x - x0) / (t - t0), (y - y0) / (t - t0)
        ahead = (a + v * (then[0] - t) for a, v in zip((x, y), velocity, strict=True))
        if max(map(abs, ahead)) > reach_mm - JITTER_MM:
            return ((x, y), velocity) if math.dist((x0, y0), (x, y)) > START_MM else None
    return None


def before_coin(flight: Sequence[Sighting], coins: Sequence[Point], reach_mm: float) -> tuple[Point, Point] | None:
    """Where a flight was last seen before it met one of the `coins`, and with which velocity (mm/s) it had come there;
    None where it came near none, or was first seen there.
    """
    t0, (x0, y0) = flight[0]
    for t, (x, y) in flight:
        if min((math.dist((x, y), coin) for coin in coins), default=math.inf) < reach_mm + JITTER_MM:
            way = math.dist((x0, y0), (x, y))
            return ((x, y), ((x - x0) / (t - t0), (y - y0) / (t - t0))) if way > SLID_MM else None
    return None


def leads_from(track: Track, other: Track) -> bool:
    """Whether a track that began soon after another left its place leads straight away from there as fast as it went
    on.
    """
    (x, y), (x0, y0), (x1, y1) = other.places[0], track.places[0], track.places[1]
    step, before = math.dist((x0, y0), (x1, y1)), math.dist((x, y), (x0, y0))
    aside = abs((x1 - x0) * (y0 - y) - (y1 - y0) * (x0 - x))
    if aside > JITTER_MM * step or (x1 - x0) * (x0 - x) + (y1 - y0) * (y0 - y) <= 0:
        return False
    took, speed = track.times[0] - other.times[0], step / max(track.times[1] - track.times[0], LEAST_S)
    return 0 < took < FLIGHT_S and before < STEADY * speed * took


def are_two(a: Track, b: Track) -> bool:
    """Whether two tracks are of two discs: both were seen at a time, or none gets from one to the other so soon."""
    first, then = sorted((a, b), key=lambda k: k.times[0])
    gap = then.times[0] - first.t
    return gap <= 0 or math.dist(first.place, then.places[0]) > TOP_SPEED_MM_S * gap


def exchange(coin: Track, stray: Track) -> None:
    """What was seen of a coin since it left its place was the `stray`, and the other way round."""
    coin.number, stray.number = stray.number, coin.number
    coin.kind, stray.kind = stray.kind, coin.kind
    coin.home, stray.home = stray.home, coin.home
    stray.times.insert(0, coin.times.pop(0))
    stray.places.insert(0, coin.places.pop(0))
    coin.born, stray.born = coin.times[0], coin.born


def flies(track: Track, t: float) -> bool:
    """Whether a track seen at time t is that of a disc that slides: fast, straight, without leaps."""
    if track.t < t or len(track.times) < LEAST_FLIGHT or track.speed < FREE_MM_S:
        return False
    if t - track.times[-3] > FLIGHT_S or track.longest_leap(3) > TOP_SPEED_MM_S:
        return False
    start = flight_start(track)
    far = math.dist(track.places[start], track.place)
    if far < LEAP_MM and (start > len(track.times) - 3 or not _is_steady(track)):
        # The patches of a hand come, go and change tracks: a single leap is none of a disc unless it is a long one.
        return False
    return far >= START_MM and _is_straight(track, start)


def gathers_speed(track: Track) -> bool:
    """Whether a track has become faster in each of its last two steps, as nothing does that slides on by itself."""
    seen = list(track.sightings)[-4:]
    speeds = [math.dist(a, b) / max(t - s, LEAST_S) for (s, a), (t, b) in pairwise(seen)]
    return len(speeds) == 3 and all(then > FASTER * before for before, then in pairwise(speeds))


def slides(track: Track, t: float) -> bool:
    """Whether a track seen at time t goes straight on, be it too slowly to fly."""
    lately = [p for s, p in track.sightings if s > t - FLIGHT_S]
    if track.t < t or len(lately) < LEAST_FLIGHT:
        return False
    (x0, y0), (x1, y1) = lately[0], lately[-1]
    far = math.dist(lately[0], lately[-1])
    along = [((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / max(far, 1e-9) for x, y in lately]
    return far > SLID_MM and all(b > a - STIRRED_MM / 2 for a, b in pairwise(along))


def _is_straight(track: Track, start: int) -> bool:
    """Whether a track has gone from its `start`-th sighting on in one direction, the last step in it too."""
    (x0, y0), (x1, y1), (x, y) = track.places[start], track.places[-2], track.place
    far = math.dist((x0, y0), (x, y))
    way = sum(math.dist(a, b) for a, b in pairwise(track.places[start:]))
    along = (x - x1) * (x - x0) + (y - y1) * (y - y0)
    return way <= DETOUR * far and along >= 0.8 * far * math.dist((x1, y1), (x, y))


def _is_steady(track: Track) -> bool:
    """Whether the last two steps of a track are about equally fast."""
    seen = list(track.sightings)[-3:]
    slow, fast = sorted(math.dist(a, b) / max(t - s, LEAST_S) for (s, a), (t, b) in pairwise(seen))
    return fast <= STEADY * slow
