"""Fills in printed marks that were not measured, from the board's symmetry or from its nominal lengths.

Coins, hands and wear may hide a base circle or an arrow while the same mark is visible at other seats. The hidden mark
is still printed, and a striker may touch it. If no mark of a kind was measured, the board is assumed to lack it, unless
the picture is too coarse to show thin lines: then the board's lengths give its place, with a larger uncertainty.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.profile import UNMARKED, Circle, Point, Profile, Segment, SideMarks
from calibration.turning import turned_side
from models.pieces import Seat, from_side, to_side

INFERRED_MM = 0.5
"""Standard deviation of a mark's place inferred from the same marks at other seats, in mm. It is small because lines
are printed with a ruler and circles with a stamp."""
LEAST_LINES, FILL_LEAST_RINGS, LEAST_ARROWS = 2, 3, 3
"""Least number of measured marks of a kind (lines, base circles, arrows) that shows the board to have that kind. Each
arrow is counted from both its sides. Among eight circle places, one or two false detections occur by chance.
"""
UNSEEN_MM = 1.5
"""Standard deviation of a mark's place taken from the board's lengths alone, in mm."""


def inferred_side(profile: Profile, seat: Seat) -> SideMarks:
    """Returns the marks of a seat: the measured ones, and the others inferred from the same marks of all seats."""
    sides = [_before(marks, of, seat) for of, marks in profile.sides.items()]
    own = profile.sides.get(seat, UNMARKED)
    mirrored = [s.moved(lambda point: _other_hand(point, seat)) for s in sides]
    ring = _ring([*(s.left_circle for s in sides), *(s.right_circle for s in mirrored)])
    arrow = _segment([*(s.left_arrow for s in sides), *(s.right_arrow for s in mirrored)], LEAST_ARROWS)
    right = SideMarks(None, None, None, ring, None, arrow).moved(lambda point: _other_hand(point, seat))
    return SideMarks(
        own.rear_line or _segment([s.rear_line for s in sides], LEAST_LINES),
        own.front_line or _segment([s.front_line for s in sides], LEAST_LINES),
        own.left_circle or ring, own.right_circle or right.right_circle,
        own.left_arrow or arrow, own.right_arrow or right.right_arrow,
    )  # fmt: skip


def designed_side(profile: Profile, seat: Seat) -> SideMarks:
    """Returns a seat's marks as the board's lengths place them, if its thin lines are less than a pixel wide.

    Returns no marks if the picture shows thin lines, or if no mark was measured at any seat.
    """
    board = profile.board
    is_fine = board.front_line_thickness * float(profile.camera.px_per_mm()[0]) >= 1.0
    if is_fine or all(marks == UNMARKED for marks in profile.sides.values()):
        return UNMARKED
    x, y, far = board.base_circle_x, -board.base_y, board.half - board.arrow_start
    near = far - board.arrow_length / np.sqrt(2)

    def line(away: float, thickness: float) -> Segment:
        return Segment(from_side(seat, -x, away), from_side(seat, x, away), thickness, UNSEEN_MM)

    def arrow(hand: float) -> Segment:
        start, end = from_side(seat, hand * far, -far), from_side(seat, hand * near, -near)
        return Segment(start, end, board.arrow_thickness, UNSEEN_MM)

    rear = line(board.rear_line - board.half, board.rear_line_thickness)
    front = line(board.rear_line + board.line_gap - board.half, board.front_line_thickness)
    left, right = (Circle(from_side(seat, hand * x, y), board.base_circle_radius, UNSEEN_MM) for hand in (-1.0, 1.0))
    return SideMarks(rear, front, left, right, arrow(-1.0), arrow(1.0))


def _before(marks: SideMarks, of: Seat, seat: Seat) -> SideMarks:
    """Returns the marks of seat `of`, rotated to `seat`."""
    return turned_side(marks, list(Seat)[(of.quarter_turns - seat.quarter_turns) % 4])


def _other_hand(point: Point, seat: Seat) -> Point:
    """Returns the point mirrored left to right as the seat sees it."""
    x, y = to_side(seat, *point)
    return from_side(seat, -x, y)


def _ring(circles: Sequence[Circle | None]) -> Circle | None:
    measured = [c for c in circles if c]
    if len(measured) < FILL_LEAST_RINGS:
        return None
    return Circle(_mean([c.centre for c in measured]), float(np.mean([c.radius for c in measured])), INFERRED_MM)


def _segment(segments: Sequence[Segment | None], least: int) -> Segment | None:
    measured = [s for s in segments if s]
    if len(measured) < least:
        return None
    thickness = float(np.mean([s.thickness for s in measured]))
    return Segment(_mean([s.start for s in measured]), _mean([s.end for s in measured]), thickness, INFERRED_MM)


def _mean(points: Sequence[Point]) -> Point:
    x, y = np.mean(points, 0).tolist()
    return x, y
