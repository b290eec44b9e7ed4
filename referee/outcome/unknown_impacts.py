"""Detects impacts of the striker on unknown coins: sudden changes of its velocity away from all known pieces.

Input are the striker's track, the coins at rest and the tracks of the moving pieces.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from calibration.profile import Profile
from models.pieces import Piece
from referee.outcome.matching import nearest_pocket
from referee.tracking.tracker import Sighting, Track
from referee.tracking.trajectory import Glide, glides, last_glide

Point = tuple[float, float]
"""Board mm."""

SPAN_S, IMPACT_GAP_S = 0.07, 0.045
"""Time after an impact from whose sightings the velocity is fitted, and about it within which a neighbour counts, and
longest gap between the glides on either side, in seconds.
"""
LEAST_TIMES = 3
"""Least number of sightings on either side of an impact. Fewer may be another disc's."""
KNOCK_MM_S = 300.0
"""Greatest change of velocity without an impact, mm/s."""
IMPACT_BESIDE_MM = 30.0
"""Gap to another disc, in mm, within which it may have been touched: in flight places are late and blurred."""
IMPACT_CUSHION_MM = 25.0
"""Gap of the striker's rim to a cushion or a pocket, in mm, within which these may have turned it."""
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
    if nearest_pocket(profile.pockets, *at)[1] < board.striker_radius + IMPACT_CUSHION_MM:
        return True
    return any(math.dist((p.x_mm, p.y_mm), at) < reach for p in lay) or any(_passes(k, t, at, reach) for k in others)


def _knocks(track: Track, since: float) -> Iterator[tuple[float, float, Sighting]]:
    """Yields each sudden change of a track's velocity: begin and end of its time window, s, and its time and place."""
    seen = list(track.sightings)
    start = next((p for t, p in reversed(seen) if t < since), seen[0][1])
    for before, after in pairwise(glides(seen)):
        lately = [s for s in seen if after.t0 <= s[0] <= min(after.t, after.t0 + SPAN_S)]
        if before.t <= since or before.n < LEAST_TIMES or len(lately) < LEAST_TIMES:
            continue
        if after.t0 - before.t > IMPACT_GAP_S or math.dist(before.place, start) < IMPACT_HAND_MM:
            continue
        now = last_glide(lately).back_at(after.t0)
        if math.dist(now.velocity, before.velocity) > KNOCK_MM_S:
            turned = _turn(before, now)
            yield before.t - SPAN_S, after.t0 + SPAN_S, (turned, before.at(turned))


def _turn(before: Glide, now: Glide) -> float:
    """Returns the time (s) between two glides at which they are nearest to each other.

    The turn matters: at 30 frames a second a striker goes far to a cushion and back between two sightings.
    """
    off = [b - a for a, b in zip(before.place, now.place, strict=True)]
    was, came = before.velocity, now.velocity
    change = was[0] - came[0], was[1] - came[1]
    took = now.t - before.t
    along = sum((o - v * took) * c for o, v, c in zip(off, came, change, strict=True))
    return before.t + min(max(along / max(math.hypot(*change) ** 2, 1e-9), 0.0), took)


def _passes(track: Track, t: float, place: Point, reach: float) -> bool:
    """Tells whether a track has a sighting near a place shortly before or after t."""
    return any(abs(when - t) < 2 * SPAN_S and math.dist(p, place) < reach for when, p in track.sightings)
