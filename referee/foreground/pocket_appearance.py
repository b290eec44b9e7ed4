"""Compares what shows in the pockets' openings: a coin that falls into a net stays in view there."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from calibration.profile import Profile
from models.pieces import Pocket
from referee.foreground.background import BackgroundModel, ForegroundFrame, Mask
from referee.foreground.hand_history import HandDistance

NOTED_EVERY_S, NOTED_TIMES = 0.2, 3
"""Interval of notes between strokes, s, and their number: a stroke is noticed a moment after the strike."""
CLEAR_OF_HAND_MM = 20.0
"""Distance from a pocket's rim, in mm, within which a hand darkens it."""
RIM_MM = 3.0
"""Margin within a pocket's rim, in mm, in which the rim itself may show."""

Openings = dict[Pocket, NDArray[np.bool_]]
"""Cells (k,) of a pocket's opening that differ from the pocket as first seen."""


class PocketAppearance:
    """Notes the appearance of the pockets between strokes, and tells afterwards which have changed."""

    def __init__(self, background: BackgroundModel, profile: Profile) -> None:
        self._background, self._profile = background, profile
        self._notes: deque[tuple[float, Openings]] = deque(maxlen=NOTED_TIMES)
        self.nets = 0.0
        """Log likelihood ratio, by the strokes called so far, that the board's nets hold coins in view."""

    def forget(self) -> None:
        """Discards the notes: the light or the camera has changed."""
        self._notes.clear()

    def note(self, foreground: ForegroundFrame, hands: HandDistance) -> None:
        """Notes a frame between strokes. Of pockets near a hand the last note stays."""
        if self._notes and foreground.t < self._notes[-1][0] + NOTED_EVERY_S:
            return
        last = self._notes[-1][1] if self._notes else {}
        self._notes.append((foreground.t, last | self._openings(foreground, hands)))

    def changed(self, foreground: ForegroundFrame, arms: Mask, since: float) -> dict[Pocket, float]:
        """Returns the share (0 to 1) of each pocket's opening that looks other than before time `since` (s).

        Pockets near a hand, now or all the time before, are left out.
        """
        before = next((openings for t, openings in reversed(self._notes) if t <= since), {})
        now = self._openings(foreground, HandDistance(arms, self._background.lattice))
        return {p: float(np.mean(opening != before[p])) for p, opening in now.items() if p in before}

    def _openings(self, foreground: ForegroundFrame, hands: HandDistance) -> Openings:
        lattice, holes = self._background.lattice, self._profile.pockets.items()
        return {pocket: foreground.solid[lattice.disc_cells(*hole.centre, hole.radius - RIM_MM)] > 0
                for pocket, hole in holes if hands.of(*hole.centre) > hole.radius + CLEAR_OF_HAND_MM}  # fmt: skip
