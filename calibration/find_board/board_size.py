"""Which board it is: marks of one proportion are drawn on boards of several sizes, so the coins have their say too.

A camera explains a 60 cm board as well as one of 74 cm that hangs lower; but then the distance of the two base lines,
the base circles or the coins come out larger than anybody makes them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.fit_board.mark_samples import MarkLayout, layout_of
from calibration.geometry.camera import F64, Camera
from calibration.geometry.lattice import Lattice
from calibration.geometry.picture import Picture
from calibration.rings import edge_field, peaks, ring_response
from models.board import BoardModel

LENGTH_SIGMA_MM = {"rear": 1.5, "gap": 1.5, "circle_x": 1.5, "ring": 1.0, "pocket_radius": 2.5, "wall": 3.0}
"""How far (one sigma) makers' boards lie from their book, with the error of measuring them."""
COIN_SIGMA_MM = 1.2
"""The same of the coins' radius: turned grooves and contact shadows draw rings beside the rim."""
PLAUSIBLE = 14.0
"""Squared sigmas up to which a model may explain a board: two makers' boards of one model reach 13, boards of no known
one 19 and more."""
SIZE_BEYOND_DOUBT = 3.0
"""A model that explains a board this well needs no comparing: others that fit the same marks reach 6 and more, even
where no coins lie."""
SIZE_CLEARLY = 6.0
"""A model is told from the next one when it explains the board by this many squared sigmas better."""
COIN_RADII_MM = np.arange(12.5, 21.6, 0.5)
"""From the coins of a 74 cm board taken for 60 cm to the reverse."""
SIZE_STEP_MM = 1.5
COIN_RESPONSE = 0.45
"""Rings drawn less well than this may be anything."""
SIZE_LEAST_RINGS = 0.5
"""Sum of the rings' responses above that level, about two plain coins, from which a size is told."""
ALIKE_MM = 5.0
"""Print before each side lies alike to so much, seen as if it were at the coins' height; coins of a formation, 8."""
PRINT_MM = 8.0
"""Rings this near to the middle of a printed circle, or to the middle between base lines, may be the print."""


@dataclass(frozen=True, slots=True)
class RingSize:
    """The radius (mm) of most of the rings that may be pieces."""

    radius: float
    alone: bool = False
    """Whether one of them counts for most, which may be the striker's."""

    def scaled(self, ratio: float) -> RingSize:
        """The same in other millimetres."""
        return replace(self, radius=self.radius * ratio)

    def misfit(self, model: BoardModel) -> float:
        """How far (squared sigmas) it is from a piece's of `model`."""
        sizes = [model.coin_radius, model.striker_radius] if self.alone else [model.coin_radius]
        return min(((self.radius - size) / COIN_SIGMA_MM) ** 2 for size in sizes)


def misfit(layout: MarkLayout, model: BoardModel, rings: RingSize | None) -> float:
    """How far (squared sigmas) measured lengths and rings lie from those of `model`, by which they were measured.

    A coarse picture shows no wood between ring and disc, and either for the other: the larger one is the ring.
    """
    book = layout_of(model)
    off = {name: getattr(layout, name) - getattr(book, name) for name in LENGTH_SIGMA_MM if name != "gap"}
    off["ring"] = max(layout.ring, layout.disc) - book.ring
    off["gap"] = (layout.rear - layout.front) - (book.rear - book.front)
    total = sum((off[name] / sigma) ** 2 for name, sigma in LENGTH_SIGMA_MM.items())
    return float(total + (rings.misfit(model) if rings else 0.0))


def ring_size(picture: Picture, camera: Camera, layout: MarkLayout, height_mm: float) -> RingSize | None:
    """The size of the pieces' rings seen with their tops `height_mm` high; None when there are too few."""
    lattice = Lattice.over(camera, layout.half, SIZE_STEP_MM, height_mm)
    field = edge_field(lattice.sample(picture))
    sums, others = [], []
    for radius in COIN_RADII_MM:
        response = ring_response(field, radius / SIZE_STEP_MM)
        spots = peaks(response, COIN_RESPONSE, 14.0 / SIZE_STEP_MM)
        places = lattice.to_board(spots)
        drawn = _fourfold(places)
        rings = [float(response[r, c]) for (c, r), at, fours in zip(spots, places, drawn, strict=True)
                 if not fours and not _printed(at, layout)]  # fmt: skip
        sums.append(sum(rings) - COIN_RESPONSE * len(rings))
        others.append(sums[-1] - max(rings, default=COIN_RESPONSE) + COIN_RESPONSE)
    best = int(np.argmax(sums))
    if sums[best] <= SIZE_LEAST_RINGS:
        return None
    return RingSize(float(COIN_RADII_MM[best]), others[best] <= SIZE_LEAST_RINGS)


def _fourfold(places: F64) -> NDArray[np.bool_]:
    """Which rings (n,) of places (n, 2) mm lie there before each side alike, as print does: arrows' arcs, a star."""
    turned = np.stack([places, places[:, ::-1] * (-1.0, 1.0), -places, places[:, ::-1] * (1.0, -1.0)])
    far = np.linalg.norm(turned[:, :, None] - places, axis=3)
    return np.asarray((far.min(axis=2, initial=np.inf) < ALIKE_MM).all(axis=0))


def _printed(at: F64, layout: MarkLayout) -> bool:
    """Whether a ring about a point (2,) mm may be a pocket, a printed circle or two base lines a coin's width apart."""
    x, y = np.abs(at)
    if np.hypot(x, y) < PRINT_MM or np.hypot(x - layout.pocket, y - layout.pocket) < layout.pocket_radius:
        return True
    far, near = max(x, y), min(x, y)
    return bool(abs(far - layout.circle_y) < PRINT_MM and near < layout.circle_x + PRINT_MM)
