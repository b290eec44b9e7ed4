"""Discs lying on the board: what is known of one, and its place by its outline."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import cv2
import numpy as np

from calibration.geometry.camera import F64, Camera
from calibration.geometry.picture import F32, U8, Picture
from referee.pieces.rim_edges import bounds
from referee.pieces.rim_fit import OUTER, OUTER_ROUGH, RIM_FINE, RIM_REACH_MM, Fan, edges_along, fitted, sigma_of

Tint = tuple[float, float, float]
"""Luma, blue and red difference, as shares of something light."""

RIM_UPPER, RIM_LOWER = 0.73, 0.14
"""A piece is widest between these shares of its height; measured on outlines of 500 discs seen aslant."""
RIM_PALE = 0.79
"""A pale one seems to end at this share, where its rounded edge begins to darken: measured on 300 coins."""
LIGHT_ABOVE, HUED = 85.0, 0.3
"""A top face lighter than this percentage of the board stands out from its own darker wall; a dark one does not, nor
one whose hue, which its wall has too, differs from the board's by more than this share of its luma."""
WALL_MM = 1.5
"""Rays that cross this much of a dark disc's wall count half: top and bottom rim both draw an edge there."""
DISC_MOST_MM = 3.0
"""A round moves a disc at most this far."""
UNSURE_MM, DISC_BETTER = 0.6, 0.5
"""A sigma above this is of a bad fit; a place found from beside it must have so much less to be believed instead."""
DISC_LIKELY, DISC_CLEARLY = 2, 0.85
"""So many of the places found from beside a striker are looked at closely; one must have so much less of a sigma."""
NEARLY, STRAYING = 0.7, 0.6
"""Places with less than the least sigma through the first are nearly as good as the one told, which is as unsure as
the second says of how far (RMS) they lie from it: measured on 2880 drawn strikers, three in five of the wood's look."""
ONE_MM = 0.1
"""Places so near to each other lead to the same one."""
DISC_BESIDE_MM = tuple((3.0 * math.cos(turn), 3.0 * math.sin(turn)) for turn in np.arange(8) * math.pi / 4)
"""Where a disc is tried beside the place where it was first sought."""


class Shown(Protocol):
    """What shows some discs: a picture, or parts of several."""

    @property
    def y(self) -> U8:
        """Luma."""

    @property
    def u(self) -> U8:
        """Blue difference, half as high and wide."""

    @property
    def v(self) -> U8:
        """Red difference, as `u`."""

    def at(self, columns: F32, rows: F32) -> tuple[F32, F32]:
        """Columns and rows (n, k) of the planes that show what a profile's camera shows there of each of n discs."""


@dataclass(frozen=True, slots=True)
class Disc:
    """A circle in the picture that may be a piece."""

    x: float
    y: float
    """Centre, board mm, taken at the top face's height."""
    radius: float
    """mm."""
    response: float
    """How much of the ring is drawn, -1..1."""
    colour: tuple[float, float, float]
    """Median Y, U, V of the inner top face."""
    ground: tuple[float, float, float]
    """Median Y, U, V of the board around it."""
    shade: float
    """Median luma just outside the rim in percent of the board's: below 100 where something stands and shades."""
    support: float = 0.0
    """Edge in the lower quartile of the directions in which the rim is clear of prints, -1..1."""
    sigma: float = 0.5
    """Standard deviation (mm) of the centre, each axis."""
    excess: float = 0.0
    """How far (mm) the rim's edges lie outside the outline of a disc of this radius."""
    presence: float | None = None
    """Log odds that a piece lies here (`referee.pieces.disc_set`); None where nobody asked."""

    @property
    def tint(self) -> Tint:
        """The top face relative to the board around it, as `calibration.profile.Colour` has it."""
        return relative(self.colour, self.ground)

    @property
    def is_pale(self) -> bool:
        """Whether the edge of its top face is seen rather than that of its wall."""
        # In plain numbers: this is asked of every piece that moves in every frame.
        (y, u, v), (_, blue, red), full = self.colour, self.ground, max(self.ground[0], 8.0)
        return 100.0 * y > LIGHT_ABOVE * full and math.hypot(u - blue, v - red) < HUED * y


def relative(colour: tuple[float, float, float], ground: tuple[float, float, float]) -> Tint:
    """Luma, blue and red difference in percent of the ground's luma."""
    (y, u, v), share = colour, 100.0 / max(ground[0], 8.0)
    return y * share, (u - 128.0) * share, (v - 128.0) * share


def outline(camera: Camera, centre: F64, radius: F64, height: F64, rim: F64) -> tuple[F64, F64, F64]:
    """Distance (n, rays) mm from each disc's middle to its outline, on the plane of its top face, to its upper rim, and
    to where a pale one seems to end.

    Rims are rounded, so the outline is that of two circles of the full radius, a little below the top and above the
    board, each shifted on that plane towards the point below the lens by its depth beneath it.
    """
    eye = camera.position
    towards = (eye[:2] - centre) * (height / eye[2])[:, None]
    upper, lower, pale = (_circle(towards * (1 - share), radius, rim) for share in (RIM_UPPER, RIM_LOWER, RIM_PALE))
    return np.maximum(upper, lower), upper, pale


def _circle(shift: F64, radius: F64, rim: F64) -> F64:
    """Distance (k, rays) along the rays to circles whose middles are shifted by (k, 2)."""
    along = shift @ rim[:, :2].T
    across = np.sum(shift**2, 1)[:, None] - along**2
    return np.asarray(along + np.sqrt(np.maximum(radius[:, None] ** 2 - across, 0.0)))


def refine(picture: Picture, camera: Camera, discs: list[Disc], height: F64 | float) -> list[Disc]:
    """The discs moved to where the edges around them fit their outline best; `sigma` says how well.

    `height` is each disc's top height in mm. A disc with too few edges keeps about its place and a large sigma. One
    that fits badly may be tried from beside it too, since printed lines may have misled the search.
    """
    if not discs:
        return []
    heights = np.broadcast_to(np.asarray(height, np.float64), (len(discs),))
    best = placed(picture, camera, discs, heights, RIM_FINE)
    unsure = [i for i, d in enumerate(best) if d.sigma > UNSURE_MM]
    tries = [(i, replace(discs[i], x=discs[i].x + dx, y=discs[i].y + dy)) for i in unsure for dx, dy in DISC_BESIDE_MM]
    again = placed(picture, camera, [d for _, d in tries], heights[[i for i, _ in tries]], RIM_FINE) if tries else []
    for (i, _), other in zip(tries, again, strict=True):
        if other.sigma < DISC_BETTER * best[i].sigma:
            best[i] = other
    return best


def refine_striker(picture: Picture, camera: Camera, disc: Disc, height: float) -> Disc:
    """A striker moved to where its rim fits, its top at `height` mm; its print may have led the search astray.

    Where edges scatter clearly less about a place found from beside it, that one is believed. A rim that is plainly
    seen draws all that are sought from beside it to one place; where they fit nearly as well here and there, any of
    these may be it, as `sigma` says.
    """
    starts = [disc, *(replace(disc, x=disc.x + dx, y=disc.y + dy) for dx, dy in DISC_BESIDE_MM)]
    rough = placed(picture, camera, starts, np.full(len(starts), height), OUTER_ROUGH)
    own, *others = rough
    likely = sorted(others, key=lambda d: d.sigma)[:DISC_LIKELY]
    likely = [own, *(d for d in likely if math.dist((d.x, d.y), (own.x, own.y)) > ONE_MM)]
    own, *others = placed(picture, camera, likely, np.full(len(likely), height), OUTER)
    best = min(others, key=lambda d: d.sigma, default=own)
    best_fit = best if best.sigma < DISC_CLEARLY * own.sigma else own
    least = min(d.sigma for d in rough)
    nearly = [math.dist((d.x, d.y), (best_fit.x, best_fit.y)) for d in rough if NEARLY * d.sigma < least]
    straying = math.hypot(*nearly) / math.sqrt(len(nearly))
    return replace(best_fit, sigma=math.hypot(best_fit.sigma, STRAYING * straying))


def placed(shown: Shown, camera: Camera, discs: list[Disc], heights: F64, fan: Fan) -> list[Disc]:
    """The discs moved to the nearest place where the edges around them fit."""
    centre = np.array([(d.x, d.y) for d in discs])
    radius = np.array([d.radius for d in discs])
    light = np.array([d.is_pale for d in discs])
    faces, grounds = (np.array(c, np.float32).T for c in ([d.colour for d in discs], [d.ground for d in discs]))
    rim = np.zeros((len(discs), 3))
    for width in fan.widths_mm:
        outer, upper, pale = outline(camera, centre, radius, heights, fan.rim)
        expected = np.where(light[:, None], pale, outer)
        tones = _tones(shown, camera, centre, expected, heights, fan)
        edges = edges_along(tones, light, fan)
        if fan.on_board:
            edges *= bounds(tones, faces, grounds, float(fan.steps[1] - fan.steps[0]))
        trust = np.where(light[:, None], 1.0, 1 / (1 + ((outer - upper) / WALL_MM) ** 2))
        rim = fitted(edges, trust, rim * (0, 0, 1), light, width, fan)
        length = np.hypot(rim[:, 0], rim[:, 1])[:, None]
        centre += rim[:, :2] * np.minimum(1.0, DISC_MOST_MM / np.maximum(length, DISC_MOST_MM))
    placed = zip(discs, centre.tolist(), sigma_of(edges, trust, rim, fan).tolist(), rim[:, 2].tolist(), strict=True)
    return [replace(d, x=x, y=y, sigma=s, excess=e) for d, (x, y), s, e in placed]


def _tones(shown: Shown, camera: Camera, centre: F64, expected: F64, height: F64, fan: Fan) -> F32:
    """Y, U, V (3, n, rays, steps) along each ray, at the fan's steps from the expected outline."""
    at = _pixels(shown, camera, centre, expected, height, fan)
    halves = at * np.float32(0.5) - np.float32(0.25)
    tones = np.empty((3, *at.shape[1:]), np.float32)
    for tone, plane, (across, down) in zip(tones, (shown.y, shown.u, shown.v), (at, halves, halves), strict=True):
        tone[:] = cv2.remap(plane, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return tones.reshape(3, *expected.shape, len(fan.steps))


def _pixels(shown: Shown, camera: Camera, centre: F64, expected: F64, height: F64, fan: Fan) -> F32:
    """Columns and rows (2, n, rays * steps) of the pixels that show the places along each disc's rays.

    Within its reach a ray follows a parabola to a thousandth of a pixel, through any lens and however aslant.
    """
    n, rays = expected.shape
    ends = expected[..., None] + RIM_REACH_MM * np.array([-1.0, 0.0, 1.0])
    points = centre[:, None, None, :] + ends[..., None] * fan.rim[:, None, :2]
    px = camera.to_pixels(points.reshape(-1, 2), np.repeat(height, 3 * rays))
    at = np.asarray(np.ascontiguousarray(px.T).reshape(2, n * rays, 3) @ fan.ways, np.float32).reshape(2, n, -1)
    return np.stack(shown.at(at[0], at[1]))
