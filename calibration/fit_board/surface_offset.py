"""Estimates the size of the playing surface and its offset from the printed marks.

The camera pose comes from the prints, which the rule book centres between the cushions. On home-made and repaired
boards the prints lie up to a centimetre off centre, so a square about their centre does not fit opposite cushions.
This module scores squares of many sizes and offsets by their cushions' edges and their pockets' rims. Input: a picture
and the fit of its prints. Output: the surface's half side, its centre and the pockets' radius.
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
"""Greatest change of half the side, and greatest offset along each axis, in steps of `SURFACE_STEP_MM`."""
BENT = 3
"""Greatest distance of a cushion's edge from the side of a square, in steps; shade displaces the visible edge."""
OFFSET_ASIDE_COST = 0.01
"""Score subtracted for each step of offset: on most boards the prints are centred."""
POCKETS = 3.0
"""Weight of full-circle pocket rims relative to cushions, whose edges are blurred by shade and wear. Quarter-circle
rims are not scored: with a suitable radius they fit a surface of any size."""

Steps = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SurfaceOffset:
    """Square playing surface bounded by the cushions."""

    half: float
    """Distance from its centre to the cushions, mm."""
    middle: Point
    """Its centre relative to that of the prints, mm."""
    radius: float | None
    """Radius of its pockets, mm; None where they are not full circles that touch two cushions."""


@dataclass(frozen=True, slots=True, eq=False)
class _Squares:
    """Candidate squares, whose sides lie on equally spaced parallel lines."""

    away: F64
    """Distances (n,) of the parallel lines from the prints' centre, mm."""
    size: Steps
    """Index (...) into `away` of the sides of the square before it is offset."""
    east: Steps
    """Offset (...) of the square to the east (right), in steps."""
    north: Steps
    """Offset (...) of the square to the north, in steps."""

    @classmethod
    def about(cls, half: float) -> _Squares:
        away = np.asarray(
            half + SURFACE_STEP_MM * np.arange(-GROWS - OFFSET_ASIDE, GROWS + OFFSET_ASIDE + 1), np.float64
        )
        aside = np.arange(-OFFSET_ASIDE, OFFSET_ASIDE + 1)
        return cls(away, *np.meshgrid(np.arange(OFFSET_ASIDE, len(away) - OFFSET_ASIDE), aside, aside, indexing="ij"))

    def likeliest(self, plain: F64) -> tuple[float, Point]:
        """Returns half the side and the centre (mm), averaged over all squares weighted by their scores `plain`."""
        weight = np.exp((plain - plain.max()) / TIE)
        half, x, y = (float(np.sum(weight * v) / weight.sum()) for v in (self.away[self.size], self.east, self.north))
        return half, (x * SURFACE_STEP_MM, y * SURFACE_STEP_MM)


def surface(picture: Picture, planes: Planes, fit: Fit) -> SurfaceOffset:
    """Returns the surface that a board's cushions and pockets support best, given the `fit` of its prints."""
    squares = _Squares.about(fit.layout.half)
    above = Above.of(picture, fit.camera, float(squares.away[-1]))
    whole = np.array([_pockets(above, squares, radius) for radius in WHOLE_RADII])
    plain = _cushions(planes, fit, squares) - OFFSET_ASIDE_COST * np.hypot(squares.east, squares.north)
    if whole.max() < quarters_drawn(above, squares.away).max():
        return SurfaceOffset(*squares.likeliest(plain), None)
    return SurfaceOffset(*squares.likeliest(plain + POCKETS * whole), _ample_radius(plain + POCKETS * whole))


def _ample_radius(plain: F64) -> float:
    """Returns the mean pocket radius plus one standard deviation (mm), from scores (radii, ...).

    It is on the large side because an object in a pocket but outside the estimated rim would be detected as a piece.
    """
    weight = np.exp((plain - plain.max()) / TIE).reshape(len(plain), -1).sum(axis=1)
    mean = float(weight @ WHOLE_RADII / weight.sum())
    return mean + float(np.sqrt(weight @ (WHOLE_RADII - mean) ** 2 / weight.sum()))


def _cushions(planes: Planes, fit: Fit, squares: _Squares) -> F64:
    """Returns scores (...), at most 1, of cushion edges along the four sides of the squares."""
    count = len(squares.away)
    away = squares.away[0] + SURFACE_STEP_MM * np.arange(-BENT, count + BENT)
    drawn = sides_drawn(planes, fit.camera, fit.layout, away)
    steps = range(-BENT, BENT + 1)
    bent = [drawn[:, BENT + off : BENT + off + count] - SURFACE_COST_PER_MM * abs(off) for off in steps]
    south, west, north, east = np.max(bent, axis=0)
    up_down = south[squares.size - squares.north] + north[squares.size + squares.north]
    return np.asarray(up_down + west[squares.size - squares.east] + east[squares.size + squares.east]) / 4


def _pockets(above: Above, squares: _Squares, radius: float) -> F64:
    """Returns scores (...), 0 to 1, of full-circle pockets of one radius (mm) that touch two sides of the squares."""
    along = squares.away - radius
    at = np.stack(np.meshgrid(along, along, indexing="ij"), -1)
    total = np.zeros(squares.size.shape)
    for pocket in Pocket:
        x, y = pocket.corner
        total += rim_drawn(above, pocket, at, radius)[squares.size + x * squares.east, squares.size + y * squares.north]
    return total / len(Pocket)
