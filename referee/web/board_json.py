"""The board as pages draw it, in millimetres: from the board model or, better, as measured on this board.

Imports no vision code, so that the web server stays small: only the numbers of a profile are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from models.board import BoardModel
from models.pieces import Pocket, Seat, from_side

if TYPE_CHECKING:
    from calibration.profile import Circle, Profile, Segment, SideMarks


def geometry_of_model(board: BoardModel) -> dict[str, Any]:
    """Returns everything drawn on the board `board` by its model; four equal sides, shaped like
    `geometry_of_profile`.
    """
    return _lengths(board) | {
        "measured": False,
        "pockets": [_book_pocket(board, pocket) for pocket in Pocket],
        "lines": [line for seat in Seat for line in _book_lines(board, seat)],
        "circles": [circle for seat in Seat for circle in _book_circles(board, seat)],
        "arrows": [arrow for seat in Seat for arrow in _book_arrows(board, seat)],
    }


def geometry_of_profile(profile: Profile) -> dict[str, Any]:
    """Returns the board as calibrated: every mark where it was measured, without marks that this board lacks."""
    sides = profile.sides.values()
    return _lengths(profile.board) | {
        "measured": True,
        "pockets": [_circle(c) for c in profile.pockets.values()],
        "lines": [_segment(s) for side in sides for s in (side.rear_line, side.front_line) if s],
        "circles": [_disc(c, profile.board) for side in sides for c in _rings(side)],
        "arrows": [_segment(s) for side in sides for s in (side.left_arrow, side.right_arrow) if s],
    }


def _lengths(board: BoardModel) -> dict[str, Any]:
    return {
        "name": board.name,
        "surface": board.surface,
        "frame_width": board.frame_width,
        "centre_circle_radius": board.centre_circle_radius,
        "outer_circle_radius": board.outer_circle_radius,
        "coin_radius": board.coin_radius,
        "striker_radius": board.striker_radius,
    }


def _segment(s: Segment) -> dict[str, float]:
    return _line(s.start, s.end, s.thickness)


def _line(start: tuple[float, float], end: tuple[float, float], thickness: float) -> dict[str, float]:
    (x1, y1), (x2, y2) = start, end
    return {"x1": _mm(x1), "y1": _mm(y1), "x2": _mm(x2), "y2": _mm(y2), "w": _mm(thickness)}


def _circle(c: Circle) -> dict[str, float]:
    return {"x": _mm(c.centre[0]), "y": _mm(c.centre[1]), "r": _mm(c.radius)}


def _disc(c: Circle, board: BoardModel) -> dict[str, float]:
    return _circle(c) | {"disc": _mm(board.base_disc_radius)}


def _rings(side: SideMarks) -> list[Circle]:
    return [c for c in (side.left_circle, side.right_circle) if c]


def _book_pocket(board: BoardModel, pocket: Pocket) -> dict[str, float]:
    reach = board.half - board.pocket_inset
    sx, sy = pocket.corner
    return {"x": sx * reach, "y": sy * reach, "r": board.pocket_diameter / 2}


def _book_lines(board: BoardModel, seat: Seat) -> list[dict[str, float]]:
    """Returns the rear and front base line of a seat; both end at the base circles' centres."""
    rear = -board.half + board.rear_line + board.rear_line_thickness / 2
    front = -board.half + board.rear_line + board.line_gap - board.front_line_thickness / 2
    ends = ((rear, board.rear_line_thickness), (front, board.front_line_thickness))
    x = board.base_circle_x
    return [_line(from_side(seat, -x, y), from_side(seat, x, y), thickness) for y, thickness in ends]


def _book_circles(board: BoardModel, seat: Seat) -> list[dict[str, float]]:
    centres = [from_side(seat, sign * board.base_circle_x, -board.base_y) for sign in (-1, 1)]
    return [{"x": _mm(x), "y": _mm(y), "r": board.base_circle_radius, "disc": board.base_disc_radius}
            for x, y in centres]  # fmt: skip


def _book_arrows(board: BoardModel, seat: Seat) -> list[dict[str, float]]:
    """Returns one of a seat's diagonal arrows, the one at its left hand."""
    tip = board.half - board.arrow_start
    tail = tip - board.arrow_length / 2**0.5
    return [_line(from_side(seat, -tip, -tip), from_side(seat, -tail, -tail), board.arrow_thickness)]


def _mm(value: float) -> float:
    return round(float(value), 2)
