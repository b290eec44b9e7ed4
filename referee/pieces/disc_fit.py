"""Fits discs to the picture: moves each to where the edges around it fit its outline.

Input: discs as the search found them, to a few millimetres. Output: the same discs with sub-millimetre places and their
standard deviations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import cv2
import numpy as np

from calibration.geometry.camera import F64, Camera
from calibration.geometry.picture import F32, U8, Picture
from referee.pieces.rim_edges import board_edge_weights
from referee.pieces.rim_fit import (
    RIM_FINE,
    RIM_REACH_MM,
    STRIKER_FINE,
    STRIKER_ROUGH,
    Fan,
    edges_along,
    fit_circles,
    place_sigmas,
)

Tint = tuple[float, float, float]
"""Luma, blue and red difference, relative to a reference luma."""

RIM_UPPER_HEIGHT, RIM_LOWER_HEIGHT = 0.73, 0.14
"""Range of the heights, as shares of a piece's own, at which it is widest. Measured on outlines of 500 discs seen
obliquely."""
RIM_PALE_HEIGHT = 0.79
"""Height at which a pale piece seems to end because its rounded edge begins to darken, as a share of its own. Measured
on 300 coins."""
PALE_LUMA, PALE_HUE = 85.0, 0.3
"""Luma (percent of the board's) above which a top face stands out from its own darker wall, and greatest hue difference
(share of its luma) at which it does: a wall has the hue of its top face."""
WALL_HALF_MM = 1.5
"""Length (mm) of a dark disc's wall along a ray at which the ray's weight is a half: top and bottom rim both show an
edge."""
DISC_STEP_MM = 3.0
"""Greatest move of a disc in one round, in mm."""
BAD_FIT_MM, RETRY_SIGMA_SHARE = 0.6, 0.5
"""Standard deviation (mm) above which a fit is bad and is tried again from beside, and greatest share of it at which
such a retry is accepted instead."""
STRIKER_FINALISTS, STRIKER_SIGMA_SHARE = 2, 0.85
"""Number of a striker's retries that are fitted finely, and greatest share of the first fit's standard deviation at
which one of them is accepted instead."""
RIVAL_SIGMA_SHARE, RIVAL_SPREAD_SHARE = 0.7, 0.6
"""Rivals are fits of which this share of the standard deviation is below the least of all. The second constant is the
share of their distance (RMS) from the accepted fit that is added to its standard deviation. Measured on 2880 drawn
strikers, three in five of them of the wood's colour."""
SAME_FIT_MM = 0.1
"""Distance of two fits, in mm, up to which they are the same."""
RETRY_OFFSETS_MM = tuple((3.0 * math.cos(turn), 3.0 * math.sin(turn)) for turn in np.arange(8) * math.pi / 4)
"""Offsets (mm) from a disc's first place at which a retry starts."""


class ImagePlanes(Protocol):
    """Image planes that show discs: a whole picture, or tiles of several."""

    @property
    def y(self) -> U8:
        """Luma."""

    @property
    def u(self) -> U8:
        """Blue difference, at half the height and width."""

    @property
    def v(self) -> U8:
        """Red difference, at half the height and width."""

    def at(self, columns: F32, rows: F32) -> tuple[F32, F32]:
        """Returns the plane's columns and rows (n, k) for pixels of the profile's camera, k for each of n discs."""


@dataclass(frozen=True, slots=True)
class Disc:
    """A circle in the picture that may be a piece, with its colours."""

    x: float
    y: float
    """Centre in board mm, at the height of the top face."""
    radius: float
    """Radius, mm."""
    response: float
    """Ring response: share of the ring along which there is an edge, -1..1."""
    colour: tuple[float, float, float]
    """Median Y, U, V of the inner top face."""
    ground: tuple[float, float, float]
    """Median Y, U, V of the board around."""
    shade: float
    """Median luma just outside the rim, in percent of the board's; below 100 where the disc throws a shadow."""
    support: float = 0.0
    """Lower quartile of the edge strength along the rim off the prints, -1..1."""
    sigma: float = 0.5
    """Standard deviation of the centre on each axis, in mm."""
    excess: float = 0.0
    """Measured minus expected radius, in mm."""
    presence: float = 0.0
    """Log odds that a piece lies here (`referee.pieces.disc_set`); 0 if they were not computed."""

    @property
    def tint(self) -> Tint:
        """Returns the top face's colour relative to the board around, as in `calibration.profile.Colour`."""
        return relative_colour(self.colour, self.ground)

    @property
    def is_pale(self) -> bool:
        """Tells whether the edge of the top face is visible rather than that of the wall."""
        # In plain numbers: this is asked of every piece that moves in every frame.
        (y, u, v), (_, blue, red), full = self.colour, self.ground, max(self.ground[0], 8.0)
        return 100.0 * y > PALE_LUMA * full and math.hypot(u - blue, v - red) < PALE_HUE * y


def relative_colour(colour: tuple[float, float, float], ground: tuple[float, float, float]) -> Tint:
    """Returns luma, blue and red difference in percent of the ground's luma."""
    (y, u, v), share = colour, 100.0 / max(ground[0], 8.0)
    return y * share, (u - 128.0) * share, (v - 128.0) * share


def outline(camera: Camera, centre: F64, radius: F64, height: F64, rim: F64) -> tuple[F64, F64, F64]:
    """Returns distances (n, rays) mm from a disc's centre, on the plane of its top face: to its outline, to its upper
    rim, and to where a pale disc seems to end.

    Rims are rounded. The outline is therefore that of two circles of the full radius, one a little below the top and
    one above the board, each shifted on that plane toward the point below the lens by its depth beneath it.
    """
    eye = camera.position
    towards = (eye[:2] - centre) * (height / eye[2])[:, None]
    upper, lower, pale = (
        _circle(towards * (1 - share), radius, rim) for share in (RIM_UPPER_HEIGHT, RIM_LOWER_HEIGHT, RIM_PALE_HEIGHT)
    )
    return np.maximum(upper, lower), upper, pale


def _circle(shift: F64, radius: F64, rim: F64) -> F64:
    """Returns distances (k, rays) along the rays to circles whose centres are shifted by (k, 2)."""
    along = shift @ rim[:, :2].T
    across = np.sum(shift**2, 1)[:, None] - along**2
    return np.asarray(along + np.sqrt(np.maximum(radius[:, None] ** 2 - across, 0.0)))


def refine(picture: Picture, camera: Camera, discs: list[Disc], height: F64 | float) -> list[Disc]:
    """Returns the discs moved to where the edges around them fit their outlines best, with the fit's `sigma`.

    `height`: each disc's top height, mm. A disc with too few edges stays near its place and gets a large sigma. A bad
    fit is tried again from beside, because printed lines may have misled the search.
    """
    if not discs:
        return []
    heights = np.broadcast_to(np.asarray(height, np.float64), (len(discs),))
    best = fit_discs(picture, camera, discs, heights, RIM_FINE)
    unsure = [i for i, d in enumerate(best) if d.sigma > BAD_FIT_MM]
    tries = [
        (i, replace(discs[i], x=discs[i].x + dx, y=discs[i].y + dy)) for i in unsure for dx, dy in RETRY_OFFSETS_MM
    ]
    again = fit_discs(picture, camera, [d for _, d in tries], heights[[i for i, _ in tries]], RIM_FINE) if tries else []
    for (i, _), other in zip(tries, again, strict=True):
        if other.sigma < RETRY_SIGMA_SHARE * best[i].sigma:
            best[i] = other
    return best


def refine_striker(picture: Picture, camera: Camera, disc: Disc, height: float) -> Disc:
    """Returns a striker moved to where its rim fits, its top at `height` mm.

    Its print may mislead the search, so fits also start beside it. One of those is accepted if its edges scatter
    clearly less. If fits at different places are nearly as good, their distance is added to `sigma`.
    """
    starts = [disc, *(replace(disc, x=disc.x + dx, y=disc.y + dy) for dx, dy in RETRY_OFFSETS_MM)]
    rough = fit_discs(picture, camera, starts, np.full(len(starts), height), STRIKER_ROUGH)
    own, *others = rough
    finalists = sorted(others, key=lambda d: d.sigma)[:STRIKER_FINALISTS]
    finalists = [own, *(d for d in finalists if math.dist((d.x, d.y), (own.x, own.y)) > SAME_FIT_MM)]
    own, *others = fit_discs(picture, camera, finalists, np.full(len(finalists), height), STRIKER_FINE)
    best = min(others, key=lambda d: d.sigma, default=own)
    best_fit = best if best.sigma < STRIKER_SIGMA_SHARE * own.sigma else own
    least = min(d.sigma for d in rough)
    rivals = [math.dist((d.x, d.y), (best_fit.x, best_fit.y)) for d in rough if RIVAL_SIGMA_SHARE * d.sigma < least]
    spread = math.hypot(*rivals) / math.sqrt(len(rivals))
    return replace(best_fit, sigma=math.hypot(best_fit.sigma, RIVAL_SPREAD_SHARE * spread))


def fit_discs(shown: ImagePlanes, camera: Camera, discs: list[Disc], heights: F64, fan: Fan) -> list[Disc]:
    """Returns the discs moved to the nearest place where the edges around them fit."""
    centre = np.array([(d.x, d.y) for d in discs])
    radius = np.array([d.radius for d in discs])
    light = np.array([d.is_pale for d in discs])
    faces, grounds = (np.array(c, np.float32).T for c in ([d.colour for d in discs], [d.ground for d in discs]))
    rim = np.zeros((len(discs), 3))
    for width in fan.widths_mm:
        outer, upper, pale = outline(camera, centre, radius, heights, fan.rim)
        expected = np.where(light[:, None], pale, outer)
        tones = _sample_rays(shown, camera, centre, expected, heights, fan)
        edges = edges_along(tones, light, fan)
        if fan.on_board:
            edges *= board_edge_weights(tones, faces, grounds, float(fan.steps[1] - fan.steps[0]))
        trust = np.where(light[:, None], 1.0, 1 / (1 + ((outer - upper) / WALL_HALF_MM) ** 2))
        rim = fit_circles(edges, trust, rim * (0, 0, 1), light, width, fan)
        length = np.hypot(rim[:, 0], rim[:, 1])[:, None]
        centre += rim[:, :2] * np.minimum(1.0, DISC_STEP_MM / np.maximum(length, DISC_STEP_MM))
    fits = zip(discs, centre.tolist(), place_sigmas(edges, trust, rim, fan).tolist(), rim[:, 2].tolist(), strict=True)
    return [replace(d, x=x, y=y, sigma=s, excess=e) for d, (x, y), s, e in fits]


def _sample_rays(shown: ImagePlanes, camera: Camera, centre: F64, expected: F64, height: F64, fan: Fan) -> F32:
    """Returns Y, U, V (3, n, rays, steps) along each ray, at the fan's steps from the expected outline."""
    at = _ray_pixels(shown, camera, centre, expected, height, fan)
    halves = at * np.float32(0.5) - np.float32(0.25)
    tones = np.empty((3, *at.shape[1:]), np.float32)
    for tone, plane, (across, down) in zip(tones, (shown.y, shown.u, shown.v), (at, halves, halves), strict=True):
        tone[:] = cv2.remap(plane, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return tones.reshape(3, *expected.shape, len(fan.steps))


def _ray_pixels(shown: ImagePlanes, camera: Camera, centre: F64, expected: F64, height: F64, fan: Fan) -> F32:
    """Returns columns and rows (2, n, rays * steps) of the pixels along each disc's rays.

    Within its reach a ray's image is a parabola to a thousandth of a pixel, through any lens and however oblique.
    """
    n, rays = expected.shape
    ends = expected[..., None] + RIM_REACH_MM * np.array([-1.0, 0.0, 1.0])
    points = centre[:, None, None, :] + ends[..., None] * fan.rim[:, None, :2]
    px = camera.to_pixels(points.reshape(-1, 2), np.repeat(height, 3 * rays))
    at = np.asarray(np.ascontiguousarray(px.T).reshape(2, n * rays, 3) @ fan.parabolas, np.float32).reshape(2, n, -1)
    return np.stack(shown.at(at[0], at[1]))
