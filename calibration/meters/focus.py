"""Measures focus: the blur of the base lines' edges, or relative sharpness before a board is detected."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.find_board.edge_maps import F32
from calibration.fit_board.cross_profiles import cross_profiles
from calibration.fit_board.edge_colour import negative
from calibration.fit_board.mark_samples import Mark, expected, layout_of
from calibration.geometry.camera import F64
from calibration.geometry.picture import Picture
from calibration.meters.meter import Advice, Gauge, MeterVerdict, Reading, graded
from calibration.profile import Profile
from models.pieces import Seat

FAIR_PX, BAD_PX = 1.25, 2.2
"""Edge blur (sigma, px) from which on focus is fair, and bad. Lenses in focus stay below the first; at the second, thin
lines begin to vanish."""
FINE_MM, COARSE_MM = 0.7, 1.6
"""Edge blur (sigma, mm) below which focus is good whatever its blur in pixels, and above which fair becomes bad.
Placements are judged to 0.7 mm, and beyond the second a thin base line (1.5 mm) is only a shade."""
SIDE_TIMES = 1.5
"""Ratio of the most to the least blurred side above which the advice names the blurred side."""
FOCUS_REACH_MM = 14.0
"""Half length of the profiles across a rear line, which is 3 to 7 mm wide; the front line is 30 mm away."""
FOCUS_WINDOW_MM, RUN = 12.0, 8
FOCUS_LEAST_DEPTH = 0.12
"""Least darkening of the wood by an unobstructed line, as a share of the wood's brightness."""
FOCUS_LEAST_WINDOWS = 6
LINEAR_VARIANCE_PX = 1.0 / 6.0
"""Variance (px2) that linear interpolation between pixels adds to an edge's blur."""
FOCUS_LOST_SHARE = 0.5
"""Share of the best sharpness measured so far at or below which a picture is out of focus."""
FOCUS_SMALL_PX = 960
"""Greatest width of the picture, in pixels, in which sharpness is measured; downsampling reduces noise."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Blur of edges, as the sigma of a Gaussian."""

    px: float
    mm: float


def edge_spread(picture: Picture, profile: Profile) -> dict[Seat, Spread]:
    """Returns the blur of the rear base line's edges on each side where enough of the line is unobstructed."""
    samples = expected(layout_of(profile.board), FOCUS_WINDOW_MM, RUN)
    samples = samples.select(samples.mark == Mark.REAR)
    scale = profile.camera.px_per_mm(samples.middles[:, :2])
    step = 0.25 / float(np.median(scale))
    taps = np.arange(-FOCUS_REACH_MM, FOCUS_REACH_MM + step / 2, step)
    luma = np.asarray(picture.y, np.float32)
    profiles = cross_profiles(negative(luma) if profile.pale_print else luma, profile.camera, samples, taps)
    blurs = _blur(_steepness(profiles, step), profile.board.rear_line_thickness)
    found = {}
    for side, seat in enumerate(Seat):
        mine = (samples.part == side) & ~np.isnan(blurs)
        if np.count_nonzero(mine) >= FOCUS_LEAST_WINDOWS:
            px = float(np.median(blurs[mine] * scale[mine]))
            px = float(np.sqrt(max(px * px - LINEAR_VARIANCE_PX, 0.0)))
            found[seat] = Spread(px, px / float(np.median(scale[mine])))
    return found


def _steepness(profiles: F64, step: float) -> F64:
    """Returns the line's depth divided by its steepest slope (windows,), mm; nan where no line is detected.

    The profiles' taps are `step` mm apart.
    """
    whole = np.asarray(np.isfinite(profiles).all(axis=1), np.bool_)
    shown = np.where(whole[:, None], profiles, 0.0)
    wood = np.percentile(shown, 80, axis=1)
    depth = wood - shown.min(axis=1)
    slope = np.gradient(shown, step, axis=1)
    # Each side of the line has its own steepest place; noise would raise the larger of them.
    steepest = (slope.max(axis=1) - slope.min(axis=1)) / 2
    clear = whole & (depth > FOCUS_LEAST_DEPTH * np.maximum(wood, 1.0))
    return np.asarray(np.where(clear, depth / np.maximum(steepest, 1e-9), np.nan))


def _blur(ratios: F64, width: float) -> F64:
    """Returns the blur (windows,), sigma in mm, at which a line `width` mm wide has these ratios of depth to slope.

    The ratio is sqrt(2 pi) sigma for an isolated edge, and falls to sqrt(e) sigma for a line blurred into one dip.
    """
    # Imported here because it is needed only during set-up, as for `moons`.
    from scipy.special import erf

    sigmas = np.geomspace(0.02, 12.0, 60)
    u = np.linspace(-40.0, 40.0, 4001)
    curves = [erf((u + width / 2) / (np.sqrt(2) * s)) - erf((u - width / 2) / (np.sqrt(2) * s)) for s in sigmas]
    widths = [float(c.max() / np.gradient(c, u).max()) for c in curves]
    return np.asarray(np.interp(ratios, widths, sigmas))


def sharpness(picture: Picture) -> float:
    """Returns the variance of the Laplacian divided by the squared mean brightness; comparable within one view only.

    It is highest where the lens is in focus: Pech-Pacheco et al., "Diatom autofocusing in brightfield microscopy"
    (2000).
    """
    width = min(FOCUS_SMALL_PX, picture.width)
    small: F32 = cv2.resize(picture.y, (width, round(picture.height * width / picture.width)),
                            interpolation=cv2.INTER_AREA).astype(np.float32)  # fmt: skip
    return float(cv2.Laplacian(small, cv2.CV_32F).var() / max(float(small.mean()), 1.0) ** 2)


def focus(picture: Picture, profile: Profile | None, best: float = 0.0) -> Reading:
    """Returns the edge blur (sigma, px) on the most blurred side.

    Where no edge can be measured, as without a profile, it returns sharpness in percent of `best`, the highest
    `sharpness` of this view so far.
    """
    sides = edge_spread(picture, profile) if profile else {}
    if not sides:
        return _sought(sharpness(picture), best)
    worst, least = max(sides, key=lambda s: sides[s].px), min(s.px for s in sides.values())
    spread = sides[worst]
    verdict = graded(spread.px, FAIR_PX, BAD_PX)
    if spread.mm < FINE_MM:
        verdict = MeterVerdict.GOOD
    elif spread.mm > COARSE_MM and verdict is MeterVerdict.FAIR:
        verdict = MeterVerdict.BAD
    if verdict is MeterVerdict.GOOD:
        return Reading(Gauge.FOCUS, verdict, round(spread.px, 2), Advice.FOCUS_SHARP, (("mm", round(spread.mm, 2)),))
    one_sided = spread.px > SIDE_TIMES * least and least < FAIR_PX
    advice = Advice.FOCUS_SIDE if one_sided else Advice.FOCUS_TURN
    return Reading(Gauge.FOCUS, verdict, round(spread.px, 2), advice,
                   (("mm", round(spread.mm, 2)), ("side", worst.value)))  # fmt: skip


def _sought(now: float, best: float) -> Reading:
    share = now / max(best, now, 1e-12)
    percent = round(100 * share)
    # The first measurement is its own best and therefore proves nothing.
    verdict = MeterVerdict.UNKNOWN if share > FOCUS_LOST_SHARE else MeterVerdict.BAD
    return Reading(Gauge.FOCUS, verdict, percent, Advice.FOCUS_SEEK, (("best", 100),))
