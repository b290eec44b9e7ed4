"""Measures the individual place of every mark on this board, in board mm, under the final camera.

The camera fit assumes a symmetrical board. This module drops that assumption and fits each line, circle, arrow and
pocket separately. Input: image planes, camera and layout. Output: the marks by seat and the pockets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.fit_board.cross_profiles import Sightings, cross_profiles, sight
from calibration.fit_board.edge_colour import Planes
from calibration.fit_board.line_width import Windows, line_widths
from calibration.fit_board.mark_samples import Mark, MarkLayout, Samples, expected
from calibration.fit_board.ring_radius import ring_radius, ring_windows
from calibration.fit_board.symmetry_fill import FILL_LEAST_RINGS, UNSEEN_MM
from calibration.geometry.camera import F64, Camera
from calibration.profile import Circle, Point, Segment, SideMarks
from models.board import BoardModel
from models.pieces import Pocket, Seat, from_side

MARK_REACH_MM = 3.0
"""Search distance from the place that the board's symmetry predicts, in mm."""
INLIER_MM = 0.6
"""Greatest residual of a window to its mark's fit, in mm; larger ones come from coins or grain."""
WINDOW_SIGMA_MM = 0.25
"""Usual standard deviation of a window's place, mm."""
SHIFT_SIGMA_MM, TURN_SIGMA_MM = 0.8, 0.25
"""Standard deviations of a line from its symmetrical place, in mm: shift, and turn measured at its end."""
CENTRE_SIGMA_MM, RADIUS_SIGMA_MM = 0.5, 0.25
"""Standard deviations of a stamped circle, in mm: its centre, and its radius relative to that of the others."""
LEAST_LINE_WINDOWS = 4
"""Least number of agreeing windows for a line to count as detected. As many windows' scatter weighs as much as the
usual one."""
LEAST_ARCS, LEAST_BOTH = 6, 9
"""Least number of agreeing arcs of ring or disc alone, and of both together, for a circle to count as detected. By
chance about three of each sixteen agree."""
MARK_LEAST_RIM = 5
DETECTED_PX = 0.1
"""Standard deviation (px) of a mark's detected place as a whole, by sharpening and compression."""
PRINTED_SIGMAS = 6.0
"""Least difference of tone between a base circle's inside and the wood about it that shows something there, in standard
errors."""
MARK_LINES = (Mark.REAR, Mark.FRONT)

_Part = tuple[Mark, int]
"""Kind of mark, and its number within the kind."""
_Course = tuple[float, float, float]
"""Shift of a line at its middle, additional shift at its end, both mm outward, and the standard deviation at the less
certain end of what is seen of it."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Measured marks of one board."""

    sides: dict[Seat, SideMarks]
    pockets: dict[Pocket, Circle]


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """Result of the final detection, with what it was based on."""

    planes: Planes
    camera: Camera
    layout: MarkLayout
    board: BoardModel
    samples: Samples
    sightings: Sightings

    def of(self, mark: Mark, part: int) -> tuple[NDArray[np.int64], F64, F64]:
        """Returns windows (n,), offsets (n,) mm and contrasts (n,) of one mark."""
        w = self.sightings.window
        mine = (self.samples.mark[w] == mark) & (self.samples.part[w] == part)
        return w[mine], self.sightings.offset[mine], self.sightings.contrast[mine]

    def sigma(self, *errors_mm: float) -> float:
        """Returns the standard deviation (mm) of a mark with these errors and that of detection."""
        return math.hypot(DETECTED_PX / float(self.camera.px_per_mm()[0]), *errors_mm)


def measure(planes: Planes, camera: Camera, layout: MarkLayout, board: BoardModel) -> Marks:
    """Detects the marks again under the final `camera` and fits each one that is visible enough."""
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
    """Returns shift and turn of a line: mm outward at its middle, and additional mm at `length`.

    Returns None when too few windows agree.
    """
    window, offset, contrast = view.of(mark, part)
    s = view.samples.along[window] / length
    weight = np.minimum(contrast / max(float(np.median(contrast)), 1e-6), 1.0) if len(contrast) else contrast
    columns, keep = np.stack([np.ones(len(s)), s], 1), np.ones(len(window), bool)
    course, rows, prior = np.zeros(2), np.zeros((0, 2)), np.diag([1 / SHIFT_SIGMA_MM, 1 / TURN_SIGMA_MM])
    noise = WINDOW_SIGMA_MM
    for _ in range(4):
        if keep.sum() < LEAST_LINE_WINDOWS:
            return None
        rows = columns[keep] * (weight[keep, None] / noise)
        right = np.concatenate([offset[keep] * weight[keep] / noise, [0.0, 0.0]])
        course = np.linalg.lstsq(np.vstack([rows, prior]), right, rcond=None)[0]
        rest = offset - columns @ course
        keep = np.abs(rest) < INLIER_MM
        noise = _noise(rest[keep] * weight[keep])
    spread = np.linalg.inv(rows.T @ rows + prior**2)
    ends = columns[[int(np.argmin(s)), int(np.argmax(s))]]
    return float(course[0]), float(course[1]), float(np.sqrt(np.max(np.sum(ends @ spread * ends, axis=1))))


def _noise(residuals: F64) -> float:
    """Returns the standard deviation (mm) of windows' places from their scatter about a mark (n,) mm, and the usual
    one.
    """
    usual = LEAST_LINE_WINDOWS * WINDOW_SIGMA_MM**2
    return math.sqrt((usual + float(np.sum(residuals**2))) / (LEAST_LINE_WINDOWS + len(residuals)))


def _line(view: _View, at: _Part, course: _Course | None, width: F64) -> Segment | None:
    if course is None:
        return None
    mark, side = at
    shift, turn, sigma = course
    seat, reach = list(Seat)[side], view.layout.circle_x
    distance = view.layout.rear if mark is Mark.REAR else view.layout.front
    start = from_side(seat, -reach, -(distance + shift - turn))
    end = from_side(seat, reach, -(distance + shift + turn))
    return Segment(start, end, float(width[0]), view.sigma(sigma, width[1] / 2))


def _along(view: _View, mark: Mark, courses: dict[_Part, _Course | None]) -> Windows:
    """Returns the windows of one kind of line that agree with the fitted courses."""
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
    """Returns a base circle: centre from ring and disc together, radius from the ring; None when not detected."""
    ring, disc = view.of(Mark.RING, part), view.of(Mark.DISC, part)
    offset = np.concatenate([ring[1], disc[1]])
    kind = np.repeat([0, 1], [len(ring[0]), len(disc[0])])
    normals = view.samples.middle_normals[np.concatenate([ring[0], disc[0]])]
    fit = _circle_fit(normals, offset, kind, LEAST_ARCS, LEAST_BOTH)
    if fit is None:
        return None
    dx, dy, grown, sigma = fit
    x, y = _book_centre(view, part)
    return Circle((x + dx, y + dy), view.layout.ring + grown, view.sigma(sigma))


def _one_radius(view: _View, circles: dict[int, Circle | None]) -> dict[int, Circle | None]:
    """Returns the circles with one common radius, where it can be measured; otherwise less certain.

    Where too few are measured to place the others, those are added that something was printed in place of.
    """
    parts = [part for part, circle in circles.items() if circle]
    if len(parts) < FILL_LEAST_RINGS:
        unseen = [part for part in circles if part not in parts and _is_printed(view, part)]
        added = {n: Circle(_book_centre(view, n), view.layout.ring, UNSEEN_MM) for n in unseen}
        circles = {n: added.get(n, circle) for n, circle in circles.items()}
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
        unsure = {n: math.hypot(circle.sigma_mm, RADIUS_SIGMA_MM) for n, circle in circles.items() if circle}
        return {n: replace(circle, sigma_mm=unsure[n]) if circle else None for n, circle in circles.items()}
    return {part: replace(circle, radius=radius) if circle else None for part, circle in circles.items()}


def _is_printed(view: _View, part: int) -> bool:
    """Tells whether the tone within a base circle differs from that of the wood about it."""
    disc = view.samples.select((view.samples.mark == Mark.DISC) & (view.samples.part == part))
    taps = np.array([-4.0, -3.0, -2.0, 4.0, 5.0, 6.0]) + np.repeat([0.0, view.layout.ring - view.layout.disc], 3)
    planes = (view.planes.ink, view.planes.u, view.planes.v)
    tones = [cross_profiles(plane, view.camera, disc, taps) for plane in planes]
    steps = np.array([tone[:, :3].mean(axis=1) - tone[:, 3:].mean(axis=1) for tone in tones])
    error = np.std(steps, axis=1) / np.sqrt(steps.shape[1])
    return bool(np.any(np.abs(steps.mean(axis=1)) > PRINTED_SIGMAS * error))


def _book_centre(view: _View, part: int) -> Point:
    side, hand = divmod(part, 2)
    return from_side(list(Seat)[side], (-1, 1)[hand] * view.layout.circle_x, -view.layout.circle_y)


def _circle_fit(normals: F64, offset: F64, kind: NDArray[np.int64], least: int,
                least_both: int) -> tuple[float, float, float, float] | None:  # fmt: skip
    """Returns the shift (x, y) of a circle's centre, the change of the radius of kind 0, and the outline's standard
    deviation, from offsets along normals.

    The fit is robust to outliers. Returns None when fewer than `least` windows of either kind agree and fewer than
    `least_both` of both together.
    """
    columns = [normals, (kind == 0)[:, None].astype(np.float64)]
    kinds = 1 + int(np.any(kind > 0))
    if kinds == 2:
        columns.append((kind == 1)[:, None].astype(np.float64))
    rows = np.concatenate(columns, axis=1)
    weight = np.ones(len(offset))
    x = np.zeros(rows.shape[1])
    sigmas = [CENTRE_SIGMA_MM, CENTRE_SIGMA_MM, *[RADIUS_SIGMA_MM] * kinds]
    prior = left = np.diag(WINDOW_SIGMA_MM / np.array(sigmas))
    for _ in range(12):
        root = np.sqrt(weight)
        left = np.vstack([rows * root[:, None], prior])
        x = np.linalg.lstsq(left, np.concatenate([offset * root, np.zeros(len(x))]), rcond=None)[0]
        weight = 1.0 / (1.0 + ((offset - rows @ x) / WINDOW_SIGMA_MM) ** 2) ** 2
    agree = np.abs(offset - rows @ x) < INLIER_MM
    enough = max(int(np.sum(agree & (kind == k))) for k in (0, 1)) >= least or int(np.sum(agree)) >= least_both
    variances = np.linalg.inv(left.T @ left).diagonal()
    sigma = _noise((offset - rows @ x)[agree]) * float(np.sqrt(variances[:2].max() + variances[2]))
    return (float(x[0]), float(x[1]), float(x[2]), sigma) if enough else None


def _pocket(view: _View, part: int, pocket: Pocket) -> Circle:
    """Returns the measured rim of a pocket, or the one predicted by the board's symmetry where too little is
    detected.
    """
    sign_x, sign_y = pocket.corner
    x, y, radius = sign_x * view.layout.pocket, sign_y * view.layout.pocket, view.layout.pocket_radius
    window, offset, _ = view.of(Mark.POCKET, part)
    if len(window) >= MARK_LEAST_RIM:
        normals = view.samples.middle_normals[window]
        fit = _circle_fit(normals, offset, np.zeros(len(window), np.int64), MARK_LEAST_RIM, MARK_LEAST_RIM)
        if fit is not None:
            return Circle((x + fit[0], y + fit[1]), radius + fit[2], view.sigma(fit[3]))
    return Circle((x, y), radius)


def _arrow(view: _View, part: int, pocket: Pocket) -> Segment | None:
    """Returns the straight shaft of an arrow, starting at the end near the corner; None when not detected."""
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

    return Segment(at(first), at(last), view.board.arrow_thickness, view.sigma(course[2]))
