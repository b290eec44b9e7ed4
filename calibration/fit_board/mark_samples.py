"""Samples the expected marks of a board: points, outward normals, and derivatives by each length of the layout."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64
from models.board import BoardModel
from models.pieces import Pocket


class Mark(IntEnum):
    """Kinds of marks that a calibration detects."""

    REAR = 0
    FRONT = 1
    RING = 2
    DISC = 3
    POCKET = 4
    FOOT = 5
    WALL = 6
    ARROW = 7


BUILT = (Mark.POCKET, Mark.FOOT, Mark.WALL)
"""Marks that are no print."""


@dataclass(frozen=True, slots=True)
class MarkLayout:
    """Lengths (mm) that place the marks of one board, the same on its four sides."""

    half: float
    """From the board's centre to the foot of the cushions."""
    rear: float
    """From the board's centre to the middle of the rear base lines."""
    front: float
    """From the board's centre to the middle of the front base lines."""
    circle_x: float
    circle_y: float
    """Base circles' centres: along and across the base lines."""
    ring: float
    """Radius of the base circles' printed ring."""
    disc: float
    """Radius of the filled disc inside the ring."""
    pocket: float
    """Pockets' centres lie at (+-pocket, +-pocket)."""
    pocket_radius: float
    wall: float
    """Height of the frame's inner top edge above the surface."""

    def vector(self) -> F64:
        """Returns the lengths (10,) in the order of the fields."""
        return np.array([getattr(self, f.name) for f in fields(self)], np.float64)

    @classmethod
    def from_vector(cls, values: F64) -> MarkLayout:
        """Inverse of `vector`."""
        return cls(*(float(v) for v in values))


LENGTHS = tuple(f.name for f in fields(MarkLayout))


def layout_of(board: BoardModel) -> MarkLayout:
    """Returns the layout by the rule book of `board`."""
    rear = board.half - board.rear_line
    return MarkLayout(
        half=board.half, rear=rear, front=rear - board.line_gap, circle_x=board.base_circle_x, circle_y=board.base_y,
        ring=board.base_circle_radius, disc=board.base_disc_radius, pocket=board.half - board.pocket_inset,
        pocket_radius=board.pocket_diameter / 2, wall=board.frame_height)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Windows along the expected marks; a window is a short run of points whose cross profiles are averaged."""

    points: F64
    """Board mm (windows, run, 3)."""
    normals: F64
    """Unit outward normals in the board plane (windows, run, 2)."""
    moves: F64
    """Displacement (windows, 10, 3) of the window's middle per mm of each length of `MarkLayout`."""
    mark: NDArray[np.int64]
    """`Mark` of each window (windows,)."""
    part: NDArray[np.int64]
    """Number of the mark within its kind (windows,): side 0-3 in `Seat` order, circle 2 * side + (0 left, 1 right),
    pocket 0-3."""
    along: F64
    """Position of the window's middle along its mark (windows,): mm along a line, radians round a circle."""

    @property
    def middles(self) -> F64:
        """Board mm (windows, 3) of the windows' middles."""
        return np.asarray(self.points.mean(axis=1))

    @property
    def middle_normals(self) -> F64:
        """Unit normals (windows, 2) at the windows' middles."""
        n = self.normals.mean(axis=1)
        return np.asarray(n / np.linalg.norm(n, axis=1, keepdims=True))

    def select(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> Samples:
        """Returns the windows where a mask is true, or those with the given indices."""
        return Samples(*(getattr(self, f.name)[which] for f in fields(self)))


def join(parts: list[Samples]) -> Samples:
    """Returns all windows of `parts`, whose runs must be equally long."""
    return Samples(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Samples)))


def _turned(xy: F64, side: int) -> F64:
    """Returns points or vectors (..., 2) rotated from south to `side`; `models.pieces.from_side` for arrays."""
    x, y = xy[..., 0], xy[..., 1]
    for _ in range(side):
        x, y = y, -x
    return np.asarray(np.stack([x, y], -1))


def _windows(mark: Mark, part: int, points: F64, normals: F64, moves: dict[str, F64], z: float,
             along: F64) -> Samples:  # fmt: skip
    count = len(points)
    xyz = np.concatenate([points, np.full((*points.shape[:2], 1), z)], -1)
    table = np.zeros((count, len(LENGTHS), 3))
    for name, move in moves.items():
        table[:, LENGTHS.index(name), : move.shape[-1]] = move
    return Samples(xyz, normals, table, np.full(count, int(mark)), np.full(count, part), along)


def _line(mark: Mark, side: int, y: float, reach: float, name: str, step: float, run: int, z: float = 0.0) -> Samples:
    """Returns windows of a line on `side` at distance `y` from the board's centre, from -reach to reach."""
    count = max(2, int(2 * reach / step))
    middles = (np.arange(count) + 0.5) / count * 2 * reach - reach
    s = middles[:, None] + (np.arange(run) + 0.5) / run * step - step / 2
    points = _turned(np.stack([s, np.full_like(s, -y)], -1), side)
    normals = _turned(np.broadcast_to(np.array([0.0, -1.0]), points.shape), side)
    moves = {name: normals[:, 0]}
    if z:
        moves["wall"] = np.broadcast_to(np.array([0.0, 0.0, 1.0]), (count, 3))
    return _windows(mark, side, points, normals, moves, z, middles)


def _round(mark: Mark, part: int, centre: F64, radius: float, angles: F64, width: float, run: int,
           moves: dict[str, F64], name: str) -> Samples:  # fmt: skip
    """Returns windows of a circle: arcs of `width` radians about `angles`; `moves` holds its centre's derivatives."""
    a = angles[:, None] + ((np.arange(run) + 0.5) / run - 0.5) * width
    normals = np.stack([np.cos(a), np.sin(a)], -1)
    outward = np.stack([np.cos(angles), np.sin(angles)], -1)
    spread = {k: np.broadcast_to(v, outward.shape) for k, v in moves.items()}
    return _windows(mark, part, centre + radius * normals, normals, {**spread, name: outward}, 0.0, angles)


LINE_MARGIN_MM = 24.0
"""Distance from the base circles' centres at which the sampled part of base lines ends, clear of the rings."""
BEYOND_REACH = 0.81
"""Share of half the surface up to which nothing is printed in line with a base line; the pockets lie beyond."""
FOOT_REACH = 0.84
"""Share of a cushion's half length that is sampled, clear of the pockets."""
CIRCLE_ARCS = 16
POCKET_ARCS = 14
POCKET_SPAN = np.radians(95.0)
"""Half the sampled arc of a pocket's rim, about the direction of the board's centre; only there is it pale wood."""
ARROW_START_MM, ARROW_END_MM = 85.0, 240.0
"""The straight shaft of an arrow, from the corner along each axis, measured in a board of 740 mm."""


def expected(layout: MarkLayout, line_step: float, run: int, marks: Collection[Mark] = tuple(Mark)) -> Samples:
    """Returns windows of `run` points along the `marks` of `layout`; windows of lines are about `line_step` mm long."""
    parts: list[Samples] = []
    for side in range(4):
        parts += _lines(layout, side, line_step, run, marks)
        parts += _circles(layout, side, run, marks)
    for part, pocket in enumerate(Pocket):
        if Mark.POCKET in marks:
            parts.append(_pocket(layout, part, pocket, run))
        if Mark.ARROW in marks:
            parts.append(_arrow(layout, part, pocket, line_step, run))
    return join(parts)


def beyond_ends(layout: MarkLayout, step: float, run: int) -> Samples:
    """Returns windows on the base lines' extensions beyond their circles, where a real board has no line."""
    lines = ((Mark.REAR, layout.rear, "rear"), (Mark.FRONT, layout.front, "front"))
    reach = BEYOND_REACH * layout.half
    longer = join([_line(mark, side, y, reach, name, step, run) for side in range(4) for mark, y, name in lines])
    return longer.select(np.abs(longer.along) > layout.circle_x + LINE_MARGIN_MM)


def _lines(layout: MarkLayout, side: int, step: float, run: int, marks: Collection[Mark]) -> list[Samples]:
    reach, foot = layout.circle_x - LINE_MARGIN_MM, layout.half * FOOT_REACH
    lines = (
        (Mark.REAR, layout.rear, reach, "rear", 0.0),
        (Mark.FRONT, layout.front, reach, "front", 0.0),
        (Mark.FOOT, layout.half, foot, "half", 0.0),
        (Mark.WALL, layout.half, foot, "half", layout.wall),
    )
    return [_line(mark, side, y, far, name, step, run, z) for mark, y, far, name, z in lines if mark in marks]


def _circles(layout: MarkLayout, side: int, run: int, marks: Collection[Mark]) -> list[Samples]:
    angles = np.arange(CIRCLE_ARCS) * 2 * np.pi / CIRCLE_ARCS
    width = 2 * np.pi / CIRCLE_ARCS
    out = []
    for hand, sign in enumerate((-1.0, 1.0)):
        centre = _turned(np.array([sign * layout.circle_x, -layout.circle_y]), side)
        moves = {"circle_x": _turned(np.array([sign, 0.0]), side), "circle_y": _turned(np.array([0.0, -1.0]), side)}
        part = 2 * side + hand
        out += [_round(mark, part, centre, radius, angles, width, run, moves, name) for mark, radius, name in
                ((Mark.RING, layout.ring, "ring"), (Mark.DISC, layout.disc, "disc")) if mark in marks]  # fmt: skip
    return out


def _pocket(layout: MarkLayout, part: int, pocket: Pocket, run: int) -> Samples:
    corner = np.array(pocket.corner, np.float64)
    inward = np.arctan2(-corner[1], -corner[0])
    angles = inward + np.linspace(-POCKET_SPAN, POCKET_SPAN, POCKET_ARCS)
    width = 2 * POCKET_SPAN / POCKET_ARCS
    return _round(Mark.POCKET, part, corner * layout.pocket, layout.pocket_radius, angles, width, run,
                  {"pocket": corner}, "pocket_radius")  # fmt: skip


def _arrow(layout: MarkLayout, part: int, pocket: Pocket, step: float, run: int) -> Samples:
    """Returns windows of an arrow's shaft on a corner's diagonal; by symmetry no length of the layout moves it
    sideways.
    """
    corner = np.array(pocket.corner, np.float64)
    scale = layout.half / 370.0
    first, last = (layout.half - d * scale for d in (ARROW_START_MM, ARROW_END_MM))
    count = max(2, int(np.sqrt(2) * (first - last) / step))
    middles = last + (np.arange(count) + 0.5) / count * (first - last)
    s = middles[:, None] + ((np.arange(run) + 0.5) / run - 0.5) * step / np.sqrt(2)
    normals = np.broadcast_to(np.array([-corner[1], corner[0]]) / np.sqrt(2), (*s.shape, 2))
    return _windows(Mark.ARROW, part, s[..., None] * corner, normals, {}, 0.0, middles)
