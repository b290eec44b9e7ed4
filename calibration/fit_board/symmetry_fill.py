"""Marks that nobody measured, where the board's symmetry puts them.

Coins, hands and wear hide a base circle or an arrow while its fellows are seen; it is printed all the same, and a
striker may cut it. A board that lacks a kind of mark shows none of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.profile import UNMARKED, Circle, Point, Profile, Segment, SideMarks
from calibration.turning import turned_side
from models.pieces import Seat, from_side, to_side

SUPPOSED_MM = 0.5
"""How far (one sigma) a mark lies from where its fellows put it: a maker's lines are ruled, his circles stamped."""
LEAST_LINES, LEAST_RINGS, LEAST_ARROWS = 2, 3, 3
"""So many fellows show that the board has such marks; each arrow is seen from two sides. Of eight circles chance draws
one or two where none are.
"""


def supposed(profile: Profile, seat: Seat) -> SideMarks:
    """The marks before a seat: those measured, and the others where their fellows lie before the other seats."""
    sides = [_before(marks, of, seat) for of, marks in profile.sides.items()]
    own = profile.sides.get(seat, UNMARKED)
    ring = _ring([*(s.left_circle for s in sides), *(_other_circle(s.right_circle, seat) for s in sides)])
    arrow = _segment(
        [*(s.left_arrow for s in sides), *(_other_arrow(s.right_arrow, seat) for s in sides)], LEAST_ARROWS
    )
    return SideMarks(
        own.rear_line or _segment([s.rear_line for s in sides], LEAST_LINES),
        own.front_line or _segment([s.front_line for s in sides], LEAST_LINES),
        own.left_circle or ring, own.right_circle or _other_circle(ring, seat),
        own.left_arrow or arrow, own.right_arrow or _other_arrow(arrow, seat),
    )  # fmt: skip


def _before(marks: SideMarks, of: Seat, seat: Seat) -> SideMarks:
    """The marks of one seat as they would lie before another."""
    return turned_side(marks, list(Seat)[(of.quarter_turns - seat.quarter_turns) % 4])


def _other_hand(point: Point, seat: Seat) -> Point:
    """The point as far to the seat's left as this one lies to its right."""
    x, y = to_side(seat, *point)
    return from_side(seat, -x, y)


def _other_circle(circle: Circle | None, seat: Seat) -> Circle | None:
    return Circle(_other_hand(circle.centre, seat), circle.radius) if circle else None


def _other_arrow(arrow: Segment | None, seat: Seat) -> Segment | None:
    return Segment(_other_hand(arrow.start, seat), _other_hand(arrow.end, seat), arrow.thickness) if arrow else None


def _ring(circles: Sequence[Circle | None]) -> Circle | None:
    seen = [c for c in circles if c]
    if len(seen) < LEAST_RINGS:
        return None
    return Circle(_mean([c.centre for c in seen]), float(np.mean([c.radius for c in seen])))


def _segment(segments: Sequence[Segment | None], least: int) -> Segment | None:
    seen = [s for s in segments if s]
    if len(seen) < least:
        return None
    thickness = float(np.mean([s.thickness for s in seen]))
    return Segment(_mean([s.start for s in seen]), _mean([s.end for s in seen]), thickness)


def _mean(points: Sequence[Point]) -> Point:
    x, y = np.mean(points, 0).tolist()
    return x, y
