"""One look at the board: the circles drawn in it, and what each of them looks like when somebody asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.geometry.camera import F64
from calibration.geometry.lattice import Lattice
from calibration.geometry.picture import U8, Picture
from calibration.profile import Circle, Profile
from calibration.rings import F32, board_field, ring_responses
from models.pieces import STRIKER_RADII, Kind
from referee.pieces.circles import Ring, drawn, find_rings, scan_lattice, with_rims, without_prints
from referee.pieces.disc_fit import Disc
from referee.pieces.features import describe, ground_afar, lightest_around
from referee.pieces.presence import Circles, KnownBare, PatchSource
from referee.pieces.printed_mask import hole_mask, lifted, meets_ornament, print_mask, printed_circles, rim_distances

SCAN_RIM_MM = 1.0
"""Rings whose middle lies nearer than this to a pocket's hole are a coin in the net, or the pocket's own rim."""
LIP_MM, LIP_SUPPORT = 3.0, 0.7
"""But one plain all round, so little over the hole, lies on its lip: the board hides that side of one in the net."""

INKED, SCAN_LIT = 0.85, 0.95
"""Half of what lies around a disc is darker than this share of the board beyond, a tenth as light as the second."""

PRINT_EDGE = 1.0
"""A printed circle reaches so far (mm) beyond its radius."""
ORNAMENT = 1.2
"""An ornament ends within so many radii of the outer circle."""

Field = tuple[F32, F32]
"""An edge field: see `calibration.rings.board_field`."""


@dataclass(frozen=True, slots=True, eq=False)
class BareBoard:
    """The board as it was seen with nothing on it, at the height of the coins' tops."""

    lattice: Lattice
    yuv: U8
    """Y, U, V (3, h, w)."""
    known: U8
    """Not 0 (h, w) where it was seen."""

    def on(self, lattice: Lattice) -> KnownBare:
        """The same on another lattice."""
        size = lattice.shape[1], lattice.shape[0]
        ends = np.array([(0.0, 0.0), (size[0] - 1.0, 0.0), (0.0, size[1] - 1.0)])
        move = cv2.getAffineTransform(
            ends.astype(np.float32), self.lattice.to_cells(lattice.to_board(ends)).astype(np.float32)
        )
        yuv, known = (
            [
                cv2.warpAffine(p, move, size, flags=how | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE)
                for p in planes
            ]
            for planes, how in ((self.yuv, cv2.INTER_LINEAR), ((self.known,), cv2.INTER_NEAREST))
        )
        return KnownBare(np.stack(yuv), np.asarray(known[0], np.uint8))


class View:
    """A picture of a board as its profile has it, with the circles outside the pockets; any may be a print."""

    coins: list[Ring]
    """Circles of a coin's size."""
    large: list[Ring]
    """Circles of the striker's size, of any that it may have while its look is not known."""

    def __init__(self, picture: Picture, profile: Profile, bare: BareBoard | None = None) -> None:
        """`bare` is the board as it was seen with nothing on it, where somebody remembers it."""
        board = profile.board
        self.picture, self.profile = picture, profile
        self.lattice: Lattice = scan_lattice(profile.camera, board.half, board.coin_height)
        self.yuv: U8 = self.lattice.sample(picture)
        self.prints = print_mask(profile, self.lattice)
        self.holes = hole_mask(profile, self.lattice)
        self._field = board_field(self.yuv)
        self._remembered = bare.on(self.lattice) if bare else None
        self._described: dict[Ring, Disc] = {}
        self._seek(board.coin_radius, board.striker_radius)

    def _seek(self, coin: float, striker: float) -> None:
        if Kind.STRIKER in self.profile.colours:
            small, large = self._responses(self._field, [coin, striker])
            self.coins, self.large = self._found([small], self._field, self.holes), self._found([large], self._field)
            return
        bare = without_prints(self._field, self.prints)
        radii = [striker, *(r for r in STRIKER_RADII if r > striker + 1.0)]
        self.coins = self._found(self._responses(self._field, [coin]), self._field, self.holes)
        self.large = self._found(self._responses(bare, radii), bare)

    def _responses(self, field: Field, radii: list[float]) -> Iterable[tuple[float, F32]]:
        return zip(radii, ring_responses(field, [r / self.lattice.step for r in radii]), strict=True)

    def _found(self, responses: Iterable[tuple[float, F32]], field: Field, holes: U8 | None = None) -> list[Ring]:
        found = find_rings(self.lattice, responses, self.profile.board.half, self.profile.middle)
        lip, away = self.profile.board.coin_radius, rim_distances(found, self.profile)
        near = {ring: gap for ring, gap in zip(found, away, strict=True)
                if gap > (-LIP_MM if ring.radius == lip else SCAN_RIM_MM)}  # fmt: skip
        rims = with_rims(self.lattice, field, self.prints, [r for r, gap in near.items() if gap > SCAN_RIM_MM], holes)
        lips = with_rims(self.lattice, field, self.prints, [r for r, gap in near.items() if gap <= SCAN_RIM_MM])
        return rims + [r for r in lips if r.support > LIP_SUPPORT]

    def disc(self, ring: Ring) -> Disc:
        """How a circle looks."""
        if ring not in self._described:
            self._described[ring] = describe(self.lattice, self.yuv, ring, self.prints, self.holes)
        return self._described[ring]

    def patch_source(self) -> PatchSource:
        """The board as it is asked what lies there; the bare one as remembered, else by its symmetry."""
        board, step = self.profile.board, self.lattice.step
        *base, centre = printed_circles(self.profile)
        column, row = self._cells_of([centre])[0].tolist()
        circles = Circles(self._cells_of(base), (board.base_circle_radius + PRINT_EDGE) / step)
        coin, ornament = board.coin_radius / step, ORNAMENT * board.outer_circle_radius / step
        return PatchSource(self.yuv, self.prints, self.holes, coin, (column, row), ornament, circles=circles,
                           remembered=self._remembered)  # fmt: skip

    def _cells_of(self, circles: Sequence[Circle]) -> F64:
        return self.lattice.to_cells(lifted(self.profile, np.array([c.centre for c in circles])))

    @property
    def knows_middle(self) -> bool:
        """Whether the board's middle was ever seen bare."""
        column, row = np.round(self._cells_of(printed_circles(self.profile)[-1:])[0]).astype(int).tolist()
        return self._remembered is not None and bool(self._remembered.known[row, column])

    def drawn(self, ring: Ring) -> float:
        """How well a circle is drawn that was not sought."""
        return drawn(self.lattice, self._field, [ring])[0]

    def afar(self, disc: Disc) -> Disc:
        """A disc in a crowd, held against the board beyond the crowd."""
        return replace(disc, ground=ground_afar(self.lattice, self.yuv, disc))

    def off_ink(self, disc: Disc) -> Disc:
        """A disc on an ornament that shows more ink than wood around it, held against the board beyond; in a shadow
        there is no wood as light as that beyond.
        """
        if not meets_ornament(disc, self.profile):
            return disc
        light = lightest_around(self.lattice, self.yuv, disc)
        if SCAN_LIT * disc.ground[0] >= INKED * light:
            return disc
        beyond = self.afar(disc)
        return beyond if disc.ground[0] < INKED * beyond.ground[0] and light > SCAN_LIT * beyond.ground[0] else disc
