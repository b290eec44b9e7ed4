"""Placement rules: clearances of the striker to each limit of the ICF laws (General, Equipment)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from calibration.fit_board.symmetry_fill import designed_side, inferred_side
from calibration.geometry.camera import F64, Camera
from calibration.profile import Circle, Point, Profile, Segment, SideMarks
from models.board import BoardModel, surface_spread
from models.pieces import Seat, to_side
from referee.facts import PLACEMENT_SIGMAS, Clearances, Placement, PlacementReason

_REASONS = {
    "front_line": PlacementReason.NOT_TOUCHING_FRONT_LINE,
    "rear_line": PlacementReason.NOT_TOUCHING_REAR_LINE,
    "moon": PlacementReason.CUTTING_MOON,
    "arrow": PlacementReason.TOUCHING_ARROW,
    "ends": PlacementReason.OUTSIDE_BASELINE,
}


def judge_placement(profile: Profile, seat: Seat, x: float, y: float, radius: float, sigma: float) -> Placement:
    """Returns the verdict on a striker of `radius` mm with its middle at board (x, y) mm and its rim known to `sigma`
    mm.

    Marks that no picture shows are placed by the measured ones, with a greater uncertainty. They may leave a placement
    open but never decide it. Marks and striker are seen by one camera, so its uncertainty counts by how it moves them
    relative to each other.
    """
    inferred = inferred_side(profile, seat)
    marks = inferred.filled(designed_side(profile, seat))
    clearance = clearances(marks, seat, x, y, radius)
    limits, alike, closer = (_known(clearances(m, seat, x, y, radius)) for m in (marks, inferred, marks.widened()))
    clear = np.array(list(limits.values()))
    doubts = np.hypot(sigma, _doubts(profile, marks, seat, (x, y), radius, tuple(limits)))
    doubts = np.hypot(doubts, [mm - closer[n] for n, mm in limits.items()])
    if not profile.residuals.model_sure:
        # A striker of the book's size is held against a board of unknown scale.
        doubts = np.hypot(doubts, surface_spread() * radius)
    if not limits:
        return Placement(x, y, None, None, 0.0, sigma, clearance)
    worst = int(np.argmin(clear))
    margin, is_printed = float(clear[worst]), np.array([mm == alike.get(n) for n, mm in limits.items()])
    # A mark that no picture shows may keep a placement from being called, and never calls one.
    doubts = np.where(is_printed, doubts, np.maximum(doubts, (0.01 - clear) / PLACEMENT_SIGMAS))
    open_ = np.abs(clear) < PLACEMENT_SIGMAS * doubts
    legal = None if open_[worst] or (margin > 0 and open_.any()) else margin > 0
    judged = float(max(doubts[worst], np.max(doubts[open_], initial=0.0) if margin > 0 else 0.0))
    reason = _REASONS[tuple(limits)[worst]] if legal is False else None
    return Placement(x, y, legal, reason, margin, judged, clearance)


def _known(clear: Clearances) -> dict[str, float]:
    """Returns the clearances of the ICF's limits that this board has."""
    return {name: value for name in _REASONS if (value := getattr(clear, name)) is not None}


def _doubts(profile: Profile, marks: SideMarks, seat: Seat, at: Point, radius: float, limits: Sequence[str]) -> F64:
    """Returns the standard deviations (n,) mm of the clearances to some limits, by the camera and the striker's
    height.
    """
    z, doubt, camera = profile.board.striker_height, profile.doubt, profile.camera
    (pixel,) = camera.to_pixels([at], z)

    def read(other: Camera, height: float) -> F64:
        def moved(point: Point) -> Point:
            x, y = other.to_board(camera.to_pixels([point]))[0].tolist()
            return x, y

        x, y = other.to_board([pixel], height)[0].tolist()
        clear = clearances(marks if other is camera else marks.moved(moved), seat, x, y, radius)
        return np.array([getattr(clear, name) for name in limits])

    return doubt.of_read(read, camera, z, doubt.striker_mm)


def clearances(marks: SideMarks | None, seat: Seat, x: float, y: float, radius: float) -> Clearances:
    """Returns the distance (mm) to each limit, positive on the legal side; None where the board lacks the mark.

    The limit of a base line is its nearest printed edge. The limit of the moon is the middle of its printed ring: the
    striker must cover it wholly or not touch it. The arrow is its straight shaft.
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
    """Tells whether a middle at board (x, y) mm lies between some seat's base lines, or beyond their ends."""
    return board.off_lines(x, y) < board.line_gap / 2


def beyond_lines(marks: SideMarks | None, seat: Seat, x: float, y: float, radius: float) -> float:
    """Returns how far (mm) a striker of `radius` mm at board (x, y) mm lies before or behind its seat's base lines.

    Negative where it touches them, minus infinity where no line is known.
    """
    if marks is None:
        return -math.inf
    sx, sy = to_side(seat, x, y)
    rear, front = _line(marks.rear_line, seat, sx), _line(marks.front_line, seat, sx)
    before = -math.inf if front is None else sy - radius - front[0] - front[1] / 2
    return max(before, -math.inf if rear is None else rear[0] - rear[1] / 2 - sy - radius)


def _line(segment: Segment | None, seat: Seat, sx: float) -> tuple[float, float] | None:
    """Returns the height (mm, in the player's frame) of a line's middle at sx, and its thickness."""
    if segment is None:
        return None
    (x0, y0), (x1, y1) = to_side(seat, *segment.start), to_side(seat, *segment.end)
    share = (sx - x0) / (x1 - x0) if abs(x1 - x0) > 1.0 else 0.0
    return y0 + (y1 - y0) * share, segment.thickness


def _moon(ring: Circle, x: float, y: float, radius: float) -> float:
    """Returns the clearance (mm) to a base circle: outside it, or how far inside the rim it is covered; negative when
    cut.
    """
    away = math.dist(ring.centre, (x, y))
    return max(away - radius - ring.radius, radius - away - ring.radius)


def _shaft(arrow: Segment, x: float, y: float) -> float:
    """Returns the distance (mm) from (x, y) to an arrow's middle line."""
    (x0, y0), (x1, y1) = arrow.start, arrow.end
    dx, dy = x1 - x0, y1 - y0
    share = ((x - x0) * dx + (y - y0) * dy) / max(dx * dx + dy * dy, 1e-9)
    share = min(1.0, max(0.0, share))
    return math.hypot(x - x0 - share * dx, y - y0 - share * dy)


def _ends(marks: SideMarks, seat: Seat, sx: float, radius: float) -> float | None:
    """Returns the distance (mm) of the striker's middle inside its outermost legal place, where it covers the base
    circle.
    """
    reach = []
    for ring, side in ((marks.left_circle, -1.0), (marks.right_circle, 1.0)):
        if ring is not None:
            limit = side * to_side(seat, *ring.centre)[0] + max(radius - ring.radius, 0.0)
            reach.append(limit - side * sx)
    return min(reach) if reach else None
