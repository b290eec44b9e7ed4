"""The table: which pieces lie where, as last clearly seen, and whether each still does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from models.board import BoardModel
from models.pieces import Kind, Piece
from referee.detect.gate import Gate, Mask, Sight
from referee.detect.hands import Scene
from referee.detect.patch import Patch

RIM_MM = 4.0
"""A piece's wall and shade reach this far beyond its rim."""
SAME_OFF, OTHER_OFF = 3.0, 24.0
"""Mean difference (levels) from a piece's own look: below the first it is there, beyond the second not."""
BARE_OFF = 8.0
"""A piece has gone when its place differs less than this from the empty board as last seen there.

A place that shows neither the piece nor the board is covered by something, be it no hand that was recognised.
"""
UNSURE_OFF, HAND_AWAY_MM = 7.0, 60.0
"""Where the board beneath was never seen, a piece has gone when it looks so different and no hand is so near."""
COVERED_SHARE = 0.05
"""A piece is covered when this share of it lies under or right beside a hand."""


class Presence(Enum):
    """What a frame says of a piece that lay on the table."""

    THERE = "there"
    COVERED = "covered"
    """By a hand."""
    OBSCURED = "obscured"
    """By something that is no hand."""
    GONE = "gone"


@dataclass(slots=True, eq=False)
class Lying:
    """A piece lying still."""

    piece: Piece
    since: float
    """When it was first seen lying there."""
    patch: Patch
    look: NDArray[np.float32]
    """Y, U, V (3, k) of the patch when it was last clearly seen, in the remembered light."""
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
        patch = Patch.of(self._gate.lattice, piece.x_mm, piece.y_mm, self.radius(piece.kind))
        return Lying(piece, sight.t, patch, patch.look(sight), Presence.THERE, sight.t)

    def _explain(self) -> None:
        self.explained = np.zeros(self._gate.lattice.shape, np.uint8)
        for k in self.lying:
            if k.presence is Presence.THERE:
                reach = self.radius(k.piece.kind) + RIM_MM
                rows, columns = self._gate.lattice.disc_cells(k.piece.x_mm, k.piece.y_mm, reach)
                self.explained[rows, columns] = 255
        self._gate.hidden = self.explained

    def check(self, sight: Sight, scene: Scene) -> list[Lying]:
        """Brings each piece's presence up to date; returns those that have just gone, no hand having covered them."""
        gone = []
        changed = False
        for k in self.lying:
            now = self._presence(k, sight, scene)
            if now is Presence.GONE and k.presence in (Presence.THERE, Presence.OBSCURED):
                gone.append(k)
            if k.presence is Presence.COVERED and now is Presence.OBSCURED and not self._off_hands(k, scene):
                now = Presence.COVERED
            changed |= now is not k.presence
            k.presence = now
            if now is Presence.THERE:
                k.seen = sight.t
        if changed:
            self._explain()
        return gone

    def renew(self, k: Lying, sight: Sight) -> None:
        """A piece was found where it lay although it looks otherwise than before: it looks so now."""
        k.look = k.patch.look(sight)
        k.presence, k.seen = Presence.THERE, sight.t

    def _presence(self, k: Lying, sight: Sight, scene: Scene) -> Presence:
        if float(np.mean(scene.near_hand[k.patch.rows, k.patch.columns] > 0)) > COVERED_SHARE:
            return Presence.COVERED
        off = k.patch.difference(k.patch.look(sight), k.look)
        if off < SAME_OFF:
            return Presence.THERE
        bare = self._gate.difference(sight, k.patch)
        if off < min(bare, OTHER_OFF) and k.presence is not Presence.GONE:
            return Presence.THERE
        if bare < BARE_OFF:
            return Presence.GONE
        if not self._gate.knows(k.patch) and off > UNSURE_OFF and self._off_hands(k, scene):
            return Presence.GONE
        return Presence.OBSCURED

    def _off_hands(self, k: Lying, scene: Scene) -> bool:
        """Whether a piece's place is well away from any hand."""
        if not np.any(scene.hand):
            return True
        reach = self.radius(k.piece.kind) + HAND_AWAY_MM
        rows, columns = self._gate.lattice.disc_cells(k.piece.x_mm, k.piece.y_mm, reach)
        return not np.any(scene.hand[rows, columns])


def count(pieces: Sequence[Piece]) -> dict[Kind, int]:
    """How many pieces of each kind."""
    out = dict.fromkeys(Kind, 0)
    for p in pieces:
        out[p.kind] += 1
    return out
