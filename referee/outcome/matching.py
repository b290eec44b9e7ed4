"""Matches discs found with known pieces, and places with pockets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from calibration.profile import Circle, Profile
from models.pieces import Kind, Piece, Pocket
from referee.pieces.colour_classes import tint_distance
from referee.pieces.disc import Disc
from referee.pieces.disc_set import log_probability
from referee.tracking.assignment import possible_pairs
from referee.tracking.tracker import Place
from referee.tracking.trajectory import Glide

SAME_PLACE_MM = 9.0
"""Greatest distance between a disc and the known piece that it is, in mm."""
OVERLAP = 0.75
"""Two pieces cannot both lie there if their centres are nearer than this share of the sum of their radii."""
STRANGE, UNKNOWN_STRANGE = 5.0, 4.0
"""Difference of colour, in standard deviations, from which a disc is no piece of a kind, and the difference assumed
where the kind's colour is not known."""
LAPSE_S = 0.12
"""Longest gap in an unbroken track, in seconds: after a longer one it may have continued on another disc's blobs. A
lost disc fell into the pocket that its extrapolated glide reaches within this time."""
PER_MM = 1e-3
"""Cost of a mm between a piece and a disc, in standard deviations of colour."""


def is_same_place(a: Place, b: Place) -> bool:
    """Tells whether a disc at one of two places (mm) is the piece known at the other."""
    return math.dist(a, b) < SAME_PLACE_MM


def overlap(one: Place, other: Place, radii: float) -> bool:
    """Tells whether discs at two places (mm), of which `radii` (mm) is the sum of both radii, cannot both lie there."""
    return math.dist(one, other) < OVERLAP * radii


def assign(profile: Profile, moved: Sequence[Piece], found: Sequence[tuple[Kind, Disc]]) -> list[tuple[int, int]]:
    """Returns the pairs (index in moved, index in found) of least total cost, for pieces that a hand moved.

    The cost is the difference of colour plus the surprise that a disc is there; the distance decides between equals.
    """
    if not moved or not found:
        return []
    cost = np.array([[_cost(profile, piece, kind, disc) for kind, disc in found] for piece in moved])
    rows, columns = possible_pairs(cost)
    return [(int(r), int(c)) for r, c in zip(rows, columns, strict=True)]


def _cost(profile: Profile, piece: Piece, kind: Kind, disc: Disc) -> float:
    strange = 0.0 if piece.kind is kind else _strange(profile, piece.kind, kind, disc)
    if strange > STRANGE:
        return math.inf
    apart = math.dist(piece.place, (disc.x, disc.y))
    return strange - log_probability(disc) + PER_MM * apart


def _strange(profile: Profile, known: Kind, kind: Kind, disc: Disc) -> float:
    """Returns how unlike a piece of a `known` kind a disc is that was classified as another `kind`."""
    if Kind.STRIKER in (known, kind) and Kind.STRIKER in profile.colours:
        return math.inf
    colour = profile.colours.get(known)
    return UNKNOWN_STRANGE if colour is None else tint_distance(disc.tint, colour)


def nearest_pocket(rims: Mapping[Pocket, Circle], x: float, y: float) -> tuple[Pocket, float]:
    """Returns the nearest pocket and the distance (mm) to its rim, negative over the hole."""
    gaps = ((pocket, math.dist(rim.centre, (x, y)) - rim.radius) for pocket, rim in rims.items())
    return min(gaps, key=lambda each: each[1])


def may_be_anothers(gap_s: float) -> bool:
    """Tells whether the sightings of a track after a gap (s) may be of another disc."""
    return gap_s > LAPSE_S


def pocket_ahead(
    rims: Mapping[Pocket, Circle], glide: Glide, within_s: float = LAPSE_S
) -> tuple[Pocket, float, float] | None:
    """Returns the pocket into which a glide most probably leads within a time, the probability, and the time until then
    (s, from its last sighting); None if it leads to none.
    """
    reached = [(*glide.reaches(rim.centre, rim.radius), pocket) for pocket, rim in rims.items()]
    chance, after_s, pocket = max((r for r in reached if r[1] < within_s), key=lambda r: r[0], default=(0.0, 0.0, None))
    return None if pocket is None or chance <= 0 else (pocket, chance, after_s)
