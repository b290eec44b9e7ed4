"""The striker mistaken for a patch of the hand, or lost as one of two: who it is shows where it comes to rest."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from models.pieces import Kind
from referee.outcome.stroke_in_progress import PROGRESS_LED_MM, Place, Play
from referee.tracking.flight import HIDDEN_FLIGHT_S, LEAST_FLIGHT, are_two
from referee.tracking.tracker import JITTER_MM, Track

TWO_S, TWO_MM, SWAP_STRAIGHT = 0.1, 40.0, 0.8
"""A disc is seen as two for so long at most, the new one so far from where it was last seen whole, and goes on without
a turn of a lower cosine: a striker is as wide.
"""


def correct_striker(play: Play, tracks: Iterable[Track], found: Place) -> bool:
    """Takes the disc that came since the strike to where the striker is `found`, board mm, for the striker, where what
    was followed for it is another disc and went elsewhere; whether it was so.

    Where that fell a hand may have brought the striker there since, but not what flew as soon as it did: of these two
    it was the coin.
    """
    was = play.striker
    if was is None or math.dist(was.place, found) < PROGRESS_LED_MM:
        return False
    since = play.t_strike - HIDDEN_FLIGHT_S
    came = [k for k in tracks if k.times[0] > since and _came_to(k, found) and are_two(k, was)
            and (was not in play.fallen or k.times[0] <= was.times[0])]  # fmt: skip
    own = max(came, key=lambda k: k.t, default=None)
    if own is None:
        return False
    if _goes_on(was, own):
        before = sum(t < own.times[0] for t in was.times)
        own.times[:0], own.places[:0] = was.times[:before], was.places[:before]
    was.kind, own.kind, play.striker = None, Kind.STRIKER, own
    play.moved = [(k, own if track is was else track) for k, track in play.moved]
    return True


def _goes_on(was: Track, own: Track) -> bool:
    """Whether a disc that was followed is seen as two for a moment, and goes on as the one of them that was new."""
    first = own.times[0]
    before = [place for t, place in was.sightings if t < first]
    if len(before) < LEAST_FLIGHT or len(own.places) < LEAST_FLIGHT or not first <= was.t < first + TWO_S:
        return False
    came = np.subtract(before[-1], before[-LEAST_FLIGHT])
    goes = np.subtract(own.places[LEAST_FLIGHT - 1], own.places[0])
    straight = came @ goes > SWAP_STRAIGHT * np.hypot(*came) * np.hypot(*goes)
    return math.dist(before[-1], own.places[0]) < TWO_MM and bool(straight)


def _came_to(track: Track, place: Place) -> bool:
    """Whether a track that no piece explains leads from elsewhere to a place, mm."""
    if track.home is not None or not track.places:
        return False
    return math.dist(track.place, place) < JITTER_MM and math.dist(track.places[0], place) > PROGRESS_LED_MM
