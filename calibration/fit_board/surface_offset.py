"""How large the playing surface is and where it lies beside its prints: cushions and pockets, each for itself.

The prints hold the camera, and by the book they lie about the middle between the cushions. On home-made and mended
boards they lie up to a centimetre aside: a square about their middle fits no two opposite cushions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.fit_board.edge_colour import Planes
from calibration.fit_board.fit import Fit
from calibration.fit_board.surface_size import (
    SURFACE_COST_PER_MM,
    SURFACE_STEP_MM,
    TIE,
    WHOLE_RADII,
    quarters_drawn,
    rim_drawn,
    sides_drawn,
)
from calibration.geometry.camera import F64
from calibration.geometry.picture import Picture
from calibration.geometry.top_view import Above
from calibration.profile import Point
from models.pieces import Pocket

GROWS, OFFSET_ASIDE = 14, 9
"""The surface is larger or smaller than was supposed, and lies aside, by so many steps of `SURFACE_STEP_MM` at most."""
BENT = 3
"""A cushion, seen with the shade beside it, may lie so many steps from the side of a square."""
OFFSET_ASIDE_COST = 0.01
"""What each step aside costs: most boards are printed about their middle."""
POCKETS = 3.0
"""Rims of whole pockets count so many times: cushions are seen with their shade and with what is worn off beside them.
Those of quarters go with a surface of any size, with another radius each."""

Steps = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SurfaceOffset:
    """A square that touches the cushions."""

    half: float
    """From its middle to the cushions, mm."""
    middle: Point
    """Its middle, mm from that of the prints."""
    radius: float | None
    """That (mm) of its pockets; None where they are no whole circles that touch two cushions."""


@dataclass(frozen=True, slots=True, eq=False)
class _Squares:
    """Squares, of which each side lies on one of some parallels."""

    away: F64
    """Of the parallels from the middle of the prints (n,), mm."""
    size: Steps
    """Which parallels those squares' sides lie on whose middle is the prints' (...)."""
    east: Steps
    """How many steps (...) to the right the squares lie of these."""
    north: Steps

    @classmethod
    def about(cls, half: float) -> _Squares:
        away = np.asarray(
            half + SURFACE_STEP_MM * np.arange(-GROWS - OFFSET_ASIDE, GROWS + OFFSET_ASIDE + 1), np.float64
        )
        aside = np.arange(-OFFSET_ASIDE, OFFSET_ASIDE + 1)
        return cls(away, *np.meshgrid(np.arange(OFFSET_ASIDE, len(away) - OFFSET_ASIDE), aside, aside, indexing="ij"))

    def likeliest(self, plain: F64) -> tuple[float, Point]:
        """Half the side, and the middle, of the mean of those drawn about as plainly (..., ...) as the plainest."""
        weight = np.exp((plain - plain.max()) / TIE)
        half, x, y = (float(np.sum(weight * v) / weight.sum()) for v in (self.away[self.size], self.east, self.north))
        return half, (x * SURFACE_STEP_MM, y * SURFACE_STEP_MM)


def surface(picture: Picture, planes: Planes, fit: Fit) -> SurfaceOffset:
    """The surface that cushions and pockets of a board agree upon best under a `fit` of its prints."""
    squares = _Squares.about(fit.layout.half)
    above = Above.of(picture, fit.camera, float(squares.away[-1]))
    whole = np.array([_pockets(above, squares, radius) for radius in WHOLE_RADII])
    plain = _cushions(planes, fit, squares) - OFFSET_ASIDE_COST * np.hypot(squares.east, squares.north)
    if whole.max() < quarters_drawn(above, squares.away).max():
        return SurfaceOffset(*squares.likeliest(plain), None)
    return SurfaceOffset(*squares.likeliest(plain + POCKETS * whole), _ample_radius(plain + POCKETS * whole))


def _ample_radius(plain: F64) -> float:
    """A radius of pockets (radii, ...) larger by a sigma than the likeliest: what is seen in a pocket, but beyond its
    supposed rim, would be taken for a piece.
    """
    weight = np.exp((plain - plain.max()) / TIE).reshape(len(plain), -1).sum(axis=1)
    mean = float(weight @ WHOLE_RADII / weight.sum())
    return mean + float(np.sqrt(weight @ (WHOLE_RADII - mean) ** 2 / weight.sum()))


def _cushions(planes: Planes, fit: Fit, squares: _Squares) -> F64:
    """How plainly (...), 0 to 1, cushions are drawn along the four sides of squares."""
    count = len(squares.away)
    away = squares.away[0] + SURFACE_STEP_MM * np.arange(-BENT, count + BENT)
    drawn = sides_drawn(planes, fit.camera, fit.layout, away)
    bent = [
        drawn[:, BENT + off : BENT + off + count] - SURFACE_COST_PER_MM * abs(off) for off in range(-BENT, BENT + 1)
    ]
    south, west, north, east = np.max(bent, axis=0)
    up_down = south[squares.size - squares.north] + north[squares.size + squares.north]
    return np.asarray(up_down + west[squares.size - squares.east] + east[squares.size + squares.east]) / 4


def _pockets(above: Above, squares: _Squares, radius: float) -> F64:
    """The same of whole pockets of one radius that touch two sides of the squares."""
    along = squares.away - radius
    at = np.stack(np.meshgrid(along, along, indexing="ij"), -1)
    total = np.zeros(squares.size.shape)
    for pocket in Pocket:
        x, y = pocket.corner
        total += rim_drawn(above, pocket, at, radius)[squares.size + x * squares.east, squares.size + y * squares.north]
    return total / len(Pocket)
