"""Baseline search: the striker, of known or unknown size, in the band about one seat's base lines."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from calibration.geometry.camera import F64
from calibration.geometry.lattice import Lattice
from calibration.geometry.picture import Picture
from calibration.profile import Profile
from calibration.rings import F32, edge_field, peaks, ring_responses
from models.pieces import STRIKER_RADII, Kind, Piece, Seat, from_side, to_side
from referee.foreground.background import BackgroundModel, ForegroundFrame
from referee.pieces.circles import Ring, measure_rims
from referee.pieces.disc import Disc, describe
from referee.pieces.disc_place import place_discs

HALF_MM = 45.0
"""Half width of the band about the middle between the base lines, and its length beyond the base circles' middles."""
STRIP_OWN_MM = 26.0
"""Greatest distance of a placed striker from the middle of its lines. A neighbour's lines must not be nearer."""
STRIP_STEP_MM = 1.0
STRIP_LEAST_RING = 0.42
"""Least ring response. A striker half under a hand reaches it."""
ALIKE_RING = 0.06
"""Difference of ring response within which two rings are drawn equally well. A ring of another size must exceed one of
the book's by it, for fingers draw arcs."""
LEAST_FILL, STRIP_FILLED = 0.6, 0.85
"""Least share of the disc, within the second share of its radius, that differs from the bare board."""
STRIP_CLEAR_OF, STRIP_MOVED_MM = 0.8, 6.0
"""Least distance of a known coin from a striker's middle, in striker radii; and distance from its last place at which
the striker counts as placed anew."""
STRIP_SAME_MM = 2.5
"""Greatest distance of two sightings of one place."""


@dataclass(frozen=True, slots=True)
class StrikerSighting:
    """One sighting of the striker at rest on base lines."""

    t: float
    seat: Seat
    x: float
    y: float
    sigma: float
    response: float
    disc: Disc
    """The fitted disc with its colours."""
    since_then: float = 0.0
    """Seconds afterwards during which it did not move."""
    hidden_until: float = -math.inf
    """Time (s) until which a hand has covered its place since, without a break."""

    @property
    def until(self) -> float:
        """Last time it was seen there, s."""
        return self.t + self.since_then

    def is_at(self, x: float, y: float) -> bool:
        """Tells whether the sighting is of a striker at x, y (mm)."""
        return math.dist((self.x, self.y), (x, y)) < STRIP_SAME_MM

    @property
    def radius(self) -> float:
        """Measured radius, mm."""
        return self.disc.radius + self.disc.excess


class BaselineStrip:
    """The band about one seat's base lines under one camera."""

    def __init__(self, profile: Profile, background: BackgroundModel, seat: Seat) -> None:
        self._seat, self._background = seat, background
        self._lattice = _lattice(profile, seat)
        self._area = _area(background, self._lattice)

    def unexplained_mm2(self, unexplained: np.ndarray) -> float:
        """Returns the area (mm2) of a mask of the background lattice within the strip."""
        return float(np.count_nonzero(unexplained[self._area])) * self._background.lattice.step**2

    def find(
        self, picture: Picture, foreground: ForegroundFrame, profile: Profile, lying: tuple[Piece, ...]
    ) -> StrikerSighting | None:
        """Returns the striker in the strip; None without one. Places of the known pieces `lying` are excluded."""
        yuv = self._lattice.sample(picture)
        field = edge_field(yuv, self._background.edge_floor)
        book = profile.board.striker_radius
        worth = {r: r.response - ALIKE_RING * (r.radius != book) for r in self._rings(field, profile)}
        rings = [r for r in worth if worth[r] > STRIP_LEAST_RING and self._is_free(r, profile, lying)
                 and self._fill(foreground, r) > LEAST_FILL]  # fmt: skip
        best = max(rings, key=lambda r: worth[r], default=None)
        if best is None:
            return None
        [ring] = measure_rims(self._lattice, field, [best])
        disc = describe(self._lattice, yuv, ring)
        disc = replace(disc, ground=self._background.ground_at(foreground, disc.x, disc.y, best.radius))
        [fitted] = place_discs(picture, profile.camera, [disc], profile.board.striker_height)
        return StrikerSighting(foreground.t, self._seat, fitted.x, fitted.y, fitted.sigma, best.response, fitted)

    def _rings(self, field: tuple[F32, F32], profile: Profile) -> Iterator[Ring]:
        """Yields rings of the striker's size; of every possible size while its own is unknown."""
        radii = sizes(profile)
        for radius, response in zip(radii, ring_responses(field, [r / self._lattice.step for r in radii]), strict=True):
            spots = peaks(response, STRIP_LEAST_RING, 9.0)
            for (column, row), (x, y) in zip(spots, self._lattice.to_board(spots).tolist(), strict=True):
                yield Ring(x, y, radius, float(response[row, column]))

    def _is_free(self, ring: Ring, profile: Profile, lying: tuple[Piece, ...]) -> bool:
        """Tells whether a ring lies on the seat's own lines and around no known piece."""
        off = {seat: abs(to_side(seat, ring.x, ring.y)[1] + profile.board.base_y) for seat in Seat}
        if off[self._seat] > STRIP_OWN_MM or off[self._seat] > min(off.values()):
            return False
        clear = {kind: STRIP_MOVED_MM if kind is Kind.STRIKER else STRIP_CLEAR_OF * ring.radius for kind in Kind}
        return all(math.dist(p.place, (ring.x, ring.y)) >= clear[p.kind] for p in lying)

    def _fill(self, foreground: ForegroundFrame, ring: Ring) -> float:
        rows, columns = self._background.lattice.disc_cells(ring.x, ring.y, STRIP_FILLED * ring.radius)
        differs = (foreground.solid[rows, columns] > 0) | (foreground.shade[rows, columns] > 0)
        return float(np.mean(differs)) if len(rows) else 0.0


def sizes(profile: Profile) -> tuple[float, ...]:
    """Returns the radii (mm) to search: the striker's own once its colour is learned, before that all."""
    book = profile.board.striker_radius
    if Kind.STRIKER in profile.colours:
        return (book,)
    return (book, *(r for r in STRIKER_RADII if abs(r - book) > STRIP_STEP_MM))


def _lattice(profile: Profile, seat: Seat) -> Lattice:
    board = profile.board
    along, across = board.base_circle_x + HALF_MM, board.base_y
    a = from_side(seat, -along, -across - HALF_MM)
    b = from_side(seat, along, -across + HALF_MM)
    xs, ys = sorted((a[0], b[0])), sorted((a[1], b[1]))
    return Lattice.window(profile.camera, (xs[0], xs[1]), (ys[0], ys[1]), STRIP_STEP_MM, board.striker_height)


def _area(background: BackgroundModel, strip: Lattice) -> tuple[slice, slice]:
    rows, columns = strip.shape
    ends: F64 = background.lattice.to_cells(strip.to_board([(0, 0), (columns - 1, rows - 1)]))
    (c0, r0), (c1, r1) = np.round(ends).astype(int)
    return slice(int(r0), int(r1) + 1), slice(int(c0), int(c1) + 1)
