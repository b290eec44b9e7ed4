"""Whether a fit is a board at all, and good enough to judge by; if not, why, in sentences that say what to do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.find_board.edge_maps import F32, evidence
from calibration.find_board.hypotheses import judge, redness
from calibration.fit_board.cross_profiles import cross_profiles, sight
from calibration.fit_board.edge_colour import Planes
from calibration.fit_board.fit import Fit
from calibration.fit_board.mark_samples import Mark, Samples, beyond_ends, expected
from calibration.geometry.camera import F64
from calibration.geometry.picture import Picture
from calibration.reason import CalibrationFault, CalibrationReason

LEAST_AGREEMENT = 2.2
"""Agreement of all marks with the picture (as `judge`, plus redness): clean boards reach 4, very worn ones 2.3; tiles,
cloth and halves of boards, on which some lines fit by chance, stay below 2.1."""
AGREEMENT_SLACK_MM = 1.5
QUALITY_LEAST_SHARE = {Mark.REAR: 0.2, Mark.FRONT: 0.2, Mark.FOOT: 0.2, Mark.DISC: 0.5}
"""Part of the windows of one of a side's marks that must be seen to call the side seen; discs match by chance more."""
LEAST_SIDES = 3
LEAST_MARKS = 20
"""Of lines, rings, discs, rims and edges; very worn boards show 30, badly blurred ones 14."""
LEAST_IN_VIEW = 0.75
"""Part of the base lines that must lie within the picture."""
WORST_RMS_MM = 0.8
"""Scatter of the marks beyond which positions are of no use to an umpire (placements are judged to 0.7 mm)."""
WIDEST_REAR_MM = 9.5
"""A rear base line (3 to 7 mm of print) that looks wider than this is out of focus by 3 mm and more (sigma)."""
STEEPEST_RAD = np.radians(35.0)
"""No camera over a board looks at it more aslant; fits to nothing often do."""

BASE_LINES = (Mark.REAR, Mark.FRONT)
AS_PLAIN, QUALITY_LEAST_DRAWN = 0.5, 0.2
"""What is drawn by this share as plainly as a base line may be one; they are held against no less of them than this."""
MOST_RUN_ON = 0.4
"""Base lines end at their circles: on boards at most 0.07 as much is drawn beyond, of grids of tiles and checked cloth,
which agree with a board's lines as well as its own do, 0.65 and more.
"""
QUALITY_LEAST_WINDOWS = 6
QUALITY_LEAST_DEPTH = 0.04
"""Windows of rear lines, and share of brightness that they take away, from which a width can be told."""

NO_BOARD = CalibrationReason(CalibrationFault.NO_BOARD)


def shortcomings(planes: Planes, fit: Fit, agrees: float) -> list[CalibrationReason]:
    """Why `fit` is not good enough for the picture of these `planes`, with which it `agrees` so well (see `agreement`);
    empty when it is.
    """
    tilt = np.arccos(min(1.0, abs(float(fit.camera.r[2, 2]))))
    if tilt > STEEPEST_RAD or agrees < LEAST_AGREEMENT or run_on(planes, fit) > MOST_RUN_ON:
        return [NO_BOARD]
    reasons = []
    if in_view(fit) < LEAST_IN_VIEW:
        reasons.append(CalibrationReason(CalibrationFault.OUT_OF_VIEW))
    if rear_width(planes.ink, fit) > WIDEST_REAR_MM:
        reasons.append(CalibrationReason(CalibrationFault.BLURRED))
    sides = sides_seen(fit)
    if sides < LEAST_SIDES:
        reasons.append(CalibrationReason(CalibrationFault.FEW_SIDES, n=sides))
    elif marks_seen(fit) < LEAST_MARKS:
        reasons.append(CalibrationReason(CalibrationFault.FEW_MARKS, n=marks_seen(fit)))
    scatter = rms(fit.residuals_mm)
    if scatter > WORST_RMS_MM:
        reasons.append(CalibrationReason(CalibrationFault.SCATTER, n=round(scatter, 1)))
    return reasons


def agreement(picture: Picture, plane: F32, fit: Fit) -> float:
    """How well all expected marks agree with the picture when it is straightened with the lens that was found."""
    camera = fit.camera
    seen = evidence(picture, plane, camera)
    h = seen.lens.k @ np.column_stack([camera.r[:, 0], camera.r[:, 1], camera.t])
    score = judge(seen, expected(fit.layout, 20.0, 1), h[None], AGREEMENT_SLACK_MM)
    return float(score[0] + redness(seen, fit.layout, h[None])[0])


def run_on(planes: Planes, fit: Fit) -> float:
    """How much of what lies in line with the base lines beyond their ends is drawn as they are, as a share of how much
    of them is.
    """
    lines, further = expected(fit.layout, 12.0, 8, BASE_LINES), beyond_ends(fit.layout, 12.0, 8)
    seen, beyond = (sight(planes, fit.camera, samples, AGREEMENT_SLACK_MM, 0.0) for samples in (lines, further))
    drawn = 0
    for mark in BASE_LINES:
        plain = seen.contrast[lines.mark[seen.window] == mark]
        own = beyond.contrast[further.mark[beyond.window] == mark]
        drawn += int(np.sum(own > AS_PLAIN * np.median(plain))) if len(plain) else 0
    there = int(_inside(fit, further).sum())
    return drawn / max(there, 1) / max(len(seen.window) / len(lines.mark), QUALITY_LEAST_DRAWN)


def in_view(fit: Fit) -> float:
    """Part of the base lines' windows that fall within the picture."""
    return float(_inside(fit, fit.samples.select(np.isin(fit.samples.mark, BASE_LINES))).mean())


def _inside(fit: Fit, samples: Samples) -> NDArray[np.bool_]:
    """Which windows (n,) fall within the picture."""
    px = fit.camera.to_pixels(samples.middles[:, :2])
    return np.asarray(((px >= 0) & (px < np.array([fit.camera.width, fit.camera.height]))).all(axis=1))


def sides_seen(fit: Fit) -> int:
    """How many of the four sides show enough of a base line, of the cushion's foot or of the base circles."""
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


def marks_seen(fit: Fit) -> int:
    """How many lines, circles, rims and edges were found at least in part."""
    w = fit.sightings.window
    return len(set(zip(fit.samples.mark[w].tolist(), fit.samples.part[w].tolist(), strict=True)))


def rear_width(plane: F32, fit: Fit) -> float:
    """How wide (mm at half depth) the rear base lines look on the whole; 0 when they are too faint to tell."""
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
    """Root mean square, infinite for nothing."""
    return float(np.sqrt(np.mean(np.square(values)))) if len(values) else float("inf")
