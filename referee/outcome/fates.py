"""The census: which pieces lie on the board now that lay elsewhere before, and what became of the others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

import numpy as np

from calibration.profile import Profile
from models.pieces import Kind, Piece, Pocket
from referee.pieces.colour_classes import kind_distance
from referee.pieces.disc_fit import Disc
from referee.pieces.print_rejection import evidence
from referee.tracking.assignment import assigned

SAME_PLACE_MM = 9.0
"""A disc this near to a known piece is that piece."""
UNSTIRRED = -math.inf, -math.inf
"""Of a place of which nothing is known."""
KIND_MM = 25.0
"""One standard deviation of look counts like this distance when discs are told apart."""
SIZE_MM, SIZE_KNOWN_MM = 110.0, 250.0
"""A coin-sized disc is hardly the striker and the other way round: before and after the striker's look is learned."""
FATE_PLAIN, FATE_WEAK_MM = 1.2, 200.0
"""A disc speaks for itself with this much evidence; one with less by 1 counts like this distance: prints draw rings."""
TOO_STRANGE_MM = 300.0
"""Dearer pairs are none: the disc is something else."""
FATE_FAR_MM = 250.0
"""Beyond this distance from where a piece lay nearness says nothing more."""
CARRIED = 0.05
"""Weight of nearness to the place of a piece that a hand moved."""
FAR_TIMES = 2.0
"""A pocket is by far the nearest if any other is so many times as far away."""


class Rim(Protocol):
    """A pocket's hole on the board, mm."""

    @property
    def centre(self) -> tuple[float, float]:
        """Its middle."""

    @property
    def radius(self) -> float:
        """From there to its edge."""


class CensusFate(Enum):
    """What became of a piece that is no longer on the board."""

    POCKETED = "pocketed"
    OFF_BOARD = "off_board"
    TAKEN = "taken"
    LIES = "lies"
    """On the board still, where its track rests, though the search finds no disc there."""
    HIDDEN = "hidden"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Missing:
    """A piece that lay on the board before and is not seen now."""

    piece: Piece
    fate: CensusFate
    pocket: Pocket | None
    t: float
    seen: bool
    """Whether anything that was seen shows it."""


def assign(profile: Profile, moved: Sequence[Piece], found: Sequence[tuple[Kind, Disc]]) -> list[tuple[int, int]]:
    """Pairs (index in moved, index in found) of least total strangeness, of pieces that no stroke has moved."""
    if not moved or not found:
        return []
    cost = np.array([[_cost(profile, piece, kind, disc) for kind, disc in found] for piece in moved])
    rows, columns = assigned(cost)
    return [(int(r), int(c)) for r, c in zip(rows, columns, strict=True) if cost[r, c] < TOO_STRANGE_MM]


def _cost(profile: Profile, piece: Piece, kind: Kind, disc: Disc) -> float:
    cost = 0.0
    if (piece.kind is Kind.STRIKER) != (kind is Kind.STRIKER):
        cost += SIZE_KNOWN_MM if Kind.STRIKER in profile.colours else SIZE_MM
    elif piece.kind is not kind:
        colour = profile.colours.get(piece.kind)
        cost += KIND_MM * (2.0 + min(kind_distance(disc, colour), 6.0) if colour else 4.0)
    cost += FATE_WEAK_MM * max(0.0, FATE_PLAIN - evidence(disc))
    return cost + min(math.dist((piece.x_mm, piece.y_mm), (disc.x, disc.y)), FATE_FAR_MM) * CARRIED


def nearest_pocket(rims: Mapping[Pocket, Rim], x: float, y: float) -> tuple[Pocket, float]:
    """The nearest pocket and the distance (mm) to its rim, negative over the hole."""
    (pocket, nearest), *others = rims.items()
    gap = math.dist(nearest.centre, (x, y)) - nearest.radius
    for other, rim in others:
        if (away := math.dist(rim.centre, (x, y)) - rim.radius) < gap:
            pocket, gap = other, away
    return pocket, gap


def with_likely_pocket(profile: Profile, outcome: Missing, seen: Sequence[tuple[float, float]]) -> Missing:
    """A fall that nobody saw with the pocket that is by far the nearest to one of the places (mm) where the coin may
    have been `seen` last, if there is such: hands that hide a way to it seldom hide the way to another.
    """
    if outcome.fate is not CensusFate.POCKETED or outcome.pocket is not None:
        return outcome
    pocket, gap, other = min((_nearest_and_next(profile, *place) for place in seen), key=lambda near: near[1])
    return replace(outcome, pocket=pocket) if FAR_TIMES * gap < other else outcome


def _nearest_and_next(profile: Profile, x: float, y: float) -> tuple[Pocket, float, float]:
    """The nearest pocket, and the distances (mm) to its rim and to that of the next."""
    away = sorted((math.dist(c.centre, (x, y)) - c.radius, p) for p, c in profile.pockets.items())
    return away[0][1], away[0][0], away[1][0]
