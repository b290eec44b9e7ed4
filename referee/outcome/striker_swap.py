"""Corrects which track is the striker's, from the place where the striker comes to rest.

The tracker may have followed a patch of the hand.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from models.pieces import Kind
from referee.outcome.stroke_in_progress import PROGRESS_LED_MM, Play
from referee.tracking.flight import are_two, began_hidden
from referee.tracking.tracker import Place, Track


def correct_striker(play: Play, tracks: Iterable[Track], found: Place) -> bool:
    """Changes the striker's track to the one that leads to where the striker is `found`; tells whether it did.

    `found` is in board mm. The change is made if the present track ended elsewhere and is another disc's, and the new
    one began since the strike. If the present track's disc fell, a hand may have brought the striker to `found` later;
    then the new track must have begun no later than the present one, which was a coin's.
    """
    was = play.striker
    if was is None or math.dist(was.place, found) < PROGRESS_LED_MM:
        return False
    since = began_hidden(play.t_strike)
    came = [k for k in tracks if k.times[0] > since and _came_to(k, found) and are_two(k, was)
            and (was not in play.fallen or k.times[0] <= was.times[0])]  # fmt: skip
    own = max(came, key=lambda k: k.t, default=None)
    if own is None:
        return False
    was.kind, own.kind, play.striker = None, Kind.STRIKER, own
    play.moved = [(k, own if track is was else track) for k, track in play.moved]
    return True


def _came_to(track: Track, place: Place) -> bool:
    """Tells whether a track of no known piece leads from elsewhere to a place (mm)."""
    if track.home is not None or not track.places:
        return False
    return track.ends_at(place) and math.dist(track.places[0], place) > PROGRESS_LED_MM
