"""Discs lying on the board: what is known of one, and its place by its outline."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.camera import F64, Camera
from calibration.picture import Picture

RAYS = 72
RAY_REACH = 4.0
"""Edges are sought this far (mm) to both sides of the expected outline."""
RAY_STEP = 0.25
RIM_UPPER, RIM_LOWER = 0.73, 0.14
"""A piece is widest between these shares of its height; measured on outlines of 500 discs seen aslant."""
SIGMA_TIMES = 2.3
"""True errors are this many times what the scatter of a disc's own edges promises: grain and shade lie in common."""
LIGHT_ABOVE = 85.0
"""A top face lighter than this percentage of the board stands out from its own darker wall, a dark one does not."""
WALL_MM = 1.5
"""Rays that cross this much of a disc's wall count half: top and bottom rim both draw an edge there."""


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
    excess: float = 0.0
    """How far (mm) the rim's edges lie outside the outline of a disc of this radius."""

    @property
    def tint(self) -> F64:
        """The top face (3,) relative to the board around it, as `calibration.profile.Colour` has it."""
        return relative(self.colour, self.ground)


def relative(colour: tuple[float, float, float], ground: tuple[float, float, float]) -> F64:
    """Luma, blue and red difference (3,) in percent of the ground's luma."""
    y, u, v = colour
    return np.array([y, u - 128.0, v - 128.0]) * (100.0 / max(ground[0], 8.0))


def outline(camera: Camera, centre: F64, radius: F64, height: F64) -> tuple[F64, F64]:
    """Distance (n, RAYS) mm from each disc's middle to its outline, on the plane of its top face, and to its upper rim.

    Rims are rounded, so the outline is that of two circles of the full radius, a little below the top and above the
    board, each shifted on that plane towards the point below the lens by its depth beneath it.
    """
    angle = np.arange(RAYS) * (2 * np.pi / RAYS)
    n = np.stack([np.cos(angle), np.sin(angle)])
    eye = camera.position
    towards = (eye[:2] - centre) * (height / eye[2])[:, None]
    upper, lower = (_circle(n, towards * depth, radius) for depth in (1 - RIM_UPPER, 1 - RIM_LOWER))
    return np.maximum(upper, lower), upper


def _circle(n: F64, shift: F64, radius: F64) -> F64:
    """Distance (k, RAYS) along directions n (2, RAYS) to circles whose middles are shifted by (k, 2)."""
    along = shift @ n
    across = np.sum(shift**2, 1)[:, None] - along**2
    return np.asarray(along + np.sqrt(np.maximum(radius[:, None] ** 2 - across, 0.0)))


def refine(picture: Picture, camera: Camera, discs: list[Disc], height: F64 | float, rounds: int = 3) -> list[Disc]:
    """The discs moved to where the edges around them fit their outline best; `sigma` says how well.

    `height` is each disc's top height in mm. A disc with too few edges keeps its place and a large sigma.
    """
    if not discs:
        return []
    centre = np.array([(d.x, d.y) for d in discs])
    radius = np.array([d.radius for d in discs])
    heights = np.broadcast_to(np.asarray(height, np.float64), (len(discs),))
    light = np.array([d.tint[0] > LIGHT_ABOVE for d in discs])[:, None]
    sigma, excess = np.full(len(discs), 1.0), np.zeros(len(discs))
    for _ in range(rounds):
        outer, upper = outline(camera, centre, radius, heights)
        expected = np.where(light, upper, outer)
        offset, weight = _edges(picture, camera, centre, expected, heights)
        for i in range(len(discs)):
            move, excess[i], sigma[i] = _fit(offset[i], weight[i], outer[i] - upper[i])
            centre[i] += move
    found = zip(discs, centre.tolist(), sigma.tolist(), excess.tolist(), strict=True)
    return [replace(d, x=x, y=y, sigma=s, excess=e) for d, (x, y), s, e in found]


def _edges(picture: Picture, camera: Camera, centre: F64, expected: F64, height: F64) -> tuple[F64, F64]:
    """Where the strongest edge lies on each ray: offset (n, RAYS) mm from the expected outline and its strength."""
    angle = np.arange(RAYS) * (2 * np.pi / RAYS)
    n = np.stack([np.cos(angle), np.sin(angle)], -1)
    steps = np.arange(-RAY_REACH, RAY_REACH + RAY_STEP / 2, RAY_STEP)
    rho = expected[..., None] + steps
    points = centre[:, None, None, :] + rho[..., None] * n[None, :, None, :]
    px = camera.to_pixels(points.reshape(-1, 2), np.repeat(height, RAYS * len(steps)))
    px = px.reshape(-1, RAYS * len(steps), 2).astype(np.float32)
    shape = (len(centre), RAYS, len(steps))
    slope = np.zeros(shape)
    for plane, gain, scale in ((picture.y, 1.0, 1.0), (picture.u, 2.0, 0.5), (picture.v, 2.0, 0.5)):
        at = (px + 0.5) * scale - 0.5
        value = cv2.remap(plane, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        smooth = cv2.GaussianBlur(value.reshape(-1, len(steps)).astype(np.float32), (5, 1), 0.8).reshape(shape)
        slope += (gain * np.gradient(smooth, axis=2)) ** 2
    strength = np.sqrt(slope) * np.exp(-0.5 * (steps / 2.5) ** 2)
    best = strength.argmax(2)
    window = np.clip(best[..., None] + np.arange(-2, 3), 0, len(steps) - 1)
    local = np.take_along_axis(strength, window, 2)
    total = local.sum(2)
    offset = (local * steps[window]).sum(2) / np.maximum(total, 1e-9)
    return offset, np.take_along_axis(strength, best[..., None], 2)[..., 0]


def _fit(offset: F64, strength: F64, wall: F64) -> tuple[F64, float, float]:
    """Shift (2,) mm of a circle and growth of its radius that explain the edge offsets (RAYS,); the shift's sigma.

    `wall` (RAYS,) is how far the outline lies beyond the top face; an edge there may be the one or the other.
    """
    angle = np.arange(RAYS) * (2 * np.pi / RAYS)
    a = np.stack([np.cos(angle), np.sin(angle), np.ones(RAYS)], -1)
    base = np.minimum(strength / (np.median(strength) + 1e-9), 1.5) / (1 + (wall / WALL_MM) ** 2)
    weight = base.copy()
    solution = np.zeros(3)
    for _ in range(5):
        aw = a * weight[:, None]
        solution = np.linalg.solve(aw.T @ a + 1e-6 * np.eye(3), aw.T @ offset)
        residual = offset - a @ solution
        scale = 1.4826 * np.median(np.abs(residual)) + 0.05
        weight = base / (1 + (residual / (1.5 * scale)) ** 2) ** 2
    effective = weight.sum() / max(base.max(), 1e-9)
    sigma = float(scale / np.sqrt(max(effective, 3.0) / 2))
    move = solution[:2]
    length = float(np.hypot(*move))
    shift = np.asarray(move if length <= 3.0 else move * (3.0 / length))
    return shift, float(solution[2]), SIGMA_TIMES * max(sigma, 0.05)
