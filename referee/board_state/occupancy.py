"""Occupancy: which pieces lie where, as last clearly detected, and whether each is still there."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from models.board import BoardModel
from models.pieces import Kind, Piece
from referee.foreground.background import BackgroundModel, ForegroundFrame, Mask, is_known
from referee.foreground.components import Window
from referee.foreground.patches import F32, DiscPatches
from referee.foreground.segmentation import Segmentation

PLACE_RIM_MM = 4.0
"""Reach of a piece's wall and shade beyond its rim."""
SAME_OFF, OTHER_OFF = 3.0, 24.0
"""Mean difference (levels) from a piece's own appearance: below the first it is there, beyond the second it is not."""
STIRRED_OFF = 2.0
"""Change of that difference (levels) that neither noise nor a finger's shadow makes. Largest seen for a shadow: 1.2."""
BARE_OFF = 8.0
"""Difference (levels) from the bare board below which a piece has gone.

A place that shows neither the piece nor the board is covered, if not by a recognised hand. Where the bare board is
unknown, a piece has gone from which the place differs by more, if no hand is near.
"""
HAND_AWAY_MM = 60.0
"""Distance within which a hand may handle a piece."""
BARE_SHARE = 0.7
"""Share of bare cells at a place above which no piece lies there. Half of a coin's shade equals the board."""
COVERED_SHARE = 0.05
"""Share of a piece under or beside a hand from which it is covered."""


def is_covered(share: float) -> bool:
    """Tells whether a piece is covered of which a share (0 to 1) lies under or beside a hand."""
    return share > COVERED_SHARE


class Presence(Enum):
    """What a frame shows of a piece at rest."""

    THERE = "there"
    COVERED = "covered"
    """Covered by a hand."""
    OBSCURED = "obscured"
    """Covered by something that is no recognised hand."""
    GONE = "gone"


@dataclass(slots=True, eq=False)
class RestingPiece:
    """A piece at rest."""

    piece: Piece
    since: float
    """First sighting at this place, s."""
    ground: tuple[NDArray[np.int64], NDArray[np.int64]]
    """Rows and columns (k,) of the cells that it and its shade hide."""
    around: tuple[Window, NDArray[np.bool_]]
    """Window of the lattice, and its cells within `HAND_AWAY_MM`."""
    patch: DiscPatches
    appearance: NDArray[np.float32]
    """Y, U, V (3, k) of the patch when last clearly seen, in the learned light."""
    presence: Presence = Presence.THERE
    seen: float = 0.0
    """Last clear sighting, s."""
    same: float = 0.0
    """Last sighting with an unchanged appearance, s. A piece moved by less than its width may pass for unmoved."""
    off: float = 0.0
    """Difference from its own appearance, levels."""
    stirred: float = -math.inf
    """Last change of `off`, s."""
    searched: float = -math.inf
    """Last search for it beside its place, s."""

    @property
    def may_lie_beside(self) -> bool:
        """Tells whether it may be elsewhere or nowhere: its appearance changed, no hand covers it, and no search has
        followed.
        """
        uncovered = self.presence in (Presence.THERE, Presence.OBSCURED)
        return uncovered and max(self.same, self.searched) < self.stirred


class Occupancy:
    """The pieces at rest on the board, checked in each frame."""

    def __init__(self, background: BackgroundModel, board: BoardModel) -> None:
        self._background = background
        self.board = board
        self.lying: list[RestingPiece] = []
        self.explained: Mask = np.zeros(background.lattice.shape, np.uint8)
        self._own: list[F32] = []
        self._places = DiscPatches.joined([])
        """Appearances and places of the pieces at the last check."""

    def pieces(self) -> tuple[Piece, ...]:
        """Returns all pieces that are there or covered."""
        return tuple(k.piece for k in self.lying if k.presence is not Presence.GONE)

    def last_seen(self, kind: Kind) -> float:
        """Returns the last clear sighting of a piece of a kind; -inf without one."""
        return max((k.seen for k in self.lying if k.piece.kind is kind), default=-math.inf)

    def any_visible(self, pieces: Sequence[Piece]) -> bool:
        """Tells whether one of these pieces is visible on its place."""
        return any(k.piece in pieces and k.presence is Presence.THERE for k in self.lying)

    def settle(self, pieces: Iterable[Piece], foreground: ForegroundFrame) -> None:
        """Sets the pieces at rest. Known ones keep their history; new ones learn their appearance from this frame."""
        before = {id(k.piece): k for k in self.lying}
        self.lying = [before.get(id(p)) or self._lying(p, foreground) for p in pieces]
        self._explain()

    def _lying(self, piece: Piece, foreground: ForegroundFrame) -> RestingPiece:
        lattice, radius = self._background.lattice, self.board.radius(piece.kind)
        ground = lattice.disc_cells(piece.x_mm, piece.y_mm, radius + PLACE_RIM_MM)
        around = lattice.disc(piece.x_mm, piece.y_mm, radius + HAND_AWAY_MM)
        patch = DiscPatches.of(lattice, piece.x_mm, piece.y_mm, radius)
        appearance, t = patch.sample(foreground.yuv, foreground.light), foreground.t
        return RestingPiece(piece, t, ground, around, patch, appearance, seen=t, same=t)

    def _explain(self) -> None:
        self.explained = np.zeros(self._background.lattice.shape, np.uint8)
        for k in self.lying:
            if k.presence is Presence.THERE:
                self.explained[k.ground] = 255
        self._background.hidden = self.explained

    def check(self, foreground: ForegroundFrame, scene: Segmentation) -> list[RestingPiece]:
        """Updates each piece's presence; returns those that have just gone without having been covered by a hand."""
        gone = []
        changed = False
        for k, covered, off, bare, known in zip(self.lying, *self._measures(foreground, scene), strict=True):
            now = _presence(k, covered, off, bare, known, scene)
            if now is Presence.GONE and k.presence in (Presence.THERE, Presence.OBSCURED):
                gone.append(k)
            if k.presence is Presence.COVERED and now is Presence.OBSCURED and is_handled(k, scene):
                now = Presence.COVERED
            changed |= now is not k.presence
            k.presence = now
            if abs(off - k.off) > STIRRED_OFF:
                k.off, k.stirred = off, foreground.t
            if now is Presence.THERE:
                k.seen = foreground.t
                k.same = foreground.t if off < SAME_OFF else k.same
        if changed:
            self._explain()
        return gone

    def drop(self, bare: Mask) -> None:
        """Removes pieces whose places are mostly `bare` board (n, n)."""
        self.lying = [k for k in self.lying if float(np.mean(bare[k.ground] > 0)) < BARE_SHARE]
        self._explain()

    def restore(self) -> None:
        """Marks all pieces as there; the next frame decides."""
        for k in self.lying:
            k.presence = Presence.THERE
        self._explain()

    def repeat_last(self, t: float) -> None:
        """Repeats the last frame at t: nothing new."""
        for k in self.lying:
            if k.presence is Presence.THERE:
                k.same = t if k.same == k.seen else k.same
                k.seen = t

    def renew(self, k: RestingPiece, foreground: ForegroundFrame) -> None:
        """Learns a piece's appearance again from this frame: it was found on its place although it changed."""
        k.appearance = k.patch.sample(foreground.yuv, foreground.light)
        k.presence, k.seen, k.same = Presence.THERE, foreground.t, foreground.t

    def _measures(self, foreground: ForegroundFrame, scene: Segmentation) -> tuple[list[float], ...]:
        """Returns four measures of a frame at all pieces' places: share under or beside a hand, differences (levels)
        from the pieces' own appearances and from the bare board, and known share of the bare board. The last two are
        measured only if a piece's own appearance is not seen.
        """
        background, own = self._background, [k.appearance for k in self.lying]
        if len(own) != len(self._own) or any(a is not b for a, b in zip(own, self._own, strict=True)):
            self._own, self._places = own, DiscPatches.joined([k.patch for k in self.lying])
        places, empty = self._places, background.empty
        now = places.sample(foreground.yuv, foreground.light)
        off = places.differences(now, np.concatenate([np.zeros((3, 0), np.float32), *own], 1))
        bare = known = np.zeros_like(off)
        if empty is not None and np.any(off >= SAME_OFF):
            bare, known = places.differences(now, places.at(empty)), places.shares(background.known)
        return places.shares(scene.near_hand).tolist(), off.tolist(), bare.tolist(), known.tolist()


def _presence(k: RestingPiece, covered: float, off: float, bare: float, known: float, scene: Segmentation) -> Presence:
    """Returns what a frame shows of a piece, by its measures."""
    if is_covered(covered):
        return Presence.COVERED
    if off < SAME_OFF:
        return Presence.THERE
    if off < min(bare, OTHER_OFF) and k.presence is not Presence.GONE:
        return Presence.THERE
    if bare < BARE_OFF:
        return Presence.GONE
    if not is_known(known) and off > BARE_OFF and not is_handled(k, scene):
        return Presence.GONE
    return Presence.OBSCURED


def is_handled(k: RestingPiece, scene: Segmentation) -> bool:
    """Tells whether a hand is so near to a piece that it may handle it."""
    window, inside = k.around
    hand = scene.hand[window]
    return cv2.countNonZero(hand) > 0 and bool(hand[inside].any())


def left_of(full_set: Mapping[Kind, int], pieces: Iterable[Piece]) -> Counter[Kind]:
    """Returns the pieces of each kind that the set has beyond these; negative if there are more."""
    left = Counter(full_set)
    left.subtract(p.kind for p in pieces)
    return left
