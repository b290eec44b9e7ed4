"""A base strip: the band about one seat's base lines in which a striker is looked for, of a known size or any."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.geometry.camera import F64
from calibration.geometry.lattice import Lattice
from calibration.geometry.picture import Picture
from calibration.profile import Profile
from calibration.rings import F32, edge_field, peaks, ring_responses
from models.pieces import Kind, Piece, Seat, from_side, to_side
from referee.foreground.background import Gate, Sight, above
from referee.pieces.circles import Ring, with_rims
from referee.pieces.disc_fit import Disc, refine_striker
from referee.pieces.features import describe
from referee.pieces.scan import STRIKER_RADII

HALF_MM = 45.0
"""Strikers are looked for this far to both sides of the middle between the base lines."""
ENDS_MM = 45.0
OWN_MM = 26.0
"""Farther from the middle of a side's lines a striker does not stand on them, nor where a neighbour's are nearer."""
STEP_MM = 1.0
PARTS = (0.4, 0.7, 1.0)
"""Parts of a strip's length that are searched."""
BESIDE_MM = 25.0
"""What lies this far beside the rims of the discs sought changes nothing of what is found: neither a ring's edges nor
the next better one."""
LEAST_RING = 0.42
"""A striker half under a hand still draws this much of its ring."""
OTHER_SIZE = 0.06
"""A ring of another size than the book's is believed when it is drawn better by this much: fingers draw arcs."""
LEAST_FILL, FILLED = 0.6, 0.85
"""Share of the disc that must differ from the empty board, up to this share of its radius: a striker hides it."""
CLEAR_OF, MOVED_MM = 0.8, 6.0
"""A coin lies at least this share of a striker's radius from its middle; the striker itself, of which there is but one,
lies elsewhere now when it is found so far from where it lay."""
SAME_MM = 2.5
"""Sightings within this distance are of one place."""
LEAST_SHARE, REACH = 0.3, 12
"""Of a square about the middle of such a disc, as wide as the smallest one, this share differs at least; so many cells
beside the strip are looked at for it."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One sighting of the striker standing in a base strip."""

    t: float
    seat: Seat
    x: float
    y: float
    sigma: float
    response: float
    disc: Disc
    """How it looked."""
    since_then: float = 0.0
    """For how long (s) afterwards the table showed it unmoved."""
    hidden_until: float = -math.inf
    """Until when (s) a hand has lain over its place since, without a break."""

    @property
    def until(self) -> float:
        """When it was last seen there."""
        return self.t + self.since_then

    def is_at(self, x: float, y: float) -> bool:
        """Whether it was seen where a striker lies with its middle at x, y mm."""
        return math.dist((self.x, self.y), (x, y)) < SAME_MM

    @property
    def radius(self) -> float:
        """The striker's radius (mm) as this sighting shows it."""
        return self.disc.radius + self.disc.excess


@dataclass(frozen=True, slots=True)
class _Ring:
    """A circle that may be the striker's rim."""

    worth: float
    response: float
    radius: float
    x: float
    y: float


class BaseStrip:
    """One seat's base lines under one camera."""

    def __init__(self, profile: Profile, gate: Gate, seat: Seat) -> None:
        self._seat, self._gate = seat, gate
        self._lattice = _lattice(profile, seat)
        self._area = _area(gate, self._lattice)
        rows, columns = (slice(max(0, part.start - REACH), part.stop + REACH) for part in self._area)
        self.beside = rows, columns
        """Rows and columns of the gate's lattice that show the strip and what lies right beside it."""

    def unexplained_mm2(self, unexplained: np.ndarray) -> float:
        """How much of a mask of the gate's lattice lies in the strip."""
        return float(np.count_nonzero(unexplained[self._area])) * self._gate.lattice.step**2

    def find(self, picture: Picture, sight: Sight, profile: Profile, lying: tuple[Piece, ...]) -> Standing | None:
        """The striker, where it stands in the strip and none of `lying` does."""
        lattice = self._window(sight, sizes(profile))
        if lattice is None:
            return None
        yuv = lattice.look(picture)
        field = edge_field(yuv, self._gate.edge_floor)
        rings = [r for r in self._rings(lattice, field, profile, lying) if self._fill(sight, r) > LEAST_FILL]
        best = max(rings, key=lambda r: r.worth, default=None)
        if best is None:
            return None
        bare = np.zeros(lattice.shape, np.uint8)
        [ring] = with_rims(lattice, field, bare, [Ring(best.x, best.y, best.radius, best.response)])
        disc = describe(lattice, yuv, ring)
        disc = replace(disc, ground=self._gate.ground_at(sight, disc.x, disc.y, best.radius))
        fitted = refine_striker(picture, profile.camera, disc, profile.board.striker_height)
        return Standing(sight.t, self._seat, fitted.x, fitted.y, fitted.sigma, best.response, fitted)

    def _window(self, sight: Sight, radii: Sequence[float]) -> Lattice | None:
        """The part of the strip that shows all there is to see of discs (radii, mm) that may hide the empty board.

        None where none does. Its length is one of few, since rings of one radius are kept for windows of one size.
        """
        places = self._places(sight, min(radii))
        if places is None:
            return None
        whole, margin = max(self._lattice.shape), (max(radii) + BESIDE_MM) / self._lattice.step
        begin, end = round(places[0] - margin), round(places[1] + margin)
        span = next(n for part in PARTS if (n := round(part * whole)) >= min(end - begin, whole))
        begin = min(max(0, (begin + end - span) // 2), whole - span)
        along, across = slice(begin, begin + span), slice(0, min(self._lattice.shape))
        return self._lattice.part(*((across, along) if self._is_wide else (along, across)))

    def _places(self, sight: Sight, radius: float) -> tuple[float, float] | None:
        """Between which cells along the strip middles of discs of this radius (mm) or larger may lie."""
        differs = cv2.bitwise_or(sight.solid[self.beside], sight.shade[self.beside])
        side = 2 * round(FILLED * radius / self._gate.lattice.step) + 1
        share = cv2.boxFilter(differs, cv2.CV_8U, (side, side), borderType=cv2.BORDER_CONSTANT)
        left, top, width, height = cv2.boundingRect(above(share, round(255 * LEAST_SHARE)))
        if not width:
            return None
        rows, columns = (part.start for part in self.beside)
        corners = self._gate.lattice.to_board([(columns + left, rows + top),
                                               (columns + left + width - 1, rows + top + height - 1)])  # fmt: skip
        first, last = self._lattice.to_cells(corners)[:, 0 if self._is_wide else 1].tolist()
        return first, last

    @property
    def _is_wide(self) -> bool:
        """Whether the strip runs along the board's x."""
        return self._lattice.shape[1] > self._lattice.shape[0]

    def _rings(self, lattice: Lattice, field: tuple[F32, F32], profile: Profile,
               lying: tuple[Piece, ...]) -> list[_Ring]:  # fmt: skip
        """Circles of the striker's size in the strip; of any size a striker may have while its own is not known."""
        book, rings = profile.board.striker_radius, []
        radii = sizes(profile)
        responses = ring_responses(field, [r / lattice.step for r in radii])
        for radius, response in zip(radii, responses, strict=True):
            spots = peaks(response, LEAST_RING, 9.0)
            for (c, r), (x, y) in zip(spots, lattice.to_board(spots), strict=True):
                drawn = float(response[r, c])
                ring = _Ring(drawn - OTHER_SIZE * (radius != book), drawn, radius, float(x), float(y))
                if ring.worth > LEAST_RING and self._is_free(ring, profile, lying):
                    rings.append(ring)
        return rings

    def _is_free(self, ring: _Ring, profile: Profile, lying: tuple[Piece, ...]) -> bool:
        """Whether a circle lies on the seat's own lines and about no piece that lies there anyway."""
        off = {seat: abs(to_side(seat, ring.x, ring.y)[1] + profile.board.base_y) for seat in Seat}
        if off[self._seat] > OWN_MM or off[self._seat] > min(off.values()):
            return False
        clear = {kind: MOVED_MM if kind is Kind.STRIKER else CLEAR_OF * ring.radius for kind in Kind}
        return all(math.dist((p.x_mm, p.y_mm), (ring.x, ring.y)) >= clear[p.kind] for p in lying)

    def _fill(self, sight: Sight, ring: _Ring) -> float:
        rows, columns = self._gate.lattice.disc_cells(ring.x, ring.y, FILLED * ring.radius)
        differs = (sight.solid[rows, columns] > 0) | (sight.shade[rows, columns] > 0)
        return float(np.mean(differs)) if len(rows) else 0.0


def sizes(profile: Profile) -> tuple[float, ...]:
    """Radii (mm) at which to look for the striker: its own once its look is learned, before that any."""
    book = profile.board.striker_radius
    if Kind.STRIKER in profile.colours:
        return (book,)
    return (book, *(r for r in STRIKER_RADII if abs(r - book) > STEP_MM))


def _lattice(profile: Profile, seat: Seat) -> Lattice:
    board = profile.board
    along, across = board.base_circle_x + ENDS_MM, board.base_y
    a = from_side(seat, -along, -across - HALF_MM)
    b = from_side(seat, along, -across + HALF_MM)
    xs, ys = sorted((a[0], b[0])), sorted((a[1], b[1]))
    return Lattice.window(profile.camera, (xs[0], xs[1]), (ys[0], ys[1]), STEP_MM, board.striker_height)


def _area(gate: Gate, strip: Lattice) -> tuple[slice, slice]:
    rows, columns = strip.shape
    ends: F64 = gate.lattice.to_cells(strip.to_board([(0, 0), (columns - 1, rows - 1)]))
    (c0, r0), (c1, r1) = np.round(ends).astype(int)
    return slice(int(r0), int(r1) + 1), slice(int(c0), int(c1) + 1)
