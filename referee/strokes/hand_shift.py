"""Distinguishes a striker that a hand shifts along its base lines from one that flies.

A hand that is not segmented as a hand appears as patches, which look like flying discs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from models.pieces import Kind, to_side
from referee.foreground.segmentation import Blob
from referee.pieces.current_profile import CurrentProfile
from referee.striker.baseline_search import StrikerSighting
from referee.striker.placement_rules import has_left
from referee.striker.placement_tracker import PlacementTracker
from referee.strokes.weak_stroke import AHEAD_SHARE
from referee.tracking.tracker import Track, Tracker

STANDS_SHARE, STANDS_MM = 0.8, 6.0
"""Least share of the striker's area, and greatest distance in mm from where it stood, of a blob that is the striker
still standing there."""
SHIFT_MM_S = 600.0
"""Greatest speed, in mm/s, at which hands shift the striker along its lines."""
MORE_LIKE = 1.0
"""Margin, in standard deviations of colour, by which the striker's blob must resemble it more than a track does."""


class HandShifts:
    """Distinguishes shifts of the striker by a hand from flights."""

    def __init__(self, known: CurrentProfile, tracker: Tracker, striker: PlacementTracker) -> None:
        self._known, self._tracker, self._striker = known, tracker, striker

    def is_striker_on_lines(self, track: Track, flew: float, t: float, blobs: Sequence[Blob]) -> bool:
        """Tells whether the striker still stands on its lines at time t, so that the track is a patch of a hand.

        That is so if a whole disc is visible where the striker stood before the time `flew` or where a hand has
        shifted it since, or if the striker was measured there up to t.
        """
        stood = self._striker.last(flew)
        if stood is None:
            return False
        if stood.until >= t and math.dist((stood.x, stood.y), track.place) > self._known.profile.board.striker_radius:
            return True
        least = STANDS_SHARE * math.pi * self._known.profile.board.striker_radius**2
        whole = [b for b in blobs if b.area_mm2 > least and (b.x, b.y) != track.place]
        here = (stood.x, stood.y)
        return any(math.dist((b.x, b.y), here) < STANDS_MM or self._is_there(b, track, stood, t)
                   for b in whole)  # fmt: skip

    def _is_there(self, blob: Blob, track: Track, stood: StrikerSighting, t: float) -> bool:
        """Tells whether a blob on the lines where the striker `stood` resembles it more than the flying track does."""
        x, y = to_side(stood.seat, blob.x, blob.y)
        along, ahead = (abs(a - b) for a, b in zip((x, y), to_side(stood.seat, stood.x, stood.y), strict=True))
        if ahead > STANDS_MM or along > STANDS_MM + SHIFT_MM_S * (t - stood.until):
            return False
        unlike = self._tracker.unlike(Kind.STRIKER, track)
        return self._tracker.unlike_tint(Kind.STRIKER, blob.tint) + MORE_LIKE < unlike

    def goes_along(self, track: Track, start: int) -> bool:
        """Tells whether a track has moved along the striker's base lines since its `start`-th sighting, as shifted by a
        hand.

        It must be no faster on average than hands shift the striker, and still be on the lines: a struck striker
        will have left them.
        """
        stood, took = self._striker.last(track.times[start]), track.t - track.times[start]
        if stood is None or math.dist(track.places[start], track.place) > SHIFT_MM_S * took:
            return False
        seat, (x, y) = stood.seat, track.place
        ahead = to_side(seat, x, y)[1] - to_side(seat, stood.x, stood.y)[1]
        profile = self._known.profile
        return abs(ahead) < AHEAD_SHARE * math.dist((x, y), (stood.x, stood.y)) and not has_left(
            profile.sides.get(seat), seat, x, y, profile.board.striker_radius)  # fmt: skip
