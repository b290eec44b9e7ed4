"""Resting tracks: discs that were followed until they lay still where the search finds none.

A coin on a pocket's lip, on a printed circle of its own size or half over a red one shows the search no whole rim; that
it was followed to where it lies says that it has not fallen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from calibration.geometry.picture import U8
from calibration.profile import Colour, Profile
from referee.foreground.background import BackgroundModel, ForegroundFrame
from referee.foreground.patches import DiscPatch
from referee.outcome.fates import nearest_pocket
from referee.outcome.observation import ObservedColours
from referee.pieces.colour_classes import tint_distance
from referee.pieces.disc_fit import relative
from referee.tracking.tracker import Track

SEEN_S = 0.05
"""A track that rests was seen this short a time ago."""
STILL_S, STILL_MM = 0.15, 3.0
"""A track rests that has stayed within this distance of its place for so long."""
RESTING_INNER = 0.7
"""Share of a piece's radius within which its look is measured, off its rim and off what lies beside it."""


class Resting:
    """Tells which pieces that the search does not find lie where a track rests."""

    def __init__(
        self, profile: Profile, background: BackgroundModel, foreground: ForegroundFrame, tracks: Sequence[Track]
    ) -> None:
        """`tracks` are all that have been followed since the last stroke, ended ones too."""
        self._profile, self._background, self._sight, self._all = profile, background, foreground, tracks

    def tracks(self) -> list[Track]:
        """The tracks that rest on the board beside no hole's middle."""
        half = self._profile.board.half
        return [k for k in self._all if _is_still(k, self._sight.t) and max(map(abs, k.place)) < half
                and nearest_pocket(self._profile.pockets, *k.place)[1] > 0]  # fmt: skip

    def shown(self, track: Track) -> ObservedColours:
        """What the frame shows on a track's place, and what the bare board does."""
        colours, board, at = self._profile.colours, self._profile.board, track.place
        unlike = {k: self._looks_unlike(colour, at, board.radius(k)) for k, colour in colours.items()}
        bare = {}
        if self._has_seen_bare(at, board.coin_radius):
            bare = {k: self._bare_unlike(colour, at, board.radius(k)) for k, colour in colours.items()}
        solid, share = self._sight.solid, self._background.ring_share
        return ObservedColours(unlike, bare, share(solid, at, 0.0, RESTING_INNER * board.coin_radius),
                     share(solid, at, board.coin_radius, board.striker_radius))  # fmt: skip

    def _bare_unlike(self, colour: Colour, place: tuple[float, float], radius: float) -> float:
        """The same of the bare board there; 0 where it has not been seen."""
        if self._background.empty is None or not self._has_seen_bare(place, radius):
            return 0.0
        return self._looks_unlike(colour, place, radius, self._background.empty)

    def _has_seen_bare(self, place: tuple[float, float], radius: float) -> bool:
        patch = DiscPatch.of(self._background.lattice, *place, radius)
        return self._background.empty is not None and self._background.knows(patch)

    def _looks_unlike(
        self, colour: Colour, place: tuple[float, float], radius: float, shown: U8 | None = None
    ) -> float:
        """How unlike a look is what the frame, or `shown` (3, n, n) in its stead, has about a place."""
        rows, columns = self._background.lattice.disc_cells(*place, RESTING_INNER * radius)
        planes = self._sight.yuv if shown is None else shown
        luma, blue, red = (float(np.median(plane[rows, columns])) for plane in planes)
        return tint_distance(
            relative((luma, blue, red), self._background.ground_at(self._sight, *place, radius)), colour
        )


def _is_still(track: Track, t: float) -> bool:
    """Whether a track has been seen on its place for a while, until just before t."""
    if t - track.t > SEEN_S or track.times[0] > track.t - STILL_S:
        return False
    lately = [p for when, p in track.sightings if when >= track.t - STILL_S]
    return all(math.dist(p, track.place) < STILL_MM for p in lately)
