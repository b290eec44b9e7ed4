"""Rotates a profile when the owner declares another side to be south."""

from __future__ import annotations

from dataclasses import replace

from calibration.profile import Point, Profile, SideMarks
from models.pieces import Pocket, Seat, to_side


def turned(profile: Profile, quarter_turns: int) -> Profile:
    """Returns `profile` with south moved `quarter_turns` clockwise, seen from above, and without its background."""
    n = quarter_turns % 4
    seats = list(Seat)
    towards = seats[n]
    sides = {seat: turned_side(profile.sides[seats[(i + n) % 4]], towards) for i, seat in enumerate(seats)}
    circles = [circle.moved(lambda point: _point(point, towards)) for circle in profile.pockets.values()]
    pockets = {p: c for p in Pocket for c in circles if c.centre[0] * p.corner[0] > 0 < c.centre[1] * p.corner[1]}
    return replace(profile, camera=profile.camera.turned(n), sides=sides, pockets=pockets, turn=(profile.turn + n) % 4,
                   middle=_point(profile.middle, towards), background=None)  # fmt: skip


def south_on(profile: Profile, side: Seat) -> Profile:
    """Returns `profile` with south on the side so far named `side`; unchanged if that is south already."""
    return profile if side is Seat.SOUTH else turned(profile, list(Seat).index(side))


def turned_side(marks: SideMarks, towards: Seat) -> SideMarks:
    """Returns the marks in the board frame in which the side `towards` is south."""
    return marks.moved(lambda point: _point(point, towards))


def _point(point: Point, towards: Seat) -> Point:
    return to_side(towards, *point)
