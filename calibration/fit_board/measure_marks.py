"""Every mark's own place on this board, in board mm under the final camera."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.fit_board.cross_profiles import Sightings, sight
from calibration.fit_board.edge_colour import Planes
from calibration.fit_board.line_width import Windows, line_widths
from calibration.fit_board.mark_samples import Mark, MarkLayout, Samples, expected
from calibration.fit_board.ring_radius import ring_radius, ring_windows
from calibration.geometry.camera import F64, Camera
from calibration.profile import Circle, Point, Segment, SideMarks
from models.board import BoardModel
from models.pieces import Pocket, Seat, from_side

MARK_REACH_MM = 3.0
"""A mark lies within this of the place that the board's symmetry predicts."""
INLIER_MM = 0.6
"""Windows farther than this from their own mark's fit belong to coins or grain."""
WINDOW_SIGMA_MM = 0.25
SHIFT_SIGMA_MM, TURN_SIGMA_MM = 0.8, 0.25
"""How far one line of a maker's board lies from the symmetrical place: shift, and turn at its end."""
CENTRE_SIGMA_MM, RADIUS_SIGMA_MM = 0.5, 0.25
"""The same for a circle, which is stamped: its centre, and its radius against that of the others."""
LEAST_LINE_WINDOWS = 4
LEAST_ARCS, LEAST_BOTH = 6, 9
"""A circle is there when so many arcs of its ring or of its disc agree, or so many of both together: by chance about
three of each sixteen do."""
MARK_LEAST_RIM = 5
MARK_LINES = (Mark.REAR, Mark.FRONT)

_Part = tuple[Mark, int]
"""Which mark, and which one of its kind."""
_Course = tuple[float, float]
"""How far a line lies outward (mm) at its middle, and how much farther at its end."""


@dataclass(frozen=True, slots=True)
class Marks:
    """All marks of one board, each where it was measured."""

    sides: dict[Seat, SideMarks]
    pockets: dict[Pocket, Circle]


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """What the last look at the board found."""

    planes: Planes
    camera: Camera
    layout: MarkLayout
    board: BoardModel
    samples: Samples
    seen: Sightings

    def of(self, mark: Mark, part: int) -> tuple[NDArray[np.int64], F64, F64]:
        """Windows (n,), offsets mm (n,) and contrasts (n,) of one mark."""
        w = self.seen.window
        mine = (self.samples.mark[w] == mark) & (self.samples.part[w] == part)
        return w[mine], self.seen.offset[mine], self.seen.contrast[mine]


def measure(planes: Planes, camera: Camera, layout: MarkLayout, board: BoardModel) -> Marks:
    """Look once more under the final `camera` and give each mark that is visible enough its own place."""
    samples = expected(layout, 12.0, 8)
    samples = samples.select(samples.mark != Mark.WALL)
    view = _View(planes, camera, layout, board, samples, sight(planes, camera, samples, MARK_REACH_MM, 0.0))
    circles = _one_radius(view, {part: _base_circle(view, part) for part in range(8)})
    courses = {(mark, side): _course(view, mark, side, layout.circle_x) for mark in MARK_LINES for side in range(4)}
    rear, front = (_along(view, mark, courses) for mark in MARK_LINES)
    widths = dict(zip(MARK_LINES, line_widths(planes.ink, camera, rear, front, board), strict=True))
    lines = {at: _line(view, at, course, widths[at[0]]) for at, course in courses.items()}
    sides = {seat: _side(view, n, lines, circles) for n, seat in enumerate(Seat)}
    pockets = {p: _pocket(view, n, p) for n, p in enumerate(Pocket)}
    return Marks(sides, pockets)


def _side(view: _View, side: int, lines: dict[_Part, Segment | None], circles: dict[int, Circle | None]) -> SideMarks:
    pockets = list(Pocket)
    # Left and right of the player: south has SW to the left, and so on clockwise.
    left, right = pockets[(4 - side) % 4], pockets[(5 - side) % 4]
    rear, front = (lines[mark, side] for mark in MARK_LINES)
    return SideMarks(rear, front, circles[2 * side], circles[2 * side + 1],
                     _arrow(view, pockets.index(left), left), _arrow(view, pockets.index(right), right))  # fmt: skip


def _course(view: _View, mark: Mark, part: int, length: float) -> _Course | None:
    """Shift and turn (mm outward at the middle, and more at `length`) of a line; None when too little is seen."""
    window, offset, contrast = view.of(mark, part)
    s = view.samples.along[window] / length
    weight = np.minimum(contrast / max(float(np.median(contrast)), 1e-6), 1.0) if len(contrast) else contrast
    keep = np.ones(len(window), bool)
    shift = turn = 0.0
    for _ in range(4):
        if keep.sum() < LEAST_LINE_WINDOWS:
            return None
        rows = np.stack([np.ones(keep.sum()), s[keep]], 1) * (weight[keep, None] / WINDOW_SIGMA_MM)
        prior = np.diag([1 / SHIFT_SIGMA_MM, 1 / TURN_SIGMA_MM])
        right = np.concatenate([offset[keep] * weight[keep] / WINDOW_SIGMA_MM, [0.0, 0.0]])
        shift, turn = np.linalg.lstsq(np.vstack([rows, prior]), right, rcond=None)[0]
        keep = np.abs(offset - shift - turn * s) < INLIER_MM
    return float(shift), float(turn)


def _line(view: _View, at: _Part, course: _Course | None, width: float) -> Segment | None:
    if course is None:
        return None
    mark, side = at
    shift, turn = course
    seat, reach = list(Seat)[side], view.layout.circle_x
    distance = view.layout.rear if mark is Mark.REAR else view.layout.front
    start = from_side(seat, -reach, -(distance + shift - turn))
    end = from_side(seat, reach, -(distance + shift + turn))
    return Segment(start, end, width)


def _along(view: _View, mark: Mark, courses: dict[_Part, _Course | None]) -> Windows:
    """Where the lines of one kind were seen on their courses."""
    windows, offsets = [np.zeros(0, np.int64)], [np.zeros(0)]
    for (kind, side), course in courses.items():
        if kind is mark and course is not None:
            window, offset, _ = view.of(mark, side)
            expected = course[0] + course[1] * view.samples.along[window] / view.layout.circle_x
            near = np.abs(offset - expected) < INLIER_MM
            windows.append(window[near])
            offsets.append(offset[near])
    return Windows(view.samples.select(np.concatenate(windows)), np.concatenate(offsets))


def _base_circle(view: _View, part: int) -> Circle | None:
    """Centre from the ring and the disc within together, radius from the ring."""
    ring, disc = view.of(Mark.RING, part), view.of(Mark.DISC, part)
    offset = np.concatenate([ring[1], disc[1]])
    kind = np.repeat([0, 1], [len(ring[0]), len(disc[0])])
    normals = view.samples.middle_normals[np.concatenate([ring[0], disc[0]])]
    fit = _circle_fit(normals, offset, kind, LEAST_ARCS, LEAST_BOTH)
    if fit is None:
        return None
    dx, dy, grown = fit
    x, y = _book_centre(view, part)
    return Circle((x + dx, y + dy), view.layout.ring + grown)


def _one_radius(view: _View, circles: dict[int, Circle | None]) -> dict[int, Circle | None]:
    """The circles with the radius that all of one board share, where the picture tells it better than each alone."""
    parts = [part for part, circle in circles.items() if circle]
    if not parts:
        return circles
    rings = ring_windows(view.samples, parts)
    shift = np.zeros((8, 2))
    for part in parts:
        circle = circles[part]
        assert circle is not None
        shift[part] = np.array(circle.centre) - _book_centre(view, part)
    book = view.board.base_circle_radius
    radius = ring_radius(view.planes.ink, view.camera, rings, shift[rings.part], view.layout.ring, book)
    if radius is None:
        return circles
    return {part: replace(circle, radius=radius) if circle else None for part, circle in circles.items()}


def _book_centre(view: _View, part: int) -> Point:
    side, hand = divmod(part, 2)
    return from_side(list(Seat)[side], (-1, 1)[hand] * view.layout.circle_x, -view.layout.circle_y)


def _circle_fit(normals: F64, offset: F64, kind: NDArray[np.int64], least: int,
                least_both: int) -> tuple[float, float, float] | None:  # fmt: skip
    """Shift of the centre and growth of the radius of kind 0 from offsets along normals; robust, None when fewer than
    `least` of each kind agree, and than `least_both` of both.
    """
    columns = [normals, (kind == 0)[:, None].astype(np.float64)]
    kinds = 1 + int(np.any(kind > 0))
    if kinds == 2:
        columns.append((kind == 1)[:, None].astype(np.float64))
    rows = np.concatenate(columns, axis=1)
    weight = np.ones(len(offset))
    x = np.zeros(rows.shape[1])
    sigmas = [CENTRE_SIGMA_MM, CENTRE_SIGMA_MM, *[RADIUS_SIGMA_MM] * kinds]
    prior = np.diag(WINDOW_SIGMA_MM / np.array(sigmas))
    for _ in range(12):
        root = np.sqrt(weight)
        left = np.vstack([rows * root[:, None], prior])
        x = np.linalg.lstsq(left, np.concatenate([offset * root, np.zeros(len(x))]), rcond=None)[0]
        weight = 1.0 / (1.0 + ((offset - rows @ x) / WINDOW_SIGMA_MM) ** 2) ** 2
    agree = np.abs(offset - rows @ x) < INLIER_MM
    enough = max(int(np.sum(agree & (kind == k))) for k in (0, 1)) >= least or int(np.sum(agree)) >= least_both
    return (float(x[0]), float(x[1]), float(x[2])) if enough else None


def _pocket(view: _View, part: int, pocket: Pocket) -> Circle:
    """The rim where seen, else where the board's symmetry puts it."""
    sign_x, sign_y = pocket.corner
    x, y, radius = sign_x * view.layout.pocket, sign_y * view.layout.pocket, view.layout.pocket_radius
    window, offset, _ = view.of(Mark.POCKET, part)
    if len(window) >= MARK_LEAST_RIM:
        normals = view.samples.middle_normals[window]
        fit = _circle_fit(normals, offset, np.zeros(len(window), np.int64), MARK_LEAST_RIM, MARK_LEAST_RIM)
        if fit is not None:
            return Circle((x + fit[0], y + fit[1]), radius + fit[2])
    return Circle((x, y), radius)


def _arrow(view: _View, part: int, pocket: Pocket) -> Segment | None:
    """The straight shaft, tip first."""
    span = view.layout.half / 2
    course = _course(view, Mark.ARROW, part, span)
    if course is None:
        return None
    corner = np.array(pocket.corner, np.float64)
    normal = np.array([-corner[1], corner[0]]) / np.sqrt(2)
    first = view.layout.half - view.board.arrow_start
    last = first - view.board.arrow_length / np.sqrt(2)

    def at(s: float) -> Point:
        x, y = s * corner + normal * (course[0] + course[1] * s / span)
        return float(x), float(y)

    return Segment(at(first), at(last), view.board.arrow_thickness)
