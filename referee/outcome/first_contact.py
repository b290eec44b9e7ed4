"""Determines which coin the striker touched first.

Input are the times at which coins left their places and the striker's track; output is the kind of the coin.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from models.board import BoardModel
from models.pieces import Kind, Piece
from referee.tracking.flight import is_inside
from referee.tracking.tracker import Place, Track
from referee.tracking.trajectory import legs

Contact = tuple[float, Piece]
Leg = tuple[Place, Place]
"""Start and end of a straight part of a path."""

AT_ONCE_S = 0.04
"""Longest time between departures that count as simultaneous, s.

Coins in contact move as one, and frames take time: only the striker's path shows which of them was struck.
"""
CONTACT_ERROR_MM = 2.0
"""Error of the distance of two discs, in mm. Those nearer than both radii and this touch. A striker nearer to a coin
than both radii less this has touched it, even if the coin was not detected to leave: in a broken formation another coin
may take its place.
"""
ASIDE_MM, ASIDE_COST, MOST_BOUNCES = 15.0, 2.0, 3
"""Greatest gap, in mm, between a coin and a path that led to it, way in mm for which each mm of the gap counts, and
greatest number of bounces extrapolated, for errors grow with each.
"""
LEAST_COURSE_MM = 25.0
"""Least length of a striker's path, in mm, from which a course is computed."""
TURNED = 0.25
"""Deviation from the straight line, as a share of a step, from which the striker has met a cushion or a coin."""


@dataclass(frozen=True, slots=True)
class Approach:
    """The measured path of a striker to the coins."""

    contacts: Sequence[Contact]
    """The time (s) when each coin left its place, and the coin, in order of time."""
    lay: Sequence[Piece]
    """The coins that lay on the board at the strike."""
    striker: Track | None
    t_strike: float
    stood: Place | None
    """The striker's place before the strike; None if it was not detected."""

    @property
    def first(self) -> float:
        """Returns the time (s) when the first coin left its place."""
        return self.contacts[0][0]

    def until(self, t: float, with_t: bool = False) -> list[Place]:
        """Returns the striker's path from its place at the strike to its last sighting before t, or at t."""
        seen = [] if self.striker is None else [
            p for s, p in self.striker.sightings
            if self.t_strike <= s < t or (with_t and s == t)]  # fmt: skip
        return [self.stood, *seen] if self.stood is not None else seen

    def seen_path(self) -> list[Place]:
        """Returns the striker's path from its place at the strike until the first coin left.

        If it was detected only once by then, its path to a next sighting at once after counts.
        """
        way = self.until(self.first, with_t=True)
        return way if len(way) > 1 else self.until(self.first + AT_ONCE_S, with_t=True)[:2]


def first_contact(board: BoardModel, approach: Approach) -> Kind | None:
    """Returns the kind of the coin that the striker touched first; None if no coin left its place.

    That is the first coin on the striker's path, which is extrapolated from where it was seen before any coin left. All
    coins that left count if the path surely overlaps them before it is extrapolated off a cushion, for a grazed coin is
    detected to leave late; where several left at once, so do coins that seem to lie still. Of those that left at once,
    coins beside the path count too. Without any such coin, the one nearest to where the striker was seen last counts.
    """
    if not approach.contacts:
        return None
    at_once = [p for t, p in approach.contacts if t - approach.first <= AT_ONCE_S]
    if approach.striker is None:
        return at_once[0].kind
    reach = board.striker_radius + board.coin_radius
    course = _course(approach, board.half) or approach.striker.places[:1]
    seen = list(pairwise(approach.seen_path()))
    ahead, *bounced = _extrapolated(course, board.half - board.striker_radius)
    ways = [(_way_to([*seen, ahead, *bounced], p, reach, ASIDE_MM), p) for p in at_once]
    overlapped = [p for _, p in approach.contacts] + (list(approach.lay) if len(at_once) > 1 else [])
    ways += [(_way_to([*seen, ahead], p, reach, -CONTACT_ERROR_MM), p) for p in overlapped]
    way, met = min(ways, key=lambda each: each[0])
    return met.kind if way < math.inf else min(at_once, key=lambda p: math.dist(course[-1], p.place)).kind


def _course(approach: Approach, half: float) -> list[Place]:
    """Returns the last straight part of a striker's path before the first coin left: it may come off a cushion.

    A last step that turns away from the cushions is left out: it leads to a blob of the striker and a coin.
    """
    before = approach.until(approach.first)
    way = before if len(before) > 1 else approach.seen_path()
    course = _last_straight(way)
    return _last_straight(way[:-1]) if len(course) == 2 < len(way) and is_inside(way[-1], half) else course


def _extrapolated(course: Sequence[Place], inner: float) -> Iterator[Leg]:
    """Yields the parts of a straight course as it goes on, over cushions that reflect it `inner` mm from the axes."""
    start, (x, y) = course[0], (min(max(at, -inner), inner) for at in course[-1])
    far = math.dist(start, course[-1])
    if far < LEAST_COURSE_MM:
        yield (x, y), (x, y)
        return
    ahead = (course[-1][0] - start[0]) / far, (course[-1][1] - start[1]) / far
    for at, (dx, dy), way in islice(legs((x, y), ahead, math.inf, inner), MOST_BOUNCES + 1):
        yield at, (at[0] + way * dx, at[1] + way * dy)


def _last_straight(way: list[Place]) -> list[Place]:
    """Returns the last straight part of a path."""
    start = len(way) - 1
    while start > 0 and math.dist(way[start], way[-1]) < LEAST_COURSE_MM:
        start -= 1
    while start > 0 and _beside(way[start - 1], way[start], way[-1]) < TURNED * math.dist(way[start - 1], way[start]):
        start -= 1
    return way[max(0, start) :]


def _beside(point: Place, start: Place, end: Place) -> float:
    """Returns the distance (mm) of `point` from the point as far behind `start` on the line from `end` through it."""
    ahead, back = math.dist(start, end), math.dist(point, start)
    ux, uy = (start[0] - end[0]) / max(ahead, 1e-9), (start[1] - end[1]) / max(ahead, 1e-9)
    return math.hypot(point[0] - start[0] - back * ux, point[1] - start[1] - back * uy)


def _way_to(path: Sequence[Leg], coin: Piece, reach: float, beside: float) -> float:
    """Returns the way (mm) of a striker along a path until it touches a coin, at most `beside` mm beside the path.

    A gap between the coin and the path adds to the way. A coin off the path is at infinity.
    """
    gone, ways = 0.0, [math.inf]
    for start, end in path:
        share, at = nearest(start, end, coin.place)
        off, length = math.dist(at, coin.place), math.dist(start, end)
        if off < reach + beside:
            touch = share * length - math.sqrt(max(0.0, reach**2 - off**2))
            ways.append(gone + max(0.0, touch) + ASIDE_COST * max(0.0, off - reach))
        gone += length
    return min(ways)


def on_the_way(board: BoardModel, stood: Place, rested: Place, coins: Sequence[Piece],
               lie: Sequence[Piece] = ()) -> list[Piece]:  # fmt: skip
    """Returns the coins in the path of an untracked striker from where it `stood` to where it `rested`, in order.

    `coins` left their places and `lie` did not. Each contact turns the striker a little, so coins beside the straight
    path count too. If any coin left, a lying coin in contact with the resting striker was touched as well: it passed
    the blow on and hardly moved.
    """
    reach = board.striker_radius + board.coin_radius
    met = [p for p in coins if clearance(stood, rested, p.place) < reach + ASIDE_MM]
    if coins:
        met += [p for p in lie if p not in met and math.dist(rested, p.place) < reach + CONTACT_ERROR_MM]
    return sorted(met, key=lambda p: math.dist(stood, p.place))


def clearance(start: Place, end: Place, point: Place) -> float:
    """Returns the least distance (mm) between a straight path and a point."""
    return math.dist(point, nearest(start, end, point)[1])


def nearest(start: Place, end: Place, point: Place) -> tuple[float, Place]:
    """Returns the point of a straight path nearest to `point`: its share of the path (0 to 1), and its place."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    share = ((point[0] - start[0]) * dx + (point[1] - start[1]) * dy) / max(dx * dx + dy * dy, 1e-9)
    share = min(max(share, 0.0), 1.0)
    return share, (start[0] + share * dx, start[1] + share * dy)
