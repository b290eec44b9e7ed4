"""Discs lying on the board: what is known of one, and its place by its outline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.bounds import bounds
from calibration.camera import F64, Camera
from calibration.picture import F32, U8, Picture

REACH_MM = 4.0
"""Edges are sought so far inside and outside of the expected outline."""
RIM_UPPER, RIM_LOWER = 0.73, 0.14
"""A piece is widest between these shares of its height; measured on outlines of 500 discs seen aslant."""
LIGHT_ABOVE = 85.0
"""A top face lighter than this percentage of the board stands out from its own darker wall, a dark one does not."""
WALL_MM = 1.5
"""Rays that cross this much of a dark disc's wall count half: top and bottom rim both draw an edge there."""
LIKELY_MM = 2.5
"""An edge this far from where it was first expected counts a third."""
MOST_MM = 3.0
"""A round moves a disc at most this far."""
CAP = 1.5
"""A ray's edge counts at most so many times the middle one's, lest a few printed lines draw the disc to them."""
SHADOW = 2.0
"""An edge one width outside a dark disc's fitted rim counts a third of one that lies on it or within."""
UNSURE_MM, BETTER = 0.6, 0.5
"""A sigma above this is of a bad fit; a place found from beside it must have so much less to be believed instead."""
LIKELY, CLEARLY = 2, 0.85
"""So many of the places found from beside a striker are looked at closely; one must have so much less of a sigma."""
ONE_MM = 0.1
"""Places so near to each other lead to the same one."""
BESIDE_MM = tuple((3.0 * math.cos(turn), 3.0 * math.sin(turn)) for turn in np.arange(8) * math.pi / 4)
"""Where a disc is tried beside the place where it was first sought."""
CHROMA_GAIN = 2.0
"""Coins differ less in the chroma planes, which are cleaner than luma."""
PALE_GROWTH = -0.2
"""A pale disc's rounded rim darkens this far (mm) within its outline, a dark one's is seen where it ends."""
FIRM = 0.1
"""How firmly that is held against a disc's own edges, which outweigh it tenfold when they are drawn all around."""
SIGMA_LEAST, SIGMA_SHARE = 0.12, 0.85
"""Standard deviation (mm) of places that look perfect, and what the scatter of a disc's edges adds to it: measured."""
BLIND_MM = 2.0
"""Standard deviation of a place about which no edge is drawn at all: as good as the search that found it."""


def _parabolas(along: F64) -> F64:
    """Lagrange's weights (3, k) of what stands at -1, 0 and 1 for the places between."""
    return np.array([along * (along - 1) / 2, 1 - along**2, along * (along + 1) / 2])


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


class Fan:
    """The rays along which a disc's outline is sought, and how closely."""

    def __init__(self, rays: int, step_mm: float, widths_mm: Sequence[float], fits: int, *, tries_beside: bool = False,
                 on_board: bool = False) -> None:  # fmt: skip
        self.widths_mm = widths_mm
        """Width of the bell about the rim by which edges are weighed in each round: to find it, then to place it."""
        self.fits = fits
        """Fits a round, each about the rim that the one before found."""
        self.tries_beside = tries_beside
        """Whether a disc that fits badly is tried from beside it too."""
        self.on_board = on_board
        """Whether edges are weighed by how much they lie between something else and the board (`Disc.ground`)."""
        turn = np.arange(rays) * (2 * np.pi / rays)
        self.rim: F64 = np.stack([np.cos(turn), np.sin(turn), np.ones(rays)], -1)
        """How far (rays, 3) an outline moves along each ray for a mm of shift in x and in y and of growth."""
        self.steps: F32 = np.arange(-REACH_MM, REACH_MM + step_mm / 2, step_mm, dtype=np.float32)
        """Edges are sought at these distances (mm) from the expected outline."""
        self.ones: F32 = np.ones_like(self.steps)
        """What sums over the steps: a product takes a third of the time of a sum."""
        self.ways: F64 = _parabolas(self.steps.astype(np.float64) / REACH_MM)
        """What both ends and the middle of a ray's reach (3, steps) weigh at each of them."""


FINE = Fan(72, 0.25, (1.6, 0.8, 0.4), 4, tries_beside=True)
QUICK = Fan(36, 0.5, (1.6, 0.8, 0.4), 4)
"""For discs at rest, and at a fourth of the time for the many of a stroke."""
OUTER = Fan(72, 0.25, (1.6, 0.8, 0.4), 4, on_board=True)
OUTER_ROUGH = Fan(36, 0.5, (1.6, 0.8, 0.4), 4, on_board=True)
"""For strikers, on which rings are printed that are drawn as well as the rim a few millimetres outside of them."""


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
    margin_colour: tuple[float, float, float]
    """Median Y, U, V just inside the rim: a printed ring shows the board there, a coin itself."""
    shade: float
    """Median luma just outside the rim in percent of the board's: below 100 where something stands and shades."""
    support: float = 0.0
    """Edge in the lower quartile of the directions in which the rim is clear of prints, -1..1."""
    clear: float = 1.0
    """Share of the rim that lies on no printed line."""
    sigma: float = 0.5
    """Standard deviation (mm) of the centre, each axis."""
    beyond: tuple[float, float, float] = (0.0, 128.0, 128.0)
    """Median Y, U, V just outside the rim: shade about a coin, the piece itself about a ring printed on a striker."""
    twins: int = 0
    """How often the same is seen where an ornament would repeat it."""
    starred: bool = False
    """A star leads away from it in its own ink, too small in the picture to tell whether anything shades it."""
    excess: float = 0.0
    """How far (mm) the rim's edges lie outside the outline of a disc of this radius."""
    alike: float = 0.0
    """How much it looks as plain coins of its kind do, 0..1; 0 where that was not asked."""

    @property
    def tint(self) -> F64:
        """The top face (3,) relative to the board around it, as `calibration.profile.Colour` has it."""
        return relative(self.colour, self.ground)


def relative(colour: tuple[float, float, float], ground: tuple[float, float, float]) -> F64:
    """Luma, blue and red difference (3,) in percent of the ground's luma."""
    y, u, v = colour
    return np.array([y, u - 128.0, v - 128.0]) * (100.0 / max(ground[0], 8.0))


def outline(camera: Camera, centre: F64, radius: F64, height: F64, rim: F64) -> tuple[F64, F64]:
    """Distance (n, rays) mm from each disc's middle to its outline, on the plane of its top face, and to its upper rim.

    Rims are rounded, so the outline is that of two circles of the full radius, a little below the top and above the
    board, each shifted on that plane towards the point below the lens by its depth beneath it.
    """
    eye = camera.position
    towards = (eye[:2] - centre) * (height / eye[2])[:, None]
    upper, lower = (_circle(towards * depth, radius, rim) for depth in (1 - RIM_UPPER, 1 - RIM_LOWER))
    return np.maximum(upper, lower), upper


def _circle(shift: F64, radius: F64, rim: F64) -> F64:
    """Distance (k, rays) along the rays to circles whose middles are shifted by (k, 2)."""
    along = shift @ rim[:, :2].T
    across = np.sum(shift**2, 1)[:, None] - along**2
    return np.asarray(along + np.sqrt(np.maximum(radius[:, None] ** 2 - across, 0.0)))


def refine(picture: Picture, camera: Camera, discs: list[Disc], height: F64 | float, fan: Fan = FINE) -> list[Disc]:
    """The discs moved to where the edges around them fit their outline best; `sigma` says how well.

    `height` is each disc's top height in mm. A disc with too few edges keeps about its place and a large sigma. One
    that fits badly may be tried from beside it too, since printed lines may have misled the search.
    """
    if not discs:
        return []
    heights = np.broadcast_to(np.asarray(height, np.float64), (len(discs),))
    best = placed(picture, camera, discs, heights, fan)
    unsure = [i for i, d in enumerate(best) if d.sigma > UNSURE_MM and fan.tries_beside]
    tries = [(i, replace(discs[i], x=discs[i].x + dx, y=discs[i].y + dy)) for i in unsure for dx, dy in BESIDE_MM]
    again = placed(picture, camera, [d for _, d in tries], heights[[i for i, _ in tries]], fan) if tries else []
    for (i, _), other in zip(tries, again, strict=True):
        if other.sigma < BETTER * best[i].sigma:
            best[i] = other
    return best


def refine_striker(picture: Picture, camera: Camera, disc: Disc, height: float) -> Disc:
    """A striker moved to where its rim fits, its top at `height` mm; its print may have led the search astray.

    Where edges scatter clearly less about a place found from beside it, that one is believed.
    """
    starts = [disc, *(replace(disc, x=disc.x + dx, y=disc.y + dy) for dx, dy in BESIDE_MM)]
    own, *others = placed(picture, camera, starts, np.full(len(starts), height), OUTER_ROUGH)
    likely = sorted(others, key=lambda d: d.sigma)[:LIKELY]
    likely = [own, *(d for d in likely if math.dist((d.x, d.y), (own.x, own.y)) > ONE_MM)]
    own, *others = placed(picture, camera, likely, np.full(len(likely), height), OUTER)
    best = min(others, key=lambda d: d.sigma, default=own)
    return best if best.sigma < CLEARLY * own.sigma else own


def placed(shown: Shown, camera: Camera, discs: list[Disc], heights: F64, fan: Fan) -> list[Disc]:
    """The discs moved to the nearest place where the edges around them fit."""
    centre = np.array([(d.x, d.y) for d in discs])
    radius = np.array([d.radius for d in discs])
    light = np.array([d.tint[0] > LIGHT_ABOVE for d in discs])
    faces, grounds = (np.array(c, np.float32).T for c in ([d.colour for d in discs], [d.ground for d in discs]))
    rim = np.zeros((len(discs), 3))
    for width in fan.widths_mm:
        outer, upper = outline(camera, centre, radius, heights, fan.rim)
        expected = np.where(light[:, None], upper, outer)
        tones = _tones(shown, camera, centre, expected, heights, fan)
        edges = _edges(tones, light, fan)
        if fan.on_board:
            edges *= bounds(tones, faces, grounds, float(fan.steps[1] - fan.steps[0]))
        trust = np.where(light[:, None], 1.0, 1 / (1 + ((outer - upper) / WALL_MM) ** 2))
        rim = _fit(edges, trust, rim * (0, 0, 1), light, width, fan)
        length = np.hypot(rim[:, 0], rim[:, 1])[:, None]
        centre += rim[:, :2] * np.minimum(1.0, MOST_MM / np.maximum(length, MOST_MM))
    placed = zip(discs, centre.tolist(), _sigma(edges, trust, rim, fan).tolist(), rim[:, 2].tolist(), strict=True)
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
    ends = expected[..., None] + REACH_MM * np.array([-1.0, 0.0, 1.0])
    points = centre[:, None, None, :] + ends[..., None] * fan.rim[:, None, :2]
    px = camera.to_pixels(points.reshape(-1, 2), np.repeat(height, 3 * rays))
    at = np.asarray(np.ascontiguousarray(px.T).reshape(2, n * rays, 3) @ fan.ways, np.float32).reshape(2, n, -1)
    return np.stack(shown.at(at[0], at[1]))


def _edges(tones: F32, light: NDArray[np.bool_], fan: Fan) -> F32:
    """How much of an edge (n, rays, steps) lies along each ray of which `tones` (3, n, rays, steps) are known.

    A pale disc's rim is where luma falls: its wall and the shade at its foot are darker.
    """
    y, u, v = _slopes(tones)
    y[light] = np.minimum(y[light], 0.0)
    return np.asarray((y**2 + CHROMA_GAIN**2 * (u**2 + v**2)) * np.exp(-((fan.steps / LIKELY_MM) ** 2)), np.float32)


def _slopes(tones: F32) -> F32:
    """How much planes' tones (3, n, rays, steps), smoothed, rise each step along each ray."""
    smooth = np.asarray(cv2.GaussianBlur(tones.reshape(-1, tones.shape[-1]), (5, 1), 0.8), np.float32)
    slopes = np.empty_like(smooth)
    np.subtract(smooth[:, 2:], smooth[:, :-2], out=slopes[:, 1:-1])
    slopes[:, 1:-1] *= 0.5
    slopes[:, 0], slopes[:, -1] = smooth[:, 1] - smooth[:, 0], smooth[:, -1] - smooth[:, -2]
    return slopes.reshape(tones.shape)


def _fit(edges: F32, trust: F64, rim: F64, light: NDArray[np.bool_], width: float, fan: Fan) -> F64:
    """Shifts in x and y and growths (n, 3) mm of circles that explain `edges` (n, rays, steps) best.

    Each step looks only at edges about `width` mm from the rim of the step before, the first from `rim` (n, 3);
    `trust` (n, rays) weighs rays. Beyond a dark disc lies its shadow, as dark: edges there count less.
    """
    firm = FIRM * len(fan.rim)
    growth, ridge = np.where(light, firm * PALE_GROWTH, 0.0), np.diag((1e-3, 1e-3, 1e-3 + firm))
    outwards = np.where(light, 0.0, SHADOW / width)[:, None]
    for _ in range(fan.fits):
        found, drawn = _near_rim(edges, rim, width, fan)
        weight = _weight(drawn, trust) / (1 + outwards * np.maximum(found - rim @ fan.rim.T, 0.0))
        held = (weight[..., None] * fan.rim).transpose(0, 2, 1)
        left, right = held @ fan.rim + ridge, (held @ found[..., None])[..., 0]
        right[:, 2] += growth
        rim = np.linalg.solve(left, right[..., None])[..., 0]
    return np.asarray(rim)


def _weight(drawn: F64, trust: F64) -> F64:
    """What each ray (n, rays) counts whose edge is drawn so strongly, against the others of its disc."""
    # The median of an even number, in a fifth of the time that NumPy's takes.
    ordered, half = np.sort(drawn, 1), drawn.shape[1] // 2
    middle = (ordered[:, half - 1 : half] + ordered[:, half : half + 1]) / 2
    return np.asarray(trust * np.minimum(np.sqrt(drawn / (middle + 1e-9)), CAP))


def _sigma(edges: F32, trust: F64, rim: F64, fan: Fan) -> F64:
    """Standard deviation (n,) mm of the places of rims (n, 3): by the scatter of all edges about them, near or not."""
    found, drawn = _near_rim(edges, rim, fan.widths_mm[0], fan)
    weight = _weight(drawn, trust)
    total = weight.sum(1)
    scatter = np.sqrt((weight * (found - rim @ fan.rim.T) ** 2).sum(1) / np.maximum(total, 1e-9))
    return np.asarray(np.where(total > 0, np.hypot(SIGMA_LEAST, SIGMA_SHARE * scatter), BLIND_MM))


def _near_rim(edges: F32, rim: F64, width: float, fan: Fan) -> tuple[F64, F64]:
    """Where edges lie on each ray (n, rays), mm from where expected, near rims (n, 3), and how strong (n, rays)."""
    expected = (rim @ fan.rim.T).astype(np.float32)[..., None]
    off = (fan.steps - expected) / np.float32(width)
    near = edges * np.exp(off * off * np.float32(-0.5))
    drawn = near @ fan.ones
    return np.asarray((near @ fan.steps) / np.maximum(drawn, 1e-9), np.float64), np.asarray(drawn, np.float64)
