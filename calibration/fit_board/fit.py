"""Refines a rough camera pose by alternating mark detection and solving, with a smaller search range each round.

Input: image planes, a starting camera and the expected layout. Output: the camera, the board's lengths and the detected
marks that support them, or None when too little of the board is detected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.find_board.edge_maps import typical_camera
from calibration.find_board.hypotheses import GUESS_CORNERS
from calibration.fit_board.cross_profiles import WIDER_MM, Sightings, sight
from calibration.fit_board.edge_colour import Planes
from calibration.fit_board.mark_samples import LENGTHS, Mark, MarkLayout, Samples, expected
from calibration.fit_board.solve import MARK_SPREAD, WHOLE_SENSOR, CameraPrior, Free, MarkObservations, Solution, solve
from calibration.geometry.camera import F64, Camera
from calibration.geometry.correlated_errors import SharedErrors

FIT_LEAST_SIGHTINGS = 40
"""Least number of detected windows that determines a camera. The first round may find fewer where lines are worn and
circles are not."""
STRAIGHT_EDGES, BUILT_DETECTED = (Mark.FOOT, Mark.WALL), 0.2
"""Marks of cushion and frame, and the share of detected windows above which one of them counts as present. The share
is 0.35 to 0.5 on boards whose prints differ from the book but are centred; where they are not centred, at most two
cushions reach 0.2. Smaller shares come from shade and grain: a few windows of a frame that was not visible put a
camera a quarter too low.
"""
SHARED_MM = {**dict.fromkeys(Mark, 0.05), Mark.POCKET: 0.2, Mark.FOOT: 0.0, Mark.WALL: 0.8}
SHARED_PX = {**dict.fromkeys(Mark, 0.0), Mark.RING: 0.1, Mark.DISC: 0.2, Mark.POCKET: 0.3, Mark.FOOT: 0.09}
"""Scale of the usual displacement of a whole mark from its symmetrical place: by printing (mm), and by detection (px),
which coarse pictures displace to the darker neighbour. Under the true cameras of 120 rendered boards lines, arrows and
the feet of cushions lie so far off; on 58 others, with these scales, a place's error by its sigma is 0.86.
"""
INWARD = {**dict.fromkeys(Mark, 1.0), Mark.FOOT: 2.5, Mark.WALL: 0.5}
"""Scale of inward displacements relative to outward ones: shade hides a cushion's foot behind an edge on the board (the
likeliest scale of the same boards' is 2 to 3), and a frame's rounded inner edge is detected farther out."""
TURN_REACH_MM = 250.0
"""Distance from a line's middle at which its rotation causes the error `SHARED_MM`, in mm."""
START_SIGMA_PX = 1.0
"""Standard deviation of the guessed corners, in pixels. It is small so that the starting camera reproduces them and the
assumed lens uses up none of the search range."""
FIRST_WIDER_MM = {**WIDER_MM, Mark.POCKET: 9.0}
"""Least search distances (mm) of the first round with pockets. A pocket touches both cushions, so a radius larger by
2.5 mm, as many boards have, moves its rim 6 mm inward."""
FIT_LINES = (Mark.REAR, Mark.FRONT, Mark.FOOT)
FIT_ALL = tuple(Mark)


@dataclass(frozen=True, slots=True)
class FitStage:
    """One round of detection and solving."""

    marks: tuple[Mark, ...]
    reach: float
    """Search distance to either side, mm."""
    bend: float
    """Greatest apparent bend of a line due to lens errors of the current camera, mm."""
    window: float
    """Length (mm) of the windows of lines."""
    run: int
    """Points averaged in a window."""
    trim: float
    """Greatest residual, mm, of cushions and frame from their own median, and of that median, times `INWARD` if inward;
    detections with a larger one are discarded and the round is solved again."""
    wider: Mapping[Mark, float] = field(default_factory=lambda: WIDER_MM)
    """Larger search distances of some kinds of marks, mm."""
    rough: bool = False
    """Holds the focal length fixed: lines in one plane determine it badly, so it is solved with the frame's height
    later."""


FIT_STAGES = (
    FitStage(FIT_LINES, 11.0, 5.0, 24.0, 8, 4.0, rough=True),
    FitStage((*FIT_LINES, Mark.RING, Mark.DISC, Mark.POCKET), 5.0, 2.5, 20.0, 8, 2.0, FIRST_WIDER_MM, rough=True),
    FitStage(FIT_ALL, 3.0, 0.0, 16.0, 8, 1.0),
    FitStage(FIT_ALL, 2.5, 0.0, 12.0, 8, 0.8),
)


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Refined pose and the detections that support it."""

    solution: Solution
    samples: Samples
    """All windows searched in the last round."""
    sightings: Sightings
    """Detected marks that agree with the solution."""
    residuals_mm: F64
    """Measured minus modelled position (n,) of the sightings, mm outward."""
    observations: MarkObservations
    book: MarkLayout
    """What the solution was computed from: observations and expected lengths."""

    @property
    def camera(self) -> Camera:
        return self.solution.camera

    @property
    def layout(self) -> MarkLayout:
        return self.solution.layout

    def share(self, mark: Mark, part: int | None = None) -> float:
        """Returns the share (0 to 1) of the windows of `mark`, or of one such mark, in which it was detected."""
        wanted = self.samples.mark == mark
        if part is not None:
            wanted &= self.samples.part == part
        return float(np.sum(wanted[self.sightings.window])) / max(int(np.sum(wanted)), 1)


def start_camera(corners: F64, layout: MarkLayout, size: tuple[int, int], lens: Camera | None,
                 prior: CameraPrior = WHOLE_SENSOR) -> Camera:  # fmt: skip
    """Returns a camera with the usual lens (or `lens`) that shows the surface's corners SW SE NE NW at pixels (4,
    2).
    """
    base = lens or typical_camera(*size)
    points = np.column_stack([GUESS_CORNERS * layout.half, np.zeros(4)])
    ok, rvec, tvec = cv2.solvePnP(points, corners, base.k, base.dist, flags=cv2.SOLVEPNP_IPPE)
    r = cv2.Rodrigues(rvec)[0] if ok else base.r
    posed = Camera.of(base.width, base.height, base.k, base.dist, r, tvec if ok else base.t)
    may_change = Free.LENS_GIVEN if lens else Free.ALL
    return solve(posed, layout, layout, _corner_observations(layout, points, corners), may_change, prior).camera


def _corner_observations(layout: MarkLayout, points: F64, px: F64) -> MarkObservations:
    """Returns four corners (4, 3) mm at pixels (4, 2) as observations along both axes of the picture."""
    still = np.zeros((8, len(LENGTHS), 3))
    both = np.repeat(np.eye(2), 4, axis=0)
    sigma_px = np.full(8, START_SIGMA_PX)
    return MarkObservations(layout, np.tile(points, (2, 1)), still, np.tile(px, (2, 1)), both, sigma_px,
                            SharedErrors(np.arange(8), np.zeros((8, 3)), np.ones(8)))  # fmt: skip


def refine(planes: Planes, camera: Camera, layout: MarkLayout, book: MarkLayout, may_change: Free,
           stages: tuple[FitStage, ...] = FIT_STAGES, prior: CameraPrior = WHOLE_SENSOR) -> Fit | None:  # fmt: skip
    """Detects marks and solves, stage after stage, starting at `layout` with `book` as expected lengths.

    Returns None when the last stage detects too little of the board.
    """
    fit: Fit | None = None
    spread = dict(MARK_SPREAD)
    for stage in stages:
        samples = expected(layout, stage.window, stage.run, stage.marks)
        sightings = sight(planes, camera, samples, stage.reach, stage.bend, stage.wider)
        sightings = sightings if stage.rough else _without_traces(samples, sightings)
        if len(sightings.window) < FIT_LEAST_SIGHTINGS:
            fit = None
            continue
        # While a cushion's foot is sought widely, the frame's top edge may be taken for it as well as a shadow.
        inward = dict.fromkeys(Mark, 1.0) if stage.rough else INWARD
        observations = mark_observations(camera, layout, samples, sightings, spread, inward)
        now = Free.FOCAL_FIXED if stage.rough and may_change is Free.ALL else may_change
        solution = solve(camera, layout, book, observations, now, prior)
        scale = solution.camera.px_per_mm(samples.middles[sightings.window, :2])
        residuals = solution.residuals_px / scale
        displaced = _displaced(residuals, observations.shared)
        ample = np.where(displaced < 0.0, observations.shared.inward, 1.0) * stage.trim
        good = (np.abs(residuals - displaced) < stage.trim) & (np.abs(displaced) < ample)
        if good.sum() < FIT_LEAST_SIGHTINGS:
            fit = None
            continue
        spread = _scatter(residuals[good], samples.mark[sightings.window][good])
        observations = observations.select(good)
        solution = solve(solution.camera, solution.layout, book, observations, now, prior)
        camera = solution.camera
        fit = Fit(solution, samples, sightings.select(good), solution.residuals_px / scale[good], observations, book)
        layout = solution.layout
    return fit


def _without_traces(samples: Samples, sightings: Sightings) -> Sightings:
    """Returns the sightings without those of cushions and frame sides detected in too few of their windows."""
    part = samples.mark * len(Mark) + samples.part
    share = np.bincount(part[sightings.window], minlength=part.max() + 1) / np.maximum(np.bincount(part), 1)
    built = np.isin(samples.mark[sightings.window], STRAIGHT_EDGES)
    return sightings.select(~built | (share[part[sightings.window]] > BUILT_DETECTED))


def mark_observations(camera: Camera, layout: MarkLayout, samples: Samples, sightings: Sightings,
                      spread: dict[Mark, float],
                      inward: Mapping[Mark, float] = INWARD) -> MarkObservations:  # fmt: skip
    """Returns sightings of marks, expected by `layout` under `camera`, as pixels and directions for the solver."""
    w = sightings.window
    middles, normals = samples.middles[w], samples.middle_normals[w]
    at = middles[:, :2] + normals * sightings.offset[:, None]
    pixels = camera.to_pixels(at, middles[:, 2])
    along = np.stack([-normals[:, 1], normals[:, 0]], 1)
    course = camera.to_pixels(at + 0.5 * along, middles[:, 2]) - camera.to_pixels(at - 0.5 * along, middles[:, 2])
    # Normal to the mark in the picture; under tilt it differs slightly from the projected board normal.
    across = np.stack([course[:, 1], -course[:, 0]], 1) / np.linalg.norm(course, axis=1, keepdims=True)
    step = camera.to_pixels(at + 0.5 * normals, middles[:, 2]) - camera.to_pixels(at - 0.5 * normals, middles[:, 2])
    outward = np.sum(step * across, 1)
    spread_mm = _of_kinds(spread, samples.mark[w])
    shared = _shared(samples, w, spread_mm, 1.0 / np.abs(outward), inward)
    return MarkObservations(layout, middles, samples.moves[w], pixels, across * np.sign(outward)[:, None],
                            spread_mm * np.abs(outward), shared)  # fmt: skip


def _shared(samples: Samples, windows: NDArray[np.int64], spread_mm: F64, pixel_mm: F64,
            inward: Mapping[Mark, float]) -> SharedErrors:  # fmt: skip
    """Returns the shared errors: shift and rotation of a line, shift and radius of a circle."""
    mark, along, normals = samples.mark[windows], samples.along[windows], samples.middle_normals[windows]
    size = np.hypot(_of_kinds(SHARED_MM, mark), _of_kinds(SHARED_PX, mark) * pixel_mm)
    ones = np.ones(len(windows))
    lines = np.stack([ones, along / TURN_REACH_MM, np.zeros(len(windows))], 1)
    circles = np.column_stack([normals, ones])
    round_mark = np.isin(mark, (Mark.RING, Mark.DISC, Mark.POCKET))
    ways = np.where(round_mark[:, None], circles, lines) * (size / spread_mm)[:, None]
    return SharedErrors(mark * 16 + samples.part[windows], ways, _of_kinds(inward, mark))


def _displaced(residuals: F64, shared: SharedErrors) -> F64:
    """Returns the median residual (n,) of the mark of each window, for marks that may be displaced as a whole."""
    out = np.zeros(len(residuals))
    for group in np.unique(shared.group[shared.inward != 1.0]):
        mine = shared.group == group
        out[mine] = np.median(residuals[mine])
    return out


def _of_kinds(table: Mapping[Mark, float], marks: NDArray[np.int64]) -> F64:
    """Returns the entries (n,) of a table for marks (n,)."""
    return np.array([table[Mark(m)] for m in marks])


def _scatter(residuals: F64, marks: NDArray[np.int64]) -> dict[Mark, float]:
    """Returns the scatter (mm) of each kind of mark, at least 0.08 mm because the windows of one mark are
    correlated.
    """
    out = dict(MARK_SPREAD)
    for mark in Mark:
        mine = residuals[marks == mark]
        if len(mine) >= 8:
            out[mark] = max(0.08, 1.5 * 1.48 * float(np.median(np.abs(mine - np.median(mine)))))
    return out
