"""Tidying: the table brought up to date between strokes, after hands have put coins back, moved or taken them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType

import numpy as np

from calibration.geometry.picture import Picture
from models.pieces import COINS, Kind, Piece, Pocket
from referee.board_state.occupancy import HAND_AWAY_MM, Occupancy, Presence, RestingPiece, left_of
from referee.board_state.pending_pieces import STEADY_MM, PendingPieces, Place
from referee.board_state.rejected_blobs import LASTING_S, RejectedBlobs
from referee.census.reconcile import OVERLAP, RECONCILE_DRAG_MM, Surface
from referee.foreground.background import ForegroundFrame
from referee.foreground.hand_history import HandDistance
from referee.foreground.segmentation import Blob, Segmentation
from referee.outcome.fates import FATE_PLAIN, SAME_PLACE_MM, STRANGE, UNSTIRRED, Missing, assign, nearest_pocket
from referee.outcome.unseen_strokes import fallen
from referee.pieces.colour_classes import evidence, kind_distance
from referee.pieces.current_profile import CurrentProfile
from referee.pieces.disc_fit import Disc
from referee.striker.placement_rules import between_lines
from referee.tracking.tracker import Tracker

QUIET_EVERY_S = 0.25
"""A census between strokes is taken so often."""
LONELY_MM = 25.0
"""A blob this far from any hand lies by itself."""
BETWEEN_CLEAR_MM = 12.0
"""A new piece lies this far from a hand before it is believed."""
IN_POCKET_MM = 4.0
"""A blob this near to a pocket's rim may lie in its net."""
BETWEEN_BESIDE_MM = 60.0
"""What lies loose this near to a piece may be fingers of a hand over it: sleeves of the board's look part them from
the arm."""
FINGER_MM = 100.0
"""So far from the hand a finger may be seen that skin of the board's look parts from it."""
MOSTLY = 0.75
"""What hides so large a share of a piece's ground hides the piece."""
BETWEEN_GAP_S = 0.5
"""What lay somewhere so long before something else came to lie there is not the same."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A piece that lies elsewhere than before, and no stroke did it."""

    piece: Piece
    """Where it lies now."""
    was: Piece
    """Where it lay before."""
    seen_before: float
    """When it was last seen where it lay."""
    t: float
    """When it was found."""
    stirred: tuple[float, float] = UNSTIRRED
    """When its old place last looked as remembered, and when that last changed."""

    @property
    def moved_mm(self) -> float:
        """How far it lies from where it lay."""
        return _apart(self.was, self.piece)


@dataclass(frozen=True, slots=True)
class Tidied:
    """What a census between strokes found."""

    found: tuple[tuple[Kind, Disc], ...]
    shifted: tuple[Shift, ...]
    put_down: tuple[Piece, ...]
    """Pieces that were not on the table before."""
    gone: tuple[RestingPiece, ...]
    """Pieces that are nowhere on the board any more."""
    came: Mapping[Piece, float] = field(default_factory=lambda: MappingProxyType({}))
    """Since when the pieces put down lie where they do; a hand may have lain over them since."""

    @property
    def lifted(self) -> int:
        """How many coins are no longer where they lay."""
        return sum(p.kind is not Kind.STRIKER for p in (*(s.was for s in self.shifted), *(k.piece for k in self.gone)))

    @property
    def coins_down(self) -> int:
        """How many coins lie there that were not on the table before."""
        return sum(p.kind is not Kind.STRIKER for p in self.put_down)

    @property
    def changed(self) -> bool:
        """Whether the table differs from what it was."""
        return bool(self.shifted or self.put_down or self.gone)


class Housekeeper:
    """Keeps the table true between strokes."""

    def __init__(self, known: CurrentProfile, table: Occupancy, surface: Surface, tracker: Tracker) -> None:
        self._known, self._table, self._surface, self._tracker = known, table, surface, tracker
        self._ghosts, self._newcomers = RejectedBlobs(), PendingPieces()

    def restless(self, t: float, scene: Segmentation, gaps: HandDistance) -> bool:
        """Whether something lies where nothing did, or no longer right where it lay; ghosts aside."""
        if self._looks_again() or any(k.presence is Presence.GONE for k in self._table.lying):
            return True
        return any(not self._ghosts.holds(b, t) for b in self._on_board(_apart_from_hands(scene, gaps)))

    def _looks_again(self) -> bool:
        """Whether a census is due though nothing shows: for what the last one found, or may find beside."""
        return self._newcomers.pending or any(k.may_lie_beside for k in self._table.lying)

    def _lifted(self) -> bool:
        """Whether nothing but the striker is no longer where it lay: somebody has taken it to play."""
        away = (k for k in self._table.lying if k.presence in (Presence.GONE, Presence.OBSCURED))
        return all(k.piece.kind is Kind.STRIKER for k in away)

    def _on_board(self, blobs: Sequence[Blob]) -> list[Blob]:
        """Those of the patches that lie on the board, and in no net."""
        half = self._known.profile.board.half
        return [b for b in blobs if max(abs(b.x), abs(b.y)) < half
                and nearest_pocket(self._known.profile, b.x, b.y)[1] >= IN_POCKET_MM]  # fmt: skip

    def tidy(self, picture: Picture, foreground: ForegroundFrame, scene: Segmentation, gaps: HandDistance) -> Tidied:
        """Takes a census and settles the table by it."""
        obscured = [k for k in self._table.lying if k.presence is Presence.OBSCURED]
        apart = _apart_from_hands(scene, gaps)
        is_asked = self._looks_again() or self._on_board(apart) or not self._lifted()
        found = self._surface.found(picture, foreground, scene) if is_asked else []
        self._ghosts.learn(foreground.t, apart, [d for _, d in found])
        self._newcomers.update([d for _, d in found], partial(self._is_under, gaps))
        loose = self._loose(foreground, scene, [d for _, d in found])
        self._keep_hidden(obscured, foreground, gaps, [d for _, d in found], loose)
        present = [k.piece for k in self._table.lying if k.presence is not Presence.GONE]
        gone = [k for k in self._table.lying if k.presence is Presence.GONE]
        pairs = [(i, j) for i, j in assign(self._known.profile, [(k.piece, None) for k in gone], found)
                 if not self._is_another(gone[i].piece, *found[j])]  # fmt: skip
        shifted = [shift_of(gone[i], found[j][1], foreground.t) for i, j in pairs]
        used = {j for _, j in pairs}
        lying = [*present, *(s.piece for s in shifted)]
        new = [(k, d) for j, (k, d) in enumerate(found)
               if j not in used and not self._is_one_too_many(k, d, lying)]  # fmt: skip
        put_down = self._believed(new, foreground.t, gaps, loose)
        newcomers = [Piece(k, d.x, d.y) for k, d in new]
        self._surface.settle([*self._without_taken(lying, put_down), *put_down], foreground, scene, newcomers)
        away = tuple(k for i, k in enumerate(gone) if i not in {i for i, _ in pairs})
        came = {p: min(self._newcomers.believe((p.x_mm, p.y_mm)), self.lay_since(p, foreground.t)) for p in put_down}
        return Tidied(tuple(found), tuple(shifted), tuple(put_down), away, came)

    def _loose(self, foreground: ForegroundFrame, scene: Segmentation, found: Sequence[Disc]) -> list[Place]:
        """Where patches (mm) are that are no discs and do not last: fingers of a hand whose arm is unknown."""
        strange = (b for b in scene.blobs if not self._ghosts.lasts(b, foreground.t))
        return [(b.x, b.y) for b in strange if all(math.dist((d.x, d.y), (b.x, b.y)) > d.radius for d in found)]

    def _believed(
        self, new: Sequence[tuple[Kind, Disc]], t: float, gaps: HandDistance, loose: Sequence[Place]
    ) -> list[Piece]:
        """Those of the new discs that hands have put down for certain."""
        added = [(Piece(self._on_strip(k, d), d.x, d.y), d) for k, d in new
                 if gaps.of(d.x, d.y) > d.radius + BETWEEN_CLEAR_MM and not self._may_be_dragged(k, d)]  # fmt: skip
        sure = [(p, d) for p, d in added if self._confirmed(p, t) or self._has_lain(p, d, t)]
        return [p for p, d in sure if not self._may_be_finger(p, d, t, gaps, loose)]

    def _may_be_finger(self, piece: Piece, disc: Disc, t: float, gaps: HandDistance, loose: Sequence[Place]) -> bool:
        """Whether a coin that is not plainly one may be a finger yet, which draws a rim on a print or with its tip: a
        hand is near, or something loose that may be one of its fingers. One that aims does not do so for long.
        """
        if piece.kind is Kind.STRIKER or evidence(disc) > FATE_PLAIN:
            return False
        place = piece.x_mm, piece.y_mm
        near = gaps.of(*place) < FINGER_MM or any(math.dist(place, at) < BETWEEN_BESIDE_MM for at in loose)
        return near and t - self._newcomers.since(place) < LASTING_S

    def _without_taken(self, lying: Sequence[Piece], put_down: Sequence[Piece]) -> list[Piece]:
        """The pieces `lying` without a striker that is not seen where it lay if one has been put down: there is one."""
        if all(p.kind is not Kind.STRIKER for p in put_down):
            return list(lying)
        unseen = [k.piece for k in self._table.lying if k.presence is not Presence.THERE]
        return [p for p in lying if p.kind is not Kind.STRIKER or p not in unseen]

    def _keep_hidden(
        self,
        obscured: Sequence[RestingPiece],
        foreground: ForegroundFrame,
        gaps: HandDistance,
        found: Sequence[Disc],
        loose: Sequence[Place],
    ) -> None:
        """A piece whose place shows neither it nor the board as it was seen there is covered while a hand is near,
        while something lies `loose` beside it, or while something that is no disc hides most of it.
        """
        for k in (k for k in self._table.lying if k.presence is Presence.GONE):
            here, radius = (k.piece.x_mm, k.piece.y_mm), self._known.profile.board.radius(k.piece.kind)
            unseen = k in obscured or not self._surface.background.knows(k.patch)
            beside = any(SAME_PLACE_MM < math.dist(here, at) < BETWEEN_BESIDE_MM for at in loose)
            beside |= k in obscured and (gaps.of(*here) < HAND_AWAY_MM or _is_hidden(foreground, k))
            overlaid = any(math.dist(here, (d.x, d.y)) < OVERLAP * (radius + d.radius) for d in found)
            if unseen and beside and not overlaid:
                k.presence = Presence.COVERED

    def stand(self, layout: Sequence[Piece], foreground: ForegroundFrame, scene: Segmentation) -> None:
        """Settles the table as the opening formation that stands, whatever was thought to lie on its places before.

        Elsewhere only coins that are seen to lie there are believed beside it, no more of a kind than the set has left.
        """
        lying = self._table.lying
        coins = [next((k.piece for k in lying if k.piece.kind is p.kind and _apart(k.piece, p) < SAME_PLACE_MM), p)
                 for p in layout]  # fmt: skip
        believed = (k.piece for k in lying if k.piece.kind is Kind.STRIKER or k.presence is Presence.THERE)
        radius, left = self._known.profile.board.radius, left_of(self._known.profile.full_set, layout)
        others = [p for p in believed if (p.kind is Kind.STRIKER or left[p.kind] > 0)
                  and all(_apart(p, q) > OVERLAP * (radius(p.kind) + radius(q.kind)) for q in layout)]  # fmt: skip
        self._surface.settle([*coins, *others], foreground, scene)

    def tipped_into(self, k: RestingPiece) -> Pocket | None:
        """The pocket on whose lip a piece lay that is gone; None when it lay on no lip."""
        pocket, gap = nearest_pocket(self._known.profile, k.piece.x_mm, k.piece.y_mm)
        return pocket if gap < self._known.profile.board.radius(k.piece.kind) else None

    def _is_another(self, piece: Piece, kind: Kind, disc: Disc) -> bool:
        """Whether a disc looks so unlike a piece that a hand has taken the one and put down the other."""
        colours = self._known.profile.colours
        if kind is piece.kind or piece.kind not in colours:
            return False
        if Kind.STRIKER in (kind, piece.kind) and Kind.STRIKER in colours:
            return True
        return kind_distance(disc, colours[piece.kind]) > STRANGE

    def _may_be_dragged(self, kind: Kind, disc: Disc) -> bool:
        """Whether a new disc may be a covered piece that the hand has dragged here; known once the hand is gone. There
        is but one striker, which is where it is plainly seen.
        """
        if kind is Kind.STRIKER and evidence(disc) > FATE_PLAIN:
            return False
        covered = (k.piece for k in self._table.lying if k.presence is Presence.COVERED and k.piece.kind is kind)
        return any(math.dist((p.x_mm, p.y_mm), (disc.x, disc.y)) < RECONCILE_DRAG_MM for p in covered)

    def _is_one_too_many(self, kind: Kind, disc: Disc, lying: Sequence[Piece]) -> bool:
        """Whether all coins of a kind lie elsewhere and a disc is none plainly: ornaments draw circles among coins."""
        full = self._known.profile.full_set.get(kind, 1)
        return kind in COINS and sum(p.kind is kind for p in lying) >= full and evidence(disc) < FATE_PLAIN

    def _on_strip(self, kind: Kind, disc: Disc) -> Kind:
        """A disc put down between base lines is the striker unless the striker lies elsewhere; hands hide its size."""
        if any(k.piece.kind is Kind.STRIKER and k.presence is not Presence.GONE for k in self._table.lying):
            return kind
        return Kind.STRIKER if between_lines(self._known.profile.board, disc.x, disc.y) else kind

    def _is_under(self, gaps: HandDistance, place: tuple[float, float]) -> bool:
        """Whether a hand is so near to a coin's place (mm) that a new coin there is not believed."""
        return gaps.of(*place) <= self._known.profile.board.coin_radius + BETWEEN_CLEAR_MM

    def _confirmed(self, piece: Piece, t: float) -> bool:
        """Whether a new piece has been found on the same spot in two censuses running."""
        place = (piece.x_mm, piece.y_mm)
        if self._newcomers.knows(place):
            return True
        self._newcomers.wait(place, self.lay_since(piece, t))
        return False

    def fallen(self, lost: Sequence[Piece], t_strike: float, t_rest: float) -> tuple[Missing, ...]:
        """What became of coins `lost` in a stroke that nobody saw fly."""
        return fallen(self._known.profile, lost, self._tracker.all, t_strike, t_rest, self._tracker.unlike)

    def _has_lain(self, piece: Piece, disc: Disc, t: float) -> bool:
        """Whether a striker, plainly seen in one census, was followed to where it lies and has lain there since for as
        long as two censuses take: a hand that comes to take it leaves no time for the second one.
        """
        plain = piece.kind is Kind.STRIKER and evidence(disc) > FATE_PLAIN
        return plain and t - self.lay_since(piece, t, STEADY_MM) >= QUIET_EVERY_S

    def lay_since(self, piece: Piece, t: float, within_mm: float = SAME_PLACE_MM) -> float:
        """Since when something has been seen lying where a piece was found."""
        since = t
        for track in sorted(self._tracker.all, key=lambda k: k.t, reverse=True):
            if since < t and track.t < since - BETWEEN_GAP_S:
                break
            for when, place in zip(reversed(track.times), reversed(track.places), strict=True):
                if math.dist(place, (piece.x_mm, piece.y_mm)) > within_mm:
                    break
                since = min(since, when)
        return since


def _apart_from_hands(scene: Segmentation, gaps: HandDistance) -> list[Blob]:
    """The patches that lie apart from any hand."""
    return [b for b in scene.blobs if gaps.of(b.x, b.y) > LONELY_MM]


def _is_hidden(foreground: ForegroundFrame, k: RestingPiece) -> bool:
    """Whether something that is no shade hides most of what a piece hides."""
    return float(np.mean(foreground.solid[k.ground] > 0)) > MOSTLY


def _apart(one: Piece, other: Piece) -> float:
    """How far (mm) two pieces' middles are apart."""
    return math.dist((one.x_mm, one.y_mm), (other.x_mm, other.y_mm))


def shift_of(k: RestingPiece, disc: Disc, t: float) -> Shift:
    """How the piece `k` was shifted that is found as `disc` at time t."""
    now = replace(k.piece, x_mm=disc.x, y_mm=disc.y)
    return Shift(now, k.piece, k.same if _apart(k.piece, now) < SAME_PLACE_MM else k.seen, t, (k.same, k.stirred))
