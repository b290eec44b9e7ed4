"""From a rough pose to an exact one: look for the marks, solve, look again more closely."""

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
from calibration.fit_board.solve import MARK_SPREAD, SOLVE_WHOLE, Free, Observed, Solution, Usual, solve
from calibration.geometry.camera import F64, Camera
from calibration.geometry.correlated_errors import Shared

FIT_LEAST_SIGHTINGS = 40
"""Fewer windows do not hold a camera; the first look may find fewer where lines are worn and circles are not."""
BUILT, BUILT_SEEN = (Mark.FOOT, Mark.WALL), 0.2
"""Parts of one cushion's windows by which it lies where it was looked for: 0.35 to 0.5 on boards with other prints that
lie in the middle; on those where they do not at most two cushions reach it. What is seen of fewer is shade and grain:
a few windows of a frame that no picture showed put its camera a quarter too low.
"""
SHARED_MM = {Mark.REAR: 0.1, Mark.FRONT: 0.1, Mark.RING: 0.15, Mark.DISC: 0.25, Mark.POCKET: 0.4, Mark.FOOT: 0.3,
             Mark.WALL: 0.4, Mark.ARROW: 0.15}  # fmt: skip
"""How far (one sigma) a whole mark is seen or printed off its place by the board's symmetry."""
TURN_REACH_MM = 250.0
"""A line that is askew is off by the same amount at this distance from its middle."""
START_SIGMA_PX = 1.0
"""Corners of a guess are taken this exactly: no pixel of the search for marks is to be lost to the usual lens."""
FIRST_WIDER_MM = {**WIDER_MM, Mark.POCKET: 9.0}
"""Pockets touch both cushions, so a radius larger by 2.5 mm, as on many a board, puts the rim 6 mm farther inwards."""
FIT_LINES = (Mark.REAR, Mark.FRONT, Mark.FOOT)
FIT_ALL = tuple(Mark)


@dataclass(frozen=True, slots=True)
class FitStage:
    """One round of looking and solving."""

    marks: tuple[Mark, ...]
    reach: float
    """Search distance to either side, mm."""
    bend: float
    """Bend of a line (mm) that the camera so far may leave."""
    window: float
    """Length (mm) of the windows of lines."""
    run: int
    """Points averaged in a window."""
    trim: float
    """Sightings farther than this (mm) from the solution are no marks; they are dropped before the next look."""
    wider: Mapping[Mark, float] = field(default_factory=lambda: WIDER_MM)
    """Search distance of marks that may lie farther off than the others, mm."""
    rough: bool = False
    """Lines on a flat board say little of the focal length: it waits until the frame's height is seen too."""


FIT_STAGES = (
    FitStage(FIT_LINES, 11.0, 5.0, 24.0, 8, 4.0, rough=True),
    FitStage((*FIT_LINES, Mark.RING, Mark.DISC, Mark.POCKET), 5.0, 2.5, 20.0, 8, 2.0, FIRST_WIDER_MM, rough=True),
    FitStage(FIT_ALL, 3.0, 0.0, 16.0, 8, 1.0),
    FitStage(FIT_ALL, 2.5, 0.0, 12.0, 8, 0.8),
)


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """An exact pose with what supports it."""

    solution: Solution
    samples: Samples
    """All windows looked for in the last round, by `layout`."""
    sightings: Sightings
    """The marks that were found and agree."""
    residuals_mm: F64
    """Seen minus explained (n,) of the sightings."""

    @property
    def camera(self) -> Camera:
        return self.solution.camera

    @property
    def layout(self) -> MarkLayout:
        return self.solution.layout

    def share(self, mark: Mark, part: int | None = None) -> float:
        """Part of the windows of `mark`, or of one such mark, that were found."""
        wanted = self.samples.mark == mark
        if part is not None:
            wanted &= self.samples.part == part
        return float(np.sum(wanted[self.sightings.window])) / max(int(np.sum(wanted)), 1)


def start_camera(corners: F64, layout: MarkLayout, size: tuple[int, int], lens: Camera | None,
                 usual: Usual = SOLVE_WHOLE) -> Camera:  # fmt: skip
    """A camera with the usual lens (or `lens`) that sees a surface's corners SW SE NE NW at pixels (4, 2)."""
    base = lens or typical_camera(*size)
    points = np.column_stack([GUESS_CORNERS * layout.half, np.zeros(4)])
    ok, rvec, tvec = cv2.solvePnP(points, corners, base.k, base.dist, flags=cv2.SOLVEPNP_IPPE)
    r = cv2.Rodrigues(rvec)[0] if ok else base.r
    posed = Camera.of(base.width, base.height, base.k, base.dist, r, tvec if ok else base.t)
    may_change = Free.LENS_GIVEN if lens else Free.ALL
    return solve(posed, layout, layout, _corners_seen(layout, points, corners), may_change, usual).camera


def _corners_seen(layout: MarkLayout, points: F64, px: F64) -> Observed:
    """Four corners (4, 3) mm at pixels (4, 2) as sightings across both axes of the picture."""
    still = np.zeros((8, len(LENGTHS), 3))
    both = np.repeat(np.eye(2), 4, axis=0)
    return Observed(layout, np.tile(points, (2, 1)), still, np.tile(px, (2, 1)), both, np.full(8, START_SIGMA_PX),
                    Shared(np.arange(8), np.zeros((8, 3))))  # fmt: skip


def refine(planes: Planes, camera: Camera, book: MarkLayout, may_change: Free,
           stages: tuple[FitStage, ...] = FIT_STAGES, usual: Usual = SOLVE_WHOLE) -> Fit | None:  # fmt: skip
    """Look and solve round after round; None when too little of the board is found on the way."""
    layout = book
    fit: Fit | None = None
    spread = dict(MARK_SPREAD)
    for stage in stages:
        samples = expected(layout, stage.window, stage.run, stage.marks)
        sightings = sight(planes, camera, samples, stage.reach, stage.bend, stage.wider)
        sightings = sightings if stage.rough else _without_traces(samples, sightings)
        if len(sightings.window) < FIT_LEAST_SIGHTINGS:
            fit = None
            continue
        seen = observed(camera, layout, samples, sightings, spread)
        now = Free.FOCAL_KEPT if stage.rough and may_change is Free.ALL else may_change
        solution = solve(camera, layout, book, seen, now, usual)
        scale = solution.camera.px_per_mm(samples.middles[sightings.window, :2])
        residuals = solution.residuals_px / scale
        good = np.abs(residuals) < stage.trim
        if good.sum() < FIT_LEAST_SIGHTINGS:
            fit = None
            continue
        spread = _scatter(residuals[good], samples.mark[sightings.window][good])
        solution = solve(solution.camera, solution.layout, book, seen.select(good), now, usual)
        camera = solution.camera
        fit = Fit(solution, samples, sightings.select(good), solution.residuals_px / scale[good])
        layout = solution.layout
    return fit


def _without_traces(samples: Samples, sightings: Sightings) -> Sightings:
    """Those of prints, and of cushions and frame where one is seen in enough of its windows."""
    part = samples.mark * len(Mark) + samples.part
    share = np.bincount(part[sightings.window], minlength=part.max() + 1) / np.maximum(np.bincount(part), 1)
    built = np.isin(samples.mark[sightings.window], BUILT)
    return sightings.select(~built | (share[part[sightings.window]] > BUILT_SEEN))


def observed(camera: Camera, layout: MarkLayout, samples: Samples, sightings: Sightings,
             spread: dict[Mark, float]) -> Observed:  # fmt: skip
    """Sightings of marks expected by `layout` under `camera`, as pixels and directions."""
    w = sightings.window
    middles, normals = samples.middles[w], samples.middle_normals[w]
    at = middles[:, :2] + normals * sightings.offset[:, None]
    pixels = camera.to_pixels(at, middles[:, 2])
    along = np.stack([-normals[:, 1], normals[:, 0]], 1)
    course = camera.to_pixels(at + 0.5 * along, middles[:, 2]) - camera.to_pixels(at - 0.5 * along, middles[:, 2])
    # Across the mark as the picture shows it, which under tilt is not quite the picture of the board's normal.
    across = np.stack([course[:, 1], -course[:, 0]], 1) / np.linalg.norm(course, axis=1, keepdims=True)
    step = camera.to_pixels(at + 0.5 * normals, middles[:, 2]) - camera.to_pixels(at - 0.5 * normals, middles[:, 2])
    outward = np.sum(step * across, 1)
    spread_mm = np.array([spread[Mark(m)] for m in samples.mark[w]])
    return Observed(layout, middles, samples.moves[w], pixels, across * np.sign(outward)[:, None],
                    spread_mm * np.abs(outward), _shared(samples, w, spread_mm))  # fmt: skip


def _shared(samples: Samples, windows: NDArray[np.int64], spread_mm: F64) -> Shared:
    """A line is shifted and turned as a whole, a circle shifted and grown."""
    mark, along, normals = samples.mark[windows], samples.along[windows], samples.middle_normals[windows]
    size = np.array([SHARED_MM[Mark(m)] for m in mark])
    ones = np.ones(len(windows))
    lines = np.stack([ones, along / TURN_REACH_MM, np.zeros(len(windows))], 1)
    circles = np.column_stack([normals, ones])
    round_mark = np.isin(mark, (Mark.RING, Mark.DISC, Mark.POCKET))
    ways = np.where(round_mark[:, None], circles, lines) * (size / spread_mm)[:, None]
    return Shared(mark * 16 + samples.part[windows], ways)


def _scatter(residuals: F64, marks: NDArray[np.int64]) -> dict[Mark, float]:
    """Scatter (mm) of each kind of mark: windows of one mark err together, hence the floor."""
    out = dict(MARK_SPREAD)
    for mark in Mark:
        mine = residuals[marks == mark]
        if len(mine) >= 8:
            out[mark] = max(0.08, 1.5 * 1.48 * float(np.median(np.abs(mine - np.median(mine)))))
    return out
