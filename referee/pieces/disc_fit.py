"""Fits discs in flight to the picture: moves each to where the edges around it fit its outline.

A stroke has hundreds of them, so this is ten times as fast as `referee.pieces.disc_place`, which places discs at rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import cv2
import numpy as np

from calibration.geometry.camera import F64, Camera
from calibration.geometry.picture import F32, U8
from referee.pieces.rim_fit import FAN, RIM_REACH_MM, WIDTHS_MM, edges_along, fit_circles, place_sigmas

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


def fit_discs(shown: ImagePlanes, camera: Camera, discs: Sequence[Disc], heights: F64) -> list[Disc]:
    """Returns the discs moved to the nearest place where the edges around them fit, with the fit's `sigma`.

    `heights` (n,): each disc's top height, mm. A disc with too few edges stays near its place and gets a large sigma.
    """
    centre = np.array([(d.x, d.y) for d in discs])
    radius = np.array([d.radius for d in discs])
    light = np.array([d.is_pale for d in discs])
    rim = np.zeros((len(discs), 3))
    for width in WIDTHS_MM:
        outer, upper, pale = outline(camera, centre, radius, heights, FAN.rim)
        expected = np.where(light[:, None], pale, outer)
        tones = _sample_rays(shown, camera, centre, expected, heights)
        edges = edges_along(tones, light)
        trust = np.where(light[:, None], 1.0, 1 / (1 + ((outer - upper) / WALL_HALF_MM) ** 2))
        rim = fit_circles(edges, trust, rim * (0, 0, 1), light, width)
        length = np.hypot(rim[:, 0], rim[:, 1])[:, None]
        centre += rim[:, :2] * np.minimum(1.0, DISC_STEP_MM / np.maximum(length, DISC_STEP_MM))
    fits = zip(discs, centre.tolist(), place_sigmas(edges, trust, rim).tolist(), rim[:, 2].tolist(), strict=True)
    return [replace(d, x=x, y=y, sigma=s, excess=e) for d, (x, y), s, e in fits]


def _sample_rays(shown: ImagePlanes, camera: Camera, centre: F64, expected: F64, height: F64) -> F32:
    """Returns Y, U, V (3, n, rays, steps) along each ray, at the fan's steps from the expected outline."""
    at = _ray_pixels(shown, camera, centre, expected, height)
    halves = at * np.float32(0.5) - np.float32(0.25)
    tones = np.empty((3, *at.shape[1:]), np.float32)
    for tone, plane, (across, down) in zip(tones, (shown.y, shown.u, shown.v), (at, halves, halves), strict=True):
        tone[:] = cv2.remap(plane, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return tones.reshape(3, *expected.shape, len(FAN.steps))


def _ray_pixels(shown: ImagePlanes, camera: Camera, centre: F64, expected: F64, height: F64) -> F32:
    """Returns columns and rows (2, n, rays * steps) of the pixels along each disc's rays.

    Within its reach a ray's image is a parabola to a thousandth of a pixel, through any lens and however oblique.
    """
    n, rays = expected.shape
    ends = expected[..., None] + RIM_REACH_MM * np.array([-1.0, 0.0, 1.0])
    points = centre[:, None, None, :] + ends[..., None] * FAN.rim[:, None, :2]
    px = camera.to_pixels(points.reshape(-1, 2), np.repeat(height, 3 * rays))
    at = np.asarray(np.ascontiguousarray(px.T).reshape(2, n * rays, 3) @ FAN.parabolas, np.float32).reshape(2, n, -1)
    return np.stack(shown.at(at[0], at[1]))
