"""Measures the printed widths of a board's base lines from their total darkness, since thin lines are hardly resolved.

Rear and front lines are printed in one ink. The thin line's middle therefore looks paler than the thick line's by an
amount that depends on its width. Front lines on the market are 1.2 mm wide or more, some as wide as rear ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from calibration.find_board.edge_maps import F32
from calibration.fit_board.cross_profiles import BLUR_SPREAD, aligned_profiles, cross_profiles, typical_blur
from calibration.fit_board.mark_samples import Samples
from calibration.geometry.blurred_edge import blurred_edge
from calibration.geometry.camera import F64, Camera
from calibration.geometry.least_squares import minimise
from models.board import BoardModel

LINE_REACH_MM, LINE_FLANK_MM, LINE_STEP_MM = 6.0, 4.5, 0.25
"""Half extent of the fitted cross profile, distance beyond which it shows bare wood, and spacing; in mm."""
UNWORN = 0.25
"""Brightness quantile over a line's windows that represents its least worn parts; rear and front lines wear off in
different places."""
LINE_TONE = 1.4
"""Exponent from picture levels to light, in the middle of the range of cameras (1 to 2.2)."""
NOISE = 0.08
"""Standard deviation of a profile, as a share of the wood's light: from grain, remaining wear and tone-curve error."""
FRONT_SPREAD_MM, REAR_SPREAD_MM, SHIFT_SPREAD_MM = 0.4, 0.75, 0.3
"""Standard deviations of the front and rear widths and of the shift of a line's middle, mm."""
FRONT_STARTS, REAR_STARTS = (0.8, 1.5, 3.0), (0.8, 1.2)
"""Starting widths of the search, as multiples of the book's."""
LINE_LEAST_WINDOWS = 8
LEAST_DARK, LINE_DARKEST, DARKEST_SPREAD = 0.1, 0.9, 0.05
"""Least share of the wood's light that ink must absorb for a width to be measured; greatest share expected; and the
standard deviation allowed above that."""
NARROWEST, WIDEST = 0.5, 1.6
"""Limits of an accepted width: multiples of the book's front line and of its rear line."""


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """Windows in which the lines of one kind, rear or front, were detected."""

    samples: Samples
    """Windows (n,)."""
    offset: F64
    """Offsets (n,) of the line's middle from the windows' middles, mm outward."""


def line_widths(plane: F32, camera: Camera, rear: Windows, front: Windows, book: BoardModel) -> F64:
    """Returns widths and their standard deviations (2, 2), mm, of the rear and front lines, the same on all sides.

    They are the book's where they are unmeasurable. In `plane` (h, w), 0-255, ink is dark.
    """
    usual = book.rear_line_thickness, book.front_line_thickness
    unknown = np.array([(usual[0], REAR_SPREAD_MM), (usual[1], FRONT_SPREAD_MM)])
    profiles = [_unworn(plane, camera, windows) for windows in (rear, front)]
    if any(profile is None for profile in profiles):
        return unknown
    measured = np.stack([p for p in profiles if p is not None])
    found = _widths(measured, usual, typical_blur(camera))
    limits = NARROWEST * usual[1], WIDEST * usual[0]
    good = found is not None and limits[0] < found[:, 0].min() and found[:, 0].max() < limits[1]
    return found if found is not None and good else unknown


def _unworn(plane: F32, camera: Camera, windows: Windows) -> F64 | None:
    """Returns light (taps,) across the least worn parts, relative to the wood's; None with too few usable windows."""
    if len(windows.offset) < LINE_LEAST_WINDOWS:
        return None
    taps = _taps(LINE_REACH_MM)
    wide = _taps(LINE_REACH_MM + float(np.ceil(np.abs(windows.offset).max())))
    rows = cross_profiles(plane, camera, windows.samples, wide)
    known = ~np.isnan(rows).any(axis=1)
    if known.sum() < LINE_LEAST_WINDOWS:
        return None
    light = np.maximum(rows[known], 0.0) ** LINE_TONE
    laid = aligned_profiles(light, wide, windows.offset[known], taps)
    wood = np.median(laid[:, np.abs(taps) > LINE_FLANK_MM], axis=1, keepdims=True)
    return np.asarray(np.quantile(laid / np.maximum(wood, 1.0), UNWORN, axis=0))


def _taps(reach: float) -> F64:
    return np.asarray(np.arange(-reach, reach + LINE_STEP_MM / 2, LINE_STEP_MM))


def _widths(profiles: F64, usual: tuple[float, float], blur: float) -> F64 | None:
    """Returns widths and their standard deviations (2, 2): of the bars of one ink and blur that fit profiles (2, taps)
    best.

    Returns None when the ink is too faint.
    """
    taps = _taps(LINE_REACH_MM)

    def misfit(p: F64) -> F64:
        rear, front, dark, swell = p[:4]
        sigma = blur * np.exp(swell)
        bars = [p[6 + i] - dark * _bar(taps - p[4 + i], width, sigma) for i, width in enumerate((rear, front))]
        strayed = [(rear - usual[0]) / REAR_SPREAD_MM, (front - usual[1]) / FRONT_SPREAD_MM, swell / BLUR_SPREAD]
        strayed.append(max(dark - LINE_DARKEST, 0.0) / DARKEST_SPREAD)
        return np.concatenate([((profiles - bars) / NOISE).ravel(), strayed, p[4:6] / SHIFT_SPREAD_MM])

    starts = [np.array([usual[0] * r, usual[1] * f, 0.5, 0.0, 0.0, 0.0, 1.0, 1.0])
              for r, f in product(REAR_STARTS, FRONT_STARTS)]  # fmt: skip
    best = min((minimise(misfit, start) for start in starts), key=lambda fit: float(np.sum(misfit(fit.x) ** 2)))
    return np.stack([best.x[:2], best.spread[:2]], 1) if best.x[2] > LEAST_DARK else None


def _bar(at: F64, width: float, sigma: float) -> F64:
    """Returns the share of a bar's full darkness at `at` mm from its middle, blurred by `sigma` mm."""
    return np.asarray(blurred_edge((at + width / 2) / sigma) - blurred_edge((at - width / 2) / sigma))
