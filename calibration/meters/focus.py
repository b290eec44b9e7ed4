"""How sharp the picture is: the spread of the base lines' edges, and before a board is found a figure to turn up."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.find_board.edge_maps import F32
from calibration.fit_board.cross_profiles import cross_profiles
from calibration.fit_board.mark_samples import Mark, expected, layout_of
from calibration.geometry.camera import F64
from calibration.geometry.picture import Picture
from calibration.meters.meter import Advice, Gauge, MeterVerdict, Reading, graded
from calibration.profile import Profile
from models.pieces import Seat

FAIR_PX, BAD_PX = 1.25, 2.2
"""Spread (sigma, px) of edges: lenses in focus stay below the first, at the second thin lines begin to vanish."""
FINE_MM, COARSE_MM = 0.7, 1.6
"""Edges sharper than the first do no harm however many pixels they take; placements are judged to 0.7 mm, and beyond
the second a thin base line (1.5 mm) is a shade."""
SIDE_TIMES = 1.5
"""One side is told apart when it is so much more blurred than the sharpest."""
FOCUS_REACH_MM = 14.0
"""Profiles reach so far to both sides of a rear line, whose ink is 3 to 7 mm wide; the front line lies 30 mm off."""
FOCUS_WINDOW_MM, RUN = 12.0, 8
FOCUS_LEAST_DEPTH = 0.12
"""A line darkens the wood at least by this share where nothing lies on it."""
FOCUS_LEAST_WINDOWS = 6
LINEAR_VARIANCE_PX = 1.0 / 6.0
"""What linear interpolation between pixels adds to the square of an edge's spread."""
BEST_SHARE, FOCUS_LOST_SHARE = 0.85, 0.5
"""Shares of the best sharpness seen so far down to which the picture counts as sharp, and as blurred."""
FOCUS_SMALL_PX = 960
"""Width to which a picture is brought before its sharpness is told, so that noise counts less than edges."""


@dataclass(frozen=True, slots=True)
class Spread:
    """How wide edges are, as the sigma of a Gaussian blur."""

    px: float
    mm: float


def edge_spread(picture: Picture, profile: Profile) -> dict[Seat, Spread]:
    """The spread of the rear base line's edges on each side where enough of it lies free."""
    samples = expected(layout_of(profile.board), FOCUS_WINDOW_MM, RUN)
    samples = samples.select(samples.mark == Mark.REAR)
    scale = profile.camera.px_per_mm(samples.middles[:, :2])
    step = 0.25 / float(np.median(scale))
    taps = np.arange(-FOCUS_REACH_MM, FOCUS_REACH_MM + step / 2, step)
    profiles = cross_profiles(np.asarray(picture.y, np.float32), profile.camera, samples, taps)
    seen = _blur(_steepness(profiles, step), profile.board.rear_line_thickness)
    found = {}
    for side, seat in enumerate(Seat):
        mine = (samples.part == side) & ~np.isnan(seen)
        if np.count_nonzero(mine) >= FOCUS_LEAST_WINDOWS:
            px = float(np.median(seen[mine] * scale[mine]))
            px = float(np.sqrt(max(px * px - LINEAR_VARIANCE_PX, 0.0)))
            found[seat] = Spread(px, px / float(np.median(scale[mine])))
    return found


def _steepness(profiles: F64, step: float) -> F64:
    """Depth of the line by its steepest slope (windows,), mm, with taps every `step` mm; nan where no line is seen."""
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
    """Sigma (windows,) mm of the blur under which a line `width` mm wide has these depths by slope.

    An edge alone has sqrt(2 pi) sigma; a line that blurs into one dip comes down to sqrt(e) sigma.
    """
    # Loaded only where somebody sets a board up, as for `moons`.
    from scipy.special import erf

    sigmas = np.geomspace(0.02, 12.0, 60)
    u = np.linspace(-40.0, 40.0, 4001)
    curves = [erf((u + width / 2) / (np.sqrt(2) * s)) - erf((u - width / 2) / (np.sqrt(2) * s)) for s in sigmas]
    widths = [float(c.max() / np.gradient(c, u).max()) for c in curves]
    return np.asarray(np.interp(ratios, widths, sigmas))


def sharpness(picture: Picture) -> float:
    """Variance of the Laplacian by the picture's brightness, to be compared with the same view's alone.

    Pech-Pacheco et al., "Diatom autofocusing in brightfield microscopy" (2000): highest where the lens is in focus.
    """
    width = min(FOCUS_SMALL_PX, picture.width)
    small: F32 = cv2.resize(picture.y, (width, round(picture.height * width / picture.width)),
                            interpolation=cv2.INTER_AREA).astype(np.float32)  # fmt: skip
    return float(cv2.Laplacian(small, cv2.CV_32F).var() / max(float(small.mean()), 1.0) ** 2)


def focus(picture: Picture, profile: Profile | None, best: float = 0.0) -> Reading:
    """Spread of edges in px on the most blurred side.

    Without a profile: sharpness in percent of `best`, the highest `sharpness` of this view so far.
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
    # A figure that has only been seen once is its own best and says nothing.
    verdict = MeterVerdict.UNKNOWN if share > FOCUS_LOST_SHARE else MeterVerdict.BAD
    return Reading(Gauge.FOCUS, verdict, percent, Advice.FOCUS_SEEK, (("best", 100),))
