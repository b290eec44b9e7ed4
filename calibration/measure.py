"""Every mark's own place on this board, in board mm under the final camera."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.camera import F64, Camera
from calibration.hues import Planes
from calibration.layout import Layout, Mark, Samples, expected
from calibration.moons import ring_radius, ring_windows
from calibration.profile import Circle, Point, Segment, SideMarks
from calibration.profiles import Sightings, cross_profiles, sight
from models.board import BoardModel
from models.pieces import Pocket, Seat, from_side

REACH_MM = 3.0
"""A mark lies within this of the place that the board's symmetry predicts."""
INLIER_MM = 0.6
"""Windows farther than this from their own mark's fit belong to coins or grain."""
WINDOW_SIGMA_MM = 0.25
SHIFT_SIGMA_MM, TURN_SIGMA_MM = 0.8, 0.25
"""How far one line of a maker's board lies from the symmetrical place: shift, and turn at its end."""
CENTRE_SIGMA_MM, RADIUS_SIGMA_MM = 0.5, 0.25
"""The same for a circle, which is stamped: its centre, and its radius against that of the others."""
LEAST_LINE_WINDOWS = 4
LEAST_ARCS = 6
"""A circle is there when this many of its arcs agree: by chance about three of sixteen do."""
LEAST_RIM = 5
THICKNESS_LIMITS = (0.5, 1.6)
"""A measured thickness is believed within these shares of the book's."""


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
    layout: Layout
    board: BoardModel
    samples: Samples
    seen: Sightings

    def of(self, mark: Mark, part: int) -> tuple[NDArray[np.int64], F64, F64]:
        """Windows (n,), offsets mm (n,) and contrasts (n,) of one mark."""
        w = self.seen.window
        mine = (self.samples.mark[w] == mark) & (self.samples.part[w] == part)
        return w[mine], self.seen.offset[mine], self.seen.contrast[mine]


def measure(planes: Planes, camera: Camera, layout: Layout, board: BoardModel) -> Marks:
    """Look once more under the final `camera` and give each mark that is visible enough its own place."""
    samples = expected(layout, 12.0, 8)
    samples = samples.select(samples.mark != Mark.WALL)
    view = _View(planes, camera, layout, board, samples, sight(planes, camera, samples, REACH_MM, 0.0))
    circles = _one_radius(view, {part: _base_circle(view, part) for part in range(8)})
    sides = {seat: _side(view, n, circles) for n, seat in enumerate(Seat)}
    pockets = {p: _pocket(view, n, p) for n, p in enumerate(Pocket)}
    return Marks(sides, pockets)


def _side(view: _View, side: int, circles: dict[int, Circle | None]) -> SideMarks:
    reach = view.layout.circle_x
    rear = _line(view, Mark.REAR, side, view.layout.rear, reach, view.board.rear_line_thickness)
    front = _line(view, Mark.FRONT, side, view.layout.front, reach, view.board.front_line_thickness)
    pockets = list(Pocket)
    # Left and right of the player: south has SW to the left, and so on clockwise.
    left, right = pockets[(4 - side) % 4], pockets[(5 - side) % 4]
    return SideMarks(rear, front, circles[2 * side], circles[2 * side + 1],
                     _arrow(view, pockets.index(left), left), _arrow(view, pockets.index(right), right))  # fmt: skip


def _course(view: _View, mark: Mark, part: int, length: float) -> tuple[float, float] | None:
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


def _line(view: _View, mark: Mark, side: int, distance: float, reach: float, book: float) -> Segment | None:
    course = _course(view, mark, side, reach)
    if course is None:
        return None
    shift, turn = course
    seat = list(Seat)[side]
    start = from_side(seat, -reach, -(distance + shift - turn))
    end = from_side(seat, reach, -(distance + shift + turn))
    return Segment(start, end, _thickness(view, mark, side, course, reach, book))


def _thickness(view: _View, mark: Mark, side: int, course: tuple[float, float], reach: float, book: float) -> float:
    """Width of the print where it is half dark; the book's when the picture is too coarse to tell."""
    window, offset, _ = view.of(mark, side)
    taps = np.arange(-8.0, 8.01, 0.25)
    near = np.abs(offset - course[0] - course[1] * view.samples.along[window] / reach) < INLIER_MM
    blur_mm = 1.5 / float(view.camera.px_per_mm()[0])
    if near.sum() < LEAST_LINE_WINDOWS or book < 1.5 * blur_mm:
        return book
    rows = cross_profiles(view.planes.ink, view.camera, _picked(view.samples, window[near]), taps)
    centred = np.array([np.interp(taps, taps - o, r) for o, r in zip(offset[near], rows, strict=True)])
    profile = np.nanmedian(centred / np.maximum(np.nanmedian(centred, axis=1, keepdims=True), 1.0), axis=0)
    dark = float(profile[np.abs(taps) < book / 4].mean())
    pale = float(np.median(profile[np.abs(taps) > book / 2 + 1.0]))
    if pale - dark < 0.05:
        return book
    width = 0.25 * float(np.clip((pale - profile[np.abs(taps) < book]) / (pale - dark), 0.0, 1.0).sum())
    return width if THICKNESS_LIMITS[0] * book < width < THICKNESS_LIMITS[1] * book else book


def _picked(samples: Samples, rows: NDArray[np.int64]) -> Samples:
    mask = np.zeros(len(samples.mark), bool)
    mask[rows] = True
    return samples.select(mask)


def _base_circle(view: _View, part: int) -> Circle | None:
    """Centre from the ring and the disc within together, radius from the ring."""
    ring, disc = view.of(Mark.RING, part), view.of(Mark.DISC, part)
    offset = np.concatenate([ring[1], disc[1]])
    kind = np.repeat([0, 1], [len(ring[0]), len(disc[0])])
    normals = view.samples.middle_normals[np.concatenate([ring[0], disc[0]])]
    fit = _circle_fit(normals, offset, kind, LEAST_ARCS)
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
    radius = ring_radius(view.planes.ink, view.camera, rings, shift[rings.part], view.layout.ring)
    if radius is None:
        return circles
    return {part: replace(circle, radius=radius) if circle else None for part, circle in circles.items()}


def _book_centre(view: _View, part: int) -> Point:
    side, hand = divmod(part, 2)
    return from_side(list(Seat)[side], (-1, 1)[hand] * view.layout.circle_x, -view.layout.circle_y)


def _circle_fit(normals: F64, offset: F64, kind: NDArray[np.int64], least: int) -> tuple[float, float, float] | None:
    """Shift of the centre and growth of the radius of kind 0 from offsets along normals; robust, None when unsure."""
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
    enough = max(int(np.sum(agree & (kind == k))) for k in (0, 1)) >= least
    return (float(x[0]), float(x[1]), float(x[2])) if enough else None


def _pocket(view: _View, part: int, pocket: Pocket) -> Circle:
    """The rim where seen, else where the board's symmetry puts it."""
    sign_x, sign_y = pocket.corner
    x, y, radius = sign_x * view.layout.pocket, sign_y * view.layout.pocket, view.layout.pocket_radius
    window, offset, _ = view.of(Mark.POCKET, part)
    if len(window) >= LEAST_RIM:
        normals = view.samples.middle_normals[window]
        fit = _circle_fit(normals, offset, np.zeros(len(window), np.int64), LEAST_RIM)
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
