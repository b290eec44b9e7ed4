"""Circles of a piece's size sought in a look at the board, and what their rims show.

Finding them costs little beside describing them. That is left to those that may be pieces (`referee.pieces.features`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64, Camera
from calibration.geometry.lattice import Lattice
from calibration.rings import F32, RINGS_RIM_MM, apart, peaks

SCAN_STEP = 1.0
"""Spacing (mm) of the lattice that is searched for circles."""
LEAST_RESPONSE = 0.25
"""A real coin, even pale on pale wood or half under a finger, draws at least this much of its ring."""
PEAK_APART = 9.0
"""Two candidates nearer than this (mm) are the same circle; a coin may lie this near to a printed one."""
CIRCLE_SEARCH_SECTORS = 48
CIRCLE_SEARCH_LEAST_CLEAR = 10
"""Sectors of a rim that must be clear of prints for those alone to be asked whether an edge is there."""
RIM_SLACK = np.arange(-2.0, 3.0)
"""Distances (mm) from a rim at which its edge may lie."""


@dataclass(frozen=True, slots=True)
class Ring:
    """A circle drawn in the picture; whatever draws it."""

    x: float
    y: float
    """Centre, board mm, taken at the top face's height."""
    radius: float
    """mm."""
    response: float
    """How much of the ring is drawn, -1..1."""
    support: float = 0.0
    """Edge in the lower quartile of the directions in which the rim is clear of prints, and of holes if that is more,
    -1..1.
    """


@lru_cache(maxsize=2)
def scan_lattice(camera: Camera, half_mm: float, height_mm: float) -> Lattice:
    """The lattice that is searched: the playing surface at the coins' top height.

    Kept, since laying it out costs a quarter of a second and every census of one camera needs the same.
    """
    return Lattice.over(camera, half_mm + 15.0, SCAN_STEP, height_mm)


def without_prints(field: tuple[F32, F32], prints: NDArray[np.uint8]) -> tuple[F32, F32]:
    """An edge field in which printed lines (`prints` not 0) draw nothing."""
    return np.where(prints > 0, np.float32(0), field[0]), np.where(prints > 0, np.float32(0), field[1])


def find_rings(lattice: Lattice, responses: Iterable[tuple[float, F32]], reach: float,
               middle: tuple[float, float] = (0.0, 0.0)) -> list[Ring]:  # fmt: skip
    """Circles of several radii (mm) by their responses (n, n), best first, wholly within about +-reach mm of `middle`.

    Where circles of several radii overlap on one middle, the radius that is drawn best is kept.
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


def with_rims(lattice: Lattice, field: tuple[F32, F32], prints: NDArray[np.uint8], rings: Sequence[Ring],
              holes: NDArray[np.uint8] | None = None) -> list[Ring]:  # fmt: skip
    """The circles with what their rims show, where no print may draw it if enough of a rim is clear of prints.

    `field` is the look's edge field, `prints` (n, n) is not 0 where lines are printed, `holes` where no board lies: a
    dark rim may not show there.
    """
    if not rings:
        return []
    edges, clear = rim_edges(lattice, field, rings), clear_rims(lattice, prints, rings)
    support = _lower_quartile(edges, clear)
    if holes is not None:
        support = np.maximum(support, _lower_quartile(edges, clear & clear_rims(lattice, holes, rings)))
    return [replace(ring, support=s) for ring, s in zip(rings, support.tolist(), strict=True)]


def _lower_quartile(edges: F32, asked: NDArray[np.bool_]) -> F32:
    """Of the edges (k, SECTORS) in the directions asked; in all where too few are."""
    asked = asked | (asked.sum(1) < CIRCLE_SEARCH_LEAST_CLEAR)[:, None]
    return np.asarray(np.sort(np.where(asked, edges, np.inf), 1)[np.arange(len(edges)), asked.sum(1) // 4], np.float32)


def clear_rims(lattice: Lattice, prints: NDArray[np.uint8], rings: Sequence[Ring]) -> NDArray[np.bool_]:
    """Which sectors (k, SECTORS) of each rim lie on no print."""
    at = np.round(_rims(lattice, rings, np.zeros(1))[:, 0]).astype(int)
    rows, columns = (np.clip(at[..., i], 0, lattice.shape[1 - i] - 1) for i in (1, 0))
    return np.asarray(prints[rows, columns] == 0)


def rim_edges(lattice: Lattice, field: tuple[F32, F32], rings: Sequence[Ring]) -> F32:
    """The best edge (k, SECTORS) near each rim in each direction, -1..1: 1 for a clear edge along the rim."""
    return np.asarray(_along(lattice, field, rings, RIM_SLACK).max(1), np.float32)


def _along(lattice: Lattice, field: tuple[F32, F32], rings: Sequence[Ring], slack: F64) -> F64:
    """The edge along the rim (k, len(slack), SECTORS) in each direction, `slack` mm outside of it."""
    angle = _angles()
    at = _rims(lattice, rings, slack).astype(np.float32).reshape(-1, CIRCLE_SEARCH_SECTORS, 2)
    cos2, sin2 = (cv2.remap(part, at[..., 0], at[..., 1], cv2.INTER_LINEAR) for part in field)
    along = cos2 * np.cos(2 * angle) - sin2 * np.sin(2 * angle)
    return np.asarray(along.reshape(len(rings), len(slack), CIRCLE_SEARCH_SECTORS))


def drawn(lattice: Lattice, field: tuple[F32, F32], rings: Sequence[Ring]) -> list[float]:
    """How well each ring is drawn where it lies, -1..1: what the search calls its response, asked of single rings."""
    if not rings:
        return []
    slack = np.arange(-2.0, 2.5) * RINGS_RIM_MM * lattice.step
    weight = np.exp(-0.5 * (slack / (RINGS_RIM_MM * lattice.step)) ** 2)
    along = _along(lattice, field, rings, slack).mean(2) @ (weight / weight.sum())
    return [float(value) for value in along]


def _rims(lattice: Lattice, rings: Sequence[Ring], slack: F64) -> F64:
    """Lattice cells (k, len(slack), SECTORS, 2) on circles about the rings' middles, `slack` mm wider than they."""
    angle = _angles()
    unit: F64 = np.stack([np.cos(angle), np.sin(angle)], -1)
    middles = np.array([(r.x, r.y) for r in rings])
    reach = np.array([r.radius for r in rings])[:, None] + slack
    points = middles[:, None, None] + reach[..., None, None] * unit
    return lattice.to_cells(points.reshape(-1, 2)).reshape(points.shape)


def _angles() -> F64:
    return np.asarray(np.arange(CIRCLE_SEARCH_SECTORS) * (2 * np.pi / CIRCLE_SEARCH_SECTORS), np.float64)
