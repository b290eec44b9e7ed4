"""Placement rules: clearances of the striker to each limit of the ICF laws (General, Equipment)."""

from __future__ import annotations

import math

from calibration.fit_board.symmetry_fill import SUPPOSED_MM, supposed
from calibration.profile import Circle, Profile, Segment, SideMarks
from models.board import BoardModel
from models.pieces import Seat, to_side
from referee.facts import Clearances, Placement, Reason

CALL_SIGMAS = 2.0
"""Standard deviations from a limit within which a placement is too close to call."""

_REASONS = {
    "front_line": Reason.NOT_TOUCHING_FRONT_LINE,
    "rear_line": Reason.NOT_TOUCHING_REAR_LINE,
    "moon": Reason.CUTTING_MOON,
    "arrow": Reason.TOUCHING_ARROW,
    "ends": Reason.OUTSIDE_BASELINE,
}


def judge(profile: Profile, seat: Seat, x: float, y: float, radius: float, sigma: float) -> Placement:
    """Judge a striker of `radius` mm with its middle at board (x, y) mm, standard deviation `sigma` mm.

    Marks that were not measured are taken from their fellows; a limit near one of them has a larger sigma.
    """
    measured = profile.sides.get(seat)
    clearance = clearances(supposed(profile, seat), seat, x, y, radius)
    if _is_near_supposed(clearance, clearances(measured, seat, x, y, radius), sigma):
        sigma = math.hypot(sigma, SUPPOSED_MM)
    known = {name: value for name in _REASONS if (value := getattr(clearance, name)) is not None}
    if not known:
        return Placement(x, y, None, None, 0.0, sigma, clearance)
    worst = min(known, key=lambda n: known[n])
    margin = known[worst]
    legal = None if abs(margin) < CALL_SIGMAS * sigma else margin > 0
    return Placement(x, y, legal, _REASONS[worst] if legal is False else None, margin, sigma, clearance)


def _is_near_supposed(clear: Clearances, measured: Clearances, sigma: float) -> bool:
    """Whether a limit set by an unmeasured mark is too near to call."""
    near = CALL_SIGMAS * math.hypot(sigma, SUPPOSED_MM)
    pairs = ((getattr(clear, name), getattr(measured, name)) for name in _REASONS)
    return any(value is not None and value != known and abs(value) < near for value, known in pairs)


def clearances(marks: SideMarks | None, seat: Seat, x: float, y: float, radius: float) -> Clearances:
    """Distance to each limit, positive on the legal side; None where the board lacks the mark.

    A base line is touched from its nearest printed edge on; the moon's limit is the middle of its printed ring: it must
    be wholly covered or not touched; the arrow is its straight shaft.
    """
    if marks is None:
        return Clearances()
    sx, sy = to_side(seat, x, y)
    rear, front = _line(marks.rear_line, seat, sx), _line(marks.front_line, seat, sx)
    rings = [c for c in (marks.left_circle, marks.right_circle) if c]
    arrows = [a for a in (marks.left_arrow, marks.right_arrow) if a]
    return Clearances(
        front_line=None if front is None else sy + radius - (front[0] - front[1] / 2),
        rear_line=None if rear is None else rear[0] + rear[1] / 2 - (sy - radius),
        moon=min((_moon(c, x, y, radius) for c in rings), default=None),
        arrow=min((_shaft(a, x, y) - radius - a.thickness / 2 for a in arrows), default=None),
        ends=_ends(marks, seat, sx, radius),
        circle=min((math.dist(c.centre, (x, y)) - radius - c.radius for c in rings), default=None),
    )


def between_lines(board: BoardModel, x: float, y: float) -> bool:
    """Whether a middle at board (x, y) mm lies between some seat's base lines, or beyond their ends."""
    return board.off_lines(x, y) < board.line_gap / 2


def has_left(marks: SideMarks | None, seat: Seat, x: float, y: float, radius: float) -> bool:
    """Whether a striker of `radius` mm at board (x, y) mm lies wholly before or behind its seat's base lines."""
    if marks is None:
        return False
    sx, sy = to_side(seat, x, y)
    rear, front = _line(marks.rear_line, seat, sx), _line(marks.front_line, seat, sx)
    before = front is not None and sy - radius > front[0] + front[1] / 2
    return before or (rear is not None and sy + radius < rear[0] - rear[1] / 2)


def _line(segment: Segment | None, seat: Seat, sx: float) -> tuple[float, float] | None:
    """Height (mm, in the player's frame) of a line's middle at sx, and its thickness."""
    if segment is None:
        return None
    (x0, y0), (x1, y1) = to_side(seat, *segment.start), to_side(seat, *segment.end)
    share = (sx - x0) / (x1 - x0) if abs(x1 - x0) > 1.0 else 0.0
    return y0 + (y1 - y0) * share, segment.thickness


def _moon(ring: Circle, x: float, y: float, radius: float) -> float:
    """Clear of a base circle, or how far inside the striker's rim it is covered; negative when cut."""
    away = math.dist(ring.centre, (x, y))
    return max(away - radius - ring.radius, radius - away - ring.radius)


def _shaft(arrow: Segment, x: float, y: float) -> float:
    """Distance (mm) from (x, y) to an arrow's middle line."""
    (x0, y0), (x1, y1) = arrow.start, arrow.end
    dx, dy = x1 - x0, y1 - y0
    share = ((x - x0) * dx + (y - y0) * dy) / max(dx * dx + dy * dy, 1e-9)
    share = min(1.0, max(0.0, share))
    return math.hypot(x - x0 - share * dx, y - y0 - share * dy)


def _ends(marks: SideMarks, seat: Seat, sx: float, radius: float) -> float | None:
    """How far the striker's middle stays between the base circles, covering the outer one at the most."""
    reach = []
    for ring, side in ((marks.left_circle, -1.0), (marks.right_circle, 1.0)):
        if ring is not None:
            limit = side * to_side(seat, *ring.centre)[0] + max(radius - ring.radius, 0.0)
            reach.append(limit - side * sx)
    return min(reach) if reach else None
