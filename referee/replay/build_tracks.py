"""Builds the tracks of a stroke from the observations collected while it was played.

The input is a `StrokeObservations`, the output `Tracks`. At any time each piece is among those at rest or among those
that move, and in neither list where its place is not known.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.lattice import Lattice
from calibration.geometry.picture import U8
from calibration.profile import Profile
from models.pieces import Kind, Piece
from referee.replay.interpolate import FRAME_S
from referee.replay.pace import Pace
from referee.replay.refine_discs import DiscGuess, DiscMeasurer
from referee.replay.tiles import FrameTiles
from referee.replay.tracks import DISC, HAND, LYING, PLACED, TRACKS_LETTERS, TRACKS_UNKNOWN, VERSION, Tracks
from referee.replay.trajectories import (
    FIT_ASIDE_MM,
    FIT_SAME_DISC_MM,
    FIT_SURE_MM,
    STRAY_RANK,
    DiscTrajectory,
    Spot,
    departure_time,
    is_consistent,
    measured,
    smoothed,
)
from referee.tracking.tracker import Track

STAYED_MM, BUILD_NUDGED_MM = 1.0, 15.0
"""Greatest distances between the places of a piece before and after a stroke: up to STAYED_MM it stayed, up to
BUILD_NUDGED_MM it was nudged. The time of a nudge is not known, because the vision holds both places for one."""

Outline = NDArray[np.int16]
Lying = tuple[float, tuple[Piece, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class StrokeObservations:
    """Observations of one stroke and of the time before it."""

    span: tuple[float, float]
    """Times (s) of the first and the last frame."""
    t_strike: float
    tracks: tuple[Track, ...]
    """Tracks of the discs that moved since the strike."""
    kinds: Mapping[int, Kind]
    """Kinds of the tracks by track number, as far as known."""
    lying: tuple[Lying, ...]
    """Pieces at rest, each set with the time (s) from which it lay so."""
    settled: tuple[Piece, ...]
    """Pieces at rest at the end."""
    placed: tuple[tuple[float, float, float, float], ...]
    """Measurements of the striker on its base lines: time (s), x, y, standard deviation (mm)."""
    hands: tuple[tuple[float, Outline], ...]
    cutouts: tuple[FrameTiles, ...]
    """Image tiles of the frames that show something moving."""
    ending: FrameTiles | None
    """Image tiles of the last frame that show the pieces at rest."""
    profile: Profile
    lattice: Lattice
    empty: U8
    """Empty board on the lattice, (3, n, n)."""


def build_tracks(g: StrokeObservations, pace: Pace | None = None) -> Tracks:
    """Returns the tracks with each disc measured in the retained image tiles.

    Takes some tenths of a second, after a break shot a second or two, and the pauses of `pace`, by default none. Raises
    OutOfTime if the program ends meanwhile.
    """
    lay = next((pieces for t, pieces in reversed(g.lying) if t <= g.t_strike), g.lying[0][1] if g.lying else ())
    measurer = DiscMeasurer(g.profile, g.lattice, g.empty, pace)
    g = replace(g, settled=_measured_at_end(g.settled, g.ending, measurer))
    stayed, arrived = _stayed_and_arrived(g, lay)
    tracks = [(track, g.kinds[track.number]) for track in g.tracks if track.number in g.kinds]
    ways = [way for way in measured(tracks, arrived, g.cutouts, measurer) if not _is_stray_striker(way)]
    left = _departures(g, lay, stayed, ways)
    return _tracks(g, sorted(_sightings(ways, left)), list(_lying(g, lay, left, ways)))


def _is_stray_striker(way: DiscTrajectory) -> bool:
    """Tells whether a trajectory only looks like the striker's.

    The vision tracks the one striker itself; this is a hand or a glint.
    """
    return way.kind is Kind.STRIKER and way.rank == STRAY_RANK


def unmeasured_tracks(g: StrokeObservations) -> Tracks:
    """Returns the tracks at once as the vision followed them: nothing measured (infinite sigma), nothing left out."""
    rows = (
        (
            t,
            track.number,
            TRACKS_LETTERS[g.kinds[track.number]] if track.number in g.kinds else TRACKS_UNKNOWN,
            *place,
            math.inf,
        )
        for track in g.tracks
        for t, place in track.sightings
    )
    return _tracks(g, sorted(rows), g.lying)


def _tracks(g: StrokeObservations, discs: Sequence[tuple[Any, ...]], lying: Sequence[Lying]) -> Tracks:
    hands = [(t, i, x, y) for i, (t, outline) in enumerate(g.hands) for x, y in outline.tolist()]
    pieces = [(i, TRACKS_LETTERS[p.kind], p.x_mm, p.y_mm) for i, (_, here) in enumerate(lying) for p in here]
    return Tracks(
        version=np.array(VERSION),
        span=np.array(g.span),
        discs=np.array(discs, DISC),
        changes=np.array([t for t, _ in lying], np.float64),
        lying=np.array(pieces, LYING),
        placed=np.array(list(g.placed), PLACED),
        hands=np.array(hands, HAND),
    )


def _measured_at_end(settled: Sequence[Piece], ending: FrameTiles | None, measurer: DiscMeasurer) -> tuple[Piece, ...]:
    """Returns the pieces at their places in the last frame: the vision may miss a nudge of a few millimetres."""
    if ending is None or not settled:
        return tuple(settled)
    guesses = [DiscGuess(p.kind, p.x_mm, p.y_mm) for p in settled]
    places = zip(settled, guesses, measurer.refine_closely(ending, guesses), strict=True)
    return tuple(
        replace(p, x_mm=fix.x, y_mm=fix.y)
        if is_consistent(guess, fix, FIT_ASIDE_MM, FIT_SURE_MM) and math.dist((fix.x, fix.y), p.place) > STAYED_MM
        else p
        for p, guess, fix in places
    )


def _stayed_and_arrived(g: StrokeObservations, lay: Sequence[Piece]) -> tuple[list[Piece], list[Piece]]:
    """Returns the pieces of `lay` that stayed, and the pieces at the end that came from elsewhere."""
    moved = [track.home for track in g.tracks if track.home is not None]
    still, arrived, stayed = [p for p in lay if p not in moved], [], []
    for piece in g.settled:
        same = [p for p in still if p.kind is piece.kind and _apart(p, piece) <= STAYED_MM]
        if same:
            nearest = min(same, key=lambda p: _apart(p, piece))
            still.remove(nearest)
            stayed.append(nearest)
        else:
            arrived.append(piece)
    return stayed, arrived


def _departures(g: StrokeObservations, lay: Sequence[Piece], stayed: Sequence[Piece],
          ways: Sequence[DiscTrajectory]) -> list[tuple[float, Piece]]:  # fmt: skip
    """Returns when each piece left its place: at the strike if it was nudged or its leaving was not detected."""
    departed = {way.home: departure_time(way) for way in ways if way.home is not None}
    left = []
    for piece in (p for p in lay if p not in stayed):
        nudged = any(p.kind is piece.kind and _apart(p, piece) < BUILD_NUDGED_MM for p in g.settled)
        t = g.t_strike if nudged else max(departed.get(piece, g.t_strike), g.t_strike)
        left.append((t - FRAME_S * (piece.kind is Kind.STRIKER), piece))
    return left


def _lying(g: StrokeObservations, lay: Sequence[Piece], left: Sequence[tuple[float, Piece]],
           ways: Sequence[DiscTrajectory]) -> Iterator[Lying]:  # fmt: skip
    """Yields the sets of pieces at rest, each with the time from which it lay so; moving pieces are in none."""
    since, until = g.span
    for t, pieces in g.lying:
        if t <= g.t_strike:
            # A hand may move the striker: its own measurements (`placed`) are more precise.
            yield max(t, since), tuple(p for p in pieces if p.kind is not Kind.STRIKER or not g.placed)
    arrivals = [(way.since, way.rests) for way in ways if way.rests is not None and way.since < until]
    here = list(lay)
    for t, piece in sorted([*left, *arrivals], key=lambda change: change[0]):
        if (t, piece) in arrivals:
            here.append(piece)
        elif piece in here:
            here.remove(piece)
        yield min(max(t, since), until), tuple(here)
    yield until, g.settled


def _sightings(ways: Sequence[DiscTrajectory], left: Sequence[tuple[float, Piece]]) -> Iterator[tuple[Any, ...]]:
    """Yields rows of `Tracks.discs`: measured places, and tracked ones with an infinite sigma."""
    free = list(_at_most_moving_pieces(smoothed(ways), ways, left))
    for spot in free:
        yield spot.t, spot.way, TRACKS_LETTERS[ways[spot.way].kind], spot.x, spot.y, spot.sigma
    shown = {(spot.t, spot.way) for spot in free}
    for number, way in enumerate(ways):
        for t, (x, y) in way.followed.items():
            if t < way.since and (t, number) not in shown:
                yield t, number, TRACKS_LETTERS[way.kind], x, y, math.inf


def _at_most_moving_pieces(
    spots: Iterable[Spot], ways: Sequence[DiscTrajectory], left: Sequence[tuple[float, Piece]]
) -> Iterator[Spot]:
    """Yields no more spots of a kind at a time than pieces move, the most certain first, none within another disc."""
    for t, some in groupby(sorted(spots, key=lambda s: (s.t, ways[s.way].rank, s.sigma)), key=lambda s: s.t):
        room = Counter(piece.kind for since, piece in left if since <= t)
        room[Kind.STRIKER] = 1
        room.subtract(way.kind for way in ways if way.since <= t)
        here: list[Spot] = []
        for spot in some:
            kind = ways[spot.way].kind
            if room[kind] > 0 and all(math.dist((k.x, k.y), (spot.x, spot.y)) > FIT_SAME_DISC_MM for k in here):
                room[kind] -= 1
                here.append(spot)
        yield from here


def _apart(one: Piece, other: Piece) -> float:
    return math.dist(one.place, other.place)
