"""How large the surface is on boards whose prints do not tell: cushions and pockets, sought far and together.

Prints are looked for where the book has them, and cushions next to these. On home-made boards a cushion lies 10 mm and
more from there; what is found in its stead is the shade beside it, or nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.fit_board.cross_profiles import cross_profiles
from calibration.fit_board.edge_colour import Planes
from calibration.fit_board.fit import BUILT_SEEN, Fit
from calibration.fit_board.mark_samples import Mark, MarkLayout, expected
from calibration.fit_board.solve import LENGTH_SPREAD
from calibration.geometry.camera import F64, Camera
from calibration.geometry.picture import Picture
from calibration.geometry.top_view import Above
from models.pieces import Pocket

SCARCE = 0.45
"""Parts of the cushions' and of the pockets' windows below which both lie elsewhere: one of the two is 0.66 and more on
boards by the book, on photographs of others both are at most 0.29."""
SURFACE_APART_MM = 3 * LENGTH_SPREAD["pocket"]
"""Pockets whose rims end so far from the cushions show that these lie elsewhere."""
SMALLEST, LARGEST, SURFACE_STEP_MM = 0.93, 1.1, 1.0
"""Surfaces that go with one set of prints, in shares of the size supposed so far."""
NEARLY_MM = 2.0
"""A surface that differs less from the size supposed is of that size, which is the ruler: it is found no better."""
ASKEW_MM, SURFACE_COST_PER_MM = 8.0, 0.06
"""A cushion may lie so far from where the four together have it, and what each mm of that costs."""
SURFACE_BESIDE_MM = 4.0
"""Width of the strips to both sides of a cushion's foot that are compared."""
DARKER, HUE_NOISE, HUE = 30.0, 3.0, 15.0
"""Fall of ink (levels) that counts fully, and the same of a change of hue (percent of the ink's brightness) above
noise: shade falls over the board too, but changes its hue little."""
SURFACE_UNKNOWN = 0.6
"""A side of which so much lies outside the picture says nothing."""
SURFACE_RIM_MM, SURFACE_PLAIN = 2.5, 20.0
"""A rim is looked for between what lies so far on both sides of it; a step of more levels is no plainer a rim."""
SURFACE_ANGLES = np.radians(np.arange(-92.0, 93.0, 4.0))
SURFACE_QUARTER = np.abs(SURFACE_ANGLES) < np.radians(42.0)
"""Directions from a whole pocket's middle, seen from the way to the board's, and those that stay on the surface where
it is a quarter of a circle about the corner."""
WHOLE_RADII = np.arange(20.0, 29.0, 2.0)
"""Radii (mm) of whole pockets, which touch both cushions."""
QUARTER_RADII, QUARTER_GAPS = np.arange(36.0, 80.0, 4.0), (-8.0, -4.0, 0.0, 4.0)
"""Radii of quarters, and how far their middles lie within the corner, mm."""
TIE = 0.03
"""Sizes drawn less plainly than the plainest by this are a third as likely."""
SHIFTS_MM = (-3.0, 0.0, 3.0)
"""One whole pocket may lie so far from where the others have it."""


def are_scarce(fit: Fit) -> bool:
    """Whether neither cushions nor pockets that touch them lie where the prints have them."""
    layout = fit.layout
    apart = abs(layout.pocket + layout.pocket_radius - layout.half) > SURFACE_APART_MM
    return fit.share(Mark.FOOT) < SCARCE and (apart or fit.share(Mark.POCKET) < SCARCE)


def are_around(fit: Fit) -> bool:
    """Whether each of the four cushions is seen in part where the prints, lying about their middle, have it."""
    return all(fit.share(Mark.FOOT, side) > BUILT_SEEN for side in range(4))


def resized(picture: Picture, planes: Planes, fit: Fit) -> tuple[MarkLayout, float]:
    """The fit's layout on a surface as large as cushions and pockets together say, its prints as they are; and how
    exactly (mm, one sigma of half the side) they say so.
    """
    camera, layout = fit.camera, fit.layout
    halves = np.arange(SMALLEST * layout.half, LARGEST * layout.half, SURFACE_STEP_MM)
    whole, quarter = _pockets(picture, camera, halves)
    drawn = np.maximum(whole.max(axis=0), quarter)
    half, sigma = likeliest(halves, _cushions(planes, camera, layout, halves) + drawn)
    half = layout.half if abs(half - layout.half) < NEARLY_MM else half
    best = int(np.argmin(np.abs(halves - half)))
    own = int(np.argmax(whole[:, best]))
    radius = float(WHOLE_RADII[own]) if whole[own, best] >= quarter[best] else layout.pocket_radius
    return replace(layout, half=half, pocket=half - radius, pocket_radius=radius), max(sigma, NEARLY_MM)


def likeliest(halves: F64, plain: F64) -> tuple[float, float]:
    """Mean and standard deviation of the sizes (n,) that are drawn about as plainly as the plainest (n,): cushions may
    favour one, pockets another.
    """
    weight = np.exp((plain - plain.max()) / TIE)
    mean = float(weight @ halves / weight.sum())
    return mean, float(np.sqrt(weight @ (halves - mean) ** 2 / weight.sum()))


def _cushions(planes: Planes, camera: Camera, layout: MarkLayout, halves: F64) -> F64:
    """How plainly (n,), 0 to 1, the four cushions are drawn at these distances from the middle."""
    taps = np.arange(halves[0] - 3 * ASKEW_MM, halves[-1] + 3 * ASKEW_MM, SURFACE_STEP_MM)
    away = np.abs(taps - halves[:, None])
    near = np.where(away <= ASKEW_MM, SURFACE_COST_PER_MM * away, np.inf)
    sides = sides_drawn(planes, camera, layout, taps)[:, None] - near
    return np.asarray(np.maximum(np.max(sides, axis=2), 0.0).mean(axis=0))


def sides_drawn(planes: Planes, camera: Camera, layout: MarkLayout, away: F64) -> F64:
    """How plainly (4, n), 0 to 1, the cushion of each seat is drawn so far (n,) mm from the middle, in steps of
    `SURFACE_STEP_MM`.
    """
    samples = expected(layout, 16.0, 8, (Mark.FOOT,))
    ink, u, v = (cross_profiles(p, camera, samples, away - layout.half) for p in (planes.ink, planes.u, planes.v))
    shine = np.maximum(ink, 16.0) / 100.0
    hue = np.hypot(_falls(u / shine), _falls(v / shine))
    drawn = np.clip(_falls(ink) / DARKER, 0.0, 1.0) + np.clip((hue - HUE_NOISE) / HUE, 0.0, 1.0)
    return np.array([_side(drawn[samples.part == side]) for side in range(4)])


def _falls(levels: F64) -> F64:
    """How much more (windows, taps) lies just within each tap of profiles than just beyond; nan where unknown."""
    width = round(SURFACE_BESIDE_MM / SURFACE_STEP_MM)
    total = np.cumsum(np.pad(levels, ((0, 0), (1, 0))), axis=1)
    means = (total[:, width:] - total[:, :-width]) / width
    out = np.full(levels.shape, np.nan)
    out[:, width : width + means.shape[1] - width] = means[:, :-width] - means[:, width:]
    return out


def _side(drawn: F64) -> F64:
    """How plainly (taps,) a side is drawn, levelled off towards 1 and 0 where too little of it is known."""
    known = ~np.isnan(drawn)
    mean = np.where(known, drawn, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.asarray(np.where(known.mean(axis=0) > 1 - SURFACE_UNKNOWN, np.tanh(mean), 0.0))


def _pockets(picture: Picture, camera: Camera, halves: F64) -> tuple[F64, F64]:
    """How plainly, 0 to 1, four pockets of one make are drawn in the corners of surfaces of these sizes: whole ones of
    each radius (radii, n), and quarters (n,).
    """
    above = Above.of(picture, camera, float(halves[-1]))
    whole = [_rims(above, halves - radius, radius, SHIFTS_MM, SURFACE_ANGLES) for radius in WHOLE_RADII]
    return np.array(whole), quarters_drawn(above, halves)


def quarters_drawn(above: Above, halves: F64) -> F64:
    """How plainly (n,), 0 to 1, four quarters of one make are drawn in the corners of surfaces of these sizes."""
    drawn = [_rims(above, halves - gap, radius, (0.0,), SURFACE_ANGLES[SURFACE_QUARTER])
             for radius in QUARTER_RADII for gap in QUARTER_GAPS]  # fmt: skip
    return np.asarray(np.max(drawn, axis=0))


def _rims(above: Above, middles: F64, radius: float, shifts: tuple[float, ...], angles: F64) -> F64:
    """How plainly (n,) the rims of four circles are drawn whose middles lie so far (n,) from the board's along both
    axes, each shifted to where it is plainest.
    """
    off = np.array([(a, b) for a in shifts for b in shifts])
    at = middles[:, None, None] + off
    drawn = [rim_drawn(above, pocket, at, radius, angles).max(axis=1) for pocket in Pocket]
    return np.asarray(np.mean(drawn, axis=0))


def rim_drawn(above: Above, pocket: Pocket, at: F64, radius: float, angles: F64 = SURFACE_ANGLES) -> F64:
    """How plainly (...), 0 to 1, the rim of a circle is drawn whose middle lies so far (..., 2) mm from the board's
    towards a pocket.
    """
    corner = np.array(pocket.corner, np.float64)
    turned = np.arctan2(-corner[1], -corner[0]) + angles
    ray = np.stack([np.cos(turned), np.sin(turned)], 1)
    middle = (at * corner)[..., None, :]
    sides = [above.tones(middle + (radius + beside) * ray) for beside in (-SURFACE_RIM_MM, SURFACE_RIM_MM)]
    steps = np.minimum(np.linalg.norm(sides[1] - sides[0], axis=0), SURFACE_PLAIN)
    return np.asarray(steps.mean(axis=-1) / SURFACE_PLAIN)
