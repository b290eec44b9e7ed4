"""The discs of a picture: of all circles drawn in it the set that explains it best.

Each middle is asked once what lies there (`referee.pieces.presence`). Of places that cannot both hold a disc the
likelier stays: two discs never overlap, and there is one striker.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from referee.pieces.circles import Ring
from referee.pieces.disc_fit import Disc
from referee.pieces.presence import log_odds
from referee.pieces.scan import View

LEAST_RIM = 0.04
"""Rim support of a circle that is asked about; of 403 circles on discs of real and drawn boards none had less."""
OVERLAP = 0.82
"""Middles nearer than this share of both radii are not those of two discs: a rim is found to a few millimetres."""
CROWDED, CROWD = 3.0, 3
"""A disc with more than so many within so many radii, itself among them, shows more of them than of the board."""
LIKELY = 0.0
"""Log odds from which a disc is told."""


@dataclass(frozen=True, slots=True)
class Place:
    """A circle, and the log odds of a coin and of a striker there against nothing."""

    ring: Ring
    coin: float
    striker: float

    @property
    def presence(self) -> float:
        """Log odds of any disc."""
        return float(np.logaddexp(self.coin, self.striker))

    @property
    def is_striker(self) -> bool:
        return self.striker > self.coin


def places(view: View) -> list[Place]:
    """All circles of a look at the board with what may lie there, the likeliest first."""
    rings = [r for r in (*view.coins, *view.large) if r.support > LEAST_RIM]
    cells = view.lattice.to_cells([(r.x, r.y) for r in rings])
    odds = log_odds(view.patch_source(), cells)
    out = [Place(r, float(c), float(s)) for r, (c, s) in zip(rings, odds, strict=True)]
    return sorted(out, key=lambda p: -p.presence)


def likeliest(found: Sequence[Place], coin: float, striker: float, least: float = LIKELY) -> list[Place]:
    """Places that can all hold their discs at once, of radii `coin` and `striker` mm; one striker among them."""
    kept: list[tuple[Place, float]] = []
    for place in found:
        if place.is_striker and any(k.is_striker for k, _ in kept):
            place = replace(place, striker=-math.inf)
        radius = max(striker, place.ring.radius) if place.is_striker else coin
        free = all(
            math.dist((place.ring.x, place.ring.y), (k.ring.x, k.ring.y)) > OVERLAP * (radius + r) for k, r in kept
        )
        if free and place.presence > least:
            kept.append((place, radius))
    return [place for place, _ in kept]


def seen(view: View, least: float = LIKELY) -> list[Disc]:
    """The discs of a look at the board, each with its `presence`."""
    board = view.profile.board
    kept = likeliest(places(view), board.coin_radius, board.striker_radius, least)
    return [_described(place, view, kept) for place in kept]


def _described(place: Place, view: View, kept: Sequence[Place]) -> Disc:
    """How a place's disc looks; in a crowd, and on ink, against the board beyond."""
    disc = replace(view.disc(_ring(place, view)), presence=place.presence)
    near = sum(math.dist((p.ring.x, p.ring.y), (disc.x, disc.y)) < CROWDED * disc.radius for p in kept)
    return view.afar(disc) if near > CROWD else view.off_ink(disc)


def _ring(place: Place, view: View) -> Ring:
    """The circle that is drawn about a place's disc: a striker's is the best of its size there."""
    board, ring = view.profile.board, place.ring
    if not place.is_striker:
        return replace(ring, radius=board.coin_radius)
    if ring.radius > board.coin_radius:
        return ring
    near = [r for r in view.large if math.dist((r.x, r.y), (ring.x, ring.y)) < board.coin_radius / 2]
    return max(near, key=lambda r: r.response, default=replace(ring, radius=board.striker_radius))
