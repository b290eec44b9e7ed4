"""Searches one picture of the board for circles, and measures the colours of each circle on demand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64
from calibration.geometry.lattice import Lattice
from calibration.geometry.picture import U8, Picture
from calibration.profile import Circle, Profile
from calibration.rings import F32, board_field, ring_responses
from models.pieces import STRIKER_RADII, Kind
from referee.pieces.circles import Ring, find_rings, mask_prints, measure_rims, scan_lattice
from referee.pieces.disc_fit import Disc
from referee.pieces.features import describe, far_ground
from referee.pieces.presence import KnownBare, PatchSource, PrintedCircles
from referee.pieces.printed_mask import (
    at_coin_height,
    hole_mask,
    print_mask,
    printed_circles,
    rim_distances,
)

PRINTED_RING_EDGE_MM = 1.0
"""Distance from a printed circle's radius to its outer edge, in mm."""
ORNAMENT_RADII = 1.2
"""Radius of an ornament, in radii of the outer circle."""

Field = tuple[F32, F32]
"""Edge field: see `calibration.rings.board_field`."""


@dataclass(frozen=True, slots=True, eq=False)
class BareBoard:
    """The empty board as it was observed, at the height of the coins' tops."""

    lattice: Lattice
    yuv: U8
    """Y, U, V (3, h, w)."""
    known: U8
    """Not 0 (h, w) where it was observed."""

    def on(self, lattice: Lattice) -> KnownBare:
        """Returns the same on another lattice."""
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
    """A picture of a board with its profile and the circles outside the pockets; each may be a piece or a print."""

    coins: list[Ring]
    """Circles of a coin's size."""
    large: list[Ring]
    """Circles of the striker's size; of every size a striker may have while its colour is not learned."""

    def __init__(self, picture: Picture, profile: Profile, bare: BareBoard | None = None) -> None:
        """`bare`: the empty board as remembered, if it is."""
        board = profile.board
        self.picture, self.profile = picture, profile
        self.lattice: Lattice = scan_lattice(profile.camera, board.half, board.coin_height)
        self.yuv: U8 = self.lattice.sample(picture)
        self.prints = print_mask(profile, self.lattice)
        self.holes = hole_mask(profile, self.lattice)
        self._no_ground = self.prints | self.holes
        self._field = board_field(self.yuv)
        self._remembered = bare.on(self.lattice) if bare else None
        self._described: dict[Ring, Disc] = {}
        self._find_circles(board.coin_radius, board.striker_radius)

    def _find_circles(self, coin: float, striker: float) -> None:
        if Kind.STRIKER in self.profile.colours:
            small, large = self._responses(self._field, [coin, striker])
            self.coins, self.large = self._rings([small], self._field), self._rings([large], self._field)
            return
        bare = mask_prints(self._field, self.prints)
        radii = [striker, *(r for r in STRIKER_RADII if r > striker + 1.0)]
        self.coins = self._rings(self._responses(self._field, [coin]), self._field)
        self.large = self._rings(self._responses(bare, radii), bare)

    def _responses(self, field: Field, radii: list[float]) -> Iterable[tuple[float, F32]]:
        return zip(radii, ring_responses(field, [r / self.lattice.step for r in radii]), strict=True)

    def _rings(self, responses: Iterable[tuple[float, F32]], field: Field) -> list[Ring]:
        found = find_rings(self.lattice, responses, self.profile.board.half, self.profile.middle)
        gaps = rim_distances(np.array([(r.x, r.y) for r in found]).reshape(-1, 2), self.profile)
        # A coin whose centre is over a hole lies in the net.
        on_board = [ring for ring, gap in zip(found, gaps, strict=True) if gap > 0]
        return measure_rims(self.lattice, field, on_board)

    def disc(self, ring: Ring) -> Disc:
        """Returns a circle's colours as a disc; cached."""
        if ring not in self._described:
            self._described[ring] = describe(self.lattice, self.yuv, ring, self._no_ground)
        return self._described[ring]

    def patch_source(self) -> PatchSource:
        """Returns the source of the network's patches; its empty board is remembered, or else estimated by symmetry."""
        board, step = self.profile.board, self.lattice.step
        *base, centre = printed_circles(self.profile)
        column, row = self._cells_of([centre])[0].tolist()
        circles = PrintedCircles(self._cells_of(base), (board.base_circle_radius + PRINTED_RING_EDGE_MM) / step)
        coin, ornament = board.coin_radius / step, ORNAMENT_RADII * board.outer_circle_radius / step
        return PatchSource(self.yuv, self.prints, self.holes, coin, (column, row), ornament, circles=circles,
                           remembered=self._remembered)  # fmt: skip

    def _cells_of(self, circles: Sequence[Circle]) -> F64:
        return self.lattice.to_cells(at_coin_height(self.profile, np.array([c.centre for c in circles])))

    @property
    def knows_middle(self) -> bool:
        """Tells whether the board's middle was ever observed empty."""
        return bool(self._are_known(self._cells_of(printed_circles(self.profile)[-1:]))[0])

    def top_heights(self, rings: Sequence[Ring]) -> F64:
        """Returns the heights (n,) mm of the tops of the discs that circles may be, by their sizes."""
        board = self.profile.board
        return np.array([board.height(Kind.STRIKER if r.radius > board.coin_radius else Kind.WHITE) for r in rings])

    def are_known(self, rings: Sequence[Ring]) -> NDArray[np.bool_]:
        """Tells of each circle (n,) whether its middle was ever observed empty."""
        return self._are_known(self.lattice.to_cells([(r.x, r.y) for r in rings]))

    def _are_known(self, cells: F64) -> NDArray[np.bool_]:
        if self._remembered is None:
            return np.zeros(len(cells), bool)
        columns, rows = np.round(cells).astype(int).T
        return np.asarray(self._remembered.known[rows, columns] > 0)

    def with_far_ground(self, disc: Disc) -> Disc:
        """Returns a disc in a crowd with its colour relative to the board beyond the crowd."""
        return replace(disc, ground=far_ground(self.lattice, self.yuv, disc))
