"""The surface: discs found on the board that the table does not know yet, and the table brought up to date by them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.geometry.picture import Picture
from calibration.profile import Colour, Profile
from models.pieces import COINS, Kind, Piece
from referee.board_state.detection_cache import DetectionCache
from referee.board_state.occupancy import COVERED_SHARE, Occupancy, Presence, RestingPiece, count, left_of
from referee.foreground.background import BackgroundModel, ForegroundFrame, Mask
from referee.foreground.patches import DiscPatch
from referee.foreground.segmentation import Segmentation
from referee.outcome.fates import FATE_PLAIN, SAME_PLACE_MM
from referee.pieces.colour_classes import evidence, kind_distance, nearest_kind
from referee.pieces.current_profile import CurrentProfile
from referee.pieces.detector import placed
from referee.pieces.disc_fit import Disc
from referee.pieces.disc_set import is_sure

NEAR_SHARE = 0.25
"""A new disc of which more lies under or right beside a hand may be a part of it."""
HIDES_LEAST = 6.0
"""Difference (levels, by sectors) from the empty board where a disc hides it, be it pale on pale wood."""
WALL_MM, WIDELY_SOLID, WIDELY_DARK, LOOKS_ALIKE = 1.5, 0.3, 0.8, 4.0
"""From beyond a coin's wall to its own rim a striker hides more than the first share of the board, and hides or shades
more than the second (drawn ones 0.43 to 1 and 0.87 to 1, coins up to 0.28 and 0.40); a piece that may be it looks like
it by so many standard deviations."""
ITS_LOOK, NO_COIN = 2.5, 4.0
"""A disc is the striker by its look alone if it differs from that by fewer standard deviations than the first, and from
all coins' by more than the second (1.3 to 1.7 and 4.7 to 4.8 in world 15017)."""
OVERLAP = 0.75
"""Middles nearer than this share of both radii are those of pieces that cannot both lie there."""
SKIN_S = 10.0
"""The board already known is remembered anew so seldom while hands are in the picture: pale skin looks like it."""
RECONCILE_SURE_MM = 0.4
"""A disc with a smaller sigma than this is measured, and plainly there."""
RECONCILE_STAYS_MM, STAYS_SIGMAS = 0.8, 3.0
"""Measured again, a piece at rest lies within 0.1 mm of its place (90 % of 368), and hardly ever this far from it."""
RECONCILE_DRAG_MM = 60.0
"""A sleeve or a finger drags a coin this far unnoticed."""
RECONCILE_NUDGED_MM = 2.5
"""A piece that looks otherwise and is found this far from its place has been moved."""


class Surface:
    """Holds the discs of a picture against the table and the empty board."""

    def __init__(self, known: CurrentProfile, background: BackgroundModel, table: Occupancy) -> None:
        self._known, self.background, self.table = known, background, table
        self.search = DetectionCache(known.profile, background)
        self.unseen: tuple[Piece, ...] = ()
        """The pieces thought to lie still that the last search did not find."""
        self._newcomers: tuple[Piece, ...] = ()
        self._bare = -math.inf

    def found(self, picture: Picture, foreground: ForegroundFrame, scene: Segmentation, struck: bool = False,
              colour: Colour | None = None) -> list[tuple[Kind, Disc]]:  # fmt: skip
        """Discs of the picture that lie where no known piece lies, apart from hands, and hide the empty board, be what
        a plainer one beside them hides left out; after a stroke those of coins too that lie right beside their places.

        `colour` is how the striker looked where it stood, which counts until its look is learned.
        """
        out = []
        settled = [k.piece for k in self.table.lying if k.presence in (Presence.THERE, Presence.COVERED)]
        profile = self._known.with_striker(colour)
        discs = self.search.discs(picture, foreground.t, profile, settled)
        self._resolve(discs, foreground)
        still = [k for k in self.table.lying if k.presence is not Presence.GONE]
        board = self._known.profile.board
        beside = self.background.cover((k.piece for k in still if k.presence is Presence.THERE), board)
        for kind, disc in sorted(discs, key=lambda each: -evidence(each[1])):
            if any(math.hypot(k.piece.x_mm - disc.x, k.piece.y_mm - disc.y) < SAME_PLACE_MM for k in still):
                continue
            if self._near_hand(disc, scene) > NEAR_SHARE:
                continue
            if self._hides(foreground, disc, beside):
                out.append((kind, disc))
                beside |= self.background.cover((Piece(kind, disc.x, disc.y),), board)
        if struck:
            out = self._ringed(out, still, foreground, profile)
        asked = [k for k in still if struck or k.may_lie_beside or k.presence is Presence.COVERED]
        self._nudge(asked, discs, out, scene)
        for k in still:
            k.searched = foreground.t
        self._displace(still, discs, out)
        self._doubt(still, discs, out, struck)
        self.unseen = tuple(k.piece for k in still if not _is_found(k.piece, discs))
        return self._possible(out)

    def _possible(self, new: list[tuple[Kind, Disc]]) -> list[tuple[Kind, Disc]]:
        """New discs with kinds that the set has left: beside a queen that lies there is no second one."""
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
        """Pieces whose place shows neither them nor the bare board are there if found right there, else have gone; so
        has a coin if the striker lies on its place now, and the other way round.
        """
        for k in self.table.lying:
            if k.presence is Presence.OBSCURED:
                here = (k.piece.x_mm, k.piece.y_mm)
                found = {kind: d for kind, d in discs if math.dist(here, (d.x, d.y)) < RECONCILE_NUDGED_MM}
                if k.piece.kind in found:
                    self.table.renew(k, foreground)
                elif not found or _is_replaced(k.piece.kind, found):
                    k.presence = Presence.GONE

    def _ringed(self, new: list[tuple[Kind, Disc]], still: Sequence[RestingPiece], foreground: ForegroundFrame,
                profile: Profile) -> list[tuple[Kind, Disc]]:  # fmt: skip
        """The new discs, where the striker is found nowhere with the coin that is it: a ring of a coin's size is on it.

        It is the only one that looks like it and like no coin, or else of those that look like it and hide the board
        all around as far as it reaches the widest.
        """
        kinds = [*(kind for kind, _ in new), *(k.piece.kind for k in still)]
        if Kind.STRIKER not in profile.colours or Kind.STRIKER in kinds:
            return new
        own = [disc for _, disc in new if _looks_like_none_but_striker(disc, profile.colours)]
        if len(own) == 1:
            return [(Kind.STRIKER if d is own[0] else kind, d) for kind, d in new]
        lying = [*(k.piece for k in still), *(Piece(kind, d.x, d.y) for kind, d in new)]
        widths = [self._width(disc, lying, foreground, profile) for _, disc in new]
        widest = max(widths, default=0.0)
        if widest <= WIDELY_SOLID:
            return new
        return [(Kind.STRIKER if w == widest else kind, d) for w, (kind, d) in zip(widths, new, strict=True)]

    def _width(self, disc: Disc, lying: Sequence[Piece], foreground: ForegroundFrame, profile: Profile) -> float:
        """Share of the board from a coin's wall to the striker's rim that a disc hides if it looks like that, and hides
        or shades as much as it does; else 0.
        """
        if kind_distance(disc, profile.colours[Kind.STRIKER]) > LOOKS_ALIKE:
            return 0.0
        here, board = (disc.x, disc.y), profile.board
        others = (p for p in lying if math.dist(here, (p.x_mm, p.y_mm)) > SAME_PLACE_MM)
        ring = board.coin_radius + WALL_MM, board.striker_radius
        beside, both = (
            self.background.cover(others, board),
            np.asarray(cv2.bitwise_or(foreground.solid, foreground.shade), np.uint8),
        )
        solid, dark = (self.background.ring_share(hides, here, *ring, beside) for hides in (foreground.solid, both))
        return solid if dark > WIDELY_DARK else 0.0

    def _nudge(self, asked: Sequence[RestingPiece], discs: list[tuple[Kind, Disc]], new: list[tuple[Kind, Disc]],
               scene: Segmentation) -> None:  # fmt: skip
        """A coin that is plainly seen right beside its place lies there now: too little of its look has changed, or a
        hand is so near that it is not asked how it looks.
        """
        for k in (k for k in asked if k.presence in (Presence.THERE, Presence.COVERED)):
            beside = _found_on(k.piece, discs)
            if beside is None or beside.sigma >= RECONCILE_SURE_MM or not is_nudged(k.piece, beside):
                continue
            if k.presence is Presence.THERE or self._near_hand(beside, scene) <= COVERED_SHARE:
                k.presence = Presence.GONE
                new.append((k.piece.kind, beside))

    def _near_hand(self, disc: Disc, scene: Segmentation) -> float:
        """Share of a disc that lies under or right beside a hand; all of one that lies where nothing is looked at."""
        near = scene.near_hand[self.background.lattice.disc_cells(disc.x, disc.y, disc.radius)]
        return float(np.mean(near > 0)) if len(near) else 1.0

    def _displace(
        self, still: list[RestingPiece], discs: list[tuple[Kind, Disc]], new: list[tuple[Kind, Disc]]
    ) -> None:
        """No two pieces lie in one place: one that is not found where it lay, half under a new one, has been replaced.

        Its place never looked bare, since a coin that strikes another of its look full stops where that one lay. Nor
        does that of a coin which a hand covered and moved by less than its width: it is the new one of its kind.
        """
        for k in still:
            here, radius = (k.piece.x_mm, k.piece.y_mm), self._known.profile.board.radius(k.piece.kind)
            over = {kind for kind, d in new if math.dist(here, (d.x, d.y)) < OVERLAP * (radius + d.radius)}
            overlaid = over if k.presence is Presence.THERE else over & {k.piece.kind}
            if k.presence in (Presence.THERE, Presence.COVERED) and overlaid and not _is_found(k.piece, discs):
                k.presence = Presence.GONE

    def _doubt(self, still: list[RestingPiece], discs: list[tuple[Kind, Disc]], new: list[tuple[Kind, Disc]],
               struck: bool) -> None:  # fmt: skip
        """Where more pieces are new than have gone, one of those thought to lie still is not seen: it has moved.

        But one that is new far from it may have been put back if there was no stroke and the set lacks one.
        """
        gone = count([k.piece for k in self.table.lying if k.presence is Presence.GONE])
        lying = count([k.piece for k in self.table.lying])
        for kind in Kind:
            places = [(d.x, d.y) for k, d in new if k is kind]
            unseen = [k for k in still if k.piece.kind is kind and k.presence is Presence.THERE
                      and not _is_found(k.piece, discs)]  # fmt: skip
            out = 0 if struck else max(0, self._known.profile.full_set.get(kind, 1) - lying[kind])
            near = [k for k in unseen if _is_beside(k.piece, places)]
            moved = [*near, *(k for k in unseen if k not in near)]
            spare = len(places) - gone[kind]
            for k in moved[: max(0, min(spare, max(len(near), spare - out)))]:
                k.presence = Presence.GONE

    def _hides(self, foreground: ForegroundFrame, disc: Disc, beside: Mask) -> bool:
        """Whether the picture differs from the empty board there, at least along the rim; not by what lies `beside`.
        Where the empty board was never seen the disc must be sure by itself.
        """
        patch = DiscPatch.of(self.background.lattice, disc.x, disc.y, disc.radius)
        if not self.background.knows(patch):
            return is_sure(disc)
        unseen = cv2.bitwise_or(beside, cv2.bitwise_not(self.background.known))
        return self.background.difference(foreground, patch, np.asarray(unseen, np.uint8)) > HIDES_LEAST

    def knows(self, piece: Piece) -> bool:
        """Whether the board where a piece lies has been seen bare."""
        radius = self._known.profile.board.radius(piece.kind)
        return self.background.knows(DiscPatch.of(self.background.lattice, piece.x_mm, piece.y_mm, radius))

    def recognised(self) -> list[tuple[Piece, Disc]]:
        """The pieces of the table that the last search found THERE, each with the disc that it is."""
        there = [k.piece for k in self.table.lying if k.presence is Presence.THERE]
        return [(piece, disc) for piece in there if (disc := _found_on(piece, self.search.found)) is not None]

    def confirm(self, picture: Picture, t: float) -> None:
        """Measures the pieces that may lie beside their places, where the last search found them: one whose rim is
        plainly seen where it lay need not be searched for. A hand's shade mostly made it look otherwise.
        """
        asked = [(k, disc) for k in self.table.lying
                 if k.may_lie_beside and (disc := _found_on(k.piece, self.search.found)) is not None]  # fmt: skip
        there = [(k.piece.kind, replace(disc, x=k.piece.x_mm, y=k.piece.y_mm)) for k, disc in asked]
        discs = placed(picture, self._known.profile, there)
        for (k, _), (_, was), disc in zip(asked, there, discs, strict=True):
            if disc.sigma < RECONCILE_SURE_MM and math.dist((was.x, was.y), (disc.x, disc.y)) < RECONCILE_STAYS_MM:
                k.searched = t

    def measured(self, picture: Picture) -> list[Piece]:
        """The pieces of the table, those that the last search found THERE measured in the picture, since a coin that
        another has just touched lies beside its place by less than the search tells.
        """
        found, beside = self.recognised(), {}
        discs = placed(picture, self._known.profile, [(piece.kind, disc) for piece, disc in found])
        for (piece, _), disc in zip(found, discs, strict=True):
            off = math.dist((piece.x_mm, piece.y_mm), (disc.x, disc.y))
            if max(RECONCILE_STAYS_MM, STAYS_SIGMAS * disc.sigma) < off < SAME_PLACE_MM:
                beside[piece] = replace(piece, x_mm=disc.x, y_mm=disc.y)
        return [beside.get(piece, piece) for piece in self.table.pieces()]

    def settle(
        self, pieces: list[Piece], foreground: ForegroundFrame, scene: Segmentation, newcomers: Sequence[Piece] = ()
    ) -> None:
        """The pieces now lying; `newcomers` may lie there too, which is still to be seen."""
        self.table.settle(pieces, foreground)
        self._newcomers = tuple(newcomers)
        self.refresh(foreground, scene)

    def refresh(self, foreground: ForegroundFrame, scene: Segmentation) -> None:
        """Remembers the empty board wherever no piece or hand is and nothing differs from it that is not yet told."""
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


def _looks_like_none_but_striker(disc: Disc, colours: Mapping[Kind, Colour]) -> bool:
    """Whether a disc looks like the striker and so unlike all coins, whose looks are known, that it is none of them."""
    coins = [kind_distance(disc, colours[kind]) for kind in COINS if kind in colours]
    return len(coins) == len(COINS) and min(coins) > NO_COIN and kind_distance(disc, colours[Kind.STRIKER]) < ITS_LOOK


def _is_replaced(kind: Kind, found: dict[Kind, Disc]) -> bool:
    """Whether the striker is plainly found on a coin's place, or a coin on the striker's."""
    other = found if kind is Kind.STRIKER else {k: d for k, d in found.items() if k is Kind.STRIKER}
    return any(evidence(d) > FATE_PLAIN for d in other.values())


def _found_on(piece: Piece, discs: list[tuple[Kind, Disc]]) -> Disc | None:
    """The only disc of a piece's kind that a search has found where it lies."""
    here = piece.x_mm, piece.y_mm
    on = [d for kind, d in discs if kind is piece.kind and math.dist(here, (d.x, d.y)) < SAME_PLACE_MM]
    return on[0] if len(on) == 1 else None


def _is_beside(piece: Piece, places: Sequence[tuple[float, float]]) -> bool:
    """Whether one of these places is so near to a piece's that a hand may have dragged it there."""
    return any(math.dist((piece.x_mm, piece.y_mm), place) < RECONCILE_DRAG_MM for place in places)


def _is_found(piece: Piece, discs: list[tuple[Kind, Disc]]) -> bool:
    """Whether a search has found a disc where a piece lies."""
    return any(math.dist((piece.x_mm, piece.y_mm), (d.x, d.y)) < SAME_PLACE_MM for _, d in discs)


def is_nudged(piece: Piece, disc: Disc) -> bool:
    """Whether a disc lies farther from a piece's place than the places of what rests are apart."""
    return math.dist((piece.x_mm, piece.y_mm), (disc.x, disc.y)) > RECONCILE_NUDGED_MM
