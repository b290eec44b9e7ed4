"""Measures how well a board model explains the measured mark lengths and the size of the coins.

Boards of several sizes have marks of the same proportions, and a picture fits a 60 cm board as well as one of 74 cm
seen from farther away. With the wrong size the distance of the two base lines, the base circles or the coins come out
at sizes that nobody makes. Misfits are sums of squared sigmas.
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
"""Standard deviations (mm) of the lengths of real boards from their book, measuring error included."""
COIN_SIGMA_MM = 1.2
"""Standard deviation (mm) of the coins' measured radius: grooves and contact shadows draw rings beside the rim."""
PLAUSIBLE = 14.0
"""Misfit up to which a model may explain a board: two makers' boards of one model reach 13, boards of no known model 19
and more."""
SIZE_BEYOND_DOUBT = 3.0
"""Misfit below which no other model is tried: others that fit the same marks reach 6 and more, even without coins."""
SIZE_CLEARLY = 6.0
"""Lead in squared sigmas over the next model at which a model is sure."""
COIN_RADII_MM = np.arange(12.5, 21.6, 0.5)
"""Coin radii tried: from a 74 cm board's coins if taken for 60 cm to the reverse."""
SIZE_STEP_MM = 1.5
COIN_RESPONSE = 0.45
"""Least `ring_response` of a coin's ring."""
SIZE_LEAST_RINGS = 0.5
"""Sum of the rings' responses above that level, about two clear coins, that a size needs."""
FOURFOLD_MM = 5.0
"""Distance (mm) up to which rings repeat with fourfold symmetry, as print does when projected at the coins' height;
coins of a formation repeat to 8."""
PRINT_MM = 8.0
"""Distance (mm) of a ring from a printed circle's centre, or from the middle between base lines, up to which it may be
the print."""


@dataclass(frozen=True, slots=True)
class RingSize:
    """The most frequent radius (mm) of the rings that may be pieces."""

    radius: float
    alone: bool = False
    """Whether the radius rests on a single ring, which may be the striker's."""

    def scaled(self, ratio: float) -> RingSize:
        """Returns the size multiplied by `ratio`."""
        return replace(self, radius=self.radius * ratio)

    def misfit(self, model: BoardModel) -> float:
        """Returns the squared deviation, in sigmas, from the coin's radius of `model`, or the striker's if `alone`."""
        sizes = [model.coin_radius, model.striker_radius] if self.alone else [model.coin_radius]
        return min(((self.radius - size) / COIN_SIGMA_MM) ** 2 for size in sizes)


def misfit(layout: MarkLayout, model: BoardModel, rings: RingSize | None) -> float:
    """Returns the misfit (squared sigmas) of lengths and rings, measured in the scale of `model`, to that model.

    In a coarse picture ring and disc merge and may be swapped: the larger one is taken for the ring.
    """
    book = layout_of(model)
    off = {name: getattr(layout, name) - getattr(book, name) for name in LENGTH_SIGMA_MM if name != "gap"}
    off["ring"] = max(layout.ring, layout.disc) - book.ring
    off["gap"] = (layout.rear - layout.front) - (book.rear - book.front)
    total = sum((off[name] / sigma) ** 2 for name, sigma in LENGTH_SIGMA_MM.items())
    return float(total + (rings.misfit(model) if rings else 0.0))


def ring_size(picture: Picture, camera: Camera, layout: MarkLayout, height_mm: float) -> RingSize | None:
    """Measures the radius of the pieces' rings, at a top height of `height_mm`; returns None if there are too few."""
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
    """Tells which places (n, 2) mm repeat with fourfold symmetry, as print does (arrows' arcs, a star)."""
    turned = np.stack([places, places[:, ::-1] * (-1.0, 1.0), -places, places[:, ::-1] * (1.0, -1.0)])
    far = np.linalg.norm(turned[:, :, None] - places, axis=3)
    return np.asarray((far.min(axis=2, initial=np.inf) < FOURFOLD_MM).all(axis=0))


def _printed(at: F64, layout: MarkLayout) -> bool:
    """Tells whether a ring centred at (2,) mm may be a pocket, a printed circle or two base lines."""
    x, y = np.abs(at)
    if np.hypot(x, y) < PRINT_MM or np.hypot(x - layout.pocket, y - layout.pocket) < layout.pocket_radius:
        return True
    far, near = max(x, y), min(x, y)
    return bool(abs(far - layout.circle_y) < PRINT_MM and near < layout.circle_x + PRINT_MM)
