"""Estimates the size of the playing surface from cushions and pockets, for boards not built to the book's lengths.

The ordinary fit searches for cushions close to where the rule book places them relative to the printed marks. On
home-made boards a cushion lies 10 mm or more from there, so the fit finds the shade beside it, or nothing. This module
searches a wide range of sizes and scores cushions and pockets together. Input: a picture and the fit of its prints.
Output: a mark layout with the new size, and the standard deviation of that size.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.fit_board.cross_profiles import cross_profiles
from calibration.fit_board.edge_colour import Planes
from calibration.fit_board.fit import BUILT_DETECTED, Fit
from calibration.fit_board.mark_samples import Mark, MarkLayout, expected
from calibration.fit_board.solve import LENGTH_SPREAD
from calibration.geometry.camera import F64, Camera
from calibration.geometry.picture import Picture
from calibration.geometry.top_view import Above
from models.pieces import Pocket

SCARCE = 0.45
"""Share of detected windows of the cushions, and of the pockets, below which both lie elsewhere. On boards built to
the book at least one of the two shares is 0.66 or more; on photographs of other boards both are at most 0.29."""
SURFACE_APART_MM = 3 * LENGTH_SPREAD["pocket"]
"""Least distance between a pocket's rim and the cushion line that shows the cushions to lie elsewhere, in mm."""
SMALLEST, LARGEST, SURFACE_STEP_MM = 0.93, 1.1, 1.0
"""Search range of the surface's size: smallest and largest as shares of the current estimate, and the step in mm."""
NEARLY_MM = 2.0
"""Change of half the side (mm) below which the current size is retained; also the least standard deviation reported.
The search is no more accurate than this."""
ASKEW_MM, SURFACE_COST_PER_MM = 8.0, 0.06
"""Greatest distance of one cushion from the common square, in mm, and the score subtracted for each mm."""
SURFACE_BESIDE_MM = 4.0
"""Width of the strips compared on both sides of a cushion's foot, in mm."""
DARKER, HUE_NOISE, HUE = 30.0, 3.0, 15.0
"""Drop of ink brightness (levels) that scores 1; hue change attributed to noise, and hue change above it that scores 1
(both in percent of the ink's brightness). Hue is scored because shade darkens the board but changes its hue little."""
SURFACE_UNKNOWN = 0.6
"""Share of a side outside the picture from which on the side scores 0."""
SURFACE_RIM_MM, SURFACE_PLAIN = 2.5, 20.0
"""Distance (mm) inside and outside a pocket's rim at which tones are compared, and the tone step (levels) that scores
1."""
SURFACE_ANGLES = np.radians(np.arange(-92.0, 93.0, 4.0))
SURFACE_QUARTER = np.abs(SURFACE_ANGLES) < np.radians(42.0)
"""Directions from a pocket's centre, in radians relative to the direction of the board's centre, and a mask of those
used for quarter-circle pockets, which stay on the surface."""
WHOLE_RADII = np.arange(20.0, 29.0, 2.0)
"""Candidate radii of full-circle pockets, which touch both cushions, in mm."""
QUARTER_RADII, QUARTER_GAPS = np.arange(36.0, 80.0, 4.0), (-8.0, -4.0, 0.0, 4.0)
"""Candidate radii of quarter-circle pockets, and distances of their centres inward from the corner along both axes,
in mm."""
TIE = 0.03
"""Score difference from the best size that divides a size's weight by e."""
SHIFTS_MM = (-3.0, 0.0, 3.0)
"""Candidate shifts of a single full-circle pocket along each axis, in mm."""


def are_scarce(fit: Fit) -> bool:
    """Tells whether neither all four cushions nor the pockets were detected where the prints imply them.

    A square of a wrong size or place may still have two of its sides along two cushions.
    """
    layout = fit.layout
    apart = abs(layout.pocket + layout.pocket_radius - layout.half) > SURFACE_APART_MM
    missed = fit.share(Mark.FOOT) < SCARCE or not are_around(fit)
    return missed and (apart or fit.share(Mark.POCKET) < SCARCE)


def are_around(fit: Fit) -> bool:
    """Tells whether a part of each of the four cushions was detected where prints centred on the surface imply it."""
    return all(fit.share(Mark.FOOT, side) > BUILT_DETECTED for side in range(4))


def resized(picture: Picture, planes: Planes, fit: Fit) -> tuple[MarkLayout, float]:
    """Returns the fit's layout with the surface size that cushions and pockets support best, prints unchanged.

    The second value is the standard deviation of half the side, in mm, at least `NEARLY_MM`.
    """
    camera, layout = fit.camera, fit.layout
    halves = np.arange(SMALLEST * layout.half, LARGEST * layout.half, SURFACE_STEP_MM)
    whole, quarter = _pockets(picture, camera, halves)
    drawn = np.maximum(whole.max(axis=0), quarter)
    half, sigma = weighted_size(halves, _cushions(planes, camera, layout, halves) + drawn)
    half = layout.half if abs(half - layout.half) < NEARLY_MM else half
    best = int(np.argmin(np.abs(halves - half)))
    own = int(np.argmax(whole[:, best]))
    radius = float(WHOLE_RADII[own]) if whole[own, best] >= quarter[best] else layout.pocket_radius
    return replace(layout, half=half, pocket=half - radius, pocket_radius=radius), max(sigma, NEARLY_MM)


def weighted_size(halves: F64, plain: F64) -> tuple[float, float]:
    """Returns the weighted mean and standard deviation of sizes (n,), given the score (n,) of each.

    Weights fall exponentially below the best score (`TIE`), because cushions may favour one size and pockets another.
    """
    weight = np.exp((plain - plain.max()) / TIE)
    mean = float(weight @ halves / weight.sum())
    return mean, float(np.sqrt(weight @ (halves - mean) ** 2 / weight.sum()))


def _cushions(planes: Planes, camera: Camera, layout: MarkLayout, halves: F64) -> F64:
    """Returns scores (n,), 0 to 1, of the four cushions' edges at these distances (mm) from the centre."""
    taps = np.arange(halves[0] - 3 * ASKEW_MM, halves[-1] + 3 * ASKEW_MM, SURFACE_STEP_MM)
    away = np.abs(taps - halves[:, None])
    near = np.where(away <= ASKEW_MM, SURFACE_COST_PER_MM * away, np.inf)
    sides = sides_drawn(planes, camera, layout, taps)[:, None] - near
    return np.asarray(np.maximum(np.max(sides, axis=2), 0.0).mean(axis=0))


def sides_drawn(planes: Planes, camera: Camera, layout: MarkLayout, away: F64) -> F64:
    """Returns scores (4, n), 0 to 1, of an edge of each side's cushion at distances (n,) mm from the centre.

    The distances must ascend in steps of `SURFACE_STEP_MM`.
    """
    samples = expected(layout, 16.0, 8, (Mark.FOOT,))
    ink, u, v = (cross_profiles(p, camera, samples, away - layout.half) for p in (planes.tone, planes.u, planes.v))
    shine = np.maximum(ink, 16.0) / 100.0
    hue = np.hypot(_falls(u / shine), _falls(v / shine))
    drawn = np.clip(_falls(ink) / DARKER, 0.0, 1.0) + np.clip((hue - HUE_NOISE) / HUE, 0.0, 1.0)
    return np.array([_side(drawn[samples.part == side]) for side in range(4)])


def _falls(levels: F64) -> F64:
    """Returns the mean level just inside each tap minus that just outside it (windows, taps); nan where unknown."""
    width = round(SURFACE_BESIDE_MM / SURFACE_STEP_MM)
    total = np.cumsum(np.pad(levels, ((0, 0), (1, 0))), axis=1)
    means = (total[:, width:] - total[:, :-width]) / width
    out = np.full(levels.shape, np.nan)
    out[:, width : width + means.shape[1] - width] = means[:, :-width] - means[:, width:]
    return out


def _side(drawn: F64) -> F64:
    """Returns a side's score (taps,): tanh of its windows' mean, or 0 where too few windows are known."""
    known = ~np.isnan(drawn)
    mean = np.where(known, drawn, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.asarray(np.where(known.mean(axis=0) > 1 - SURFACE_UNKNOWN, np.tanh(mean), 0.0))


def _pockets(picture: Picture, camera: Camera, halves: F64) -> tuple[F64, F64]:
    """Returns scores, 0 to 1, of four equal pockets in the corners of surfaces with these half sides (n,) mm.

    The first value scores full circles of each radius (radii, n), the second quarter circles (n,).
    """
    above = Above.of(picture, camera, float(halves[-1]))
    whole = [_rims(above, halves - radius, radius, SHIFTS_MM, SURFACE_ANGLES) for radius in WHOLE_RADII]
    return np.array(whole), quarters_drawn(above, halves)


def quarters_drawn(above: Above, halves: F64) -> F64:
    """Returns scores (n,), 0 to 1, of four equal quarter-circle pockets on surfaces with these half sides (n,) mm."""
    drawn = [_rims(above, halves - gap, radius, (0.0,), SURFACE_ANGLES[SURFACE_QUARTER])
             for radius in QUARTER_RADII for gap in QUARTER_GAPS]  # fmt: skip
    return np.asarray(np.max(drawn, axis=0))


def _rims(above: Above, middles: F64, radius: float, shifts: tuple[float, ...], angles: F64) -> F64:
    """Returns the mean score (n,), 0 to 1, of four rims centred `middles` (n,) mm from the board's centre on both axes.

    Each rim counts at the best of its `shifts`.
    """
    off = np.array([(a, b) for a in shifts for b in shifts])
    at = middles[:, None, None] + off
    drawn = [rim_drawn(above, pocket, at, radius, angles).max(axis=1) for pocket in Pocket]
    return np.asarray(np.mean(drawn, axis=0))


def rim_drawn(above: Above, pocket: Pocket, at: F64, radius: float, angles: F64 = SURFACE_ANGLES) -> F64:
    """Returns scores (...), 0 to 1, of circular rims centred `at` (..., 2) mm from the board's centre towards a pocket.

    The score is the mean tone step across the rim over all `angles`, relative to `SURFACE_PLAIN`.
    """
    corner = np.array(pocket.corner, np.float64)
    turned = np.arctan2(-corner[1], -corner[0]) + angles
    ray = np.stack([np.cos(turned), np.sin(turned)], 1)
    middle = (at * corner)[..., None, :]
    sides = [above.tones(middle + (radius + beside) * ray) for beside in (-SURFACE_RIM_MM, SURFACE_RIM_MM)]
    steps = np.minimum(np.linalg.norm(sides[1] - sides[0], axis=0), SURFACE_PLAIN)
    return np.asarray(steps.mean(axis=-1) / SURFACE_PLAIN)
