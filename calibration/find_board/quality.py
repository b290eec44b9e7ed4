"""Checks whether a fit shows a board and is accurate enough; if not, returns reasons that say what to do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.find_board.edge_maps import F32, evidence
from calibration.find_board.hypotheses import circle_redness, mark_agreement
from calibration.fit_board.cross_profiles import cross_profiles, sight
from calibration.fit_board.edge_colour import Planes
from calibration.fit_board.fit import Fit
from calibration.fit_board.mark_samples import Mark, Samples, beyond_ends, expected
from calibration.geometry.camera import F64
from calibration.geometry.picture import Picture
from calibration.reason import CalibrationFault, CalibrationReason

LEAST_AGREEMENT = 2.2
"""Least agreement of all marks with the picture (`mark_agreement` plus `circle_redness`): clean boards reach 4, very
worn ones 2.3; tiles, cloth and halves of boards, on which some lines fit by chance, stay below 2.1."""
AGREEMENT_SLACK_MM = 1.5
QUALITY_LEAST_SHARE = {Mark.REAR: 0.2, Mark.FRONT: 0.2, Mark.FOOT: 0.2, Mark.DISC: 0.5}
"""Least share of a mark's windows that must be detected for its side to count; discs match by chance more often."""
LEAST_SIDES = 3
LEAST_MARKS = 20
"""Least number of lines, rings, discs, rims and edges detected; very worn boards reach 30, badly blurred ones 14."""
LEAST_IN_VIEW = 0.75
"""Least share of the base lines within the picture."""
WORST_RMS_MM = 0.8
"""Greatest RMS residual of the marks; beyond it positions are too inaccurate for an umpire, who judges placements to
0.7 mm."""
WIDEST_REAR_MM = 9.5
"""Greatest apparent width of a rear base line, whose print is 3 to 7 mm wide; wider ones are blurred by a sigma of 3 mm
and more."""
STEEPEST_RAD = np.radians(35.0)
"""Greatest tilt of the camera from straight down; false fits often exceed it, real cameras do not."""

BASE_LINES = (Mark.REAR, Mark.FRONT)
AS_PLAIN, QUALITY_LEAST_DRAWN = 0.5, 0.2
"""Share of a base line's median contrast above which a window beyond its end counts as drawn, and the least share of
base line windows detected that `run_on` divides by."""
MOST_RUN_ON = 0.4
"""Greatest `run_on` of a board. Base lines end at their circles: boards reach at most 0.07. Tile grids and checked
cloth, which match a board's lines as well as a board does, reach 0.65 and more.
"""
QUALITY_LEAST_WINDOWS = 6
QUALITY_LEAST_DEPTH = 0.04
"""Least number of rear line windows, and least darkening as a share of the brightness, needed to measure a width."""

NO_BOARD = CalibrationReason(CalibrationFault.NO_BOARD)


def shortcomings(planes: Planes, fit: Fit, agrees: float) -> list[CalibrationReason]:
    """Returns the reasons why `fit` is not good enough, empty if it is; `agrees` is its `agreement`."""
    tilt = np.arccos(min(1.0, abs(float(fit.camera.r[2, 2]))))
    if tilt > STEEPEST_RAD or agrees < LEAST_AGREEMENT or run_on(planes, fit) > MOST_RUN_ON:
        return [NO_BOARD]
    reasons = []
    if in_view(fit) < LEAST_IN_VIEW:
        reasons.append(CalibrationReason(CalibrationFault.OUT_OF_VIEW))
    if rear_width(planes.ink, fit) > WIDEST_REAR_MM:
        reasons.append(CalibrationReason(CalibrationFault.BLURRED))
    sides = detected_sides(fit)
    if sides < LEAST_SIDES:
        reasons.append(CalibrationReason(CalibrationFault.FEW_SIDES, n=sides))
    elif detected_marks(fit) < LEAST_MARKS:
        reasons.append(CalibrationReason(CalibrationFault.FEW_MARKS, n=detected_marks(fit)))
    scatter = rms(fit.residuals_mm)
    if scatter > WORST_RMS_MM:
        reasons.append(CalibrationReason(CalibrationFault.SCATTER, n=round(scatter, 1)))
    return reasons


def agreement(picture: Picture, planes: Planes, fit: Fit) -> float:
    """Returns the agreement of all expected marks with the picture, undistorted by the fitted lens."""
    camera = fit.camera
    edges = evidence(picture, planes.ink, planes.tone, camera)
    h = edges.lens.k @ np.column_stack([camera.r[:, 0], camera.r[:, 1], camera.t])
    score = mark_agreement(edges, expected(fit.layout, 20.0, 1), h[None], AGREEMENT_SLACK_MM)
    return float(score[0] + circle_redness(edges, fit.layout, h[None])[0])


def run_on(planes: Planes, fit: Fit) -> float:
    """Returns the drawn share of the base lines' extensions beyond their ends over the lines' own detected share."""
    lines, further = expected(fit.layout, 12.0, 8, BASE_LINES), beyond_ends(fit.layout, 12.0, 8)
    along, beyond = (sight(planes, fit.camera, samples, AGREEMENT_SLACK_MM, 0.0) for samples in (lines, further))
    drawn = 0
    for mark in BASE_LINES:
        plain = along.contrast[lines.mark[along.window] == mark]
        own = beyond.contrast[further.mark[beyond.window] == mark]
        drawn += int(np.sum(own > AS_PLAIN * np.median(plain))) if len(plain) else 0
    there = int(_inside(fit, further).sum())
    return drawn / max(there, 1) / max(len(along.window) / len(lines.mark), QUALITY_LEAST_DRAWN)


def in_view(fit: Fit) -> float:
    """Returns the share of the base lines' windows that fall within the picture."""
    return float(_inside(fit, fit.samples.select(np.isin(fit.samples.mark, BASE_LINES))).mean())


def _inside(fit: Fit, samples: Samples) -> NDArray[np.bool_]:
    """Tells which windows (n,) fall within the picture."""
    px = fit.camera.to_pixels(samples.middles[:, :2])
    return np.asarray(((px >= 0) & (px < np.array([fit.camera.width, fit.camera.height]))).all(axis=1))


def detected_sides(fit: Fit) -> int:
    """Counts the sides, of four, on which enough of a base line, the cushion's foot or the base circles is detected."""
    found = fit.sightings.window
    count = 0
    for side in range(4):
        of_side = np.where(fit.samples.mark == Mark.DISC, fit.samples.part // 2, fit.samples.part) == side
        shares = []
        for mark, least in QUALITY_LEAST_SHARE.items():
            mine = (fit.samples.mark == mark) & of_side
            shares.append(float(np.sum(mine[found])) / max(int(np.sum(mine)), 1) / least)
        count += max(shares) >= 1.0
    return count


def detected_marks(fit: Fit) -> int:
    """Counts the lines, circles, rims and edges detected at least in part."""
    w = fit.sightings.window
    return len(set(zip(fit.samples.mark[w].tolist(), fit.samples.part[w].tolist(), strict=True)))


def rear_width(plane: F32, fit: Fit) -> float:
    """Returns the apparent width (mm at half depth) of the rear base lines' median profile; 0 if they are too faint."""
    taps = np.arange(-15.0, 15.01, 0.5)
    profiles = cross_profiles(plane, fit.camera, fit.samples.select(fit.samples.mark == Mark.REAR), taps)
    profiles = profiles[~np.isnan(profiles).any(axis=1)]
    if len(profiles) < QUALITY_LEAST_WINDOWS:
        return 0.0
    profile = np.median(profiles / np.maximum(np.median(profiles, axis=1, keepdims=True), 1.0), axis=0)
    middle = len(taps) // 2
    depth = float(np.percentile(profile, 75)) - float(profile[middle])
    if depth < QUALITY_LEAST_DEPTH:
        return 0.0
    pale = np.flatnonzero(profile > profile[middle] + depth / 2)
    left, right = pale[pale < middle], pale[pale > middle]
    return float((right[0] if len(right) else len(taps)) - (left[-1] if len(left) else -1) - 1) * 0.5


def rms(values: F64) -> float:
    """Returns the root mean square; infinite for no values."""
    return float(np.sqrt(np.mean(np.square(values)))) if len(values) else float("inf")
