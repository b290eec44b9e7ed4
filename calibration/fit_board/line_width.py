"""How wide a board's base lines are printed: by all the darkness across them, for a thin line is hardly resolved.

Rear and front lines are of one ink, so what a thin line's middle lacks in darkness against the thick one's tells how
narrow it is. Makers print front lines from 1.2 mm on, some as thick as rear ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from calibration.find_board.edge_maps import F32
from calibration.fit_board.cross_profiles import cross_profiles, laid_over, usual_blur
from calibration.fit_board.mark_samples import Samples
from calibration.geometry.blurred_edge import blurred_edge
from calibration.geometry.camera import F64, Camera
from calibration.geometry.least_squares import least
from models.board import BoardModel

LINE_REACH_MM, LINE_FLANK_MM, LINE_STEP_MM = 6.0, 4.5, 0.25
"""The stretch of a cross profile that is explained, and from where on it shows bare wood."""
UNWORN = 0.25
"""The share of a line's windows in which it is least worn: wear takes rear and front lines away in different places."""
LINE_TONE = 1.4
"""Exponent from picture levels to light, in the middle of those of cameras (1 to 2.2)."""
NOISE = 0.08
"""Scatter of a profile, share of the wood's light: of grain, of wear that is left, and of what the tone is not."""
FRONT_SPREAD_MM, REAR_SPREAD_MM, BLUR_SPREAD, SHIFT_SPREAD_MM = 0.4, 0.75, 0.5, 0.3
"""How far lines and pictures stray from the usual (blur: of its logarithm; shift: of a line's middle)."""
FRONT_STARTS, REAR_STARTS = (0.8, 1.5, 3.0), (0.8, 1.2)
"""Shares of the book's widths from which the search begins."""
LINE_LEAST_WINDOWS = 8
LEAST_DARK, LINE_DARKEST, DARKEST_SPREAD = 0.1, 0.9, 0.05
"""Ink that takes away less of the wood's light than this tells no width; none takes away much more than that."""
NARROWEST, WIDEST = 0.5, 1.6
"""A width is believed from this share of the book's front line to that of its rear line."""


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """Where the lines of one kind, rear or front, were seen."""

    samples: Samples
    """The windows (n,)."""
    offset: F64
    """mm outward (n,) from the samples' middles to the line's."""


def line_widths(plane: F32, camera: Camera, rear: Windows, front: Windows, book: BoardModel) -> tuple[float, float]:
    """Widths (mm) of the rear and the front lines, the same on all sides; the book's where nothing tells.

    `plane` (h, w) shows ink dark, 0-255.
    """
    usual = book.rear_line_thickness, book.front_line_thickness
    profiles = [_unworn(plane, camera, windows) for windows in (rear, front)]
    if any(profile is None for profile in profiles):
        return usual
    seen = np.stack([p for p in profiles if p is not None])
    found = _widths(seen, usual, usual_blur(camera))
    limits = NARROWEST * usual[1], WIDEST * usual[0]
    return found if found and limits[0] < min(found) and max(found) < limits[1] else usual


def _unworn(plane: F32, camera: Camera, windows: Windows) -> F64 | None:
    """Light (taps,) across the lines where least worn, as shares of the wood's; None when too little is seen."""
    if len(windows.offset) < LINE_LEAST_WINDOWS:
        return None
    taps = _taps(LINE_REACH_MM)
    wide = _taps(LINE_REACH_MM + float(np.ceil(np.abs(windows.offset).max())))
    rows = cross_profiles(plane, camera, windows.samples, wide)
    known = ~np.isnan(rows).any(axis=1)
    if known.sum() < LINE_LEAST_WINDOWS:
        return None
    light = np.maximum(rows[known], 0.0) ** LINE_TONE
    laid = laid_over(light, wide, windows.offset[known], taps)
    wood = np.median(laid[:, np.abs(taps) > LINE_FLANK_MM], axis=1, keepdims=True)
    return np.asarray(np.quantile(laid / np.maximum(wood, 1.0), UNWORN, axis=0))


def _taps(reach: float) -> F64:
    return np.asarray(np.arange(-reach, reach + LINE_STEP_MM / 2, LINE_STEP_MM))


def _widths(seen: F64, usual: tuple[float, float], blur: float) -> tuple[float, float] | None:
    """Widths that explain profiles (2, taps) best as bars of one ink, blurred alike; None where there is none."""
    taps = _taps(LINE_REACH_MM)

    def misfit(p: F64) -> F64:
        rear, front, dark, swell = p[:4]
        sigma = blur * np.exp(swell)
        bars = [p[6 + i] - dark * _bar(taps - p[4 + i], width, sigma) for i, width in enumerate((rear, front))]
        strayed = [(rear - usual[0]) / REAR_SPREAD_MM, (front - usual[1]) / FRONT_SPREAD_MM, swell / BLUR_SPREAD]
        strayed.append(max(dark - LINE_DARKEST, 0.0) / DARKEST_SPREAD)
        return np.concatenate([((seen - bars) / NOISE).ravel(), strayed, p[4:6] / SHIFT_SPREAD_MM])

    starts = [np.array([usual[0] * r, usual[1] * f, 0.5, 0.0, 0.0, 0.0, 1.0, 1.0])
              for r, f in product(REAR_STARTS, FRONT_STARTS)]  # fmt: skip
    best = min((least(misfit, start).x for start in starts), key=lambda p: float(np.sum(misfit(p) ** 2)))
    return (float(best[0]), float(best[1])) if best[2] > LEAST_DARK else None


def _bar(at: F64, width: float, sigma: float) -> F64:
    """How much of a bar's darkness shows at `at` mm from its middle."""
    return np.asarray(blurred_edge((at + width / 2) / sigma) - blurred_edge((at - width / 2) / sigma))
