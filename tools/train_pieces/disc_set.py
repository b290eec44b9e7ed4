"""Finds the discs of a picture: of all circles in it, the set that explains it best.

The network classifies each circle once (`referee.pieces.presence`). Of two places that cannot both hold a disc, the
likelier one stays: two discs never overlap, and there is one striker.
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
"""Least rim support of a circle that is classified. Of 403 circles on discs of real and drawn boards none had less."""
OVERLAP = 0.82
"""Least distance of two discs' middles, as a share of the sum of their radii: rims are found to a few millimetres."""
CROWDED, CROWD = 3.0, 3
"""Radius of a neighbourhood, in disc radii, and number of discs in it, itself included, beyond which a disc's
surroundings show more discs than board."""
LIKELY = 0.0
"""Least log odds of a reported disc."""


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
        return self.striker > self.coin


def places(view: View) -> list[Place]:
    """Returns all circles of a view of the board with their log odds, the likeliest first."""
    rings = [r for r in (*view.coins, *view.large) if r.support > LEAST_RIM]
    cells = view.lattice.to_cells([(r.x, r.y) for r in rings])
    odds = log_odds(view.patch_source(), cells)
    out = [Place(r, float(c), float(s)) for r, (c, s) in zip(rings, odds, strict=True)]
    return sorted(out, key=lambda p: -p.presence)


def likeliest(found: Sequence[Place], coin: float, striker: float, least: float = LIKELY) -> list[Place]:
    """Returns the likeliest places that can hold their discs together, of radii `coin` and `striker` mm, with one
    striker.
    """
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
    """Returns the discs of a view of the board, each with its `presence`."""
    board = view.profile.board
    kept = likeliest(places(view), board.coin_radius, board.striker_radius, least)
    return [_described(place, view, kept) for place in kept]


def _described(place: Place, view: View, kept: Sequence[Place]) -> Disc:
    """Returns a place's disc with its colours, measured against the board beyond it in a crowd and on ink."""
    disc = replace(view.disc(_ring(place, view)), presence=place.presence)
    near = sum(math.dist((p.ring.x, p.ring.y), (disc.x, disc.y)) < CROWDED * disc.radius for p in kept)
    return view.afar(disc) if near > CROWD else view.off_ink(disc)


def _ring(place: Place, view: View) -> Ring:
    """Returns the circle of a place's disc: for a striker the best one of its size there."""
    board, ring = view.profile.board, place.ring
    if not place.is_striker:
        return replace(ring, radius=board.coin_radius)
    if ring.radius > board.coin_radius:
        return ring
    near = [r for r in view.large if math.dist((r.x, r.y), (ring.x, ring.y)) < board.coin_radius / 2]
    return max(near, key=lambda r: r.response, default=replace(ring, radius=board.striker_radius))
