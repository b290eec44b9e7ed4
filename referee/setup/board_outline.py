"""The calibrated board drawn over the camera's picture: every mark as a polyline in pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibration.geometry.camera import F64
from calibration.profile import Circle, Profile, Segment
from calibration.residuals import mark_residuals
from referee.setup.exactness import exactness_of

DRAWN_ALONG = np.linspace(0.0, 1.0, 9)
"""Shares of a line's length at which it is drawn. A lens bends straight lines."""
DRAWN_TURN = np.linspace(0.0, 2 * np.pi, 25)
UNIT_CORNERS = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]], np.float64)
"""Corners TL TR BR BL of a board that is not rotated."""
MARKS = ("rear", "front", "circles", "arrows", "pockets")
"""Names of the kinds of marks, in the order of `mark_residuals`."""

Document = dict[str, Any]


def board_document(profile: Profile) -> Document:
    """Returns all that a page shows of a calibrated board: lines over the picture, corners, residuals (mm) and lengths
    (mm).
    """
    r, board, exact = profile.residuals, profile.board, exactness_of(profile)
    return {
        "model": board.name, "model_sure": r.model_sure, "lens": profile.lens,
        "sure_from_mm": _rounded(exact.sure_from_mm), "taped_mm": _rounded(exact.taped_mm), "small": exact.is_small,
        "rms_mm": round(r.rms_mm, 2), "worst_mm": round(r.worst_mm, 2), "marks": r.marks,
        "sizes": {"surface": round(board.surface, 1), "pocket": round(board.pocket_diameter, 1),
                  "lines": round(board.line_gap, 1), "coin": round(2 * board.coin_radius, 1)},
        "kinds": [{"mark": name, "seen": kind.measured, "wanted": kind.wanted, "rms_mm": _rounded(kind.rms_mm),
                   "worst_mm": _rounded(kind.worst_mm)}
                  for name, kind in zip(MARKS, mark_residuals(profile), strict=True)],
        "lines": lines_of(profile), "corners": surface_corners(profile),
    }  # fmt: skip


def surface_corners(profile: Profile) -> list[list[float]]:
    """Returns the surface's corners (px), clockwise from the picture's top left."""
    px = profile.camera.to_pixels(UNIT_CORNERS * profile.board.half)
    x, y = (px - px.mean(axis=0)).T
    return [[round(float(u), 1), round(float(v), 1)] for u, v in px[np.argsort(np.arctan2(y, x))]]


def lines_of(profile: Profile) -> list[Document]:
    """Returns each mark as `mark` and `points` (px)."""
    square = UNIT_CORNERS * profile.board.half
    found = [("surface", np.concatenate([_between(square[i - 1], square[i]) for i in range(4)]))]
    for marks in profile.sides.values():
        strokes = (("rear", marks.rear_line), ("front", marks.front_line), ("arrows", marks.left_arrow))
        found += [(name, _segment(line)) for name, line in strokes if line]
        found += [("circles", _ring(circle)) for circle in (marks.left_circle, marks.right_circle) if circle]
    found += [("pockets", _ring(hole)) for hole in profile.pockets.values()]
    return [{"mark": name, "points": np.round(profile.camera.to_pixels(mm), 1).tolist()} for name, mm in found]


def _between(a: F64, b: F64) -> F64:
    return np.asarray(a + DRAWN_ALONG[:, None] * (b - a))


def _segment(line: Segment) -> F64:
    return _between(np.array(line.start), np.array(line.end))


def _ring(circle: Circle) -> F64:
    return np.array(circle.centre) + circle.radius * np.stack([np.cos(DRAWN_TURN), np.sin(DRAWN_TURN)], -1)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
