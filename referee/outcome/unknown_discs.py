"""Detects unknown discs: tracks in flight while every known moving piece was detected elsewhere.

Such a disc is a coin that the board state lacks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from models.board import BoardModel
from models.pieces import Kind
from referee.outcome.stroke_in_progress import Place, Play
from referee.outcome.unknown_impacts import IMPACT_GAP_S
from referee.tracking.flight import is_inside
from referee.tracking.tracker import Sighting, Track

Free = Callable[[float, Place], bool]
"""Tells whether no hand was near a place (mm) at a time (s) for certain."""

UNKNOWN_DISC_FLOWN_MM = 60.0
"""Least length of an unknown disc's path, in mm: shade, glare and uncovered prints show patches that jump about."""
UNKNOWN_DISC_STRAIGHT = 0.95
"""Least ratio of a flight's length to the sum of its steps; the patches of a moving shadow do not keep straight."""
WENT_MM = 30.0
"""Distance from a disc's first place, in mm, within which the uncovered board may be detected as a disc."""


def stranger_flew(play: Play, tracks: Sequence[Track], lying: Sequence[Place], free: Free, board: BoardModel) -> bool:
    """Tells whether one of the `tracks` is of an unknown disc in flight.

    A track that ends where a piece lies after the stroke (`lying`) is that piece's, whatever track it was given.
    """
    strays = (k for k in tracks if play.is_stray(k) and all(math.dist(k.place, p) > board.coin_radius for p in lying))
    return any(math.dist(way[0][1], way[-1][1]) > UNKNOWN_DISC_FLOWN_MM
               for stray in strays for way in _straight_runs(_alone(stray, play, free, board)))  # fmt: skip


def _straight_runs(seen: Iterator[Sighting]) -> Iterator[list[Sighting]]:
    """Yields straight runs of sightings without a gap."""
    way: list[Sighting] = []
    for sighting in seen:
        if way and sighting[0] - way[-1][0] > IMPACT_GAP_S:
            yield way
            way = []
        elif way and not _is_straight([*way, sighting]):
            yield way
            way = way[-1:]
        way.append(sighting)
    if way:
        yield way


def _is_straight(way: Sequence[Sighting]) -> bool:
    steps = sum(math.dist(a, b) for (_, a), (_, b) in pairwise(way))
    return math.dist(way[0][1], way[-1][1]) >= UNKNOWN_DISC_STRAIGHT * steps


def _alone(stray: Track, play: Play, free: Free, board: BoardModel) -> Iterator[Sighting]:
    """Yields a track's sightings during the stroke while all known moving pieces were detected elsewhere."""
    reach = board.striker_radius + board.coin_radius
    for t, place in stray.sightings:
        if t <= play.t_strike or not is_inside(place, board.half) or not free(t, place):
            continue
        others = _others(play, t, free)
        if others is not None and all(math.dist(other, place) > reach for other in others):
            yield t, place


def _others(play: Play, t: float, free: Free) -> list[Place] | None:
    """Returns the places of the moving pieces at t.

    It is None if one of them was not detected then, or if its detection may be a hand or the board that it uncovered.
    """
    if play.striker is None or any(k.seen < t for k in play.unfollowed):
        return None
    away = [track for k, track in play.moved if k.piece.kind is not Kind.STRIKER and k.seen < t]
    places = []
    for track in (play.striker, *away):
        if track in play.fallen and t > track.t:
            continue
        if (place := _seen_at(track, t)) is None or not (_moved_away(track) and free(t, place)):
            return None
        places.append(place)
    return places


def _moved_away(track: Track) -> bool:
    """Tells whether a track leads away from its first place."""
    return any(math.dist(track.places[0], place) > WENT_MM for place in track.places)


def _seen_at(track: Track, t: float) -> Place | None:
    return next((p for when, p in track.sightings if when == t), None)
