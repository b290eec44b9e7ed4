"""The table: which pieces lie where, as last clearly seen, and whether each still does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from models.board import BoardModel
from models.pieces import Kind, Piece
from referee.detect.gate import Gate, Mask, Sight, levelled, weighted_difference

SKIRT_MM = 2.0
"""A piece's look is compared up to this far beyond its rim: the shade there tells a pale coin from pale wood."""
RIM_MM = 4.0
"""A piece's wall and shade reach this far beyond its rim."""
SAME_OFF, OTHER_OFF = 3.5, 24.0
"""Mean difference (levels) from a piece's own look: below the first it is there; beyond the second it is not."""
COVERED_SHARE = 0.05
"""A piece is covered when this share of it lies under or right beside a hand."""


class Presence(Enum):
    """What a frame says of a piece that lay on the table."""

    THERE = "there"
    COVERED = "covered"
    GONE = "gone"


@dataclass(slots=True, eq=False)
class Lying:
    """A piece lying still."""

    piece: Piece
    since: float
    """When it was first seen lying there."""
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    """Lattice points of its top face and a little around."""
    look: NDArray[np.float32]
    """Y, U, V (3, k) of those points when it was last clearly seen, luma at gain 1."""
    presence: Presence = Presence.THERE
    seen: float = 0.0
    """When it was last clearly seen there."""


class TableWatch:
    """The pieces lying on the board, checked in each frame."""

    def __init__(self, gate: Gate, board: BoardModel) -> None:
        self._gate = gate
        self.board = board
        self.lying: list[Lying] = []
        self.explained: Mask = np.zeros(gate.lattice.shape, np.uint8)

    def radius(self, kind: Kind) -> float:
        """Radius (mm) of a kind on this board."""
        return self.board.striker_radius if kind is Kind.STRIKER else self.board.coin_radius

    def pieces(self) -> tuple[Piece, ...]:
        """All pieces that are there or were when a hand covered them."""
        return tuple(k.piece for k in self.lying if k.presence is not Presence.GONE)

    def settle(self, pieces: Iterable[Piece], sight: Sight) -> None:
        """The pieces now lying; those that were not seen in this frame must be kept by `keep`."""
        before = {id(k.piece): k for k in self.lying}
        self.lying = [before.get(id(p)) or self._lying(p, sight) for p in pieces]
        self._explain()

    def _lying(self, piece: Piece, sight: Sight) -> Lying:
        rows, columns = self._gate.lattice.disc_cells(piece.x_mm, piece.y_mm, self.radius(piece.kind) + SKIRT_MM)
        return Lying(piece, sight.t, rows, columns, levelled(sight, rows, columns), Presence.THERE, sight.t)

    def _explain(self) -> None:
        self.explained = np.zeros(self._gate.lattice.shape, np.uint8)
        for k in self.lying:
            if k.presence is Presence.THERE:
                reach = self.radius(k.piece.kind) + RIM_MM
                rows, columns = self._gate.lattice.disc_cells(k.piece.x_mm, k.piece.y_mm, reach)
                self.explained[rows, columns] = 255

    def check(self, sight: Sight, near_hand: Mask) -> list[Lying]:
        """Brings each piece's presence up to date; returns those that have just gone from under the camera's eye."""
        gone = []
        changed = False
        for k in self.lying:
            now = self._presence(k, sight, near_hand)
            if now is Presence.GONE and k.presence is Presence.THERE:
                gone.append(k)
            changed |= now is not k.presence
            k.presence = now
            if now is Presence.THERE:
                k.seen = sight.t
        if changed:
            self._explain()
        return gone

    def _presence(self, k: Lying, sight: Sight, near_hand: Mask) -> Presence:
        if float(np.mean(near_hand[k.rows, k.columns] > 0)) > COVERED_SHARE:
            return Presence.COVERED
        off = weighted_difference(levelled(sight, k.rows, k.columns), k.look)
        if off < SAME_OFF:
            return Presence.THERE
        if off > OTHER_OFF:
            return Presence.GONE
        bare = self._gate.difference(sight, k.rows, k.columns)
        return Presence.THERE if off < bare else Presence.GONE


def count(pieces: Sequence[Piece]) -> dict[Kind, int]:
    """How many pieces of each kind."""
    out = dict.fromkeys(Kind, 0)
    for p in pieces:
        out[p.kind] += 1
    return out
