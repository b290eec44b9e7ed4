"""Reconciliation: finds discs that are not among the known pieces, and updates the known pieces and the empty board."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from statistics import median_low

import cv2
import numpy as np

from calibration.geometry.picture import Picture
from calibration.profile import Colour
from models.pieces import COINS, Kind, Piece
from referee.board_state.occupancy import Occupancy, Presence, RestingPiece, is_covered, left_of
from referee.foreground.background import BackgroundModel, ForegroundFrame, Mask
from referee.foreground.patches import DiscPatches
from referee.foreground.segmentation import Segmentation
from referee.outcome.matching import is_same_place, overlap
from referee.pieces.colour_classes import nearest_kind
from referee.pieces.current_profile import CurrentProfile
from referee.pieces.detector import find_pieces, refine_pieces
from referee.pieces.disc import Disc
from referee.pieces.disc_set import is_sure
from referee.pieces.presence import BareBoard
from referee.tracking.tracker import Place

NEAR_SHARE = 0.25
"""Share of a new disc under or right beside a hand above which it may be part of the hand."""
HIDES_LEAST = 6.0
"""Least difference from the empty board (levels, by sectors) of a disc that lies on it, even pale on pale wood."""
SKIN_S = 10.0
"""Interval at which known cells of the empty board are learned again while a hand is visible, s. Pale skin resembles
the board.
"""
RECONCILE_SURE_MM = 0.4
"""Standard deviation of a disc's centre below which its position is reliable, mm."""
NUDGED_SIGMAS = 5.0
"""Greatest distance between two measurements of a piece at rest, in standard deviations. Of 555, 99 % were in 2.5."""
CENSUS_DRAG_MM = 60.0
"""Greatest distance over which a sleeve or a finger hides or drags a coin undetected, mm."""
RECONCILE_NUDGED_MM = 2.5
"""Distance from its place beyond which a piece that was detected again has moved, mm."""


class Reconciler:
    """Compares the discs detected in a frame with the known pieces and the empty board."""

    def __init__(self, known: CurrentProfile, background: BackgroundModel, table: Occupancy) -> None:
        self._known, self.background, self.table = known, background, table
        self.searched: list[tuple[Kind, Disc]] = []
        """All discs of the last search."""
        self._newcomers: tuple[Piece, ...] = ()
        self._bare = -math.inf

    def find_new(self, picture: Picture, foreground: ForegroundFrame, scene: Segmentation, struck: bool = False,
              colour: Colour | None = None) -> list[tuple[Kind, Disc]]:  # fmt: skip
        """Returns the new discs: at no known piece, not under a hand, and different from the empty board.

        Of overlapping discs the likelier is returned. Coins that were nudged beside their places are
        returned too, after a stroke (`struck`) or where their appearance changed. `colour` is the striker's at its base
        line, and counts until the striker's colour is learned.

        Updates the presence of the known pieces on the way.
        """
        out = []
        settled = [k.piece for k in self.table.lying if k.presence in (Presence.THERE, Presence.COVERED)]
        profile = self._known.with_striker(colour)
        discs = self.searched = find_pieces(picture, profile, settled, self._bare_board())
        self._resolve(discs, foreground)
        still = [k for k in self.table.lying if k.presence is not Presence.GONE]
        board = self._known.profile.board
        beside = self.background.cover((k.piece for k in still if k.presence is Presence.THERE), board)
        for kind, disc in sorted(discs, key=lambda each: -each[1].presence):
            if any(is_same_place(k.piece.place, (disc.x, disc.y)) for k in still):
                continue
            if self._near_hand(disc, scene) > NEAR_SHARE:
                continue
            if self._hides(foreground, disc, beside):
                out.append((kind, disc))
                beside |= self.background.cover((Piece(kind, disc.x, disc.y),), board)
        asked = [k for k in still if struck or k.may_lie_beside or k.presence is Presence.COVERED]
        self._nudge(asked, discs, out, scene)
        for k in still:
            k.searched = foreground.t
        self._displace(still, discs, out)
        self._doubt(still, discs, out, struck)
        return self._possible(out)

    def _bare_board(self) -> BareBoard | None:
        """Returns the board as it was seen with nothing on it."""
        model = self.background
        return None if model.empty is None else BareBoard(model.lattice, model.empty, model.known)

    def _possible(self, new: list[tuple[Kind, Disc]]) -> list[tuple[Kind, Disc]]:
        """Returns the new discs, each with a kind of which the set has coins left: no second queen beside one on the
        board.
        """
        left = left_of(self._known.profile.full_set, self.table.pieces())
        out = []
        for kind, disc in new:
            room = [k for k in COINS if left[k] > 0]
            if kind in COINS and kind not in room and room:
                kind = nearest_kind(disc, self._known.profile.colours, room)[0]
            left[kind] -= 1
            out.append((kind, disc))
        return out

    def _resolve(self, discs: list[tuple[Kind, Disc]], foreground: ForegroundFrame) -> None:
        """Decides on obscured pieces, whose places show neither them nor the bare board.

        A piece is there if a disc of its kind is found at its place. It is gone if no disc is found there, or if the
        striker lies at a coin's place or a coin at the striker's.
        """
        for k in self.table.lying:
            if k.presence is Presence.OBSCURED:
                here = k.piece.place
                found = {kind: d for kind, d in discs if not has_moved(here, (d.x, d.y))}
                if k.piece.kind in found:
                    self.table.renew(k, foreground)
                elif not found or _is_replaced(k.piece.kind, found):
                    k.presence = Presence.GONE

    def _nudge(self, asked: Sequence[RestingPiece], discs: list[tuple[Kind, Disc]], new: list[tuple[Kind, Disc]],
               scene: Segmentation) -> None:  # fmt: skip
        """Marks coins reliably detected right beside their places as gone, and adds the discs to `new`.

        The change was too small for the appearance, or a hand was so near that the appearance was not checked.
        """
        for k in (k for k in asked if k.presence in (Presence.THERE, Presence.COVERED)):
            beside = _found_on(k.piece, discs)
            if (
                beside is None
                or beside.sigma >= RECONCILE_SURE_MM
                or not has_moved(k.piece.place, (beside.x, beside.y))
            ):
                continue
            if k.presence is Presence.THERE or not is_covered(self._near_hand(beside, scene)):
                k.presence = Presence.GONE
                new.append((k.piece.kind, beside))

    def _near_hand(self, disc: Disc, scene: Segmentation) -> float:
        """Returns the share of a disc under or right beside a hand; 1 outside the lattice."""
        near = scene.near_hand[self.background.lattice.disc_cells(disc.x, disc.y, disc.radius)]
        return float(np.mean(near > 0)) if len(near) else 1.0

    def _displace(
        self, still: list[RestingPiece], discs: list[tuple[Kind, Disc]], new: list[tuple[Kind, Disc]]
    ) -> None:
        """Marks a known piece as gone if a search did not find it and a new disc overlaps its place.

        Its place never showed the bare board: a coin that hits another of its colour full stops where that one lay. A
        covered piece is gone only if the new disc is of its kind: the hand moved it by less than its width.
        """
        for k in still:
            here, radius = k.piece.place, self._known.profile.board.radius(k.piece.kind)
            over = {kind for kind, d in new if overlap(here, (d.x, d.y), radius + d.radius)}
            overlaid = over if k.presence is Presence.THERE else over & {k.piece.kind}
            if k.presence in (Presence.THERE, Presence.COVERED) and overlaid and not _is_found(k.piece, discs):
                k.presence = Presence.GONE

    def _doubt(self, still: list[RestingPiece], discs: list[tuple[Kind, Disc]], new: list[tuple[Kind, Disc]],
               struck: bool) -> None:  # fmt: skip
        """Marks pieces that were not found as gone, where more pieces of a kind are new than have gone: they have
        moved.

        Those near a new disc, to which a hand may have dragged them, come first. Without a stroke, new discs far from
        them may be coins put back that the set lacks.
        """
        gone = Counter(k.piece.kind for k in self.table.lying if k.presence is Presence.GONE)
        lying = Counter(k.piece.kind for k in self.table.lying)
        for kind in Kind:
            places = [(d.x, d.y) for k, d in new if k is kind]
            unseen = [k for k in still if k.piece.kind is kind and k.presence is Presence.THERE
                      and not _is_found(k.piece, discs)]  # fmt: skip
            out = 0 if struck else max(0, self._known.profile.full_set.get(kind, 1) - lying[kind])
            near = [k for k in unseen if any(may_be_dragged(k.piece.place, place) for place in places)]
            moved = [*near, *(k for k in unseen if k not in near)]
            spare = len(places) - gone[kind]
            for k in moved[: max(0, min(spare, max(len(near), spare - out)))]:
                k.presence = Presence.GONE

    def _hides(self, foreground: ForegroundFrame, disc: Disc, beside: Mask) -> bool:
        """Tells whether the frame differs from the empty board within a disc, at least along its rim.

        Cells under `beside` and cells never visible bare are left out. Where the empty board was never visible, the
        disc must be sure.
        """
        patch = DiscPatches.of(self.background.lattice, disc.x, disc.y, disc.radius)
        if not self.background.knows(patch):
            return is_sure(disc)
        unseen = cv2.bitwise_or(beside, cv2.bitwise_not(self.background.known))
        return self.background.difference(foreground, patch, np.asarray(unseen, np.uint8)) > HIDES_LEAST

    def recognised(self) -> list[tuple[RestingPiece, Disc]]:
        """Returns the visible pieces that the last search found, each with its disc."""
        there = [k for k in self.table.lying if k.presence is Presence.THERE]
        return [(k, disc) for k in there if (disc := _found_on(k.piece, self.searched)) is not None]

    def confirm(self, picture: Picture, t: float) -> None:
        """Measures the pieces that may have been nudged, where the last search found them.

        One whose rim is measured at its old place needs no further search: a hand's shadow usually changed its
        appearance.
        """
        asked = [(k, disc) for k, disc in self.recognised() if k.may_lie_beside]
        there = [(k.piece.kind, replace(disc, x=k.piece.x_mm, y=k.piece.y_mm)) for k, disc in asked]
        discs = refine_pieces(picture, self._known.profile, there)
        for (k, _), disc in zip(asked, discs, strict=True):
            off = math.dist(k.piece.place, (disc.x, disc.y))
            if disc.sigma < RECONCILE_SURE_MM and off < NUDGED_SIGMAS * disc.sigma:
                k.searched = t

    def beside(self, picture: Picture) -> list[tuple[RestingPiece, Disc]]:
        """Returns the visible pieces that moved slightly, each with its measured disc.

        A coin that another or a hand just touched lies beside its place by less than the search resolves. A camera that
        was bumped moves most pieces.
        """
        there = self.recognised()
        discs = refine_pieces(picture, self._known.profile, [(k.piece.kind, disc) for k, disc in there])
        away = [math.dist(k.piece.place, (disc.x, disc.y)) for (k, _), disc in zip(there, discs, strict=True)]
        usual = median_low([0.0, *away])
        return [(k, d) for (k, _), d, mm in zip(there, discs, away, strict=True)
                if mm > NUDGED_SIGMAS * max(d.sigma, usual) and is_same_place(k.piece.place, (d.x, d.y))]  # fmt: skip

    def settle(
        self, pieces: list[Piece], foreground: ForegroundFrame, scene: Segmentation, newcomers: Sequence[Piece] = ()
    ) -> None:
        """Sets the known pieces and learns the empty board. Unconfirmed `newcomers` may lie there too."""
        self.table.settle(pieces, foreground)
        self._newcomers = tuple(newcomers)
        self.refresh(foreground, scene)

    def refresh(self, foreground: ForegroundFrame, scene: Segmentation) -> None:
        """Learns the empty board wherever there is no piece, no hand and no unexplained foreground."""
        lying = [*(k.piece for k in self.table.lying), *self._newcomers]
        hidden = self.background.cover(lying, self._known.profile.board)
        different = cv2.dilate(cv2.bitwise_or(foreground.solid, foreground.shade), np.ones((3, 3), np.uint8))
        different = cv2.bitwise_and(different, self.background.known)
        hidden = np.asarray(cv2.bitwise_or(cv2.bitwise_or(hidden, scene.near_hand), different), np.uint8)
        if cv2.countNonZero(scene.hand) and foreground.t < self._bare + SKIN_S:
            hidden = np.asarray(cv2.bitwise_or(hidden, self.background.known), np.uint8)
        else:
            self._bare = foreground.t
        self.background.remember(foreground.yuv, hidden)


def _is_replaced(kind: Kind, found: dict[Kind, Disc]) -> bool:
    """Tells whether the striker is clearly detected at a coin's place, or a coin at the striker's."""
    return any(is_sure(d) for k, d in found.items() if Kind.STRIKER in (k, kind))


def _found_on(piece: Piece, discs: list[tuple[Kind, Disc]]) -> Disc | None:
    """Returns the disc of a piece's kind at its place; None if there is none, or more than one."""
    here = piece.place
    on = [d for kind, d in discs if kind is piece.kind and is_same_place(here, (d.x, d.y))]
    return on[0] if len(on) == 1 else None


def _is_found(piece: Piece, discs: list[tuple[Kind, Disc]]) -> bool:
    """Tells whether a disc was detected at a piece's place."""
    return any(is_same_place(piece.place, (d.x, d.y)) for _, d in discs)


def has_moved(was: Place, now: Place) -> bool:
    """Tells whether two places (mm) at which a piece was measured are farther apart than its measurements at rest."""
    return math.dist(was, now) > RECONCILE_NUDGED_MM


def may_be_dragged(was: Place, now: Place) -> bool:
    """Tells whether a sleeve or a finger may have dragged a coin undetected from one place to another (mm)."""
    return math.dist(was, now) < CENSUS_DRAG_MM
