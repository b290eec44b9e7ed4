"""Free sliding: whether a disc slows as friction alone slows one. Hands and their blobs do not."""

from __future__ import annotations

import math

from referee.tracking.tracker import Track
from referee.tracking.trajectory import OFF_SIGMAS, last_glide

SLIDE_FAR_MM, SLIDE_LONG_S, OFTEN = 100.0, 0.2, 5
"""Least path, time and number of sightings from which a deceleration is measured."""
FRICTION_MM_S2 = 300.0, 3000.0
"""Range of deceleration by friction: 800 to 1500 mm/s2 on powdered boards, more on damp ones. Hands brake harder."""


def coasts(track: Track) -> bool:
    """Tells whether a track ends in a long glide that friction slows evenly. A carried disc first gathers speed."""
    sightings = list(track.sightings)
    last = last_glide(sightings)
    if last.n < OFTEN or last.way_mm < SLIDE_FAR_MM or last.t - last.t0 < SLIDE_LONG_S:
        return False
    least, most = FRICTION_MM_S2
    off = math.dist(last.at(last.t0), next(place for t, place in sightings if t == last.t0))
    return least < last.slowing < most and last.speed > 0 and off < OFF_SIGMAS * math.hypot(*last.sigma_at(last.t0))
