"""Masks of what is printed on the board and of its holes, so that prints are not detected as pieces."""

from __future__ import annotations

import math
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.lattice import Lattice
from calibration.profile import UNMARKED, Circle, Profile, Segment
from models.board import ARC_RADIUS_MM
from models.pieces import Seat, from_side

PRINT_SLACK_MM = 2.2
"""Distance from a printed line, a hole or a cushion, in mm, within which an edge is attributed to it."""


def at_coin_height(profile: Profile, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns where prints at surface points (n, 2) mm appear on the plane of the coins' tops."""
    return profile.camera.along_sight(points, 0.0, profile.board.coin_height)


def printed_circles(profile: Profile) -> list[Circle]:
    """Returns the base circles as measured, or by the book where not measured, then the centre circle by the book."""
    rings = []
    board = profile.board
    for seat in Seat:
        side = profile.sides.get(seat, UNMARKED)
        for ring, x in ((side.left_circle, -board.base_circle_x), (side.right_circle, board.base_circle_x)):
            rings.append(ring or Circle(from_side(seat, x, -board.base_y), board.base_circle_radius))
    return [*rings, Circle((0.0, 0.0), board.centre_circle_radius)]


@lru_cache(maxsize=2)
def print_mask(profile: Profile, lattice: Lattice) -> NDArray[np.uint8]:
    """Returns 255 (n, n) where an edge on `lattice` may be printed: lines, arrows with their arcs, rings.

    Cached, since every search of one board needs the same; read-only.
    """
    mask = np.zeros(lattice.shape, np.uint8)
    board = profile.board
    for side in profile.sides.values():
        arrows = list(filter(None, (side.left_arrow, side.right_arrow)))
        for segment in filter(None, (side.rear_line, side.front_line, *arrows)):
            _draw_line(mask, profile, lattice, segment)
        for arrow in arrows:
            _draw_ring(mask, profile, lattice, _arc(arrow))
    for circle in (*printed_circles(profile), Circle((0.0, 0.0), board.outer_circle_radius)):
        _draw_ring(mask, profile, lattice, circle)
    mask.setflags(write=False)
    return mask


@lru_cache(maxsize=2)
def hole_mask(profile: Profile, lattice: Lattice) -> NDArray[np.uint8]:
    """Returns 255 (n, n) where `lattice` shows a hole or the frame, which do not count as the board around a piece.

    Cached, since every search of one board needs the same; read-only.
    """
    corners = at_coin_height(profile, profile.corners[[0, 2]] + PRINT_SLACK_MM * np.array([(1, -1), (-1, 1)]))
    (left, top), (right, bottom) = np.round(lattice.to_cells(corners)).astype(int).tolist()
    mask = np.full(lattice.shape, 255, np.uint8)
    mask[max(0, top) : bottom + 1, max(0, left) : right + 1] = 0
    for circle in profile.pockets.values():
        x, y = lattice.to_cells(at_coin_height(profile, np.array([circle.centre])))[0].tolist()
        cv2.circle(mask, (round(x), round(y)), round((circle.radius + PRINT_SLACK_MM) / lattice.step), 255, cv2.FILLED)
    mask.setflags(write=False)
    return mask


def _arc(arrow: Segment) -> Circle:
    """Returns the arc at an arrow's inner end: it passes through that end and its centre lies on the arrow."""
    outer, inner = sorted((arrow.start, arrow.end), key=lambda p: -math.hypot(*p))
    length = math.dist(outer, inner)
    back = ARC_RADIUS_MM / max(length, 1.0)
    return Circle((inner[0] + (outer[0] - inner[0]) * back, inner[1] + (outer[1] - inner[1]) * back), ARC_RADIUS_MM)


def _draw_line(mask: NDArray[np.uint8], profile: Profile, lattice: Lattice, s: Segment) -> None:
    ends = lattice.to_cells(at_coin_height(profile, np.array([s.start, s.end])))
    width = max(1, round((s.thickness + 2 * PRINT_SLACK_MM) / lattice.step))
    cv2.line(mask, *(tuple(int(v) for v in np.round(e)) for e in ends), 255, width)  # type: ignore[call-overload]


def _draw_ring(mask: NDArray[np.uint8], profile: Profile, lattice: Lattice, circle: Circle) -> None:
    centre = lattice.to_cells(at_coin_height(profile, np.array([circle.centre])))[0]
    width = max(1, round((1.5 + 2 * PRINT_SLACK_MM) / lattice.step))
    spot = (round(float(centre[0])), round(float(centre[1])))
    cv2.circle(mask, spot, round(circle.radius / lattice.step), 255, width)


def rim_distances(points: NDArray[np.float64], profile: Profile) -> NDArray[np.float64]:
    """Returns the distance (mm) from each of `points` (n, 2) to the nearest pocket's rim, negative over its hole."""
    pockets = profile.pockets.values()
    return np.asarray(np.min([np.linalg.norm(points - p.centre, axis=1) - p.radius for p in pockets], 0))
