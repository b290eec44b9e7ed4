"""Learns the pieces' colours: the coins' from the opening formation, the striker's from a striker on the middle."""

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
from referee.pieces.detector import find_pieces, learn_colours
from referee.pieces.disc import Disc
from referee.pieces.disc_place import place_discs
from referee.pieces.disc_set import discs_on_board, is_coin_sized
from referee.pieces.opening_formation import find_formation
from referee.pieces.scan import View

COLOURS_CLEAR, COLOURS_LEAST_CLEAR = 6.0, 4.0
"""Colour differences (standard deviations) at which two kinds are never, or seldom, confused. A disc that differs by
four from every kind is an unknown one.
"""
MIDDLE_MM = 30.0
"""Greatest distance of the striker from the board's middle, mm."""
WHOLE_RING_SUPPORT = 0.65
"""Rim support of a ring drawn all around. Of 43 strikers near the middle the least has 0.70, for prints beneath cross
its rim. Of 129 coins the most has 0.58 for a ring of a striker's size, of the shadow and the ornament."""
SIZE_RATIO = 1.15
"""Ratio of the striker's radius to a coin's below which colour alone distinguishes them."""
STRIKER_CONTRAST = 10.0
"""Least contrast (percent) of a striker not yet learned. Larger rings on boards are drawn in thin lines."""
COLOURS_ROUNDS = 10
"""Number of fits, each from the last one's rim: from a striker's ring about a coin they come to the coin's."""


@dataclass(frozen=True, slots=True, eq=False)
class Coins:
    """Result of learning the coins from the opening formation."""

    profile: Profile
    """Profile with the learned colours if all coins were there."""
    counts: dict[Kind, int]
    stands: bool
    """The opening formation stands."""
    apart: float | None
    """Colour difference between the two most similar kinds, standard deviations."""
    swatches: dict[Kind, str]
    """Colours as the camera records them, #rrggbb."""

    @property
    def verdict(self) -> MeterVerdict:
        """Verdict on the colours; bad if coins are missing, since other discs were then learned as coins."""
        whole = self.stands and all(self.counts[kind] == self.profile.full_set[kind] for kind in COINS)
        return coins_verdict(self.profile) if whole else MeterVerdict.BAD


@dataclass(frozen=True, slots=True, eq=False)
class Striker:
    """Result of learning the striker on the middle."""

    profile: Profile
    radius_mm: float
    apart: float | None
    """Colour difference from the most similar kind of coin, standard deviations; None if no coin is known."""
    swatch: str

    @property
    def verdict(self) -> MeterVerdict:
        """Verdict on size and colour, see `striker_verdict`."""
        return striker_verdict(self.profile)


def learn_coin_colours(profile: Profile, pictures: Sequence[Picture]) -> Coins:
    """Learns the coins' colours anew from a few pictures of the opening formation."""
    learned = learn_colours(replace(profile, colours=_striker_only(profile)), pictures)
    pieces = find_pieces(pictures[0], learned)
    counts = {kind: sum(k is kind for k, _ in pieces) for kind in COINS}
    coins = [d for k, d in pieces if k in COINS]
    stands = find_formation(coins, learned.board.coin_radius) is not None
    swatches = {kind: _swatch([d for k, d in pieces if k is kind]) for kind in COINS if counts[kind]}
    return Coins(learned, counts, stands, coins_apart(learned), swatches)


def learn_striker_colour(profile: Profile, pictures: Sequence[Picture]) -> Striker | None:
    """Learns the striker's colour and size from a few pictures of it on the middle.

    Returns None unless a disc larger than a coin lies there in most of them.
    """
    bare = replace(profile, colours={k: c for k, c in profile.colours.items() if k is not Kind.STRIKER})
    found = [disc for picture in pictures if (disc := _in_the_middle(bare, picture)) is not None]
    if 2 * len(found) <= len(pictures):
        return None
    radius = profile.board.striker_radius_of(float(np.median([d.radius for d in found])))
    known = replace(profile, board=replace(profile.board, striker_radius=radius),
                    colours={**profile.colours, Kind.STRIKER: mean_colour(found)})  # fmt: skip
    return Striker(known, radius, striker_apart(known), _swatch(found))


def coins_apart(profile: Profile) -> float | None:
    """Returns the colour difference (standard deviations) between the two most similar kinds of coin; None if fewer are
    known.
    """
    colours = [profile.colours[kind] for kind in COINS if kind in profile.colours]
    return min((_apart(a, b) for a, b in combinations(colours, 2)), default=None)


def striker_apart(profile: Profile) -> float | None:
    """Returns the colour difference (standard deviations) between the striker and the most similar kind of coin; None
    if either is unknown.
    """
    if Kind.STRIKER not in profile.colours:
        return None
    coins = [profile.colours[kind] for kind in COINS if kind in profile.colours]
    return min((_apart(profile.colours[Kind.STRIKER], coin) for coin in coins), default=None)


def coins_verdict(profile: Profile) -> MeterVerdict:
    """Grades whether colour alone distinguishes the kinds of coin; unknown if they were not learned."""
    apart = coins_apart(profile)
    return MeterVerdict.UNKNOWN if apart is None else graded(-apart, -COLOURS_CLEAR, -COLOURS_LEAST_CLEAR)


def striker_verdict(profile: Profile) -> MeterVerdict:
    """Grades whether size or colour distinguishes the striker from coins; unknown if it was not learned."""
    if Kind.STRIKER not in profile.colours:
        return MeterVerdict.UNKNOWN
    sized = profile.board.striker_radius >= SIZE_RATIO * profile.board.coin_radius
    return MeterVerdict.GOOD if sized or (striker_apart(profile) or 0.0) >= COLOURS_LEAST_CLEAR else MeterVerdict.FAIR


def _in_the_middle(profile: Profile, picture: Picture) -> Disc | None:
    view = View(picture, profile)
    large = [d for d in discs_on_board(view) if math.hypot(d.x, d.y) < MIDDLE_MM and not is_coin_sized(d, profile)]
    # Prints on the striker and beneath it may draw a coin's ring inside its own. Nothing else should lie there.
    drawn = [r for r in view.large if math.hypot(r.x, r.y) < MIDDLE_MM and r.support > WHOLE_RING_SUPPORT]
    large = large or [d for d in map(view.disc, drawn) if contrast(d) > STRIKER_CONTRAST]
    if not large:
        return None
    best = max(large, key=lambda d: d.response)
    for _ in range(COLOURS_ROUNDS):
        [fitted] = place_discs(picture, profile.camera, [best], profile.board.striker_height)
        best = replace(fitted, radius=fitted.radius + fitted.excess)
    return None if is_coin_sized(best, profile) else best


def _striker_only(profile: Profile) -> dict[Kind, Colour]:
    return {kind: colour for kind, colour in profile.colours.items() if kind is Kind.STRIKER}


def _apart(a: Colour, b: Colour) -> float:
    return min(tint_distance(a.mean, b), tint_distance(b.mean, a))


def _swatch(discs: Sequence[Disc]) -> str:
    """Returns the median colour of discs as #rrggbb."""
    y, u, v = np.median([d.colour for d in discs], axis=0)
    rgb = cv2.cvtColor(np.array([[[y, v, u]]]).clip(0, 255).astype(np.uint8), cv2.COLOR_YCrCb2RGB)[0, 0]
    return "#" + "".join(f"{int(c):02x}" for c in rgb)
