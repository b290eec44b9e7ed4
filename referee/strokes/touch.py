"""Touches: coins that a hand moved while the striker stood to be played (ICF General 98)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from models.pieces import Kind
from referee.strokes.tidy import Shift
from referee.track import Track

LEAST_MM = 3.0
"""A coin that lies less far from its former place was not seen to move: it was measured twice."""
MOST_MM = 150.0
"""A coin that lies farther away was carried, or was another."""
VISIT_S = 1.5
"""The hand that places the striker is over the board this long before it lets go of it."""
NEAR_MM, FLEW_MM = 42.0, 25.0
"""A disc that has travelled so far and came so near may have knocked the coin: two radii and noise."""
SURE, HARDLY = 0.85, 0.3

Point = tuple[float, float]


def touches(shifts: Sequence[Shift], tracks: Sequence[Track], t_placed: float,
            t_strike: float) -> list[tuple[Shift, float]]:  # fmt: skip
    """The coins that the playing hand may have touched from placing the striker until the stroke; how surely each."""
    during = [s for s in shifts if s.piece.kind is not Kind.STRIKER and LEAST_MM < s.moved_mm < MOST_MM
              and t_placed - VISIT_S < s.seen_before < t_strike and s.t > t_placed]  # fmt: skip
    return [(s, HARDLY if _knocked(s, tracks, t_strike) else SURE) for s in during]


def _knocked(shift: Shift, tracks: Sequence[Track], t_strike: float) -> bool:
    """Whether a disc in flight came near enough to have moved the coin before it was found."""
    if shift.t < t_strike:
        return False
    return any(_passed(track, shift, t_strike) for track in tracks)


def _passed(track: Track, shift: Shift, t_strike: float) -> bool:
    """Whether a track's way after the strike led past the place where the coin was found."""
    flown = [p for t, p in zip(track.times, track.places, strict=True) if t >= t_strike]
    if len(flown) < 2 or math.dist(flown[0], flown[-1]) < FLEW_MM:
        return False
    return any(_away(a, b, (shift.piece.x_mm, shift.piece.y_mm)) < NEAR_MM for a, b in pairwise(flown))


def _away(a: Point, b: Point, p: Point) -> float:
    """Distance (mm) of p from the way from a to b."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    share = ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / max(dx * dx + dy * dy, 1e-9)
    share = min(1.0, max(0.0, share))
    return math.dist(p, (a[0] + share * dx, a[1] + share * dy))
