"""Determines which coin the striker touched first.

Input are the times at which coins left their places and the striker's track; output is the kind of the coin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from models.board import BoardModel
from models.pieces import Kind, Piece
from referee.tracking.flight import is_inside
from referee.tracking.tracker import Place, Track
from referee.tracking.trajectory import legs

Contact = tuple[float, Piece]

TIE_FRAMES = 1.5
"""Number of frames within which departures count as simultaneous."""
CLUSTER_S = 0.06
"""Longest time between the departures of coins in contact, s.

Coins in contact move as one: only the striker's course shows which of them was struck.
"""
CONTACT_ERROR_MM = 2.0
"""Error of the distance of two discs, in mm. Those nearer than both radii and this touch. A striker nearer to a coin
than both radii less this has touched it, even if the coin was not detected to leave: in a broken formation another coin
may take its place.
"""
ASIDE_MM, MOST_BOUNCES = 15.0, 3
"""Greatest gap, in mm, between a coin and a course that led to it, straight or off cushions, and greatest number of
bounces extrapolated, for errors grow with each.
"""
LEAST_COURSE_MM = 25.0
"""Least length of a striker's path, in mm, from which a course is computed."""
TURNED = 0.3
"""Deviation from the straight line, as a share of a step, from which the striker has met a cushion or a coin."""
LEAST_STRAIGHT, BENT_MM = 4, 5.0
"""Least number of sightings of a path, and deviation from its line (mm) from which its last sighting is a blob of the
striker and a coin.
"""


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

    def until(self, t: float, with_t: bool = False) -> list[Place]:
        """Returns the striker's path from its place at the strike to its last sighting before t, or at t."""
        seen = [] if self.striker is None else [
            p for s, p in self.striker.sightings
            if self.t_strike <= s < t or (with_t and s == t)]  # fmt: skip
        return [self.stood, *seen] if self.stood is not None else seen


def first_contact(board: BoardModel, approach: Approach) -> Kind | None:
    """Returns the kind of the coin that the striker touched first; None if no coin left its place.

    That is a coin to which the striker came nearer than both radii, for a grazed coin is detected to leave late;
    otherwise the first coin to leave; of several at once the first on the striker's course. Only sightings before the
    contact give the course. Without any, the coin nearest to the striker's place was touched first.
    """
    if not approach.contacts:
        return None
    reach = board.striker_radius + board.coin_radius
    if (grazed := _grazed(approach, reach)) is not None:
        return grazed.kind
    tied = _tied(approach, 2 * board.coin_radius + CONTACT_ERROR_MM)
    if len(tied) == 1 or approach.striker is None:
        return tied[0].kind
    first = approach.contacts[0][0]
    before = approach.until(first)
    seen = _undisturbed(before if len(before) > 1 else approach.until(first, with_t=True), board.half)
    course = _last_course(seen) or approach.striker.places[:1]
    start, via = course[0], course[-1]
    if (met := _met_off_cushions(start, via, tied, reach, board.half - board.striker_radius)) is not None:
        return met.kind
    tied += [p for p in approach.lay if _is_in_the_way(start, via, p, reach)]
    return min(tied, key=lambda p: _way_to(start, via, p.place, reach)).kind


def _met_off_cushions(start: Place, via: Place, tied: Sequence[Piece], reach: float, inner: float) -> Piece | None:
    """Returns the first coin that a striker hits off one cushion or more; None if its direct course leads to a coin.

    Its centre bounces `inner` mm from the board's middle. It was not detected after the bounce.
    """
    if any(_lies_on(start, via, p.place, reach + ASIDE_MM) for p in tied):
        return None
    far, (x, y) = math.dist(start, via), (min(max(at, -inner), inner) for at in via)
    ahead = (via[0] - start[0]) / far, (via[1] - start[1]) / far
    for at, (dx, dy), _ in islice(legs((x, y), ahead, math.inf, inner), 1, MOST_BOUNCES + 1):
        course = at, (at[0] + 2 * LEAST_COURSE_MM * dx, at[1] + 2 * LEAST_COURSE_MM * dy)
        met = [p for p in tied if _lies_on(*course, p.place, reach + ASIDE_MM)]
        if met:
            return min(met, key=lambda p: _way_to(*course, p.place, reach))
    return None


def _lies_on(start: Place, via: Place, coin: Place, reach: float) -> bool:
    """Tells whether the course from `start` through `via`, extended, passes a coin nearer than `reach` mm."""
    if math.dist(start, via) < LEAST_COURSE_MM:
        return True
    along, across = _offset(start, via, coin)
    return along > 0 and across < reach


def _offset(start: Place, via: Place, coin: Place) -> tuple[float, float]:
    """Returns how far a coin lies along the course from `start` through `via`, and beside it, both in mm."""
    ahead = math.dist(start, via)
    dx, dy = coin[0] - start[0], coin[1] - start[1]
    ux, uy = (via[0] - start[0]) / ahead, (via[1] - start[1]) / ahead
    return dx * ux + dy * uy, abs(dx * uy - dy * ux)


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
    return sorted(met, key=lambda p: _offset(stood, rested, p.place)[0])


def _grazed(approach: Approach, reach: float) -> Piece | None:
    """Returns the first departed coin to which the striker came nearer than `reach` before any coin left; None if none.

    If the striker was detected only at its place by then, its path to a next sighting at once after counts.
    """
    first = approach.contacts[0][0]
    way = approach.until(first, with_t=True)
    if len(way) == 1 and approach.until(first):
        way = approach.until(first + _tie_s(approach.striker), with_t=True)[:2]
    for a, b in pairwise(way):
        near = [p for _, p in approach.contacts if clearance(a, b, p.place) < reach - CONTACT_ERROR_MM]
        if near:
            return min(near, key=lambda p: _way_to(a, b, p.place, reach))
    return None


def clearance(start: Place, end: Place, point: Place) -> float:
    """Returns the least distance (mm) between a straight path and a point."""
    return math.dist(point, nearest(start, end, point)[1])


def nearest(start: Place, end: Place, point: Place) -> tuple[float, Place]:
    """Returns the point of a straight path nearest to `point`: its share of the path (0 to 1), and its place."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    share = ((point[0] - start[0]) * dx + (point[1] - start[1]) * dy) / max(dx * dx + dy * dy, 1e-9)
    share = min(max(share, 0.0), 1.0)
    return share, (start[0] + share * dx, start[1] + share * dy)


def _tied(approach: Approach, touch: float) -> list[Piece]:
    """Returns the coins that left at once with the first, or soon after in contact with one of those."""
    first, limit = approach.contacts[0][0], _tie_s(approach.striker)
    tied = [p for t, p in approach.contacts if t - first <= limit]
    soon = [p for t, p in approach.contacts if limit < t - first <= CLUSTER_S]
    for linked in tied:
        at = linked.place
        joined = [p for p in soon if math.dist(at, p.place) < touch]
        tied += joined
        soon = [p for p in soon if p not in joined]
    return tied


def _tie_s(striker: Track | None) -> float:
    """Returns the time (s) within which departures count as simultaneous."""
    gaps = [b - a for a, b in pairwise(striker.times)] if striker is not None else []
    return TIE_FRAMES * min(gaps, default=0.0)


def _undisturbed(way: list[Place], half: float) -> list[Place]:
    """Returns a path without a last sighting that is off the straight line, away from the cushions."""
    if len(way) < LEAST_STRAIGHT or not is_inside(way[-1], half):
        return way
    return way[:-1] if _beside(way[-1], way[-2], way[-LEAST_STRAIGHT]) > BENT_MM else way


def _last_course(way: list[Place]) -> list[Place]:
    """Returns the last straight part of a path: a striker may come off a cushion."""
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


def _is_in_the_way(start: Place, via: Place, coin: Piece, reach: float) -> bool:
    """Tells whether the course from `start` through `via` overlaps a coin so much that it surely hit it."""
    return math.dist(start, via) >= LEAST_COURSE_MM and _lies_on(start, via, coin.place, reach - CONTACT_ERROR_MM)


def _way_to(start: Place, via: Place, coin: Place, reach: float) -> float:
    """Returns the path length (mm) of a striker on the course from `start` through `via` until it touches a coin.

    A coin beside the course counts from its nearest point, with a penalty of twice the offset. A coin behind `start`
    is at infinity.
    """
    if math.dist(start, via) < LEAST_COURSE_MM:
        return math.dist(start, coin) - reach
    along, across = _offset(start, via, coin)
    if along < 0 and math.dist(start, coin) > reach + CONTACT_ERROR_MM:
        return math.inf
    if across >= reach:
        return along + 2 * across
    return along - math.sqrt(reach**2 - across**2)
