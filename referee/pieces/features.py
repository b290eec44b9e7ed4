"""What a circle's inside, rim and surroundings look like: medians over bands of lattice points."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.lattice import Lattice
from referee.pieces.circles import Ring
from referee.pieces.disc_fit import Disc

FEATURE_INNER, AROUND, GROUND = (-1.0, 0.72), (1.06, 1.17), (1.35, 1.9)
"""In radii: the top face, just outside it, and the board around."""
AFAR = (6.2, 8.0)
"""In radii: a ring that lies mostly on the board even about a coin within the opening formation."""
FEATURE_LEAST_BARE, FEATURE_LEAST_BOARD = 0.25, 0.08
"""Share of the board around a disc that must be clear of prints for that alone to be looked at, and of what lies around
it that must be board at all: a coin on a pocket's lip has a hole, a net and the frame beside it."""

Band = tuple[float, float]
Colour = tuple[float, float, float]
I64 = NDArray[np.int64]


@lru_cache(maxsize=16)
def _stencil(radius: float, bands: tuple[Band, ...]) -> tuple[I64, I64, I64]:
    """Rows and columns (k,) relative to a circle's middle, and the band's number of each; radius in lattice steps."""
    reach = int(max(high for _, high in bands) * radius) + 1
    rows, columns = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    share = np.hypot(rows, columns) / radius
    inside = [(low < share) & (share < high) for low, high in bands]
    number = np.concatenate([np.full(np.count_nonzero(i), n) for n, i in enumerate(inside)])
    return np.concatenate([rows[i] for i in inside]), np.concatenate([columns[i] for i in inside]), number


def _cells(lattice: Lattice, ring: Ring | Disc, bands: tuple[Band, ...]) -> tuple[I64, I64]:
    """Numbers (k,) of the lattice points in bands about a circle, row by row, and each one's band."""
    rows, columns, number = _stencil(ring.radius / lattice.step, bands)
    column, row = np.round(lattice.to_cells([(ring.x, ring.y)])[0]).astype(int)
    height, width = lattice.shape
    cells = (row + rows) * width + column + columns
    reach = int(rows.max())
    if reach <= row < height - reach and reach <= column < width - reach:
        return cells, number
    seen = (row + rows >= 0) & (row + rows < height) & (column + columns >= 0) & (column + columns < width)
    return cells[seen], number[seen]


def describe(lattice: Lattice, yuv: NDArray[np.uint8], ring: Ring, prints: NDArray[np.uint8] | None = None,
             holes: NDArray[np.uint8] | None = None) -> Disc:  # fmt: skip
    """The look of a circle; what lies on `prints` or in `holes` (n, n) is not taken for the board around it."""
    cells, band = _cells(lattice, ring, (FEATURE_INNER, AROUND, GROUND))
    for mask, least in ((holes, FEATURE_LEAST_BOARD), (prints, FEATURE_LEAST_BARE)):
        if mask is not None:
            keep = _without(mask, cells, band, least)
            cells, band = cells[keep], band[keep]
    inner, beyond, ground = _medians(yuv, cells, band, 3)
    shade = 100.0 * beyond[0] / max(ground[0], 8.0)
    return Disc(ring.x, ring.y, ring.radius, ring.response, inner, ground, shade, ring.support)


def _without(mask: NDArray[np.uint8], cells: I64, band: I64, least: float) -> NDArray[np.bool_]:
    """Which cells (k,) lie within the circle or off the mask; all of a band of which less than `least` lies off it."""
    bare = mask.take(cells) == 0
    for outside in (1, 2):
        own = band == outside
        if np.count_nonzero(bare & own) <= least * np.count_nonzero(own):
            bare |= own
    return np.asarray(bare | (band < 1))


def ground_afar(lattice: Lattice, yuv: NDArray[np.uint8], disc: Disc) -> Colour:
    """Median Y, U, V of the board beyond a crowd of coins around a disc, as wide as the opening formation."""
    return _medians(yuv, *_cells(lattice, disc, (AFAR,)), 1)[0]


def lightest_around(lattice: Lattice, yuv: NDArray[np.uint8], disc: Disc) -> float:
    """Luma that a tenth of the board around a disc exceeds: the wood's between dark prints."""
    cells, _ = _cells(lattice, disc, (GROUND,))
    return float(np.percentile(yuv[0].take(cells), 90.0)) if len(cells) else 0.0


def _medians(yuv: NDArray[np.uint8], cells: I64, band: I64, bands: int) -> list[Colour]:
    """Median Y, U, V of each band's lattice points, found by counting levels; black where a band has none."""
    values = yuv.reshape(3, -1).take(cells, 1)
    first = 256 * (np.arange(3)[:, None] * bands + band)
    counts = np.bincount((values + first).ravel(), minlength=3 * bands * 256).reshape(3, bands, 256)
    below = counts.cumsum(2)
    points = below[0, :, -1]
    low, high = ((below > rank[:, None]).argmax(2) for rank in ((points - 1) // 2, points // 2))
    middle = ((low + high) / 2).T.tolist()
    return [(y, u, v) if n else (0.0, 128.0, 128.0) for (y, u, v), n in zip(middle, points.tolist(), strict=True)]
