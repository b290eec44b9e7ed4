"""Finds tracks at rest on the board and measures the colours there, for coins that the disc search misses.

The search needs a whole rim. It misses a coin on a pocket's lip, on a printed circle of its own size or half over a red
one. A track that ends at rest there shows that the coin has not fallen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from calibration.geometry.picture import U8
from calibration.profile import Profile
from models.pieces import Kind
from referee.foreground.background import BackgroundModel, ForegroundFrame
from referee.foreground.patches import DiscPatch
from referee.outcome.matching import nearest_pocket
from referee.outcome.observation import ObservedColours
from referee.pieces.colour_classes import tint_distance
from referee.pieces.disc import relative_colour
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

    def colours_at(self, track: Track) -> ObservedColours:
        """Returns the colours of the frame and of the bare board at a track's place."""
        board, background = self._profile.board, self._background
        bare = background.empty
        if bare is None or not background.knows(DiscPatch.of(background.lattice, *track.place, board.coin_radius)):
            return ObservedColours(self._unlike(track.place, self._sight.yuv), {})
        return ObservedColours(self._unlike(track.place, self._sight.yuv), self._unlike(track.place, bare))

    def _unlike(self, place: tuple[float, float], planes: U8) -> dict[Kind, float]:
        """Returns how unlike each kind's colour YUV planes (3, n, n) are at a place, in standard deviations."""
        unlike = {}
        for kind, colour in self._profile.colours.items():
            radius = self._profile.board.radius(kind)
            rows, columns = self._background.lattice.disc_cells(*place, RESTING_INNER * radius)
            luma, blue, red = (float(np.median(plane[rows, columns])) for plane in planes)
            ground = self._background.ground_at(self._sight, *place, radius)
            unlike[kind] = tint_distance(relative_colour((luma, blue, red), ground), colour)
        return unlike


def _is_still(track: Track, t: float) -> bool:
    """Tells whether a track has been at rest for a while, up to just before t."""
    if t - track.t > SEEN_S or track.times[0] > track.t - STILL_S:
        return False
    lately = [p for when, p in track.sightings if when >= track.t - STILL_S]
    return all(math.dist(p, track.place) < STILL_MM for p in lately)
