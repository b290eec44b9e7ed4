"""Tracks that end over a pocket and show no fall: glimpses of what lies there, in a net or on a lip."""

from __future__ import annotations

import math
from collections.abc import Sequence

from referee.outcome.fates import FATE_RESTS_MM
from referee.outcome.stroke_in_progress import Place, Play
from referee.tracking.tracker import Track

NETTED_MM = 12.0
"""What lies in a net stirs by less than this when another coin falls on it."""
TIP_MM = 60.0
"""A coin that tips into a pocket from its lip goes no farther from one sighting to the next."""


def shows_no_fall(track: Track, play: Play, lying: Sequence[Place]) -> bool:
    """Whether a track that ends in a pocket shows what has not fallen in a stroke after which pieces are found
    `lying` (mm).
    """
    if _leapt(track, play):
        return True
    return play.is_stray(track) and (_lay_there(track, play) or _lies_there(track, play, lying))


def _lay_there(track: Track, play: Play) -> bool:
    """Whether a track ends where it was seen before the strike: in a net, not fallen into it."""
    before = (p for t, p in track.sightings if t < play.t_strike)
    return any(math.dist(p, track.place) < NETTED_MM for p in before)


def _lies_there(track: Track, play: Play, lying: Sequence[Place]) -> bool:
    """Whether a track was seen only where a coin lay and still does: it showed that one, when light or a jolt did."""
    lay = ((p.x_mm, p.y_mm) for p in play.lay if math.dist((p.x_mm, p.y_mm), track.place) < FATE_RESTS_MM)
    stayed = [place for place in lay if any(math.dist(place, now) < FATE_RESTS_MM for now in lying)]
    return any(all(math.dist(place, p) < FATE_RESTS_MM for p in track.places) for place in stayed)


def _leapt(track: Track, play: Play) -> bool:
    """Whether a track took up a patch far from its place once all had come to rest: coins only tip in then."""
    if play.t_rest is None or track.t <= play.t_rest or len(track.places) < 2:
        return False
    return math.dist(*track.places[-2:]) > TIP_MM
