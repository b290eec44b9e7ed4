"""Stumbles: where the striker was stopped or turned though nothing known lay there, by a coin that nobody saw."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64
from calibration.profile import Profile
from models.pieces import Piece
from referee.outcome.fates import nearest_pocket
from referee.tracking.tracker import Sighting, Track

Point = tuple[float, float]
"""Board mm."""

SPAN_S, LEAST_SPAN_S = 0.07, 0.03
"""The course before and after a knock is told by the sightings within this time, which must span so much of it."""
IMPACT_GAP_S = 0.045
"""Where the striker was unseen for longer its course is not known."""
KNOCK_MM_S, IMPACT_KNOCK_SHARE, SIGMAS = 300.0, 0.15, 4.0
"""Friction changes its velocity by less than this, a share of its speed and so many standard deviations."""
IMPACT_SIGHTING_MM, BEND_MM = 0.5, 3.0
"""A sighting's least error; where one lies farther off a straight course another disc's are mixed in."""
IMPACT_BESIDE_MM = 30.0
"""What passes this near to its rim may have touched it: places are told late and blurred while discs fly."""
IMPACT_CUSHION_MM, POCKET_MM = 25.0, 20.0
"""Cushions and pockets turn it where its rim is this near to them, be it seen late."""
IMPACT_HAND_MM = 60.0
"""So near to where it stood the finger still moves it."""


def stumbles(striker: Track, since: float, lay: Sequence[Piece], others: Sequence[Track], profile: Profile) -> bool:
    """Whether the striker, struck at `since`, was knocked where none of the coins that `lay` there or of the `others`
    that moved was near, nor a cushion or a pocket.

    A knock shows in sightings on either side of it: whatever it came near in that time may have been the cause, and
    what it came to between two of them.
    """
    seen = list(striker.sightings)
    return any(not any(_is_beside(profile, t, at, lay, others) for t, at in (turn, *seen) if begin <= t <= end)
               for begin, end, turn in _knocks(striker, since))  # fmt: skip


def _is_beside(profile: Profile, t: float, at: Point, lay: Sequence[Piece], others: Sequence[Track]) -> bool:
    """Whether at time t a striker at a place, mm, may touch anything that is known."""
    board = profile.board
    reach = board.striker_radius + board.coin_radius + IMPACT_BESIDE_MM
    if max(map(abs, at)) > board.half - board.striker_radius - IMPACT_CUSHION_MM:
        return True
    if nearest_pocket(profile.pockets, *at)[1] < board.striker_radius + POCKET_MM:
        return True
    return any(math.dist((p.x_mm, p.y_mm), at) < reach for p in lay) or any(_passes(k, t, at, reach) for k in others)


def _knocks(track: Track, since: float) -> Iterator[tuple[float, float, Sighting]]:
    """Between which times a track's velocity changes at once, and when and where it turned."""
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
    """How long after it `left` (2,) on the course it had what `took` so long to come (2,) on the one it has `now`
    turned: at 30 frames a second a striker comes far to a cushion and back between two sightings.
    """
    change = was - now
    return float(np.clip((came - left - now * took) @ change / max(float(change @ change), 1e-9), 0.0, took))


def _course(times: F64, places: F64, chosen: NDArray[np.bool_]) -> tuple[F64, float] | None:
    """Velocity (2,) mm/s of the chosen sightings with its standard deviation; None where they are too few, too far
    apart or in no line.
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
    """Whether a track was seen near a place shortly before or after t."""
    return any(abs(when - t) < 2 * SPAN_S and math.dist(p, place) < reach for when, p in track.sightings)
