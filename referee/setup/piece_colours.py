"""What the pieces look like: the coins by the opening formation, the striker by putting it on the middle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import cv2
import numpy as np

from calibration.geometry.picture import Picture
from calibration.meters.meter import MeterVerdict, graded
from calibration.profile import Colour, Profile
from models.pieces import COINS, Kind
from referee.pieces.colour_classes import contrast, mean_colour, tint_distance
from referee.pieces.detector import find_pieces, learn
from referee.pieces.disc_fit import Disc, refine_striker
from referee.pieces.disc_set import is_coin_sized, lying
from referee.pieces.opening_formation import find_formation
from referee.pieces.scan import View

COLOURS_CLEAR, COLOURS_LEAST_CLEAR = 6.0, 4.0
"""Kinds so many standard deviations apart are never, or seldom, taken for one another; a stranger begins at four."""
MIDDLE_MM = 30.0
"""The striker is put so near to the middle."""
COLOURS_WHOLE = 0.8
"""Rim support of a ring drawn all round: a coin's shade and the ornament draw less of one as large as a striker."""
ALIKE_SIZE = 1.15
"""A striker less than so much larger than a coin is told by its look alone."""
STRIKER_CONTRAST = 10.0
"""Least contrast (percent) of a striker not yet learned: larger rings on boards are drawn in thin lines."""
COLOURS_ROUNDS = 3
"""Fits about the rim that the one before found: the ring found first may be two millimetres off."""


@dataclass(frozen=True, slots=True, eq=False)
class Coins:
    """What a look at the opening formation gave."""

    profile: Profile
    """With the looks, where all coins were there."""
    counts: dict[Kind, int]
    stands: bool
    """The opening formation stands."""
    apart: float | None
    """Standard deviations between the two kinds that look most alike."""
    swatches: dict[Kind, str]
    """Colours as the camera sees them, #rrggbb."""

    @property
    def verdict(self) -> MeterVerdict:
        """Bad too where coins are missing, for then a look was learned from strangers."""
        whole = self.stands and all(self.counts[kind] == self.profile.full_set[kind] for kind in COINS)
        return coins_verdict(self.profile) if whole else MeterVerdict.BAD


@dataclass(frozen=True, slots=True, eq=False)
class Striker:
    """What a look at the striker on the middle gave."""

    profile: Profile
    radius_mm: float
    apart: float | None
    """Standard deviations between its look and the coin's that is most like it; None where no coins are known."""
    swatch: str

    @property
    def verdict(self) -> MeterVerdict:
        """See `striker_verdict`."""
        return striker_verdict(self.profile)


def look_at_formation(profile: Profile, pictures: Sequence[Picture]) -> Coins:
    """Learns the coins' looks anew from a few pictures in which the opening formation should stand."""
    learned = learn(replace(profile, colours=_striker_only(profile)), pictures)
    pieces = find_pieces(pictures[0], learned)
    counts = {kind: sum(k is kind for k, _ in pieces) for kind in COINS}
    coins = [d for k, d in pieces if k in COINS]
    stands = find_formation(coins, learned.board.coin_radius) is not None
    swatches = {kind: _swatch([d for k, d in pieces if k is kind]) for kind in COINS if counts[kind]}
    return Coins(learned, counts, stands, coins_apart(learned), swatches)


def look_at_striker(profile: Profile, pictures: Sequence[Picture]) -> Striker | None:
    """Learns the striker's look and size from a few pictures of it on the middle; None where nothing larger than a coin
    lies there in most of them.
    """
    bare = replace(profile, colours={k: c for k, c in profile.colours.items() if k is not Kind.STRIKER})
    seen = [disc for picture in pictures if (disc := _in_the_middle(bare, picture)) is not None]
    if 2 * len(seen) <= len(pictures):
        return None
    radius = profile.board.striker_radius_of(float(np.median([d.radius for d in seen])))
    known = replace(profile, board=replace(profile.board, striker_radius=radius),
                    colours={**profile.colours, Kind.STRIKER: mean_colour(seen)})  # fmt: skip
    return Striker(known, radius, striker_apart(known), _swatch(seen))


def coins_apart(profile: Profile) -> float | None:
    """Standard deviations between the two kinds of coins that look most alike; None where fewer are known."""
    colours = [profile.colours[kind] for kind in COINS if kind in profile.colours]
    return min((_apart(a, b) for a, b in combinations(colours, 2)), default=None)


def striker_apart(profile: Profile) -> float | None:
    """Standard deviations between the striker's look and the coin's most like it; None where either is not known."""
    if Kind.STRIKER not in profile.colours:
        return None
    coins = [profile.colours[kind] for kind in COINS if kind in profile.colours]
    return min((_apart(profile.colours[Kind.STRIKER], coin) for coin in coins), default=None)


def coins_verdict(profile: Profile) -> MeterVerdict:
    """Whether looks alone tell every kind of coin; unknown where they were not learned."""
    apart = coins_apart(profile)
    return MeterVerdict.UNKNOWN if apart is None else graded(-apart, -COLOURS_CLEAR, -COLOURS_LEAST_CLEAR)


def striker_verdict(profile: Profile) -> MeterVerdict:
    """Whether its size or its look tells the striker from coins for certain; unknown where it was not learned."""
    if Kind.STRIKER not in profile.colours:
        return MeterVerdict.UNKNOWN
    sized = profile.board.striker_radius >= ALIKE_SIZE * profile.board.coin_radius
    return MeterVerdict.GOOD if sized or (striker_apart(profile) or 0.0) >= COLOURS_LEAST_CLEAR else MeterVerdict.FAIR


def _in_the_middle(profile: Profile, picture: Picture) -> Disc | None:
    view = View(picture, profile)
    large = [d for d in lying(view) if math.hypot(d.x, d.y) < MIDDLE_MM and not is_coin_sized(d, profile)]
    # Prints on the striker and beneath it may draw a coin's ring within its own; nothing else was to lie there.
    drawn = [r for r in view.large if math.hypot(r.x, r.y) < MIDDLE_MM and r.support > COLOURS_WHOLE]
    large = large or [d for d in map(view.disc, drawn) if contrast(d) > STRIKER_CONTRAST]
    if not large:
        return None
    best = max(large, key=lambda d: d.response)
    for _ in range(COLOURS_ROUNDS):
        fitted = refine_striker(picture, profile.camera, best, profile.board.striker_height)
        best = replace(fitted, radius=fitted.radius + fitted.excess)
    return best


def _striker_only(profile: Profile) -> dict[Kind, Colour]:
    return {kind: colour for kind, colour in profile.colours.items() if kind is Kind.STRIKER}


def _apart(a: Colour, b: Colour) -> float:
    return min(tint_distance(a.mean, b), tint_distance(b.mean, a))


def _swatch(discs: Sequence[Disc]) -> str:
    """The median look of discs as #rrggbb."""
    y, u, v = np.median([d.colour for d in discs], axis=0)
    rgb = cv2.cvtColor(np.array([[[y, v, u]]]).clip(0, 255).astype(np.uint8), cv2.COLOR_YCrCb2RGB)[0, 0]
    return "#" + "".join(f"{int(c):02x}" for c in rgb)
