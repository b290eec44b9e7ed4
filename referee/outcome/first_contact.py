"""The first contact: which coin the striker touched first, by who left when and by the striker's way there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from models.board import BoardModel
from models.pieces import Kind, Piece
from referee.tracking.tracker import RESTITUTION, Track

Point = tuple[float, float]
"""Board mm."""
Contact = tuple[float, Piece]

FIRST_CONTACT_TIE_S, TIE_FRAMES = 0.012, 1.5
CLUSTER_S, CONTACT_TOUCH_MM = 0.06, 4.0
"""Coins that touch, to this much, move as one: which of them was struck shows only in where the striker came from."""
GRAZE_MM = 1.0
"""A striker that comes nearer to a coin than both radii, less this error of a disc in flight, has touched it."""
FULL_MM = 3.0
"""One whose course leads it nearer than that, less this, touches it surely, be it seen to leave or not: in a broken
formation another coin may take its place."""
CONTACT_BESIDE_MM, BOUNCED_MM, MOST_BOUNCES = 25.0, 10.0, 3
"""A course that leads this far past all coins did not lead to them; off a cushion it leads so near to the one it met,
and is led on off so many: its errors grow.
"""
LEAST_COURSE_MM = 25.0
"""A striker followed for less than this shows no course."""
TURNED_MM = 15.0
"""The way of a striker that nobody saw is told from its ends: what it touched lay so far beside it at most."""
AGAINST_MM = 2.0
"""A striker lies against a coin that is no farther from it than that, by the errors of both."""
TURNED = 0.3
"""A striker whose way departs by this share of a step from the straight line has met a cushion or a coin."""
LEAST_STRAIGHT, BENT_MM, OPEN_MM = 4, 5.0, 60.0
"""Of so many sightings a last one this far off the straight way, and so far off the cushions, is of the striker and a
coin in one."""


@dataclass(frozen=True, slots=True)
class Approach:
    """What was seen of a striker on its way to the coins."""

    contacts: Sequence[Contact]
    """When each coin left its place, and which, in order."""
    lay: Sequence[Piece]
    """The coins that lay on the board at the strike."""
    striker: Track | None
    t_strike: float
    stood: Point | None
    """Where the striker stood, if that was seen."""

    def until(self, t: float, with_t: bool = False) -> list[Point]:
        """The striker's way from where it stood until it was seen last before t, or at t too."""
        seen = [] if self.striker is None else [
            p for s, p in self.striker.sightings
            if self.t_strike <= s < t or (with_t and s == t)]  # fmt: skip
        return [self.stood, *seen] if self.stood is not None else seen


def first_contact(board: BoardModel, approach: Approach) -> Kind | None:
    """The kind of the first coin to leave its place; of several at once the first on the striker's course, and before
    those any that the striker came too near to: one that it only grazes is seen to have left later.

    Where the striker went after it touched a coin says nothing of where it came from; without a sighting before, the
    coin nearest to where it stood was touched first.
    """
    if not approach.contacts:
        return None
    reach = board.striker_radius + board.coin_radius
    if (grazed := _grazed(approach, reach)) is not None:
        return grazed.kind
    tied = _tied(approach, 2 * board.coin_radius + CONTACT_TOUCH_MM)
    if len(tied) == 1 or approach.striker is None:
        return tied[0].kind
    first = approach.contacts[0][0]
    before = approach.until(first)
    seen = _undisturbed(before if len(before) > 1 else approach.until(first, with_t=True), board.half - OPEN_MM)
    course = _last_course(seen) or approach.striker.places[:1]
    start, via = course[0], course[-1]
    if (met := _met_off_cushions(start, via, tied, reach, board.half - board.striker_radius)) is not None:
        return met.kind
    tied += [p for p in approach.lay if _is_in_the_way(start, via, p, reach)]
    return min(tied, key=lambda p: _way_to(start, via, (p.x_mm, p.y_mm), reach)).kind


def _met_off_cushions(start: Point, via: Point, tied: Sequence[Piece], reach: float, inner: float) -> Piece | None:
    """The first of coins that a striker meets off one cushion or more, if it meets none on its course so far.

    Its middle turns round `inner` mm from the board's middle; it was not seen on its way from there.
    """
    if any(_lies_on(start, via, (p.x_mm, p.y_mm), reach + CONTACT_BESIDE_MM) for p in tied):
        return None
    for _ in range(MOST_BOUNCES):
        start, via = course = _bounced(start, via, inner)
        met = [p for p in tied if _lies_on(*course, (p.x_mm, p.y_mm), reach + BOUNCED_MM)]
        if met:
            return min(met, key=lambda p: _way_to(*course, (p.x_mm, p.y_mm), reach))
    return None


def _lies_on(start: Point, via: Point, coin: Point, reach: float) -> bool:
    """Whether the course from `start` through `via` and on leads onto a coin."""
    if math.dist(start, via) < LEAST_COURSE_MM:
        return True
    along, across = _offset(start, via, coin)
    return along > 0 and across < reach


def _offset(start: Point, via: Point, coin: Point) -> tuple[float, float]:
    """How far (mm) a coin lies along the course from `start` through `via`, and aside of it."""
    ahead = math.dist(start, via)
    dx, dy = coin[0] - start[0], coin[1] - start[1]
    ux, uy = (via[0] - start[0]) / ahead, (via[1] - start[1]) / ahead
    return dx * ux + dy * uy, abs(dx * uy - dy * ux)


def _bounced(start: Point, via: Point, inner: float) -> tuple[Point, Point]:
    """The course after the next cushion, which takes a share of the speed towards it."""
    step = [b - a for a, b in zip(start, via, strict=True)]
    shares = [(math.copysign(inner, d) - at) / d if d else math.inf for at, d in zip(via, step, strict=True)]
    share = max(0.0, min(shares))
    turn = via[0] + share * step[0], via[1] + share * step[1]
    turned = [-RESTITUTION * d if s == min(shares) else d for s, d in zip(shares, step, strict=True)]
    scale = 2 * LEAST_COURSE_MM / max(math.hypot(*turned), 1e-9)
    return turn, (turn[0] + scale * turned[0], turn[1] + scale * turned[1])


def on_the_way(board: BoardModel, stood: Point, rested: Point, coins: Sequence[Piece],
               lie: Sequence[Piece] = ()) -> list[Piece]:  # fmt: skip
    """Which of `coins` that left their places lay in the way of a striker from where it `stood` to where it `rested`,
    in the order in which it came to them; each that it touched turned it a little.

    One against which it rests was touched too if any left its place, for it passes a blow on and hardly moves itself.
    """
    reach = board.striker_radius + board.coin_radius
    met = [p for p in coins if clearance(stood, rested, (p.x_mm, p.y_mm)) < reach + TURNED_MM]
    if coins:
        met += [p for p in lie if p not in met and math.dist(rested, (p.x_mm, p.y_mm)) < reach + AGAINST_MM]
    return sorted(met, key=lambda p: _offset(stood, rested, (p.x_mm, p.y_mm))[0])


def _grazed(approach: Approach, reach: float) -> Piece | None:
    """The first of the coins that left to which the striker had come nearer than `reach` before any did; one that had
    been seen only where it stood by then had come to those on its way to where it was seen next, if that was at once.
    """
    first = approach.contacts[0][0]
    way = approach.until(first, with_t=True)
    if len(way) == 1 and approach.until(first):
        way = approach.until(first + _tie_s(approach.striker), with_t=True)[:2]
    for a, b in pairwise(way):
        near = [p for _, p in approach.contacts if clearance(a, b, (p.x_mm, p.y_mm)) < reach - GRAZE_MM]
        if near:
            return min(near, key=lambda p: _way_to(a, b, (p.x_mm, p.y_mm), reach))
    return None


def clearance(start: Point, end: Point, point: Point) -> float:
    """How near (mm) a straight way passes by a point."""
    return math.dist(point, nearest(start, end, point)[1])


def nearest(start: Point, end: Point, point: Point) -> tuple[float, Point]:
    """Which share of a straight way leads to its place nearest to a point, and that place."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    share = ((point[0] - start[0]) * dx + (point[1] - start[1]) * dy) / max(dx * dx + dy * dy, 1e-9)
    share = min(max(share, 0.0), 1.0)
    return share, (start[0] + share * dx, start[1] + share * dy)


def _tied(approach: Approach, touch: float) -> list[Piece]:
    """The coins that left their places at once with the first, or soon after and in touch with one that did."""
    first, limit = approach.contacts[0][0], _tie_s(approach.striker)
    tied = [p for t, p in approach.contacts if t - first <= limit]
    soon = [p for t, p in approach.contacts if limit < t - first <= CLUSTER_S]
    for linked in tied:
        at = linked.x_mm, linked.y_mm
        joined = [p for p in soon if math.dist(at, (p.x_mm, p.y_mm)) < touch]
        tied += joined
        soon = [p for p in soon if p not in joined]
    return tied


def _tie_s(striker: Track | None) -> float:
    """Coins that leave their places within so many seconds have done so at once: a frame and a half."""
    gaps = [b - a for a, b in pairwise(striker.times)] if striker is not None else []
    return max(FIRST_CONTACT_TIE_S, TIE_FRAMES * min(gaps, default=0.0))


def _undisturbed(way: list[Point], inner: float) -> list[Point]:
    """A way without its last sighting if that lies beside the straight line, `inner` mm from the middle at most."""
    if len(way) < LEAST_STRAIGHT or max(map(abs, way[-1])) > inner:
        return way
    return way[:-1] if _beside(way[-1], way[-2], way[-LEAST_STRAIGHT]) > BENT_MM else way


def _last_course(way: list[Point]) -> list[Point]:
    """The end of a way since it last turned: a striker may come off a cushion."""
    start = len(way) - 1
    while start > 0 and math.dist(way[start], way[-1]) < LEAST_COURSE_MM:
        start -= 1
    while start > 0 and _beside(way[start - 1], way[start], way[-1]) < TURNED * math.dist(way[start - 1], way[start]):
        start -= 1
    return way[max(0, start) :]


def _beside(point: Point, start: Point, end: Point) -> float:
    """How far (mm) `point` lies from where the line from `end` back through `start` leads at its distance."""
    ahead, back = math.dist(start, end), math.dist(point, start)
    ux, uy = (start[0] - end[0]) / max(ahead, 1e-9), (start[1] - end[1]) / max(ahead, 1e-9)
    return math.hypot(point[0] - start[0] - back * ux, point[1] - start[1] - back * uy)


def _is_in_the_way(start: Point, via: Point, coin: Piece, reach: float) -> bool:
    """Whether the course from `start` through `via` leads so far onto a coin that it was touched if any beyond was."""
    return math.dist(start, via) >= LEAST_COURSE_MM and _lies_on(start, via, (coin.x_mm, coin.y_mm), reach - FULL_MM)


def _way_to(start: Point, via: Point, coin: Point, reach: float) -> float:
    """How far (mm) a striker on the course from `start` through `via` goes until it touches a coin.

    A coin beside the course is touched at its nearest, and later than any on it; one that lies behind `start` never.
    """
    if math.dist(start, via) < LEAST_COURSE_MM:
        return math.dist(start, coin) - reach
    along, across = _offset(start, via, coin)
    if along < 0 and math.dist(start, coin) > reach + CONTACT_TOUCH_MM:
        return math.inf
    if across >= reach:
        return along + 2 * across
    return along - math.sqrt(reach**2 - across**2)
