"""The camera and the board's lengths that explain the marks seen, given what is usual for cameras and boards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.fit_board.mark_samples import LENGTHS, Mark, MarkLayout
from calibration.geometry.camera import F64, Camera
from calibration.geometry.correlated_errors import Shared, whitening
from calibration.geometry.least_squares import SOLVE_SOFT, least

SOLVE_HEIGHT_MM, HEIGHT_SPREAD = 1250.0, 0.33
"""A camera hangs about this far above the board; the spread is of the logarithm (0.7 to 1.9 m, by lens and mount)."""
BEND, BEND_SPREAD = -0.04, 0.08
"""How much farther the lens puts what lies half the picture's width from its middle, from strong barrels to the slight
pincushions of telephones. Of k1 alone more would be expected the longer the lens was taken to be.
"""
K2_SHARE, K2_SPREAD = -0.4, 0.05
"""The second radial term takes back this share of the first one."""
TANGENTIAL_SPREAD = 8e-4
"""Lenses sit aslant on their sensors by a fraction of a degree."""
LENGTH_SPREAD = {"half": 0.2, "rear": 2.0, "front": 2.0, "circle_x": 1.5, "circle_y": 0.7, "ring": 0.7, "disc": 1.5,
                 "pocket": 1.5, "pocket_radius": 3.0, "wall": 2.2}  # fmt: skip
"""How far (mm, one sigma) makers' boards lie from the book; `circle_y` is taken against the middle of the two lines and
`pocket` against a rim that touches both cushions, as every size of pocket does. The surface has the narrowest: a board
is named by its size, which is the ruler for all else, while prints differ. How high a camera hangs that looks straight
down is told by nothing but how far the frame's edge is displaced: its height is the ruler for that (laws: 19 to 25.4
mm), so it is held to the book more firmly than what may be far off it.
"""
MARK_SPREAD = {Mark.REAR: 0.2, Mark.FRONT: 0.2, Mark.RING: 0.25, Mark.DISC: 0.3, Mark.POCKET: 0.5, Mark.FOOT: 0.5,
               Mark.WALL: 0.8, Mark.ARROW: 0.3}  # fmt: skip
"""First guess (mm) of how far single sightings of a mark scatter."""

PIXEL_STEP = 0.0005
STRAINED = 3.5
"""A camera this many sigmas from the usual one is doubted: true ones are found within 2.5, those of photographs that
are cropped or stretched and taken for whole ones at 5 and more."""

FOCAL, ASPECT, CX, CY, RADIAL1, RADIAL2, TANGENTIAL1, TANGENTIAL2 = range(8)
SOLVE_TURN, PLACE = slice(8, 11), slice(11, 14)
CAMERA_SIZE = 14
"""Parameters of a camera about another one: log focal length, a pixel's height by its width, principal point (px), four
distortion terms, a turn (rad, about the camera's own axes) after the other's, and the translation (mm)."""


class Free(Enum):
    """What a solution may change."""

    ALL = "lens, pose and lengths"
    FOCAL_KEPT = "all but the focal length"
    LENS_GIVEN = "pose and lengths"
    POSE = "pose only"

    def mask(self) -> NDArray[np.bool_]:
        """Which parameters (camera, then lengths) are free."""
        mask = np.full(CAMERA_SIZE + len(LENGTHS), self is not Free.POSE)
        mask[ASPECT : SOLVE_TURN.start] = self in (Free.ALL, Free.FOCAL_KEPT)
        mask[FOCAL] = self is Free.ALL
        mask[SOLVE_TURN] = mask[PLACE] = True
        return mask


@dataclass(frozen=True, slots=True)
class Usual:
    """What is expected of a camera before it is seen, each with its standard deviation."""

    centre: float
    """Principal point from the picture's middle, share of the picture's width."""
    pixel: float
    """A pixel's height over its width, less 1."""
    height_mm: float = SOLVE_HEIGHT_MM
    height: float = HEIGHT_SPREAD
    """Lens above the surface, and the spread of its logarithm."""
    half_mm: float = LENGTH_SPREAD["half"]
    """How far half the surface may be off: more where it was measured than where the board's name tells it."""


SOLVE_WHOLE = Usual(0.005, 0.0005)
"""Pictures as a sensor takes them."""
CUT = Usual(0.15, 0.03)
"""Photographs that somebody has cropped or stretched."""
HEIGHTS_MM = (300.0, 4000.0)
"""No camera that shows a whole board with its lens hangs lower or higher."""
TAPE_MM = 20.0
"""A height measured with a tape is good to this."""


def taped(usual: Usual, height_mm: float | None) -> Usual:
    """The same of a camera whose height somebody has measured."""
    return usual if height_mm is None else replace(usual, height_mm=height_mm, height=TAPE_MM / height_mm)


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """What the solver explains: windows of marks and the pixels seen."""

    layout: MarkLayout
    """Lengths by which the points were placed."""
    points: F64
    """Board mm (n, 3) of the windows' middles by `layout`."""
    moves: F64
    """Their movement per mm of each length (n, lengths, 3)."""
    pixels: F64
    """A pixel (n, 2) on the mark."""
    normals: F64
    """Unit directions (n, 2) in the picture across the mark, outward."""
    sigma_px: F64
    """Expected scatter across the mark (n,)."""
    shared: Shared
    """Errors that the windows of one mark have in common."""

    def select(self, mask: NDArray[np.bool_]) -> Observed:
        """The sightings where `mask` holds."""
        return Observed(self.layout, self.points[mask], self.moves[mask], self.pixels[mask], self.normals[mask],
                        self.sigma_px[mask], self.shared.select(mask))  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A camera, the lengths of the board under it, and how well they explain the sightings."""

    camera: Camera
    layout: MarkLayout
    residuals_px: F64
    """Signed distance (n,) across each mark, seen minus explained."""
    covariance: F64
    """Of the parameters (24, 24) about `camera` and `layout`: camera, then lengths."""

    def farther(self, ratio: float) -> Solution:
        """The one that explains the same picture of a board `ratio` times as large."""
        grown = np.ones(len(self.covariance))
        grown[PLACE] = grown[CAMERA_SIZE:] = ratio
        return replace(self, camera=self.camera.farther(ratio), covariance=self.covariance * np.outer(grown, grown),
                       layout=MarkLayout.from_vector(self.layout.vector() * ratio))  # fmt: skip


def solve(start: Camera, layout: MarkLayout, book: MarkLayout, seen: Observed, may_change: Free,
          usual: Usual = SOLVE_WHOLE) -> Solution:  # fmt: skip
    """The most probable camera and lengths, searched from `start` and `layout`; `book` gives the expected lengths."""
    first = np.concatenate([parameters(start), layout.vector()])
    scale = _steps(start)
    free = may_change.mask()

    def whole(x: F64) -> F64:
        full = np.tile(first, (len(x), 1))
        full[:, free] += x * scale[free]
        return full

    white = whitening(seen.shared)

    def costs(x: F64) -> F64:
        p = whole(x)
        return np.concatenate([white(_misfits(p, start, seen) / seen.sigma_px), _surprises(p, start, book, usual)], 1)

    fit = least(lambda x: costs(x[None])[0], np.zeros(int(free.sum())), costs)
    p = whole(fit.x[None])
    covariance = np.zeros((len(first), len(first)))
    covariance[np.ix_(free, free)] = fit.covariance * np.outer(scale[free], scale[free])
    camera = camera_at(p[0, :CAMERA_SIZE], start)
    return Solution(camera, MarkLayout.from_vector(p[0, CAMERA_SIZE:]), _misfits(p, start, seen)[0], covariance)


def parameters(camera: Camera) -> F64:
    """The parameters (14,) of a camera about itself."""
    k = camera.k
    return np.concatenate([[np.log(k[0, 0]), k[1, 1] / k[0, 0], k[0, 2], k[1, 2]], camera.dist[:4], np.zeros(3),
                           camera.t])  # fmt: skip


def camera_at(p: F64, like: Camera) -> Camera:
    """The camera of parameters (14,) about another one."""
    f = float(np.exp(p[FOCAL]))
    k = [[f, 0, p[CX]], [0, f * p[ASPECT], p[CY]], [0, 0, 1]]
    dist = [*p[RADIAL1 : SOLVE_TURN.start], like.dist[4]]
    return Camera.of(like.width, like.height, k, dist, cv2.Rodrigues(p[SOLVE_TURN])[0] @ like.r, p[PLACE], like.mirror)


def _steps(camera: Camera) -> F64:
    """Natural sizes of the parameters, so that the solver sees them alike."""
    own = [0.1, PIXEL_STEP, 5.0, 5.0, 0.03, 0.02, 1e-3, 1e-3, 0.01, 0.01, 0.01, 5.0, 5.0, 100.0]
    return np.array(own + [1.0] * len(LENGTHS))


def _projected(p: F64, xyz: F64, like: Camera) -> F64:
    """Pixels (k, n, 2) of board points (k, n, 3) under the parameters (k, 24); as `Camera.to_pixels`, without its
    checks.
    """
    q = xyz @ _turns(p, like).transpose(0, 2, 1) + p[:, None, PLACE]
    x, y = q[..., 0] / q[..., 2], q[..., 1] / q[..., 2]
    f, aspect, cx, cy, k1, k2, p1, p2 = (p[:, i, None] for i in range(SOLVE_TURN.start))
    rr = x * x + y * y
    bend = 1 + rr * (k1 + rr * (k2 + rr * like.dist[4]))
    f = np.exp(f)
    u = f * (x * bend + 2 * p1 * x * y + p2 * (rr + 2 * x * x)) + cx
    v = f * aspect * (y * bend + p1 * (rr + 2 * y * y) + 2 * p2 * x * y) + cy
    return np.stack([u, v], -1)


def _turns(p: F64, like: Camera) -> F64:
    """Rotations (k, 3, 3) board -> camera of the parameters (k, 24)."""
    return np.array([cv2.Rodrigues(row)[0] for row in p[:, SOLVE_TURN]]) @ like.r


def _misfits(p: F64, like: Camera, seen: Observed) -> F64:
    """Distances (k, n) across the marks, seen minus explained by the parameters (k, 24)."""
    longer = p[:, CAMERA_SIZE:] - seen.layout.vector()
    xyz = seen.points + np.tensordot(longer, seen.moves, (1, 1))
    off = seen.pixels - _projected(p, xyz, like)
    return np.asarray(off[..., 0] * seen.normals[:, 0] + off[..., 1] * seen.normals[:, 1])


def strain(camera: Camera) -> float:
    """How far (sigmas) a camera is from one that hangs at the usual height and whose picture is whole."""
    return float(np.abs(_unlikeness(parameters(camera)[None], camera, SOLVE_WHOLE)).max())


def _unlikeness(p: F64, like: Camera, usual: Usual) -> F64:
    """How unlike the usual camera's its height, its pixels and its picture's middle are (k, 4), each in its sigma."""
    height = np.einsum("ki,ki->k", _turns(p, like)[:, :, 2], p[:, PLACE])
    return np.stack([np.log(np.maximum(np.abs(height), 1.0) / usual.height_mm) / usual.height,
                     (p[:, ASPECT] - 1) / usual.pixel, (p[:, CX] - (like.width - 1) / 2) / (usual.centre * like.width),
                     (p[:, CY] - (like.height - 1) / 2) / (usual.centre * like.width)], 1)  # fmt: skip


def _surprises(p: F64, like: Camera, book: MarkLayout, usual: Usual) -> F64:
    """How unusual camera and lengths are (k, 18), each in its own sigma."""
    off = p[:, CAMERA_SIZE:] - book.vector()
    rear, front, half, circle_y, pocket, radius = (
        LENGTHS.index(n) for n in ("rear", "front", "half", "circle_y", "pocket", "pocket_radius"))  # fmt: skip
    off[:, circle_y] -= (off[:, rear] + off[:, front]) / 2
    off[:, pocket] += off[:, radius] - off[:, half]
    k1, k2, p1, p2 = p[:, RADIAL1 : SOLVE_TURN.start].T
    edge = (like.width / 2 * np.exp(-p[:, FOCAL])) ** 2
    bend = np.stack([(k1 * edge - BEND) / BEND_SPREAD, (k2 - K2_SHARE * k1) / K2_SPREAD, p1 / TANGENTIAL_SPREAD,
                     p2 / TANGENTIAL_SPREAD], 1)  # fmt: skip
    off = off / np.array([LENGTH_SPREAD[n] if n != "half" else usual.half_mm for n in LENGTHS])
    held = LENGTHS.index("wall")
    drawn = np.concatenate([_seldom(np.delete(off, held, 1)), off[:, held : held + 1]], 1)
    unlike = _unlikeness(p, like, usual)
    return np.concatenate([_firm(unlike[:, :1]), unlike[:, 1:], bend, drawn], 1)


def _firm(off: F64) -> F64:
    """Residuals whose loss (see `least`) is the square of `off` sigmas, however far: no camera hangs at a hand's width,
    whatever a few wrong marks say.
    """
    return np.asarray(off * np.sqrt(1.0 + (off / (2 * SOLVE_SOFT)) ** 2))


def _seldom(off: F64) -> F64:
    """Residuals whose squares are Cauchy's loss of `off` sigmas: what is far off already does not pull the others."""
    return np.asarray(np.sign(off) * np.sqrt(np.log1p(off**2)))
