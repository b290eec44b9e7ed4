"""Flight: which tracks are discs that slide freely, and since when."""

from __future__ import annotations

import math
from itertools import pairwise

from referee.tracking.tracker import LEAP_MM, TOP_SPEED_MM_S, Place, Track

FREE_MM_S = 180.0
"""Least speed of a struck disc when first seen free of the hand."""
LEAST_FLIGHT = 3
"""Least number of sightings of a flight."""
DETOUR = 1.25
"""Greatest ratio of a flight's path to its straight line. Blobs of hands jump to and fro."""
FLIGHT_S = 0.11
"""Time within which three sightings of a flight come, even at 30 frames a second."""
FLIGHT_LEFT_MM, FLIGHT_STIRRED_MM = 6.0, 2.0
"""Displacement from which a coin has left its place, and from which it has begun to."""
FLIGHT_STEADY = 3.0
"""Greatest ratio of the speeds of two consecutive steps of a sliding disc."""
FLIGHT_PATCH_MM = 50.0
"""A track from no known piece that jumps farther than this, and then turns back, has switched to a blob of the hand."""
SLID_MM = 8.0
"""Least straight path within `FLIGHT_S` of a disc that slides or is moved by a hand."""
HIDDEN_FLIGHT_S = 0.3
"""Greatest time that a striker flies before it is seen free of the hand that pushes it."""
INSIDE_MM = 30.0
"""Distance from the cushions within which nets, frames and hands show patches too."""
START_MM = 25.0
"""Least path of a struck blob without a hand."""


def is_fast(track: Track) -> bool:
    """Tells whether a track has at least the speed of a struck disc."""
    return track.speed >= FREE_MM_S


def began_hidden(t: float, way_mm: float = math.inf, speed_mm_s: float = FREE_MM_S) -> float:
    """Returns when a flight that was first seen free of the hand at t began, `way_mm` before, at a speed."""
    return t - min(way_mm / max(speed_mm_s, FREE_MM_S), HIDDEN_FLIGHT_S)


def is_inside(place: Place, half_mm: float) -> bool:
    """Tells whether a place on a board, from whose middle the cushions are `half_mm` away, is well inside them."""
    return max(map(abs, place)) < half_mm - INSIDE_MM


def has_flown(track: Track) -> bool:
    """Tells whether a track's flight is as long as that of a struck disc."""
    return travelled(track) > START_MM


def may_come_from(track: Track, place: Place, left: float) -> bool:
    """Tells whether a track may have begun with a disc that left a place (mm) at a time."""
    return math.dist(track.places[0], place) < TOP_SPEED_MM_S * (track.born - left) + START_MM


def flight_start(track: Track) -> int:
    """Returns the index of a track's last sighting before its flight.

    It must have rested for two steps, because a finger over a part of a disc shifts one sighting. A first sighting that
    lies ahead of the path, or from which the track jumped and came back, was another blob's.
    """
    start = _rested(track)
    return start + 1 if _is_anothers(track, start) else start


def _rested(track: Track) -> int:
    """Returns the index of a track's last sighting at rest; 0 without one."""
    for i in range(len(track.times) - 1, 0, -1):
        if _rests(track, i - 1, i) and (i < 2 or _rests(track, i - 2, i)):
            return i
    return 0


def _is_anothers(track: Track, i: int) -> bool:
    """Tells whether the i-th sighting of a track without a home was another blob's.

    The path then leads back past it.
    """
    if track.home is not None or len(track.places) < i + LEAST_FLIGHT + 1:
        return False
    (x0, y0), (x1, y1), (x, y) = track.places[i], track.places[i + 1], track.place
    along, leap = (x1 - x0) * (x - x1) + (y1 - y0) * (y - y1), math.hypot(x1 - x0, y1 - y0)
    return along < 0 and (i == 0 or leap > FLIGHT_PATCH_MM)


def _rests(track: Track, first: int, last: int) -> bool:
    """Tells whether a track hardly moves between two of its sightings."""
    step = math.dist(track.places[first], track.places[last])
    return step < 3.0 or step / (track.times[last] - track.times[first]) < FREE_MM_S / 2


def left_at(track: Track, surely: bool = False) -> float | None:
    """Returns the time at which a disc was last detected on its place; None if it has not left.

    `surely`: it must have been found elsewhere. Otherwise a disc never found again has left too.
    """
    here = track.places[0]
    away = [math.dist(here, p) for p in track.places]
    if len(away) > 1 and max(away) < FLIGHT_LEFT_MM and not surely:
        return None
    return next((t for t, d in zip(track.times, away[1:], strict=False) if d > FLIGHT_STIRRED_MM), track.t)


def travelled(track: Track) -> float:
    """Returns the length (mm) of a track's flight, start to end."""
    return math.dist(track.places[flight_start(track)], track.place)


def is_followed(track: Track) -> bool:
    """Tells whether a flight was seen all along: no step makes up half of it."""
    flight = track.places[flight_start(track) :]
    return max((math.dist(a, b) for a, b in pairwise(flight)), default=math.inf) < travelled(track) / 2


def are_two(a: Track, b: Track) -> bool:
    """Tells whether two tracks belong to two discs: they overlap in time, or no disc is fast enough for the gap."""
    first, then = sorted((a, b), key=lambda k: k.times[0])
    gap = then.times[0] - first.t
    return gap <= 0 or math.dist(first.place, then.places[0]) > TOP_SPEED_MM_S * gap


def flies(track: Track, t: float) -> bool:
    """Tells whether a track seen at t is a sliding disc's: fast, straight, without jumps."""
    if track.t < t or len(track.times) < LEAST_FLIGHT or track.speed < FREE_MM_S:
        return False
    if t - track.times[-3] > FLIGHT_S:
        return False
    start = flight_start(track)
    far = math.dist(track.places[start], track.place)
    if far < LEAP_MM and (start > len(track.times) - 3 or not _is_steady(track)):
        # Blobs of a hand come, go and change tracks: a single jump is a disc's only if it is long.
        return False
    return far >= START_MM and _is_straight(track, start)


def slides(track: Track, t: float) -> bool:
    """Tells whether a track seen at t goes straight on, at any speed."""
    lately = [p for s, p in track.sightings if s > t - FLIGHT_S]
    if track.t < t or len(lately) < LEAST_FLIGHT:
        return False
    (x0, y0), (x1, y1) = lately[0], lately[-1]
    far = math.dist(lately[0], lately[-1])
    along = [((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / max(far, 1e-9) for x, y in lately]
    return far > SLID_MM and all(b > a - FLIGHT_STIRRED_MM / 2 for a, b in pairwise(along))


def _is_straight(track: Track, start: int) -> bool:
    """Tells whether a track has kept one direction since its `start`-th sighting."""
    (x0, y0), (x1, y1), (x, y) = track.places[start], track.places[-2], track.place
    far = math.dist((x0, y0), (x, y))
    travel = sum(math.dist(a, b) for a, b in pairwise(track.places[start:]))
    along = (x - x1) * (x - x0) + (y - y1) * (y - y0)
    return travel <= DETOUR * far and along >= 0.8 * far * math.dist((x1, y1), (x, y))


def _is_steady(track: Track) -> bool:
    """Tells whether the last two steps of a track are nearly equally fast."""
    slow, fast = sorted(track.step_speeds(3))
    return fast <= FLIGHT_STEADY * slow
