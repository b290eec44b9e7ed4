"""Finds circles of a piece's size in the board's edge field and measures the edges along their rims.

Input: an edge field on a lattice of the playing surface. Output: `Ring`s, whatever draws them: pieces or prints. Rings
cost little. Colours are measured later, only for those that may be pieces (`referee.pieces.features`).
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
"""Spacing of the lattice that is searched for circles, in mm."""
LEAST_RESPONSE = 0.25
"""Least ring response of a circle. A coin reaches it even if pale on pale wood or half under a finger."""
PEAK_APART = 9.0
"""Least distance of two circles, in mm; nearer ones are the same. A coin may lie this near to a printed circle."""
CIRCLE_SEARCH_SECTORS = 48
CIRCLE_SEARCH_LEAST_CLEAR = 10
"""Least number of sectors off the prints; with fewer, the edges of all sectors count. A rim has
`CIRCLE_SEARCH_SECTORS`."""
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
    """Lower quartile of the edge strength, -1..1, over the sectors off the prints; over those that are off the holes
    too if that is more."""


@lru_cache(maxsize=2)
def scan_lattice(camera: Camera, half_mm: float, height_mm: float) -> Lattice:
    """Returns the lattice that is searched: the playing surface at the height of the coins' tops.

    Cached, because laying it out takes a quarter of a second and every search with one camera needs the same.
    """
    return Lattice.over(camera, half_mm + 15.0, SCAN_STEP, height_mm)


def mask_prints(field: tuple[F32, F32], prints: NDArray[np.uint8]) -> tuple[F32, F32]:
    """Returns an edge field set to 0 where `prints` (n, n) is not 0."""
    return np.where(prints > 0, np.float32(0), field[0]), np.where(prints > 0, np.float32(0), field[1])


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


def measure_rims(lattice: Lattice, field: tuple[F32, F32], prints: NDArray[np.uint8], rings: Sequence[Ring],
              holes: NDArray[np.uint8] | None = None) -> list[Ring]:  # fmt: skip
    """Returns the circles with their rim support, measured off the prints where enough of a rim lies off them.

    `field`: edge field. `prints` (n, n): not 0 where lines are printed. `holes` (n, n): not 0 where there is no board,
    on which the rim of a dark disc may show no edge.
    """
    if not rings:
        return []
    edges, clear = sector_edges(lattice, field, rings), unprinted_sectors(lattice, prints, rings)
    support = _lower_quartile(edges, clear)
    if holes is not None:
        support = np.maximum(support, _lower_quartile(edges, clear & unprinted_sectors(lattice, holes, rings)))
    return [replace(ring, support=s) for ring, s in zip(rings, support.tolist(), strict=True)]


def _lower_quartile(edges: F32, asked: NDArray[np.bool_]) -> F32:
    """Returns the lower quartile (k,) of edges (k, SECTORS) over the sectors asked, or over all where these are too
    few.
    """
    asked = asked | (asked.sum(1) < CIRCLE_SEARCH_LEAST_CLEAR)[:, None]
    return np.asarray(np.sort(np.where(asked, edges, np.inf), 1)[np.arange(len(edges)), asked.sum(1) // 4], np.float32)


def unprinted_sectors(lattice: Lattice, prints: NDArray[np.uint8], rings: Sequence[Ring]) -> NDArray[np.bool_]:
    """Tells which sectors (k, SECTORS) of each rim lie off the prints."""
    at = np.round(_rims(lattice, rings, np.zeros(1))[:, 0]).astype(int)
    rows, columns = (np.clip(at[..., i], 0, lattice.shape[1 - i] - 1) for i in (1, 0))
    return np.asarray(prints[rows, columns] == 0)


def sector_edges(lattice: Lattice, field: tuple[F32, F32], rings: Sequence[Ring]) -> F32:
    """Returns the strongest edge (k, SECTORS) near each rim by sector, -1..1; 1 is a clear edge along the rim."""
    return np.asarray(_edges_along(lattice, field, rings, RIM_SLACK).max(1), np.float32)


def _edges_along(lattice: Lattice, field: tuple[F32, F32], rings: Sequence[Ring], slack: F64) -> F64:
    """Returns the edge strength (k, len(slack), SECTORS) along circles `slack` mm wider than the rings, by sector."""
    angle = _angles()
    at = _rims(lattice, rings, slack).astype(np.float32).reshape(-1, CIRCLE_SEARCH_SECTORS, 2)
    cos2, sin2 = (cv2.remap(part, at[..., 0], at[..., 1], cv2.INTER_LINEAR) for part in field)
    along = cos2 * np.cos(2 * angle) - sin2 * np.sin(2 * angle)
    return np.asarray(along.reshape(len(rings), len(slack), CIRCLE_SEARCH_SECTORS))


def ring_responses_at(lattice: Lattice, field: tuple[F32, F32], rings: Sequence[Ring]) -> list[float]:
    """Returns the ring response, -1..1, of single rings at given places, as the search computes it for all places."""
    if not rings:
        return []
    slack = np.arange(-2.0, 2.5) * RINGS_RIM_MM * lattice.step
    weight = np.exp(-0.5 * (slack / (RINGS_RIM_MM * lattice.step)) ** 2)
    along = _edges_along(lattice, field, rings, slack).mean(2) @ (weight / weight.sum())
    return [float(value) for value in along]


def _rims(lattice: Lattice, rings: Sequence[Ring], slack: F64) -> F64:
    """Returns lattice cells (k, len(slack), SECTORS, 2) on circles around the rings' centres, `slack` mm wider than the
    rings.
    """
    angle = _angles()
    unit: F64 = np.stack([np.cos(angle), np.sin(angle)], -1)
    middles = np.array([(r.x, r.y) for r in rings])
    reach = np.array([r.radius for r in rings])[:, None] + slack
    points = middles[:, None, None] + reach[..., None, None] * unit
    return lattice.to_cells(points.reshape(-1, 2)).reshape(points.shape)


def _angles() -> F64:
    return np.asarray(np.arange(CIRCLE_SEARCH_SECTORS) * (2 * np.pi / CIRCLE_SEARCH_SECTORS), np.float64)
