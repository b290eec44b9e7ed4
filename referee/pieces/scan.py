"""Searches one picture of the board for circles, and measures the colours of each circle on demand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64
from calibration.geometry.lattice import Lattice
from calibration.geometry.picture import U8, Picture
from calibration.profile import Circle, Profile
from calibration.rings import F32, board_field, ring_responses
from models.pieces import STRIKER_RADII, Kind
from referee.pieces.circles import Ring, find_rings, measure_rims, scan_lattice
from referee.pieces.disc import Disc, describe, far_ground
from referee.pieces.presence import BareBoard, PatchSource, PrintedCircles
from referee.pieces.printed_mask import at_coin_height, hole_mask, print_mask, printed_circles, rim_distances

PRINTED_RING_EDGE_MM = 1.0
"""Distance from a printed circle's radius to its outer edge, in mm."""


class View:
    """A picture of a board with its profile and the circles outside the pockets; each may be a piece or a print.

    They are `coins` of a coin's size, and `large` of the striker's, or of any that it may have while it is not learned.
    """

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
        others = () if Kind.STRIKER in profile.colours else STRIKER_RADII
        radii = [board.coin_radius, board.striker_radius, *(r for r in others if r > board.striker_radius + 1.0)]
        small, *large = zip(radii, ring_responses(self._field, [r / self.lattice.step for r in radii]), strict=True)
        self.coins, self.large = self._rings([small]), self._rings(large)

    def _rings(self, responses: Iterable[tuple[float, F32]]) -> list[Ring]:
        found = find_rings(self.lattice, responses, self.profile.board.half, self.profile.middle)
        gaps = rim_distances(np.array([(r.x, r.y) for r in found]).reshape(-1, 2), self.profile)
        # A coin whose centre is over a hole lies in the net.
        on_board = [ring for ring, gap in zip(found, gaps, strict=True) if gap > 0]
        return measure_rims(self.lattice, self._field, on_board)

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
        coin, ornament = board.coin_radius / step, board.outer_circle_radius / step
        return PatchSource(self.yuv, self.prints, self.holes, coin, (column, row), ornament, circles=circles,
                           remembered=self._remembered)  # fmt: skip

    def _cells_of(self, circles: Sequence[Circle]) -> F64:
        return self.lattice.to_cells(at_coin_height(self.profile, np.array([c.centre for c in circles])))

    def top_heights(self, rings: Sequence[Ring]) -> F64:
        """Returns the heights (n,) mm of the tops of the discs that circles may be, by their sizes."""
        board = self.profile.board
        return np.array([board.height(Kind.STRIKER if r.radius > board.coin_radius else Kind.WHITE) for r in rings])

    def are_known(self, rings: Sequence[Ring]) -> NDArray[np.bool_]:
        """Tells of each circle (n,) whether its middle was ever observed empty."""
        if self._remembered is None:
            return np.zeros(len(rings), bool)
        columns, rows = np.round(self.lattice.to_cells([(r.x, r.y) for r in rings])).astype(int).T
        return np.asarray(self._remembered.known[rows, columns] > 0)

    def with_far_ground(self, disc: Disc) -> Disc:
        """Returns a disc in a crowd with its colour relative to the board beyond the crowd."""
        return replace(disc, ground=far_ground(self.lattice, self.yuv, disc))
