"""Finds circles of a piece's size in the board's edge field and measures the edges along their rims.

Input: an edge field on a lattice of the playing surface. Output: `Ring`s, whatever draws them: pieces or prints. Rings
cost little. Colours are measured later, only for those that may be pieces (`referee.pieces.disc`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np

from calibration.geometry.camera import Camera
from calibration.geometry.lattice import Lattice
from calibration.rings import F32, apart, peaks

SCAN_STEP = 1.0
"""Spacing of the lattice that is searched for circles, in mm."""
LEAST_RESPONSE = 0.25
"""Least ring response of a circle. A coin reaches it even if pale on pale wood or half under a finger."""
PEAK_APART = 9.0
"""Least distance of two circles, in mm; nearer ones are the same. A coin may lie this near to a printed circle."""
CIRCLE_SEARCH_SECTORS = 48
"""Number of sectors along a rim."""
RIM_SLACK = np.arange(-2.0, 3.0)
"""Offsets from a rim, in mm outward, at which its edge is searched."""


@dataclass(frozen=True, slots=True)
class Ring:
    """A circle in the picture, drawn by a piece or by a print."""

    x: float
    y: float
    """Centre in board mm, at the height of the coins' top faces."""
    radius: float
    """Radius, mm."""
    response: float
    """Ring response: share of the ring along which there is an edge, -1..1."""
    support: float = 0.0
    """Lower quartile of the edge strength along the rim, -1..1."""


@lru_cache(maxsize=2)
def scan_lattice(camera: Camera, half_mm: float, height_mm: float) -> Lattice:
    """Returns the lattice that is searched: the playing surface at the height of the coins' tops.

    Cached, because laying it out takes a quarter of a second and every search with one camera needs the same.
    """
    return Lattice.over(camera, half_mm + 15.0, SCAN_STEP, height_mm)


def find_rings(lattice: Lattice, responses: Iterable[tuple[float, F32]], reach: float,
               middle: tuple[float, float] = (0.0, 0.0)) -> list[Ring]:  # fmt: skip
    """Returns circles of several radii, best response first, whose rims lie within about +-`reach` mm of `middle`.

    `responses`: radii (mm), each with its response (n, n). Of circles nearer than `PEAK_APART` only the best is
    returned.
    """
    found: list[tuple[float, float, float, float]] = []
    for radius, response in responses:
        spots = peaks(response, LEAST_RESPONSE, PEAK_APART / lattice.step)
        for (x, y), (c, r) in zip(lattice.to_board(spots), spots, strict=True):
            if max(abs(x - middle[0]), abs(y - middle[1])) <= reach - radius + 3.0:
                found.append((float(response[r, c]), radius, float(x), float(y)))
    found.sort(reverse=True)
    chosen = apart(np.array([f[2:] for f in found]).reshape(-1, 2), PEAK_APART)
    return [Ring(x, y, radius, response) for response, radius, x, y in (found[i] for i in chosen)]


def measure_rims(lattice: Lattice, field: tuple[F32, F32], rings: Sequence[Ring]) -> list[Ring]:
    """Returns the circles with their rim support in an edge field: of each sector's strongest edge near the rim."""
    if not rings:
        return []
    angle = np.arange(CIRCLE_SEARCH_SECTORS) * (2 * np.pi / CIRCLE_SEARCH_SECTORS)
    middles, radii = np.array([(r.x, r.y) for r in rings]), np.array([r.radius for r in rings])
    reach = (radii[:, None] + RIM_SLACK)[..., None, None] * np.stack([np.cos(angle), np.sin(angle)], -1)
    at = lattice.to_cells((middles[:, None, None] + reach).reshape(-1, 2)).astype(np.float32)
    at = at.reshape(-1, CIRCLE_SEARCH_SECTORS, 2)
    cos2, sin2 = (cv2.remap(part, at[..., 0], at[..., 1], cv2.INTER_LINEAR) for part in field)
    edges = (cos2 * np.cos(2 * angle) - sin2 * np.sin(2 * angle)).reshape(reach.shape[:3]).max(1)
    support = np.sort(edges, 1)[:, CIRCLE_SEARCH_SECTORS // 4]
    return [replace(ring, support=s) for ring, s in zip(rings, support.tolist(), strict=True)]
