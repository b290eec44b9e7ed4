"""Solves for the camera and the board's lengths that best explain the detected marks.

It is a maximum a posteriori fit: residuals of the marks are minimised together with priors on cameras, lenses and
boards, because marks in one plane alone do not determine every parameter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.fit_board.mark_samples import LENGTHS, Mark, MarkLayout
from calibration.geometry.camera import F64, Camera
from calibration.geometry.correlated_errors import SharedErrors, whitening
from calibration.geometry.least_squares import SOLVE_SOFT, minimise
from calibration.geometry.lens import Lens

SOLVE_HEIGHT_MM, HEIGHT_SPREAD = 1250.0, 0.33
"""Expected height of a camera above the board, in mm, and the standard deviation of its logarithm (0.7 to 1.9 m, by
lens and mount)."""
BEND, BEND_SPREAD = -0.04, 0.08
"""Expected relative radial distortion at half the picture's width from its centre, and its standard deviation: from
strong barrel distortion to the slight pincushion of telephones. A prior on k1 alone would depend on the focal length.
"""
K2_SHARE, K2_SPREAD = -0.4, 0.05
"""Expected ratio of k2 to k1, and the standard deviation of k2 from it."""
TANGENTIAL_SPREAD = 8e-4
"""Standard deviation of the tangential distortion terms: lenses are tilted to the sensor by a fraction of a degree."""
LENGTH_SPREAD = {"half": 0.02, "rear": 2.0, "front": 2.0, "circle_x": 1.5, "circle_y": 0.7, "ring": 0.7, "disc": 1.5,
                 "pocket": 1.5, "pocket_radius": 3.0, "wall": 2.2}  # fmt: skip
"""Standard deviations (mm) of manufactured boards from the book. `circle_y` is relative to the middle of the two base
lines, and `pocket` to a rim that touches both cushions, as pockets of every size do. The surface has almost none: it is
the ruler. Boards are sold by its size, which no picture shows, and places are in millimetres of a surface of just that
size. For a camera that looks straight down only the parallax of the frame's edge determines the height, with the
frame's height as its scale (laws: 19 to 25.4 mm). `wall` therefore has a quadratic loss, and the other lengths have one
that tolerates outliers.
"""
MARK_SPREAD = {Mark.REAR: 0.2, Mark.FRONT: 0.2, Mark.RING: 0.25, Mark.DISC: 0.3, Mark.POCKET: 0.5, Mark.FOOT: 0.5,
               Mark.WALL: 0.8, Mark.ARROW: 0.3}  # fmt: skip
"""Initial scatter (mm) of single sightings, by kind of mark."""

PIXEL_STEP = 0.0005

FOCAL, ASPECT, CX, CY, RADIAL1, RADIAL2 = range(6)
SOLVE_TURN, PLACE = slice(8, 11), slice(11, 14)
CAMERA_SIZE = 14
"""Number of parameters of a camera relative to a reference camera: log focal length, aspect ratio of a pixel, principal
point (px), four distortion terms, a rotation (rad, about the camera's own axes) applied after the reference's, and the
translation (mm)."""
ZOOM = np.zeros(CAMERA_SIZE + len(LENGTHS))
ZOOM[[RADIAL1, RADIAL2]] = 2.0, 4.0
ZOOM[PLACE] = 1.0
"""Powers of the focal length with which the parameters grow in the same picture from farther away."""


class Free(Enum):
    """Sets of parameters that a solution may change."""

    ALL = "lens, pose and lengths"
    FOCAL_FIXED = "all but the focal length"
    LENS_GIVEN = "pose and lengths"
    POSE = "pose only"

    def mask(self) -> NDArray[np.bool_]:
        """Returns a mask (24,) of the free parameters: camera, then lengths."""
        mask = np.full(CAMERA_SIZE + len(LENGTHS), self is not Free.POSE)
        mask[ASPECT : SOLVE_TURN.start] = self in (Free.ALL, Free.FOCAL_FIXED)
        mask[FOCAL] = self is Free.ALL
        mask[SOLVE_TURN] = mask[PLACE] = True
        return mask


@dataclass(frozen=True, slots=True)
class CameraPrior:
    """Prior of a camera: standard deviations, with the expected height."""

    centre: float
    """Standard deviation of the principal point from the picture's centre, as a share of the picture's width."""
    pixel: float
    """Standard deviation of a pixel's aspect ratio from 1."""
    height_mm: float = SOLVE_HEIGHT_MM
    height: float = HEIGHT_SPREAD
    """Standard deviation of the logarithm of the lens's height above the surface, expected at `height_mm`."""
    half_mm: float = LENGTH_SPREAD["half"]
    """Standard deviation of half the surface's side, mm; larger where it was measured than where the board's name gives
    it."""
    focal_px: float = 1.0
    focal: float = math.inf
    """Standard deviation of the logarithm of the focal length, expected at `focal_px`; infinite if nothing is known."""
    sheet: Lens | None = None
    """Lens by the sheet, with its information."""


WHOLE_SENSOR = CameraPrior(0.005, 0.0005)
"""Prior for pictures of a whole sensor."""
CROPPED = CameraPrior(0.15, 0.1)
"""Prior for photographs that were cropped or stretched: pixels of digital video are 0.91 to 1.09 as wide as tall. A
square board shows the ratio to a thousandth."""
HEIGHTS_MM = (300.0, 4000.0)
"""Lowest and highest plausible heights of a camera that shows a whole board, in mm."""
TAPE_MM = 20.0
"""Standard deviation of a height measured with a tape, in mm."""


def with_measured_height(prior: CameraPrior, height_mm: float | None) -> CameraPrior:
    """Returns the prior with a tape-measured height, or unchanged where `height_mm` is None."""
    return prior if height_mm is None else replace(prior, height_mm=height_mm, height=TAPE_MM / height_mm)


@dataclass(frozen=True, slots=True, eq=False)
class MarkObservations:
    """Observations for the solver: windows of marks and the pixels at which they were detected."""

    layout: MarkLayout
    """Lengths from which the points were computed."""
    points: F64
    """Windows' middles (n, 3) by `layout`, board mm."""
    moves: F64
    """Displacement (n, lengths, 3) of the points per mm of each length."""
    pixels: F64
    """Detected pixel (n, 2) on the mark."""
    normals: F64
    """Unit directions (n, 2) in the picture across the mark, outward."""
    sigma_px: F64
    """Expected scatter across the mark (n,)."""
    shared: SharedErrors
    """Errors that the windows of one mark have in common."""

    def select(self, mask: NDArray[np.bool_]) -> MarkObservations:
        """Returns the observations where `mask` is true."""
        return MarkObservations(self.layout, self.points[mask], self.moves[mask], self.pixels[mask], self.normals[mask],
                                self.sigma_px[mask], self.shared.select(mask))  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Solved camera and board lengths, with residuals and covariance."""

    camera: Camera
    layout: MarkLayout
    residuals_px: F64
    """Measured minus modelled position (n,) across each mark, outward."""
    covariance: F64
    """Covariance (24, 24) of the parameters about `camera` and `layout`: camera, then lengths."""
    evidence: float = 0.0
    """Logarithm of the probability of the observations under the prior (Laplace's approximation), but for a constant
    that is the same for all priors of a camera."""

    def farther(self, ratio: float) -> Solution:
        """Returns the solution for the same picture of a board `ratio` times as large."""
        grown = np.ones(len(self.covariance))
        grown[PLACE] = grown[CAMERA_SIZE:] = ratio
        return replace(self, camera=self.camera.farther(ratio), covariance=self.covariance * np.outer(grown, grown),
                       layout=MarkLayout.from_vector(self.layout.vector() * ratio))  # fmt: skip


def solve(start: Camera, layout: MarkLayout, book: MarkLayout, observations: MarkObservations, may_change: Free,
          prior: CameraPrior = WHOLE_SENSOR) -> Solution:  # fmt: skip
    """Returns the most probable camera and lengths, searched from `start` and `layout`, with `book` as expected
    lengths.
    """
    first = np.concatenate([parameters(start), layout.vector()])
    scale = _steps(start)
    free = may_change.mask()

    def whole(x: F64) -> F64:
        full = np.tile(first, (len(x), 1))
        full[:, free] += x * scale[free]
        return full * _zoom_factors(full[:, FOCAL] - first[FOCAL])

    white = whitening(observations.shared)

    def costs(x: F64) -> F64:
        p = whole(x)
        marks = white(_residuals(p, start, observations) / observations.sigma_px)
        return np.concatenate([marks, _prior_residuals(p, start, book, prior)], 1)

    fit = minimise(lambda x: costs(x[None])[0], np.zeros(int(free.sum())), costs)
    p = whole(fit.x[None])
    slopes = np.diag(scale * _zoom_factors(p[:, FOCAL] - first[FOCAL])[0])
    slopes[:, FOCAL] += p[0] * ZOOM * scale[FOCAL]
    covariance = slopes[:, free] @ fit.covariance @ slopes[:, free].T
    camera = camera_at(p[0, :CAMERA_SIZE], start)
    widths = (prior.height, prior.pixel, prior.centre, prior.centre, prior.focal)
    evidence = fit.log_volume - sum(math.log(width) for width in widths if width < math.inf)
    lengths, residuals = MarkLayout.from_vector(p[0, CAMERA_SIZE:]), _residuals(p, start, observations)[0]
    return Solution(camera, lengths, residuals, covariance, float(evidence))


def parameters(camera: Camera) -> F64:
    """Returns the parameters (14,) of a camera relative to itself."""
    k = camera.k
    return np.concatenate([[np.log(k[0, 0]), k[1, 1] / k[0, 0], k[0, 2], k[1, 2]], camera.dist[:4], np.zeros(3),
                           camera.t])  # fmt: skip


def difference(other: Solution, own: Solution) -> F64:
    """Returns the parameters (24,) of `other` less those of `own`, along the course of the same picture from elsewhere.

    A straight difference in focal length and height would not keep the picture, see `_zoom_factors`.
    """
    here, there = (np.concatenate([parameters(s.camera), s.layout.vector()]) for s in (own, other))
    there[SOLVE_TURN] = cv2.Rodrigues(other.camera.r @ own.camera.r.T)[0].ravel()
    grown = there[FOCAL] - here[FOCAL]
    apart = there * _zoom_factors(np.array([-grown]))[0] - here + grown * ZOOM * here
    apart[FOCAL] = grown
    return np.asarray(apart)


def camera_at(p: F64, like: Camera) -> Camera:
    """Returns the camera with parameters `p` (14,) relative to `like`."""
    f = float(np.exp(p[FOCAL]))
    k = [[f, 0, p[CX]], [0, f * p[ASPECT], p[CY]], [0, 0, 1]]
    dist = [*p[RADIAL1 : SOLVE_TURN.start], like.dist[4]]
    return Camera.of(like.width, like.height, k, dist, cv2.Rodrigues(p[SOLVE_TURN])[0] @ like.r, p[PLACE], like.mirror)


def _zoom_factors(grown: F64) -> F64:
    """Returns factors (k, 24) of the parameters that keep the picture while the log focal length grows by (k,).

    Searching along them is quick, since focal length and height alone nearly cancel.
    """
    return np.asarray(np.exp(np.outer(grown, ZOOM)))


def _steps(camera: Camera) -> F64:
    """Returns scales (24,) of the parameters, to condition the solver."""
    own = [0.1, PIXEL_STEP, 5.0, 5.0, 0.03, 0.02, 1e-3, 1e-3, 0.01, 0.01, 0.01, 5.0, 5.0, 100.0]
    return np.array(own + [1.0] * len(LENGTHS))


def _projected(p: F64, xyz: F64, like: Camera) -> F64:
    """Returns pixels (k, n, 2) of board points (k, n, 3) under parameters (k, 24), like `Camera.to_pixels`."""
    q = xyz @ _rotations(p, like).transpose(0, 2, 1) + p[:, None, PLACE]
    x, y = q[..., 0] / q[..., 2], q[..., 1] / q[..., 2]
    f, aspect, cx, cy, k1, k2, p1, p2 = (p[:, i, None] for i in range(SOLVE_TURN.start))
    rr = x * x + y * y
    bend = 1 + rr * (k1 + rr * (k2 + rr * like.dist[4]))
    f = np.exp(f)
    u = f * (x * bend + 2 * p1 * x * y + p2 * (rr + 2 * x * x)) + cx
    v = f * aspect * (y * bend + p1 * (rr + 2 * y * y) + 2 * p2 * x * y) + cy
    return np.stack([u, v], -1)


def _rotations(p: F64, like: Camera) -> F64:
    """Returns rotations (k, 3, 3) from board to camera for parameters (k, 24)."""
    return np.array([cv2.Rodrigues(row)[0] for row in p[:, SOLVE_TURN]]) @ like.r


def _residuals(p: F64, like: Camera, observations: MarkObservations) -> F64:
    """Returns residuals (k, n) px across the marks: measured minus modelled by the parameters (k, 24)."""
    longer = p[:, CAMERA_SIZE:] - observations.layout.vector()
    xyz = observations.points + np.tensordot(longer, observations.moves, (1, 1))
    off = observations.pixels - _projected(p, xyz, like)
    return np.asarray(off[..., 0] * observations.normals[:, 0] + off[..., 1] * observations.normals[:, 1])


def _camera_deviations(p: F64, like: Camera, prior: CameraPrior) -> F64:
    """Returns deviations (k, 5), in sigmas: height, pixel aspect, principal point (x, y), focal length."""
    height = np.einsum("ki,ki->k", _rotations(p, like)[:, :, 2], p[:, PLACE])
    return np.stack([np.log(np.maximum(np.abs(height), 1.0) / prior.height_mm) / prior.height,
                     (p[:, ASPECT] - 1) / prior.pixel, (p[:, CX] - (like.width - 1) / 2) / (prior.centre * like.width),
                     (p[:, CY] - (like.height - 1) / 2) / (prior.centre * like.width),
                     (p[:, FOCAL] - math.log(prior.focal_px)) / prior.focal], 1)  # fmt: skip


def _prior_residuals(p: F64, like: Camera, book: MarkLayout, prior: CameraPrior) -> F64:
    """Returns the prior's residuals (k, 19 or 27) of camera and lengths, in sigmas."""
    off = p[:, CAMERA_SIZE:] - book.vector()
    rear, front, half, circle_y, pocket, radius = (
        LENGTHS.index(n) for n in ("rear", "front", "half", "circle_y", "pocket", "pocket_radius"))  # fmt: skip
    off[:, circle_y] -= (off[:, rear] + off[:, front]) / 2
    off[:, pocket] += off[:, radius] - off[:, half]
    k1, k2, p1, p2 = p[:, RADIAL1 : SOLVE_TURN.start].T
    edge = (like.width / 2 * np.exp(-p[:, FOCAL])) ** 2
    bend = np.stack([(k1 * edge - BEND) / BEND_SPREAD, (k2 - K2_SHARE * k1) / K2_SPREAD, p1 / TANGENTIAL_SPREAD,
                     p2 / TANGENTIAL_SPREAD], 1)  # fmt: skip
    off = off / np.array([LENGTH_SPREAD[n] if n != "half" else prior.half_mm for n in LENGTHS])
    held = LENGTHS.index("wall")
    drawn = np.concatenate([_cauchy(np.delete(off, held, 1)), off[:, held : held + 1]], 1)
    unlike = _camera_deviations(p, like, prior)
    return np.concatenate([_quadratic(unlike[:, :1]), unlike[:, 1:], bend, drawn, _off_sheet(p, prior.sheet)], 1)


def _off_sheet(p: F64, sheet: Lens | None) -> F64:
    """Returns deviations (k, 8) of the lens from the sheet's, in independent sigmas; (k, 0) if there is no sheet."""
    if sheet is None or sheet.information is None:
        return np.zeros((len(p), 0))
    return np.asarray((p[:, : SOLVE_TURN.start] - sheet.parameters) @ np.linalg.cholesky(sheet.information))


def _quadratic(off: F64) -> F64:
    """Returns residuals whose loss in `minimise` stays quadratic in `off` (sigmas) at any size.

    A few wrong marks thus cannot pull the camera to an absurd height.
    """
    return np.asarray(off * np.sqrt(1.0 + (off / (2 * SOLVE_SOFT)) ** 2))


def _cauchy(off: F64) -> F64:
    """Returns residuals whose squares are the Cauchy loss of `off` (sigmas), so that outliers do not pull the
    others.
    """
    return np.asarray(np.sign(off) * np.sqrt(np.log1p(off**2)))
