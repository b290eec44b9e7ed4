"""Detects impacts of the striker on unknown coins: sudden changes of its velocity away from all known pieces.

Input are the striker's track, the coins at rest and the tracks of the moving pieces.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64
from calibration.profile import Profile
from models.pieces import Piece
from referee.outcome.matching import nearest_pocket
from referee.tracking.tracker import Sighting, Track

Point = tuple[float, float]
"""Board mm."""

SPAN_S, LEAST_SPAN_S = 0.07, 0.03
"""Time before and after an impact to whose sightings the velocity is fitted, and their least span, in seconds."""
IMPACT_GAP_S = 0.045
"""Longest gap in the striker's sightings over which its velocity is computed, in seconds."""
KNOCK_MM_S, IMPACT_KNOCK_SHARE, SIGMAS = 300.0, 0.15, 4.0
"""Greatest change of velocity without an impact: the sum of a constant (mm/s), a share of the speed, and a number of
standard deviations.
"""
IMPACT_SIGHTING_MM, BEND_MM = 0.5, 3.0
"""Least standard error of a sighting, and the deviation from a straight course from which sightings of another disc are
mixed in, in mm.
"""
IMPACT_BESIDE_MM = 30.0
"""Gap to another disc, in mm, within which it may have been touched: in flight places are late and blurred."""
IMPACT_CUSHION_MM, POCKET_MM = 25.0, 20.0
"""Gap of the striker's rim to a cushion and a pocket, in mm, within which these may have turned it."""
IMPACT_HAND_MM = 60.0
"""Distance from the striker's place within which the finger still moves it, in mm."""


def stumbles(striker: Track, since: float, lay: Sequence[Piece], others: Sequence[Track], profile: Profile) -> bool:
    """Tells whether the striker, struck at `since`, had an impact away from known coins, cushions and pockets.

    `lay` are the coins at rest and `others` the tracks of the moving ones. An impact is located by the sightings on
    either side, so anything near the striker in that time, or between two sightings, may be the cause.
    """
    seen = list(striker.sightings)
    return any(not any(_is_beside(profile, t, at, lay, others) for t, at in (turn, *seen) if begin <= t <= end)
               for begin, end, turn in _knocks(striker, since))  # fmt: skip


def _is_beside(profile: Profile, t: float, at: Point, lay: Sequence[Piece], others: Sequence[Track]) -> bool:
    """Tells whether a striker at a place (mm) at time t may touch a known coin, a cushion or a pocket."""
    board = profile.board
    reach = board.striker_radius + board.coin_radius + IMPACT_BESIDE_MM
    if max(map(abs, at)) > board.half - board.striker_radius - IMPACT_CUSHION_MM:
        return True
    if nearest_pocket(profile.pockets, *at)[1] < board.striker_radius + POCKET_MM:
        return True
    return any(math.dist((p.x_mm, p.y_mm), at) < reach for p in lay) or any(_passes(k, t, at, reach) for k in others)


def _knocks(track: Track, since: float) -> Iterator[tuple[float, float, Sighting]]:
    """Yields each sudden change of a track's velocity: begin and end of its time window, s, and its time and place."""
    times, places = np.array(track.times), np.array(track.places)
    start = places[max(0, int(np.searchsorted(times, since)) - 1)]
    for i in np.flatnonzero(times[:-1] > since):
        if math.dist(places[i], start) < IMPACT_HAND_MM or times[i + 1] - times[i] > IMPACT_GAP_S:
            continue
        begin, end = float(times[i]) - SPAN_S, float(times[i + 1]) + SPAN_S
        before = _course(times, places, (times >= begin) & (times <= times[i]))
        after = _course(times, places, (times > times[i]) & (times <= end))
        if before is None or after is None:
            continue
        (was, off), (now, off_now) = before, after
        change, speed = float(np.linalg.norm(now - was)), float(np.linalg.norm(was))
        if change > KNOCK_MM_S + IMPACT_KNOCK_SHARE * speed + SIGMAS * math.hypot(off, off_now):
            turned = _turn(places[i], was, places[i + 1], now, float(times[i + 1] - times[i]))
            at = places[i] + was * turned
            yield begin, end, (float(times[i]) + turned, (float(at[0]), float(at[1])))


def _turn(left: F64, was: F64, came: F64, now: F64, took: float) -> float:
    """Returns the time (s) after the sighting at `left` (2,) when a disc turned, 0 to `took`.

    It went from `left` with velocity `was` (2,) and arrived at `came` (2,) with velocity `now` (2,), `took` seconds
    later. The turn matters: at 30 frames a second a striker goes far to a cushion and back between two sightings.
    """
    change = was - now
    return float(np.clip((came - left - now * took) @ change / max(float(change @ change), 1e-9), 0.0, took))


def _course(times: F64, places: F64, chosen: NDArray[np.bool_]) -> tuple[F64, float] | None:
    """Returns the velocity (2,) of the chosen sightings and its standard deviation, mm/s.

    It is None if they are too few, too far apart or not in a straight line.
    """
    t, xy = times[chosen], places[chosen]
    if len(t) < 3 or t[-1] - t[0] < LEAST_SPAN_S or np.diff(t).max() > IMPACT_GAP_S:
        return None
    rows = np.stack([np.ones(len(t)), t - t.mean()], 1)
    fit = np.linalg.lstsq(rows, xy, rcond=None)[0]
    off = np.linalg.norm(xy - rows @ fit, axis=1)
    if off.max() > BEND_MM:
        return None
    scatter = max(IMPACT_SIGHTING_MM, float(np.sqrt((off**2).sum() / (len(t) - 2))))
    return np.asarray(fit[1]), scatter / float(np.linalg.norm(rows[:, 1]))


def _passes(track: Track, t: float, place: Point, reach: float) -> bool:
    """Tells whether a track has a sighting near a place shortly before or after t."""
    return any(abs(when - t) < 2 * SPAN_S and math.dist(p, place) < reach for when, p in track.sightings)
