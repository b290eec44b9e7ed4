"""Touches: coins that a hand moved while the striker stood to be played (ICF General 98)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from models.pieces import Kind, Piece
from referee.census.between_strokes import HandDisplacement
from referee.outcome.first_contact import Point, clearance, nearest
from referee.tracking.tracker import Track

TOUCH_LEAST_MM = 3.0
"""A coin that lies less far from its former place was not seen to move: it was measured twice."""
TOUCH_MOST_MM = 150.0
"""A coin that lies farther away was carried, or was another."""
VISIT_S = 1.5
"""The hand that places the striker is over the board this long before it lets go of it."""
TOUCH_NEAR_MM, FLEW_MM = 42.0, 25.0
"""A disc that has travelled so far and came so near may have knocked the coin: two radii and noise."""
GRAZED_MM, TOUCH_AWAY = 39.0, 0.8
"""A coin whose middle lay so near to the striker's way was grazed by it if it went from there by a turn of at least
this cosine to the way's normal."""
TOUCH_BESIDE_MM = 37.0
"""Coins that lie nearer than this touch, or do when one of them moves by as little as is overlooked."""
TOUCH_SURE, HARDLY = 0.85, 0.3

Way = tuple[Point, ...]


def touches(shifts: Sequence[HandDisplacement], tracks: Sequence[Track], lay: Sequence[Piece], t_placed: float, t_strike: float,
            hidden: Way = ()) -> list[tuple[HandDisplacement, float]]:  # fmt: skip
    """The coins that the playing hand may have touched from placing the striker until the stroke; how surely each.

    `lay` are the coins as they were known to lie at the strike; `hidden` is the striker's way from where it stood to
    where it was first seen on its way.
    """
    during = [s for s in shifts if s.piece.kind is not Kind.STRIKER and TOUCH_LEAST_MM < s.moved_mm < TOUCH_MOST_MM
              and t_placed - VISIT_S < s.seen_before < t_strike and s.t > t_placed]  # fmt: skip
    stirred = _stirred(shifts, tracks, lay, t_strike)
    return [
        (s, HARDLY if s.t >= t_strike and (s.was in stirred or _is_grazed(s, hidden)) else TOUCH_SURE) for s in during
    ]


def _is_grazed(shift: HandDisplacement, hidden: Way) -> bool:
    """Whether a coin went straight away from the striker's way along which it lay."""
    if len(hidden) < 2:
        return False
    was, now = _way(shift)
    share, (x, y) = nearest(hidden[0], hidden[1], was)
    aside, went = (was[0] - x, was[1] - y), (now[0] - was[0], now[1] - was[1])
    straight = aside[0] * went[0] + aside[1] * went[1] > TOUCH_AWAY * math.hypot(*aside) * math.hypot(*went)
    return 0 < share < 1 and math.hypot(*aside) < GRAZED_MM and straight


def _stirred(
    shifts: Sequence[HandDisplacement], tracks: Sequence[Track], lay: Sequence[Piece], t_strike: float
) -> list[Piece]:
    """The coins, where they lay, that the stroke may have moved: those near which a disc flew, and from one to the
    next all that lay near the way of such a coin. Coins that touch pass a blow on, be it without moving themselves.
    """
    ways = {p: ((p.x_mm, p.y_mm),) for p in lay} | {s.was: _way(s) for s in shifts if s.t >= t_strike}
    out: list[Piece] = []
    reached, within = [way for k in tracks if len(way := _flown(k, t_strike)) > 1], TOUCH_NEAR_MM
    while reached:
        near = [p for p, way in ways.items() if p not in out and any(_apart(way, other) < within for other in reached)]
        reached, within = [ways[p] for p in near], TOUCH_BESIDE_MM
        out += near
    return out


def _way(shift: HandDisplacement) -> Way:
    return (shift.was.x_mm, shift.was.y_mm), (shift.piece.x_mm, shift.piece.y_mm)


def _flown(track: Track, t_strike: float) -> Way:
    """The way (mm) of a track after the strike; none of one that hardly moved."""
    flown = tuple(p for t, p in track.sightings if t >= t_strike)
    return flown if flown and math.dist(flown[0], flown[-1]) > FLEW_MM else ()


def _apart(a: Way, b: Way) -> float:
    """How near (mm) one of two ways comes to the other where that begins, turns or ends."""
    return min([_off(p, b) for p in a] + [_off(p, a) for p in b])


def _off(p: Point, way: Way) -> float:
    """Distance (mm) of a point from a way."""
    return min(clearance(a, b, p) for a, b in pairwise(way)) if len(way) > 1 else math.dist(p, way[0])
