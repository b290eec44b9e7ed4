"""Detects coins that the playing hand touched: moved while the striker stood to be played (ICF General 98)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from models.pieces import Kind, Piece
from referee.census.between_strokes import HandDisplacement
from referee.census.reconcile import has_moved, may_be_dragged
from referee.outcome.first_contact import clearance, nearest
from referee.outcome.matching import is_same_place
from referee.tracking.tracker import Place, Track

TOUCH_NEAR_MM, FLEW_MM = 42.0, 25.0
"""Greatest distance from a coin of a disc that may have hit it or passed a blow on, and least way of one that flew, in
mm: two radii, noise, and what a coin moves unnoticed."""
TOUCH_AWAY = 0.8
"""Least cosine between a grazed coin's displacement and the normal of the striker's way."""

Polyline = tuple[Place, ...]


def touches(
    shifts: Sequence[HandDisplacement],
    tracks: Sequence[Track],
    lay: Sequence[Piece],
    t_placed: float,
    t_strike: float,
    hidden: Polyline = (),
) -> list[tuple[HandDisplacement, bool]]:
    """Returns the coins that the playing hand may have touched between placing the striker and the stroke, and for each
    whether the stroke may have moved it.

    `lay` are the coins as they were known to lie at the strike. `hidden` is the striker's way from where it stood to
    its first sighting in flight. A coin that had lain at its new place before is measured now here, now there.
    """
    during = [s for s in shifts
              if s.piece.kind is not Kind.STRIKER and s.seen_before < t_strike and s.t > t_placed
              and (s.nudged or has_moved(*_polyline(s))) and may_be_dragged(*_polyline(s))
              and not any(is_same_place(_polyline(s)[1], _polyline(was)[0]) for was in shifts if was.t < s.t)
              ]  # fmt: skip
    stirred = _stirred(shifts, tracks, lay, t_strike)
    return [(s, s.t >= t_strike and (s.was in stirred or _is_grazed(s, hidden))) for s in during]


def _is_grazed(shift: HandDisplacement, hidden: Polyline) -> bool:
    """Tells whether a coin that lay beside the striker's `hidden` way moved straight away from it."""
    if len(hidden) < 2:
        return False
    was, now = _polyline(shift)
    share, (x, y) = nearest(hidden[0], hidden[1], was)
    aside, went = (was[0] - x, was[1] - y), (now[0] - was[0], now[1] - was[1])
    straight = aside[0] * went[0] + aside[1] * went[1] > TOUCH_AWAY * math.hypot(*aside) * math.hypot(*went)
    return 0 < share < 1 and math.hypot(*aside) < TOUCH_NEAR_MM and straight


def _stirred(
    shifts: Sequence[HandDisplacement], tracks: Sequence[Track], lay: Sequence[Piece], t_strike: float
) -> list[Piece]:
    """Returns the coins, at their former places, that the stroke may have moved.

    These are the coins near which a disc flew, and in turn all that lay near the way of such a coin. Touching coins
    pass a blow on, even without moving themselves.
    """
    ways = {p: (p.place, p.place) for p in lay} | {s.was: _polyline(s) for s in shifts if s.t >= t_strike}
    out: list[Piece] = []
    reached = [way for k in tracks if (way := _flown(k, t_strike))]
    while reached:
        near = [p for p, way in ways.items() if p not in out and any(_apart(way, at) < TOUCH_NEAR_MM for at in reached)]
        reached = [ways[p] for p in near]
        out += near
    return out


def _polyline(shift: HandDisplacement) -> Polyline:
    return shift.was.place, shift.piece.place


def _flown(track: Track, t_strike: float) -> Polyline:
    """Returns the places of a track after the strike, in mm; empty if it hardly moved.

    A single leap of a track of no known piece is none: patches that an arm uncovers are joined so.
    """
    flown = tuple(p for t, p in track.sightings if t >= t_strike)
    leap = max((math.dist(a, b) for a, b in pairwise(flown)), default=0.0) if track.is_unclaimed else 0.0
    return flown if flown and math.dist(flown[0], flown[-1]) - leap > FLEW_MM else ()


def _apart(a: Polyline, b: Polyline) -> float:
    """Returns the least distance in mm between a vertex of one way and the other way."""
    return min(clearance(*leg, p) for one, other in ((a, b), (b, a)) for leg in pairwise(other) for p in one)
