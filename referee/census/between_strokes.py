"""Census between strokes: updates the known pieces after hands have put coins down, moved them or taken them away."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

from calibration.geometry.picture import Picture
from models.pieces import Kind, Piece
from referee.board_state.occupancy import Presence, RestingPiece, is_handled, left_of
from referee.board_state.pending_pieces import PendingPieces, is_steady
from referee.board_state.rejected_blobs import RejectedBlobs
from referee.census.reconcile import Reconciler, may_be_dragged
from referee.foreground.background import ForegroundFrame
from referee.foreground.hand_history import HandDistance
from referee.foreground.segmentation import Blob, Segmentation
from referee.outcome.matching import assign, is_same_place, nearest_pocket, overlap
from referee.pieces.current_profile import CurrentProfile
from referee.pieces.disc import Disc
from referee.pieces.disc_set import is_sure
from referee.striker.placement_rules import between_lines
from referee.tracking.tracker import Place, Tracker

QUIET_EVERY_S = 0.25
"""Interval between two censuses while no stroke is under way, s."""
BETWEEN_CLEAR_MM = 12.0
"""Least gap between a hand and the rim of a disc that is no part of it, mm."""
IN_POCKET_MM = 4.0
"""Distance from a pocket's rim below which a foreground blob may lie in the net, mm."""
BETWEEN_GAP_S = 0.5
"""Longest gap between two tracks at one place that may be of the same piece, s."""


@dataclass(frozen=True, slots=True)
class HandDisplacement:
    """A piece that changed its place without a stroke."""

    piece: Piece
    """The piece at its new place."""
    was: Piece
    """The piece at its old place."""
    seen_before: float
    """Last sighting at the old place, s."""
    t: float
    """Time of the census that found it, s."""
    nudged: bool = False
    """Whether it moved by so little that it looked unmoved; both places were measured reliably."""


@dataclass(frozen=True, slots=True)
class CensusChanges:
    """Result of a census between strokes."""

    found: tuple[tuple[Kind, Disc], ...]
    shifted: tuple[HandDisplacement, ...]
    put_down: Mapping[Piece, float]
    """Pieces that were not on the board before, each with the time since which it has lain there, s. A hand may have
    covered it since."""
    gone: tuple[RestingPiece, ...]
    """Pieces that are no longer on the board."""

    @property
    def lifted(self) -> int:
        """Number of coins that no longer lie at their old places, not those found there again a little beside."""
        shifted = [s.was for s in self.shifted if not is_same_place(s.was.place, s.piece.place)]
        away = (*shifted, *(k.piece for k in self.gone))
        return sum(p.kind is not Kind.STRIKER for p in away)

    @property
    def coins_down(self) -> int:
        """Number of coins that were not on the board before."""
        return sum(p.kind is not Kind.STRIKER for p in self.put_down)

    @property
    def changed(self) -> bool:
        """Tells whether any piece was moved, put down or taken away."""
        return bool(self.shifted or self.put_down or self.gone)


class BetweenStrokesCensus:
    """Keeps the known pieces up to date between strokes."""

    def __init__(self, known: CurrentProfile, surface: Reconciler, tracker: Tracker) -> None:
        self._known, self._table, self._surface, self._tracker = known, surface.table, surface, tracker
        self._ghosts, self._newcomers, self._next = RejectedBlobs(), PendingPieces(), 0.0

    def is_due(self, t: float, scene: Segmentation, gaps: HandDistance) -> bool:
        """Tells whether a census is due: the last one is long enough ago, and there is a reason for another."""
        return t >= self._next and self._is_restless(t, scene, gaps)

    def _is_restless(self, t: float, scene: Segmentation, gaps: HandDistance) -> bool:
        """Tells whether a piece awaits confirmation, may have been nudged or left its place, or foreground away from
        hands is not a rejected blob.
        """
        if self._newcomers.pending or any(k.may_lie_beside or k.presence is Presence.GONE for k in self._table.lying):
            return True
        return any(not self._ghosts.rejects(b, t) for b in self._on_board(self._apart_from_hands(scene, gaps)))

    def _on_board(self, blobs: Sequence[Blob]) -> list[Blob]:
        """Returns the blobs that lie on the playing surface and in no pocket's net."""
        half = self._known.profile.board.half
        return [b for b in blobs if max(abs(b.x), abs(b.y)) < half
                and nearest_pocket(self._known.profile.pockets, b.x, b.y)[1] >= IN_POCKET_MM]  # fmt: skip

    def tidy(
        self, picture: Picture, foreground: ForegroundFrame, scene: Segmentation, gaps: HandDistance
    ) -> CensusChanges | None:
        """Takes a census, settles the known pieces by it and returns the changes; None if it proves needless."""
        self._next = foreground.t + QUIET_EVERY_S
        self._surface.confirm(picture, foreground.t)
        if not self._is_restless(foreground.t, scene, gaps):
            return None
        obscured = [k for k in self._table.lying if k.presence is Presence.OBSCURED]
        apart = self._apart_from_hands(scene, gaps)
        found = self._surface.find_new(picture, foreground, scene)
        self._ghosts.learn(foreground.t, apart, [d for _, d in found])
        self._newcomers.update([d for _, d in found], partial(self._is_under, gaps))
        loose = self._loose(foreground, scene, [d for _, d in found])
        self._keep_hidden(obscured, scene, [d for _, d in found], loose)
        present = [k.piece for k in self._table.lying if k.presence is not Presence.GONE]
        gone = [k for k in self._table.lying if k.presence is Presence.GONE]
        pairs = assign(self._known.profile, [k.piece for k in gone], found)
        shifted = [shift_of(gone[i], found[j][1], foreground.t) for i, j in pairs]
        used = {j for _, j in pairs}
        lying = [*present, *(s.piece for s in shifted)]
        new = [each for j, each in enumerate(found) if j not in used]
        put_down = self._believed(new, foreground.t, gaps)
        newcomers = [Piece(k, d.x, d.y) for k, d in new]
        self._surface.settle([*self._without_taken(lying, put_down), *put_down], foreground, scene, newcomers)
        away = tuple(k for i, k in enumerate(gone) if i not in {i for i, _ in pairs})
        came = {p: min(self._newcomers.believe(p.place), self.lay_since(p, foreground.t)) for p in put_down}
        return CensusChanges(tuple(found), tuple(shifted), MappingProxyType(came), away)

    def _loose(self, foreground: ForegroundFrame, scene: Segmentation, found: Sequence[Disc]) -> list[Place]:
        """Returns centres (mm) of blobs that hold no disc and are short-lived: possible fingers of a hand not
        detected.
        """
        strange = (b for b in scene.blobs if not self._ghosts.lasts(b, foreground.t))
        return [(b.x, b.y) for b in strange if all(math.dist((d.x, d.y), (b.x, b.y)) > d.radius for d in found)]

    def _believed(self, new: Sequence[tuple[Kind, Disc]], t: float, gaps: HandDistance) -> list[Piece]:
        """Returns the new pieces that a hand has certainly put down: away from hands and confirmed."""
        added = [
            (Piece(self._on_strip(k, d), d.x, d.y), d)
            for k, d in new
            if gaps.of(d.x, d.y) > d.radius + BETWEEN_CLEAR_MM
        ]
        return [p for p, d in added if self._confirmed(p, t) or self._has_lain(p, d, t)]

    def _without_taken(self, lying: Sequence[Piece], put_down: Sequence[Piece]) -> list[Piece]:
        """Returns `lying` without a striker that is not visible, if a striker has been put down: there is only one."""
        if all(p.kind is not Kind.STRIKER for p in put_down):
            return list(lying)
        unseen = [k.piece for k in self._table.lying if k.presence is not Presence.THERE]
        return [p for p in lying if p.kind is not Kind.STRIKER or p not in unseen]

    def _keep_hidden(
        self, obscured: Sequence[RestingPiece], scene: Segmentation, found: Sequence[Disc], loose: Sequence[Place]
    ) -> None:
        """Marks a gone piece as covered if the bare board does not show at its place and something may be over it.

        That is a hand near by or a `loose` blob beside it: a sleeve of the board's colour hides the arm of a finger. A
        new disc at its place rules this out.
        """
        for k in (k for k in self._table.lying if k.presence is Presence.GONE):
            here, radius = k.piece.place, self._known.profile.board.radius(k.piece.kind)
            unseen = k in obscured or not self._surface.background.knows(k.patch)
            beside = any(not is_same_place(here, at) and may_be_dragged(here, at) for at in loose)
            beside |= k in obscured and is_handled(k, scene)
            overlaid = any(overlap(here, (d.x, d.y), radius + d.radius) for d in found)
            if unseen and beside and not overlaid:
                k.presence = Presence.COVERED

    def settle_opening(self, layout: Sequence[Piece], foreground: ForegroundFrame, scene: Segmentation) -> None:
        """Settles the pieces as the opening formation `layout`, in place of those known there before.

        Elsewhere it retains only the striker and visible coins, at most as many of a kind as the set has left.
        """
        lying = self._table.lying
        coins = [next((k.piece for k in lying if k.piece.kind is p.kind and is_same_place(k.piece.place, p.place)), p)
                 for p in layout]  # fmt: skip
        believed = (k.piece for k in lying if k.piece.kind is Kind.STRIKER or k.presence is Presence.THERE)
        radius, left = self._known.profile.board.radius, left_of(self._known.profile.full_set, layout)
        others = [p for p in believed if (p.kind is Kind.STRIKER or left[p.kind] > 0)
                  and not any(overlap(p.place, q.place, radius(p.kind) + radius(q.kind))
                              for q in layout)]  # fmt: skip
        self._surface.settle([*coins, *others], foreground, scene)

    def _on_strip(self, kind: Kind, disc: Disc) -> Kind:
        """Returns the kind of a disc put down: the striker if it lies between base lines and no striker is on the
        board, else `kind`. Hands hide its true size.
        """
        if any(k.piece.kind is Kind.STRIKER and k.presence is not Presence.GONE for k in self._table.lying):
            return kind
        return Kind.STRIKER if between_lines(self._known.profile.board, disc.x, disc.y) else kind

    def _is_under(self, gaps: HandDistance, place: tuple[float, float]) -> bool:
        """Tells whether a hand is so near to a place (mm) that a coin there may be a part of it."""
        return gaps.of(*place) <= self._known.profile.board.coin_radius + BETWEEN_CLEAR_MM

    def _apart_from_hands(self, scene: Segmentation, gaps: HandDistance) -> list[Blob]:
        return [b for b in scene.blobs if not self._is_under(gaps, (b.x, b.y))]

    def _confirmed(self, piece: Piece, t: float) -> bool:
        """Tells whether two consecutive censuses found a new piece at the same place."""
        place = piece.place
        if self._newcomers.knows(place):
            return True
        self._newcomers.wait(place, self.lay_since(piece, t))
        return False

    def _has_lain(self, piece: Piece, disc: Disc, t: float) -> bool:
        """Tells whether a clearly detected striker's track shows it at rest for `QUIET_EVERY_S`, as long as two
        censuses take. This saves the second census, for which a hand that comes to take the striker leaves no time.
        """
        plain = piece.kind is Kind.STRIKER and is_sure(disc)
        return plain and t - self.lay_since(piece, t, is_steady) >= QUIET_EVERY_S

    def lay_since(self, piece: Piece, t: float, is_here: Callable[[Place, Place], bool] = is_same_place) -> float:
        """Returns the time since which tracks have shown something at rest at a piece's place."""
        since = t
        for track in sorted(self._tracker.all, key=lambda k: k.t, reverse=True):
            if since < t and track.t < since - BETWEEN_GAP_S:
                break
            for when, place in zip(reversed(track.times), reversed(track.places), strict=True):
                if not is_here(place, piece.place):
                    break
                since = min(since, when)
        return since


def shift_of(k: RestingPiece, disc: Disc, t: float, nudged: bool = False) -> HandDisplacement:
    """Returns the shift of the known piece `k` that was detected as `disc` at time t."""
    now = replace(k.piece, x_mm=disc.x, y_mm=disc.y)
    seen = k.same if is_same_place(k.piece.place, now.place) else k.seen
    return HandDisplacement(now, k.piece, k.since if nudged else seen, t, nudged)
