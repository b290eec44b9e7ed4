"""Computes the deviation of each kind of mark from its place on a perfectly symmetrical board of the same lengths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.fit_board.mark_samples import layout_of
from calibration.fit_board.symmetry_fill import UNSEEN_MM
from calibration.profile import Profile
from models.pieces import Seat, from_side, to_side


@dataclass(frozen=True, slots=True)
class KindResidual:
    """Residuals of one kind of mark on all four sides."""

    name: str
    measured: int
    """Number of marks measured."""
    wanted: int
    rms_mm: float | None
    """None if no mark was measured."""
    worst_mm: float | None


def mark_residuals(profile: Profile) -> list[KindResidual]:
    """Returns the residuals of rear lines, front lines, base circles, arrows and pockets of `profile`."""
    layout = layout_of(profile.board)
    rear: list[float] = []
    front: list[float] = []
    circles: list[float] = []
    arrows: list[float] = []
    for seat in Seat:
        marks = profile.sides[seat]
        for line, distance, out in ((marks.rear_line, layout.rear, rear), (marks.front_line, layout.front, front)):
            if line:
                out += [abs(to_side(seat, *p)[1] + distance) for p in (line.start, line.end)]
        for circle, hand in ((marks.left_circle, -1), (marks.right_circle, 1)):
            if circle and circle.sigma_mm < UNSEEN_MM:
                x, y = from_side(seat, hand * layout.circle_x, -layout.circle_y)
                circles.append(float(np.hypot(circle.centre[0] - x, circle.centre[1] - y)))
        if marks.left_arrow:
            arrows += [abs(abs(x) - abs(y)) / np.sqrt(2) for x, y in (marks.left_arrow.start, marks.left_arrow.end)]
    pockets = [float(np.hypot(abs(c.centre[0]) - layout.pocket, abs(c.centre[1]) - layout.pocket))
               for c in profile.pockets.values()]  # fmt: skip
    return [_kind("rear base lines", rear, 4, 2), _kind("front base lines", front, 4, 2),
            _kind("base circles", circles, 8), _kind("arrows", arrows, 4, 2), _kind("pockets", pockets, 4)]  # fmt: skip


def _kind(name: str, errors: list[float], wanted: int, each: int = 1) -> KindResidual:
    if not errors:
        return KindResidual(name, 0, wanted, None, None)
    return KindResidual(name, len(errors) // each, wanted, float(np.sqrt(np.mean(np.square(errors)))), max(errors))
