"""The table: which pieces lie where, as last clearly seen, and whether each still does."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.picture import U8
from models.board import BoardModel
from models.pieces import Kind, Piece
from referee.foreground.background import KNOWN_SHARE, Gate, Mask, Sight
from referee.foreground.components import Window
from referee.foreground.patches import F32, Patch, Patches
from referee.foreground.segmentation import Scene

RIM_MM = 4.0
"""A piece's wall and shade reach this far beyond its rim."""
SAME_OFF, OTHER_OFF = 3.0, 24.0
"""Mean difference (levels) from a piece's own look: below the first it is there, beyond the second not."""
STIRRED_OFF = 2.0
"""A change of that difference by more is none of noise or of a finger's shade, which changed it by 1.2 over a striker
that rested.
"""
BARE_OFF = 8.0
"""A piece has gone when its place differs less than this from the empty board as last seen there.

A place that shows neither the piece nor the board is covered by something, be it no hand that was recognised.
"""
UNSURE_OFF, HAND_AWAY_MM = 7.0, 60.0
"""Where the board beneath was never seen, a piece has gone when it looks so different and no hand is so near."""
BARE_SHARE = 0.7
"""More than this share of a place is bare where no piece lies: half of a coin's shade looks like the board."""
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
    ground: tuple[NDArray[np.int64], NDArray[np.int64]]
    """Rows and columns (k,) of the lattice points that it and its shade hide."""
    around: tuple[Window, NDArray[np.bool_]]
    """A window of the lattice, and which of its points are so near to it that a hand there may be over it."""
    patch: Patch
    look: NDArray[np.float32]
    """Y, U, V (3, k) of the patch when it was last clearly seen, in the remembered light."""
    presence: Presence = Presence.THERE
    seen: float = 0.0
    """When it was last clearly seen there."""
    same: float = 0.0
    """When it last looked there as remembered; moved by less than its width it may seem to lie there still."""
    off: float = 0.0
    """How much (levels) its place differs from its look."""
    stirred: float = -math.inf
    """When that last changed."""
    searched: float = -math.inf
    """When a search last told whether it lies beside its place."""

    @property
    def may_lie_beside(self) -> bool:
        """Whether it may have been moved by less than its width: it looks otherwise, and nobody has searched since."""
        return self.presence is Presence.THERE and max(self.same, self.searched) < self.stirred


@dataclass(frozen=True, slots=True)
class Hint:
    """What a frame shows of a piece's place."""

    covered: float
    """Share that lies under or right beside a hand."""
    off: float
    """Difference (levels) from the piece's own look."""
    bare: float
    """Difference (levels) from the empty board; told where the piece's own look is not seen."""
    known: float
    """Share of the empty board there that has been seen."""


class Together:
    """The places and looks of several pieces, gathered once for as long as they are the same."""

    def __init__(self, lying: Sequence[Lying], shape: tuple[int, int]) -> None:
        self._looks = [k.look for k in lying]
        self.places = Patches([k.patch for k in lying], shape)
        self.looks = np.concatenate([np.zeros((3, 0), np.float32), *self._looks], 1)
        self._empty: U8 | None = None
        self._bare, self._known = self.looks, np.zeros(len(lying))

    def is_of(self, lying: Sequence[Lying]) -> bool:
        """Whether these are the same pieces, looking the same."""
        return len(lying) == len(self._looks) and all(k.look is a for k, a in zip(lying, self._looks, strict=True))

    def bare(self, gate: Gate) -> tuple[F32, NDArray[np.float64]]:
        """The empty board's look (3, k) at all places, and the share of each (p,) that has been seen."""
        assert gate.empty is not None
        if self._empty is not gate.empty:
            self._empty, self._bare, self._known = (
                gate.empty,
                self.places.at(gate.empty),
                self.places.shares(gate.known),
            )
        return self._bare, self._known


class TableWatch:
    """The pieces lying on the board, checked in each frame."""

    def __init__(self, gate: Gate, board: BoardModel) -> None:
        self._gate = gate
        self.board = board
        self.lying: list[Lying] = []
        self.explained: Mask = np.zeros(gate.lattice.shape, np.uint8)
        self._together = [Together([], gate.lattice.shape)] * 2
        self._asks_gone = False

    def pieces(self) -> tuple[Piece, ...]:
        """All pieces that are there or were when a hand covered them."""
        return tuple(k.piece for k in self.lying if k.presence is not Presence.GONE)

    def last_seen(self, kind: Kind) -> float:
        """When a piece of a kind was last seen to lie on its place; before all time when none is known to lie."""
        return max((k.seen for k in self.lying if k.piece.kind is kind), default=-math.inf)

    def shows(self, pieces: Sequence[Piece]) -> bool:
        """Whether one of these pieces is seen to lie on its place."""
        return any(k.piece in pieces and k.presence is Presence.THERE for k in self.lying)

    def settle(self, pieces: Iterable[Piece], sight: Sight) -> None:
        """The pieces now lying; those that were not seen in this frame must be kept by `keep`."""
        before = {id(k.piece): k for k in self.lying}
        self.lying = [before.get(id(p)) or self._lying(p, sight) for p in pieces]
        self._explain()

    def _lying(self, piece: Piece, sight: Sight) -> Lying:
        lattice, radius = self._gate.lattice, self.board.radius(piece.kind)
        ground = lattice.disc_cells(piece.x_mm, piece.y_mm, radius + RIM_MM)
        around = lattice.disc(piece.x_mm, piece.y_mm, radius + HAND_AWAY_MM)
        patch = Patch.of(lattice, piece.x_mm, piece.y_mm, radius)
        return Lying(piece, sight.t, ground, around, patch, patch.look(sight), Presence.THERE, sight.t, sight.t)

    def _explain(self) -> None:
        self.explained = np.zeros(self._gate.lattice.shape, np.uint8)
        for k in self.lying:
            if k.presence is Presence.THERE:
                self.explained[k.ground] = 255
        self._gate.hidden = self.explained

    def check(self, sight: Sight, scene: Scene) -> list[Lying]:
        """Brings each piece's presence up to date; returns those that have just gone, no hand having covered them.

        Where pieces have gone is looked at in every other frame: in a break all have, and few come back.
        """
        self._asks_gone = not self._asks_gone
        asked = self.lying if self._asks_gone else [k for k in self.lying if k.presence is not Presence.GONE]
        gone = []
        changed = False
        for k, hint in zip(asked, self._hints(asked, sight, scene), strict=True):
            now = _presence(k, hint, scene)
            if now is Presence.GONE and k.presence in (Presence.THERE, Presence.OBSCURED):
                gone.append(k)
            if k.presence is Presence.COVERED and now is Presence.OBSCURED and _handled(k, scene):
                now = Presence.COVERED
            changed |= now is not k.presence
            k.presence = now
            if abs(hint.off - k.off) > STIRRED_OFF:
                k.off, k.stirred = hint.off, sight.t
            if now is Presence.THERE:
                k.seen = sight.t
                k.same = sight.t if hint.off < SAME_OFF else k.same
        if changed:
            self._explain()
        return gone

    def drop(self, bare: Mask) -> None:
        """Pieces whose places are mostly `bare` board (n, n) never lay there."""
        self.lying = [k for k in self.lying if float(np.mean(bare[k.ground] > 0)) < BARE_SHARE]
        self._explain()

    def restore(self) -> None:
        """What seemed to be out of place lies where it lay; the next frame tells."""
        for k in self.lying:
            k.presence = Presence.THERE
        self._explain()

    def rest(self, t: float) -> None:
        """A frame shows nothing new: what was there is there."""
        for k in self.lying:
            if k.presence is Presence.THERE:
                k.same = t if k.same == k.seen else k.same
                k.seen = t

    def renew(self, k: Lying, sight: Sight) -> None:
        """A piece was found where it lay although it looks otherwise than before: it looks so now."""
        k.look = k.patch.look(sight)
        k.presence, k.seen, k.same = Presence.THERE, sight.t, sight.t

    def _hints(self, asked: Sequence[Lying], sight: Sight, scene: Scene) -> list[Hint]:
        """What a frame shows of pieces, looked at together."""
        if not asked:
            return []
        together = self._together[self._asks_gone]
        if not together.is_of(asked):
            together = self._together[self._asks_gone] = Together(asked, self._gate.lattice.shape)
        places, looks = together.places, together.looks
        now = places.look(sight)
        off = places.differences(now, looks)
        covered, odd = places.shares(scene.near_hand), off >= SAME_OFF
        bare = known = np.zeros_like(off)
        if np.any(odd):
            empty, known = together.bare(self._gate)
            bare = places.differences(now, empty)
        columns = covered.tolist(), off.tolist(), bare.tolist(), known.tolist()
        return [Hint(*hint) for hint in zip(*columns, strict=True)]


def _presence(k: Lying, hint: Hint, scene: Scene) -> Presence:
    if hint.covered > COVERED_SHARE:
        return Presence.COVERED
    if hint.off < SAME_OFF:
        return Presence.THERE
    if hint.off < min(hint.bare, OTHER_OFF) and k.presence is not Presence.GONE:
        return Presence.THERE
    if hint.bare < BARE_OFF:
        return Presence.GONE
    if hint.known < KNOWN_SHARE and hint.off > UNSURE_OFF and not _handled(k, scene):
        return Presence.GONE
    return Presence.OBSCURED


def _handled(k: Lying, scene: Scene) -> bool:
    """Whether a hand is near a piece's place."""
    window, inside = k.around
    hand = scene.hand[window]
    return cv2.countNonZero(hand) > 0 and bool(hand[inside].any())


def left_of(full_set: Mapping[Kind, int], pieces: Iterable[Piece]) -> Counter[Kind]:
    """How many of each kind the set has left beside these pieces; negative where there are more."""
    left = Counter(full_set)
    left.subtract(p.kind for p in pieces)
    return left


def count(pieces: Sequence[Piece]) -> dict[Kind, int]:
    """How many pieces of each kind."""
    out = dict.fromkeys(Kind, 0)
    for p in pieces:
        out[p.kind] += 1
    return out
