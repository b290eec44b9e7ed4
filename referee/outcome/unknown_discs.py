"""Strangers: discs in flight while every piece that is known was seen elsewhere; a coin was overlooked before."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from models.board import BoardModel
from models.pieces import Kind
from referee.outcome.stroke_in_progress import Place, Play
from referee.tracking.tracker import Sighting, Track

Free = Callable[[float, Place], bool]
"""Whether surely no hand was near a place at a time (s)."""

UNKNOWN_DISC_GAP_S = 0.045
"""What was unseen for longer may be another disc."""
UNKNOWN_DISC_FLOWN_MM = 60.0
"""A stranger is seen on a way this long: shade, glare and prints that come to light show patches that jump about."""
UNKNOWN_DISC_STRAIGHT = 0.95
"""A way as long as this share of all its steps is one flight; patches of a shadow that creeps along go astray."""
WENT_MM = 30.0
"""Nearer to where it lay the board that it uncovered may pass for a disc."""
UNKNOWN_DISC_INSIDE_MM = 30.0
"""So far within the cushions: nets and frames show patches too."""


def stranger_flew(play: Play, tracks: Sequence[Track], lying: Sequence[Place], free: Free, board: BoardModel) -> bool:
    """Whether one of the `tracks` is of a disc that is none of those known.

    One that leads to where a piece lies (`lying`) after the stroke is that piece's, whatever was followed for it.
    """
    strays = [k for k in tracks if play.is_stray(k) and _extent(k) > UNKNOWN_DISC_FLOWN_MM
              and all(math.dist(k.place, p) > board.coin_radius for p in lying)]  # fmt: skip
    return any(_longest(_ways(_alone(stray, play, free, board))) > UNKNOWN_DISC_FLOWN_MM for stray in strays)


def _extent(track: Track) -> float:
    """How far apart (mm) its places are at most: most patches that nothing explains stay where they came to light."""
    return math.hypot(*(max(at) - min(at) for at in zip(*track.places, strict=True)))


def _longest(ways: Iterator[list[Sighting]]) -> float:
    return max((math.dist(way[0][1], way[-1][1]) for way in ways), default=0.0)


def _ways(seen: Iterator[Sighting]) -> Iterator[list[Sighting]]:
    """Straight runs of sightings between which the disc was not lost from view."""
    way: list[Sighting] = []
    for sighting in seen:
        if way and sighting[0] - way[-1][0] > UNKNOWN_DISC_GAP_S:
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
    """When and where a track was seen in the stroke while all pieces known to move were seen elsewhere."""
    reach = board.striker_radius + board.coin_radius
    for t, place in stray.sightings:
        if t <= play.t_strike or max(map(abs, place)) > board.half - UNKNOWN_DISC_INSIDE_MM or not free(t, place):
            continue
        others = _others(play, t, free)
        if others is not None and all(math.dist(other, place) > reach for other in others):
            yield t, place


def _others(play: Play, t: float, free: Free) -> list[Place] | None:
    """Where the pieces that were moving were seen at t; None where one of them was not, or what was seen of it may have
    been a hand, or the board that it uncovered.
    """
    if play.striker is None or any(k.seen < t for k in play.unfollowed):
        return None
    away = [track for k, track in play.moved if k.piece.kind is not Kind.STRIKER and k.seen < t]
    places = []
    for track in (play.striker, *away):
        if track in play.fallen and t > track.t:
            continue
        if (place := _seen_at(track, t)) is None or not (_went(track) and free(t, place)):
            return None
        places.append(place)
    return places


def _went(track: Track) -> bool:
    """Whether a track leads away from where its disc lay."""
    return any(math.dist(track.places[0], place) > WENT_MM for place in track.places)


def _seen_at(track: Track, t: float) -> Place | None:
    return next((p for when, p in track.sightings if when == t), None)
