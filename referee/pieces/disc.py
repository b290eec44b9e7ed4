"""A disc as it is seen: a circle with its place, its colours, and how surely it is a piece.

Colours are medians over bands of lattice points inside the circle, at its rim and around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.lattice import Lattice
from referee.pieces.circles import Ring

FEATURE_INNER, AROUND, GROUND = (-1.0, 0.72), (1.06, 1.17), (1.35, 1.9)
"""Ranges in radii of the bands: the top face, just outside the rim, and the board around."""
FAR_GROUND = (6.2, 8.0)
"""Range in radii of a ring that is mostly board even around a coin within the opening formation."""
FEATURE_LEAST_BOARD = 0.25
"""Least share of a band off the prints and the holes for those points alone to be measured. A coin on a pocket's lip
has a hole, a net and the frame beside it."""

Band = tuple[float, float]
I64 = NDArray[np.int64]
Tint = tuple[float, float, float]
"""Luma, blue and red difference, as seen or relative to a reference luma."""


@dataclass(frozen=True, slots=True)
class Disc:
    """A circle in the picture that may be a piece, with its colours."""

    x: float
    y: float
    """Centre in board mm, at the height of the top face."""
    radius: float
    """Radius, mm."""
    response: float
    """Ring response: share of the ring along which there is an edge, -1..1."""
    colour: Tint
    """Median Y, U, V of the inner top face."""
    ground: Tint
    """Median Y, U, V of the board around."""
    shade: float
    """Median luma just outside the rim, in percent of the board's; below 100 where the disc throws a shadow."""
    support: float = 0.0
    """Lower quartile of the edge strength along the rim, -1..1."""
    sigma: float = 0.5
    """Standard deviation of the centre on each axis, in mm."""
    excess: float = 0.0
    """Measured minus expected radius, in mm."""
    presence: float = 0.0
    """Log odds that a piece lies here (`referee.pieces.disc_set`); 0 if they were not computed."""

    @property
    def tint(self) -> Tint:
        """Returns the top face's colour relative to the board around, as in `calibration.profile.Colour`."""
        return relative_colour(self.colour, self.ground)


def relative_colour(colour: Tint, ground: Tint) -> Tint:
    """Returns luma, blue and red difference in percent of the ground's luma."""
    (y, u, v), share = colour, 100.0 / max(ground[0], 8.0)
    return y * share, (u - 128.0) * share, (v - 128.0) * share


@lru_cache(maxsize=16)
def _stencil(radius: float, bands: tuple[Band, ...]) -> tuple[I64, I64, I64]:
    """Returns rows and columns (k,) relative to a circle's centre and each one's band; `radius` is in lattice steps."""
    reach = int(max(high for _, high in bands) * radius) + 1
    rows, columns = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    share = np.hypot(rows, columns) / radius
    inside = [(low < share) & (share < high) for low, high in bands]
    number = np.concatenate([np.full(np.count_nonzero(i), n) for n, i in enumerate(inside)])
    return np.concatenate([rows[i] for i in inside]), np.concatenate([columns[i] for i in inside]), number


def _cells(lattice: Lattice, ring: Ring | Disc, bands: tuple[Band, ...]) -> tuple[I64, I64]:
    """Returns indices (k,) of the lattice points in bands around a circle, row by row, and each one's band."""
    rows, columns, number = _stencil(ring.radius / lattice.step, bands)
    column, row = np.round(lattice.to_cells([(ring.x, ring.y)])[0]).astype(int)
    height, width = lattice.shape
    cells = (row + rows) * width + column + columns
    reach = int(rows.max())
    if reach <= row < height - reach and reach <= column < width - reach:
        return cells, number
    inside = (row + rows >= 0) & (row + rows < height) & (column + columns >= 0) & (column + columns < width)
    return cells[inside], number[inside]


def describe(lattice: Lattice, yuv: NDArray[np.uint8], ring: Ring, mask: NDArray[np.uint8] | None = None) -> Disc:
    """Returns a circle's colours as a `Disc`; points where `mask` (n, n) is not 0 do not count as the board around."""
    cells, band = _cells(lattice, ring, (FEATURE_INNER, AROUND, GROUND))
    if mask is not None:
        keep = _without(mask, cells, band)
        cells, band = cells[keep], band[keep]
    inner, beyond, ground = _medians(yuv, cells, band, 3)
    shade = 100.0 * beyond[0] / max(ground[0], 8.0)
    return Disc(ring.x, ring.y, ring.radius, ring.response, inner, ground, shade, ring.support)


def _without(mask: NDArray[np.uint8], cells: I64, band: I64) -> NDArray[np.bool_]:
    """Tells which cells (k,) lie within the circle or off the mask. A band with too little of it off the mask counts
    whole.
    """
    bare = mask.take(cells) == 0
    for outside in (1, 2):
        own = band == outside
        if np.count_nonzero(bare & own) <= FEATURE_LEAST_BOARD * np.count_nonzero(own):
            bare |= own
    return np.asarray(bare | (band < 1))


def far_ground(lattice: Lattice, yuv: NDArray[np.uint8], disc: Disc) -> Tint:
    """Returns the median Y, U, V of the board beyond a crowd of coins as wide as the opening formation."""
    return _medians(yuv, *_cells(lattice, disc, (FAR_GROUND,)), 1)[0]


def _medians(yuv: NDArray[np.uint8], cells: I64, band: I64, bands: int) -> list[Tint]:
    """Returns the median Y, U, V of each band's points, from histograms; black for an empty band."""
    values = yuv.reshape(3, -1).take(cells, 1)
    first = 256 * (np.arange(3)[:, None] * bands + band)
    counts = np.bincount((values + first).ravel(), minlength=3 * bands * 256).reshape(3, bands, 256)
    below = counts.cumsum(2)
    points = below[0, :, -1]
    low, high = ((below > rank[:, None]).argmax(2) for rank in ((points - 1) // 2, points // 2))
    middle = ((low + high) / 2).T.tolist()
    return [(y, u, v) if n else (0.0, 128.0, 128.0) for (y, u, v), n in zip(middle, points.tolist(), strict=True)]
