"""Finds tracks at rest on the board and measures the colours there, for coins that the disc search misses.

The search needs a whole rim. It misses a coin on a pocket's lip, on a printed circle of its own size or half over a red
one. A track that ends at rest there shows that the coin has not fallen.
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
"""Greatest age of the last sighting of a track at rest, in seconds."""
STILL_S, STILL_MM = 0.15, 3.0
"""Time (s) for which a track at rest has stayed within this distance (mm) of its place."""
RESTING_INNER = 0.7
"""Share of a piece's radius within which its colour is measured, away from its rim and its neighbours."""


class Resting:
    """The tracks at rest in one frame, with the colours at their places."""

    def __init__(
        self, profile: Profile, background: BackgroundModel, foreground: ForegroundFrame, tracks: Sequence[Track]
    ) -> None:
        """Stores the inputs; `tracks` are all tracks since the last stroke, ended ones too."""
        self._profile, self._background, self._sight, self._all = profile, background, foreground, tracks

    def tracks(self) -> list[Track]:
        """Returns the tracks at rest on the board, outside the pockets' holes."""
        half = self._profile.board.half
        return [k for k in self._all if _is_still(k, self._sight.t) and max(map(abs, k.place)) < half
                and nearest_pocket(self._profile.pockets, *k.place)[1] > 0]  # fmt: skip

    def shown(self, track: Track) -> ObservedColours:
        """Returns the colours of the frame and of the bare board at a track's place."""
        colours, board, at = self._profile.colours, self._profile.board, track.place
        unlike = {k: self._looks_unlike(colour, at, board.radius(k)) for k, colour in colours.items()}
        bare = {}
        if self._has_seen_bare(at, board.coin_radius):
            bare = {k: self._bare_unlike(colour, at, board.radius(k)) for k, colour in colours.items()}
        solid, share = self._sight.solid, self._background.ring_share
        return ObservedColours(unlike, bare, share(solid, at, 0.0, RESTING_INNER * board.coin_radius),
                     share(solid, at, board.coin_radius, board.striker_radius))  # fmt: skip

    def _bare_unlike(self, colour: Colour, place: tuple[float, float], radius: float) -> float:
        """Returns how unlike a kind's colour the bare board is at a place, in standard deviations; 0 if not known."""
        if self._background.empty is None or not self._has_seen_bare(place, radius):
            return 0.0
        return self._looks_unlike(colour, place, radius, self._background.empty)

    def _has_seen_bare(self, place: tuple[float, float], radius: float) -> bool:
        patch = DiscPatch.of(self._background.lattice, *place, radius)
        return self._background.empty is not None and self._background.knows(patch)

    def _looks_unlike(
        self, colour: Colour, place: tuple[float, float], radius: float, shown: U8 | None = None
    ) -> float:
        """Returns how unlike a kind's colour the frame is at a place, in standard deviations.

        `shown` (3, n, n), YUV planes, replaces the frame.
        """
        rows, columns = self._background.lattice.disc_cells(*place, RESTING_INNER * radius)
        planes = self._sight.yuv if shown is None else shown
        luma, blue, red = (float(np.median(plane[rows, columns])) for plane in planes)
        return tint_distance(
            relative((luma, blue, red), self._background.ground_at(self._sight, *place, radius)), colour
        )


def _is_still(track: Track, t: float) -> bool:
    """Tells whether a track has been at rest for a while, up to just before t."""
    if t - track.t > SEEN_S or track.times[0] > track.t - STILL_S:
        return False
    lately = [p for when, p in track.sightings if when >= track.t - STILL_S]
    return all(math.dist(p, track.place) < STILL_MM for p in lately)
