"""The known: the profile as it stands now, one object for all who watch strokes."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from calibration.discs import relative
from calibration.looks import tint_distance
from calibration.profile import Colour, Profile
from models.pieces import COINS, Kind
from referee.detect.gate import Gate
from referee.table import Lying

INNER = 0.5
"""Share of a coin's radius within which its look is measured, whatever it was thought to be."""
STRANGER = 4.0
"""A coin looks at most this many standard deviations unlike its kind."""


class Known:
    """Holds the profile, which is replaced as a whole when more is learned of the pieces or the camera was pushed."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile

    def with_striker(self, look: Colour | None) -> Profile:
        """The profile with a striker that looks so where its look is still to be learned; the same for the same."""
        if look is None or Kind.STRIKER in self.profile.colours:
            return self.profile
        return _with_striker(self.profile, look)

    def rename_second_striker(self, k: Lying, gate: Gate) -> bool:
        """A set has one striker: another that lies there too is a coin, of the kind that it looks like, or of the one
        not yet seen if any.
        """
        kind = self._coin_like(k, gate)
        unseen = [kind for kind in COINS if self.profile.full_set[kind] and kind not in self.profile.colours]
        if kind is None and len(unseen) != 1:
            return False
        k.piece = replace(k.piece, kind=kind or unseen[0])
        return True

    def _coin_like(self, k: Lying, gate: Gate) -> Kind | None:
        """The kind of coin that a piece looks most like, if it looks like any."""
        x, y, radius = k.piece.x_mm, k.piece.y_mm, self.profile.board.coin_radius
        rows, columns = k.patch.rows, k.patch.columns
        inner = np.hypot(gate.x[rows, columns] - x, gate.y[rows, columns] - y) < INNER * radius
        luma, blue, red = (float(np.median(plane[inner])) for plane in k.look)
        tint = relative((luma, blue, red), gate.ground_near(x, y, radius))
        off = {kind: tint_distance(tint, look) for kind, look in self.profile.colours.items() if kind in COINS}
        kind = min(off, key=lambda o: off[o], default=None)
        return kind if kind is not None and off[kind] < STRANGER else None


@lru_cache(maxsize=1)
def _with_striker(profile: Profile, look: Colour) -> Profile:
    """A profile with a striker that looks so; kept, for the search of one picture is asked of one profile."""
    return replace(profile, colours={**profile.colours, Kind.STRIKER: look})
