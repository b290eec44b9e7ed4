"""Verdict on a striker's placement by the ICF laws on an exactly known board: the truth of simulated placements.

Independent of the code by which the referee judges, so that each checks the other.
"""

from __future__ import annotations

import math

from models.board import BoardModel
from models.pieces import Seat, to_side
from referee.bench.truth import TruePlacement
from referee.facts import PlacementReason
from referee.sim.texture import RING_MM


def spot(board: BoardModel, seat: Seat, x_mm: float, y_mm: float) -> TruePlacement:
    """Judges the striker with its centre at board (x, y) mm against every limit."""
    x, y = to_side(seat, x_mm, y_mm)
    radius = board.striker_radius
    rooms = {
        PlacementReason.NOT_TOUCHING_FRONT_LINE: y
        + radius
        - (board.line_gap - board.front_line_thickness) / 2
        + board.base_y,
        PlacementReason.NOT_TOUCHING_REAR_LINE: radius
        - y
        - (board.line_gap - board.rear_line_thickness) / 2
        - board.base_y,
        PlacementReason.CUTTING_MOON: min(_moon(board, side, x, y) for side in (-1, 1)),
        PlacementReason.TOUCHING_ARROW: min(_arrow(board, side, x, y) for side in (-1, 1)),
        PlacementReason.OUTSIDE_BASELINE: board.base_circle_x + max(radius - _ring(board), 0.0) - abs(x),
    }
    worst = min(rooms, key=rooms.__getitem__)
    legal = rooms[worst] > 0
    return TruePlacement(x_mm, y_mm, legal, None if legal else worst, rooms[worst])


def _ring(board: BoardModel) -> float:
    """Returns the radius of the middle of a base circle's printed ring."""
    return board.base_circle_radius - RING_MM / 2


def _moon(board: BoardModel, side: int, x: float, y: float) -> float:
    """Returns the signed margin to a base circle: positive where the striker does not touch it, or covers it whole."""
    away = math.hypot(x - side * board.base_circle_x, y + board.base_y)
    return max(away - board.striker_radius - _ring(board), board.striker_radius - away - _ring(board))


def _arrow(board: BoardModel, side: int, x: float, y: float) -> float:
    """Returns the signed margin between the striker and the shaft along the diagonal to a pocket."""
    along, across = (-side * x + y) / math.sqrt(2), (side * x + y) / math.sqrt(2)
    outer = -(board.half - board.arrow_start) * math.sqrt(2)
    beyond = max(outer - along, along - (outer + board.arrow_length), 0.0)
    return math.hypot(beyond, across) - board.striker_radius - board.arrow_thickness / 2
