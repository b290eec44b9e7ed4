"""Assigns discs found to pieces that a hand moved, and defines the fates of missing pieces and their likely pockets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

import numpy as np

from calibration.profile import Profile
from models.pieces import Kind, Piece, Pocket
from referee.pieces.colour_classes import evidence, kind_distance
from referee.pieces.disc_fit import Disc
from referee.tracking.assignment import assigned
from referee.tracking.trajectory import Glide

SAME_PLACE_MM = 9.0
"""Greatest distance between a disc and the known piece that it is, in mm."""
KIND_MM = 25.0
"""Distance in mm that one standard deviation of colour costs in the assignment of discs."""
SIZE_MM, SIZE_KNOWN_MM = 110.0, 250.0
"""Distances in mm that a coin-sized disc costs as the striker, or the reverse: before and after the striker's colour is
learned.
"""
FATE_PLAIN, FATE_WEAK_MM = 1.2, 200.0
"""Evidence of a clear disc, and the distance in mm that each unit less costs: prints show rings too."""
TOO_STRANGE_MM = 300.0
"""Cost in mm from which a pair is rejected: the disc is something else."""
FATE_FAR_MM = 250.0
"""Upper limit, in mm, of the distance from a piece's former place in the cost."""
CARRIED = 0.05
"""Weight of the distance from a piece's former place in the cost of pieces that a hand moved."""
FAR_TIMES = 2.0
"""Least ratio of the distances of the second nearest and the nearest pocket, for the nearest to be the likely one."""


Place = tuple[float, float]
"""Board mm."""


class Rim(Protocol):
    """A pocket's hole on the board, mm."""

    @property
    def centre(self) -> tuple[float, float]:
        """Returns its centre, board mm."""

    @property
    def radius(self) -> float:
        """Returns its radius, mm."""


class CensusFate(Enum):
    """The fate of a piece that is no longer at its place."""

    POCKETED = "pocketed"
    OFF_BOARD = "off_board"
    TAKEN = "taken"
    LIES = "lies"
    """Still on the board, where its track rests, though the search finds no disc there."""
    HIDDEN = "hidden"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Missing:
    """A piece that lay on the board before and is not found now."""

    piece: Piece
    fate: CensusFate
    pocket: Pocket | None
    t: float
    seen: bool
    """Whether any detection shows the fate."""


def is_same_place(a: Place, b: Place) -> bool:
    """Tells whether a disc at one of two places (mm) is the piece known at the other."""
    return math.dist(a, b) < SAME_PLACE_MM


def is_plain(disc: Disc) -> bool:
    """Tells whether a disc is clearly one."""
    return evidence(disc) > FATE_PLAIN


def assign(profile: Profile, moved: Sequence[Piece], found: Sequence[tuple[Kind, Disc]]) -> list[tuple[int, int]]:
    """Returns the pairs (index in moved, index in found) of least total cost, for pieces that a hand moved."""
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
    """Returns the nearest pocket and the distance (mm) to its rim, negative over the hole."""
    (pocket, nearest), *others = rims.items()
    gap = math.dist(nearest.centre, (x, y)) - nearest.radius
    for other, rim in others:
        if (away := math.dist(rim.centre, (x, y)) - rim.radius) < gap:
            pocket, gap = other, away
    return pocket, gap


def pocket_ahead(rims: Mapping[Pocket, Rim], glide: Glide, within_s: float) -> tuple[Pocket, float, float] | None:
    """Returns the pocket into which a glide most probably leads within a time, the probability, and the time until then
    (s, from its last sighting); None if it leads to none.
    """
    reached = [(*glide.reaches(rim.centre, rim.radius), pocket) for pocket, rim in rims.items()]
    chance, after_s, pocket = max((r for r in reached if r[1] < within_s), key=lambda r: r[0], default=(0.0, 0.0, None))
    return None if pocket is None or chance <= 0 else (pocket, chance, after_s)


def with_likely_pocket(profile: Profile, outcome: Missing, seen: Sequence[tuple[float, float]]) -> Missing:
    """Adds the likely pocket to an undetected fall, if one is by far the nearest.

    `seen` are the possible places (mm) of the coin's last sighting; the one nearest to a pocket counts. Hands that hide
    the path to a near pocket seldom hide the path to another.
    """
    if outcome.fate is not CensusFate.POCKETED or outcome.pocket is not None:
        return outcome
    pocket, gap, other = min((_nearest_and_next(profile, *place) for place in seen), key=lambda near: near[1])
    return replace(outcome, pocket=pocket) if FAR_TIMES * gap < other else outcome


def _nearest_and_next(profile: Profile, x: float, y: float) -> tuple[Pocket, float, float]:
    """Returns the nearest pocket, and the distances (mm) to its rim and to that of the second nearest."""
    away = sorted((math.dist(c.centre, (x, y)) - c.radius, p) for p, c in profile.pockets.items())
    return away[0][1], away[0][0], away[1][0]
