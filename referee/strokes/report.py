"""The stroke as it is told: facts drawn from what was followed, each with its confidence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType

from calibration.profile import Profile
from models.pieces import Kind, Piece, Seat, to_side
from referee.strokes.census import Fate, Missing
from referee.strokes.facts import Foul, OffBoard, Placement, Pocketed, Stroke
from referee.strokes.placement import has_left, judge
from referee.strokes.play import Contact
from referee.strokes.strip import Standing
from referee.track import Track

Point = tuple[float, float]

FIRST_CONTACT_TIE_S, TIE_FRAMES = 0.012, 1.5
CLUSTER_S, TOUCH_MM = 0.06, 4.0
"""Coins that touch, to this much, move as one: which of them was struck shows only in where the striker came from."""
LEAST_COURSE_MM = 25.0
"""A striker followed for less than this shows no course."""
TURNED = 0.3
"""A striker whose way departs by this share of a step from the straight line has met a cushion or a coin."""
EXTRA_DOUBT = 0.8
"""Confidence is multiplied by this for every disc that nothing explains."""
MOST_SURE = 0.99
"""No call is surer: on boards never seen before about one in a hundred is wrong in a way that nothing in it shows."""
UNPLACED = 0.8
"""The same for a stroke before which nobody saw the striker stand: hands too carry discs and cover coins."""
LIKELY = 0.5
"""A foul of the hand is told when it is at least this probable."""


@dataclass(frozen=True, slots=True)
class StrokeDraft:
    """What was followed of one stroke."""

    n: int
    t_strike: float
    t_rest: float
    t_called: float
    striker: Track | None
    contacts: tuple[Contact, ...]
    """When each coin left its place, and which, in order."""
    missing: tuple[Missing, ...]
    unexplained: int
    """Discs found that no piece explains."""
    handling: Mapping[Foul, float] = field(default_factory=lambda: MappingProxyType({}))
    """Probability of each foul that was looked for by what the hand did."""


def tell(profile: Profile, draft: StrokeDraft, stood: tuple[Standing, float] | None) -> Stroke:
    """The stroke of a draft; `stood` is where the striker was placed, and since when."""
    seat = stood[0].seat if stood else _seat_by_track(draft)
    placement = _placement(profile, stood)
    pocketed = tuple(Pocketed(m.piece.kind, m.pocket, m.t) for m in _by_time(draft.missing, Fate.POCKETED))
    off = tuple(OffBoard(m.piece.kind, m.t) for m in _by_time(draft.missing, Fate.OFF_BOARD))
    fouls = _fouls(profile, seat, placement, pocketed, off, draft)
    confidence = EXTRA_DOUBT**draft.unexplained * (1.0 if stood else UNPLACED)
    for m in draft.missing:
        confidence *= m.confidence
    return Stroke(
        draft.n, seat, stood[1] if stood else None, draft.t_strike, max(draft.t_rest, draft.t_strike), draft.t_called,
        placement, _first_contact(profile, draft, stood), pocketed, off, tuple(fouls), MappingProxyType(fouls),
        round(min(confidence, MOST_SURE), 3),
    )  # fmt: skip


def _by_time(missing: tuple[Missing, ...], fate: Fate) -> list[Missing]:
    return sorted((m for m in missing if m.fate is fate), key=lambda m: m.t)


def _placement(profile: Profile, stood: tuple[Standing, float] | None) -> Placement | None:
    if stood is None:
        return None
    s = stood[0]
    return judge(profile, s.seat, s.x, s.y, profile.board.striker_radius, s.sigma)


def _seat_by_track(draft: StrokeDraft) -> Seat:
    """The side from which the striker came: where it was first seen moving, against its course."""
    if draft.striker is not None and draft.striker.places:
        x, y = draft.striker.places[0]
    else:
        x, y = (draft.contacts[0][1].x_mm, draft.contacts[0][1].y_mm) if draft.contacts else (0.0, -1.0)
    return max(Seat, key=lambda s: -to_side(s, x, y)[1])


def _first_contact(profile: Profile, draft: StrokeDraft, stood: tuple[Standing, float] | None) -> Kind | None:
    """The kind of the first coin to leave its place; of several at once the first on the striker's course.

    Where the striker went after it touched a coin says nothing of where it came from; without a sighting before, the
    coin nearest to where it stood was touched first.
    """
    if not draft.contacts:
        return None
    first = draft.contacts[0][0]
    reach = profile.board.striker_radius + profile.board.coin_radius
    tied = _tied(draft, 2 * profile.board.coin_radius + TOUCH_MM)
    if len(tied) == 1 or draft.striker is None:
        return tied[0].kind
    before = [p for t, p in zip(draft.striker.times, draft.striker.places, strict=True)
              if draft.t_strike <= t < first]  # fmt: skip
    course = _last_course(([(stood[0].x, stood[0].y)] if stood else []) + before) or draft.striker.places[:1]
    return min(tied, key=lambda p: _way_to(course[0], course[-1], (p.x_mm, p.y_mm), reach)).kind


def _tied(draft: StrokeDraft, touch: float) -> list[Piece]:
    """The coins that left their places at once with the first, or soon after and in touch with one that did."""
    first = draft.contacts[0][0]
    tied = [p for t, p in draft.contacts if t - first <= _tie_s(draft)]
    soon = [p for t, p in draft.contacts if _tie_s(draft) < t - first <= CLUSTER_S]
    for linked in tied:
        at = linked.x_mm, linked.y_mm
        joined = [p for p in soon if math.dist(at, (p.x_mm, p.y_mm)) < touch]
        tied += joined
        soon = [p for p in soon if p not in joined]
    return tied


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


def _tie_s(draft: StrokeDraft) -> float:
    """Coins that leave their places within so many seconds have done so at once: a frame and a half."""
    gaps = [b - a for a, b in pairwise(draft.striker.times)] if draft.striker is not None else []
    return max(FIRST_CONTACT_TIE_S, TIE_FRAMES * min(gaps, default=0.0))


def _way_to(start: Point, via: Point, coin: Point, reach: float) -> float:
    """How far (mm) a striker on the course from `start` through `via` goes until it touches a coin.

    A coin beside the course is touched at its nearest, and later than any on it; one that lies behind `start` never.
    """
    ahead = math.dist(start, via)
    dx, dy = coin[0] - start[0], coin[1] - start[1]
    if ahead < LEAST_COURSE_MM:
        return math.hypot(dx, dy) - reach
    ux, uy = (via[0] - start[0]) / ahead, (via[1] - start[1]) / ahead
    along, across = dx * ux + dy * uy, abs(dx * uy - dy * ux)
    if along < 0 and math.hypot(dx, dy) > reach + TOUCH_MM:
        return math.inf
    if across >= reach:
        return along + 2 * across
    return along - math.sqrt(reach**2 - across**2)


def _fouls(profile: Profile, seat: Seat, placement: Placement | None, pocketed: tuple[Pocketed, ...],
           off: tuple[OffBoard, ...], draft: StrokeDraft) -> dict[Foul, float]:  # fmt: skip
    fouls: dict[Foul, float] = {}
    if placement is not None and placement.legal is False and placement.reason is not None:
        fouls[Foul(f"placement:{placement.reason}")] = 0.95
    if any(p.kind is Kind.STRIKER for p in pocketed):
        fouls[Foul.STRIKER_POCKETED] = 0.95
    for o in off:
        fouls[Foul.STRIKER_OFF_BOARD if o.kind is Kind.STRIKER else Foul.COIN_OFF_BOARD] = 0.95
    if _stayed(profile, seat, draft):
        fouls[Foul.NO_LEAVE] = 0.9
    return fouls | {f: round(p, 3) for f, p in draft.handling.items() if p >= LIKELY}


def _stayed(profile: Profile, seat: Seat, draft: StrokeDraft) -> bool:
    """Whether the striker touched nothing and was never seen off its lines."""
    if draft.contacts or draft.striker is None or len(draft.striker.places) < 2:
        return False
    marks, radius = profile.sides.get(seat), profile.board.striker_radius
    return not any(has_left(marks, seat, x, y, radius) for x, y in draft.striker.places)
