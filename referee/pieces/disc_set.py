"""Which discs lie on a board: of all circles drawn in a picture the set that explains it best.

Each circle is asked once how much better a disc there explains the picture than the board without it: by the patch
about it (`presence`). Two discs never overlap, and there is one striker: of places that
cannot all hold their discs the likelier stay.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.geometry.camera import F64
from calibration.profile import Profile
from models.pieces import Kind
from referee.pieces.circles import Ring
from referee.pieces.colour_classes import first_guess
from referee.pieces.disc_fit import Disc
from referee.pieces.opening_formation import FORMATION_REACH, TELLS, find_formation
from referee.pieces.presence import log_odds
from referee.pieces.scan import View

LEARNED, UNASKED = 1.94, 1.36
"""Log odds for one of the network's, and beside them: a logistic regression on 9,892 circles of rendered boards, frames
of clips and photographs that the network never saw (`tools/train_pieces/weigh.py`)."""
MIDDLE_LEARNED, MIDDLE_LIGHT, MIDDLE_UNASKED = 0.89, -0.118, 8.32
"""The same of a circle in the middle of a board that was never seen bare there, whose print is only supposed, and for
each percent of the board's light just outside it: fitted on 130 boards."""
ON_MIDDLE_MM = 9.0
LEAST_RIM = 0.04
"""Rim support of a circle that is asked about; of 403 circles on discs of real and drawn boards none had less."""
DISCS_OVERLAP = 0.82
"""Middles nearer than this share of both radii are not those of two discs: a rim is found to a few millimetres."""
CROWD, CROWDED = 3, 3.0
"""A disc with more than so many within so many radii, itself among them, shows more of them than of the board."""
QUEEN_SOUGHT = 1.2
"""Log odds that the queen lies on one red circle or other where she is seen nowhere else."""
SURE, IN_FORMATION = 3.0, 4.6
"""Log odds of a disc that is there, 19 in 20, and of a coin of the opening formation, 99 in 100."""
SPARE = 2
"""So many discs too many may be seen elsewhere while the opening formation stands."""
COIN_SIZES = (0.9, 1.12)
"""A disc between these multiples of the coin's radius is a coin."""


@dataclass(frozen=True, slots=True)
class Place:
    """A circle, with the log odds of a coin and of a striker there against nothing."""

    ring: Ring
    coin: float
    striker: float

    @property
    def presence(self) -> float:
        """Log odds of any disc."""
        return float(np.logaddexp(self.coin, self.striker))

    @property
    def is_striker(self) -> bool:
        """Whether a striker is likelier than a coin."""
        return self.striker > self.coin


def is_sure(disc: Disc) -> bool:
    """Whether a disc is there for certain."""
    return disc.presence is not None and disc.presence > SURE


def is_coin_sized(disc: Disc, profile: Profile) -> bool:
    """Whether a disc has a coin's radius rather than a striker's."""
    low, high = COIN_SIZES
    return low * profile.board.coin_radius <= disc.radius <= high * profile.board.coin_radius


def places(view: View) -> list[Place]:
    """All circles of a look at the board with what may lie there, the likeliest first."""
    rings = [r for r in (*view.coins, *view.large) if r.support > LEAST_RIM]
    learned = log_odds(view.patch_source(), view.lattice.to_cells([(r.x, r.y) for r in rings]))
    reach = 0.0 if view.knows_middle else ON_MIDDLE_MM
    odds = [_weighed(own, view.disc(ring) if math.hypot(ring.x, ring.y) < reach else None)
            for ring, own in zip(rings, learned, strict=True)]  # fmt: skip
    out = [Place(ring, coin, striker) for ring, (coin, striker) in zip(rings, odds, strict=True)]
    return sorted(out, key=lambda p: -p.presence)


def _weighed(learned: F64, middle: Disc | None) -> list[float]:
    """Log odds of a coin and of a striker by the network's (2,), of a `middle` also by the light about it."""
    if middle is None:
        return [float(odds) for odds in LEARNED * learned + UNASKED]
    return [float(odds) for odds in MIDDLE_LEARNED * learned + MIDDLE_LIGHT * middle.shade + MIDDLE_UNASKED]


def likeliest(found: Sequence[Place], profile: Profile, discs: Sequence[Disc] = ()) -> list[Place]:
    """The places that can all hold their discs at once beside `discs`, each likelier than not; one striker at most."""
    board = profile.board
    taken, chosen = [(d.x, d.y, d.radius) for d in discs], list[Place]()
    for place in found:
        if place.is_striker and any(k.is_striker for k in chosen):
            place = replace(place, striker=-math.inf)
        ring, radius = place.ring, board.coin_radius
        if place.is_striker:
            radius = max(board.striker_radius, ring.radius)
        free = all(math.dist((ring.x, ring.y), (x, y)) > DISCS_OVERLAP * (radius + r) for x, y, r in taken)
        if free and place.presence > 0:
            taken.append((ring.x, ring.y, radius))
            chosen.append(place)
    return chosen


def lying(view: View) -> list[Disc]:
    """The discs of a look at the board, each with its `presence`; those of an opening formation that stands first."""
    found = places(view)
    formation = _opening(found, view)
    chosen = likeliest(found, view.profile, formation)
    discs = [*formation, *(_described(place, view, chosen) for place in chosen)]
    return [*discs, *_queen(found, discs, view)]


def _queen(found: Sequence[Place], discs: Sequence[Disc], view: View) -> list[Disc]:
    """The likeliest red coin if there is none among the discs: one is in the set, and is put where prints are red."""
    if any(first_guess(d) is Kind.QUEEN for d in discs) or not view.profile.full_set.get(Kind.QUEEN, 1):
        return []
    red = [replace(p, coin=p.coin + QUEEN_SOUGHT) for p in found if p.ring.radius == view.profile.board.coin_radius
           and p.presence <= 0 and not p.is_striker and first_guess(view.disc(p.ring)) is Kind.QUEEN]  # fmt: skip
    return [_described(place, view, []) for place in likeliest(red, view.profile, discs)[:1]]


def _opening(found: Sequence[Place], view: View) -> list[Disc]:
    """The coins of an opening formation that stands. It lies on most of its symmetric places, so that the board seems
    to show it bare; but nothing is printed so.
    """
    profile, reach = view.profile, FORMATION_REACH * view.profile.board.coin_radius
    odds = {view.disc(p.ring): p.presence for p in found if p.ring.radius == profile.board.coin_radius}
    seen = find_formation(list(odds), profile.board.coin_radius, TELLS) or ()
    apart = [p for p in likeliest(found, profile) if math.hypot(p.ring.x, p.ring.y) > reach]
    if len(seen) + len(apart) > sum(profile.full_set.values()) + SPARE:
        return []
    return [replace(view.afar(d), presence=max(odds[d], IN_FORMATION)) for _, d in seen]


def _described(place: Place, view: View, chosen: Sequence[Place]) -> Disc:
    """How a place's disc looks; in a crowd, and on ink, against the board beyond."""
    disc = replace(view.disc(_ring(place, view)), presence=place.presence)
    near = sum(math.dist((p.ring.x, p.ring.y), (disc.x, disc.y)) < CROWDED * disc.radius for p in chosen)
    return view.afar(disc) if near > CROWD else view.off_ink(disc)


def _ring(place: Place, view: View) -> Ring:
    """The circle that is drawn about a place's disc: its own, or the best of the disc's size there."""
    board, ring = view.profile.board, place.ring
    if place.is_striker is (ring.radius > board.coin_radius):
        return ring
    of_size = view.large if place.is_striker else view.coins
    near = [r for r in of_size if math.dist((r.x, r.y), (ring.x, ring.y)) < board.coin_radius / 2]
    radius = board.striker_radius if place.is_striker else board.coin_radius
    return max(near, key=lambda r: r.response, default=replace(ring, radius=radius))
