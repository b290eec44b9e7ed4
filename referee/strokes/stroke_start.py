"""Detects from the tracks when a stroke begins, which disc is the striker, and when the finger struck it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from models.pieces import Kind, Seat, to_side
from referee.board_state.occupancy import RestingPiece
from referee.foreground.background import BackgroundModel, Mask
from referee.foreground.hand_history import HandDistance
from referee.foreground.segmentation import Segmentation
from referee.outcome.first_contact import Contact
from referee.outcome.matching import is_same_place
from referee.outcome.stroke_in_progress import Play
from referee.pieces.current_profile import CurrentProfile
from referee.striker.baseline_search import StrikerSighting
from referee.striker.placement_rules import beyond_lines
from referee.striker.placement_tracker import PlacementTracker
from referee.strokes.in_flight import FlightTracking
from referee.strokes.weak_stroke import AHEAD_SHARE, STAY_MOST_MM, STRUCK_MM
from referee.tracking.flight import (
    began_hidden,
    flies,
    flight_start,
    has_flown,
    is_fast,
    is_followed,
    may_come_from,
    slides,
    travelled,
)
from referee.tracking.tracker import Sighting, Track, Tracker
from referee.tracking.trajectory import coasts, deflected

FREE_MM = 40.0
"""Distance from any hand, in mm, beyond which a blob moves by itself."""
ALONE_MM, ALONE_INSIDE_MM = 200.0, 60.0
"""Least distances, in mm, at which a flying track is no patch of a hand: from any hand, and of its first sighting from
the cushions."""
STIRRED_SHARE = 0.2
"""Share of a coin's area over which the picture must change where a disc flies."""
START_WHOLE = 0.75, 1.4
"""Range of the visible area, as a share of its face, of a striker that has left a pushing hand behind."""
SHIFT_MM_S = 600.0
"""Greatest speed, in mm/s, at which hands shift the striker along its lines."""
STRIP_MM = 60.0
"""Greatest distance, in mm, of a played striker's first free sighting from the middle of the base lines."""


@dataclass(frozen=True, slots=True, eq=False)
class FrameEvidence:
    """Measurements of one frame between strokes."""

    t: float
    scene: Segmentation
    gaps: HandDistance
    arms: HandDistance
    """Distance from hands including apparent skin of the board's colour, whose patches come, go and move."""
    motion: Mask
    """Mask of the cells that differ from a moment ago."""
    striker_seen: float
    """Time at which the striker was last seen on its place: an earlier flight is neither its own nor caused by it."""

    def is_free(self, x: float, y: float) -> bool:
        """Tells whether a blob at x, y mm is so far from hands that it moves by itself."""
        return self.gaps.of(x, y) > FREE_MM and self.arms.of(x, y) > FREE_MM


class StrokeStartDetector:
    """Tracks discs that leave their places between strokes until one flies; call `update` for each frame."""

    def __init__(
        self,
        known: CurrentProfile,
        background: BackgroundModel,
        tracker: Tracker,
        striker: PlacementTracker,
        flight_tracking: FlightTracking,
    ) -> None:
        self._known, self._background, self._tracker = known, background, tracker
        self.striker, self._flight_tracking = striker, flight_tracking
        self._from: dict[int, RestingPiece] = {}

    def forget(self) -> None:
        """Discards all tracks and the pieces that have left their places."""
        self._tracker.reset()
        self._from.clear()

    def dazzle(self) -> None:
        """Drops tracks of unknown origin when the light changes, since they may be light; tracks of known pieces go
        on.
        """
        self._tracker.live = [k for k in self._tracker.live if k.number in self._from]

    def update(self, now: FrameEvidence, gone: list[RestingPiece]) -> Play | None:
        """Returns the stroke that this frame shows to have begun, if any; `gone` are the pieces that have just left."""
        for k in gone:
            self._from[self._flight_tracking.release(now.t, k).number] = k
        for blob in self._tracker.update(now.t, now.scene.blobs):
            self._tracker.adopt(now.t, blob)
        trigger = next((k for k in self._tracker.live if self._is_struck(k, now)), None)
        return self._begin(trigger, now.t) if trigger else None

    def _is_struck(self, track: Track, now: FrameEvidence) -> bool:
        """Tells whether a track is that of a struck disc: flying straight from its place or a base strip, free of any
        hand.
        """
        if track.t < now.t or not now.is_free(*track.place) or not self._stirs(track, now.motion):
            return False
        if self._coasts_far_off(track, now):
            return True
        if not flies(track, now.t):
            return self._slides_out(track, now)
        start = flight_start(track)
        flew = track.times[start]
        if self._was_coin(track):
            return self.striker.stood(flew) or (now.striker_seen <= flew and self._is_far_flight(track, now))
        return self._is_strikers(track, start, now)

    def _coasts_far_off(self, track: Track, now: FrameEvidence) -> bool:
        """Tells whether a disc coasts far from any hand after the striker stood, whatever deflected it on its way."""
        far = is_fast(track) and now.gaps.of(*track.place) > ALONE_MM
        return far and self.striker.stood(track.times[0]) and coasts(track)

    def _slides_out(self, track: Track, now: FrameEvidence) -> bool:
        """Tells whether a slow disc is the striker that has left a pushing hand behind.

        Its whole face is visible, far from where it stood, and it is still moving away from there.
        """
        if track.number in self._from or not slides(track, now.t):
            return False
        start = flight_start(track)
        stood, whole = self.striker.last(track.times[start]), self._known.profile.board.striker_radius
        if stood is None or math.dist((stood.x, stood.y), track.places[start]) < STAY_MOST_MM:
            return False
        area = next((b.area_mm2 for b in now.scene.blobs if (b.x, b.y) == track.place), 0.0)
        if not START_WHOLE[0] < area / (math.pi * whole**2) < START_WHOLE[1]:
            return False
        return self._tracker.looks_like(Kind.STRIKER, track) and self._is_strikers(track, start, now)

    def _is_far_flight(self, track: Track, now: FrameEvidence) -> bool:
        far = travelled(track) > STRUCK_MM and now.gaps.of(*track.place) > ALONE_MM
        return far and is_followed(track)

    def _is_strikers(self, track: Track, start: int, now: FrameEvidence) -> bool:
        """Tells whether a flight from its `start`-th sighting on is the striker's.

        It must lead away from where the striker stood, moved by no hand, or be so far from any hand that nothing else
        can fly there: a striker that resembles the board is not detected on all of its way.
        """
        flew, origin = track.times[start], track.places[start]
        if self._goes_along(track, start):
            return False
        if self.striker.left(flew, origin, track.place) or self._origin(track) is not None:
            return True
        return (self.striker.stood(flew) or self._is_far_flight(track, now)) and self._is_alone(track, now)

    def _goes_along(self, track: Track, start: int) -> bool:
        """Tells whether a track has moved along the striker's base lines since its `start`-th sighting, as shifted by a
        hand.

        It must be no faster on average than hands shift the striker, and still be on the lines: a struck striker
        will have left them.
        """
        stood, took = self.striker.last(track.times[start]), track.t - track.times[start]
        if stood is None or math.dist(track.places[start], track.place) > SHIFT_MM_S * took:
            return False
        seat, place, profile = stood.seat, track.place, self._known.profile
        ahead = to_side(seat, *place)[1] - to_side(seat, stood.x, stood.y)[1]
        radius = profile.board.striker_radius
        off_lines = beyond_lines(profile.sides.get(seat), seat, *place, radius) > 0
        return abs(ahead) < AHEAD_SHARE * math.dist(place, (stood.x, stood.y)) and not off_lines

    def _is_alone(self, track: Track, now: FrameEvidence) -> bool:
        """Tells whether a track that began inside the board has flown far, and far from any hand.

        No coin may have left its place, since the track might be that coin. A track that began near the frame may be
        a hand that is not segmented yet.
        """
        if any(k.piece.kind is not Kind.STRIKER for k in self._from.values()):
            return False
        inside = max(map(abs, track.places[0])) < self._known.profile.board.half - ALONE_INSIDE_MM
        return inside and has_flown(track) and now.gaps.of(*track.place) > ALONE_MM

    def _stirs(self, track: Track, motion: Mask) -> bool:
        """Tells whether the picture changes where a track is; the patches of a resting hand come and go."""
        rows, columns = self._background.lattice.disc_cells(*track.place, self._known.profile.board.coin_radius)
        return len(rows) > 0 and float(np.mean(motion[rows, columns] > 0)) > STIRRED_SHARE

    def _was_coin(self, track: Track) -> bool:
        return track.number in self._from and track.kind is not Kind.STRIKER

    def _begin(self, trigger: Track, t: float) -> Play:
        """Returns the stroke that set `trigger` moving."""
        play = Play(-math.inf, last_motion=t)
        play.moved = [(self._from[k.number], k) for k in self._tracker.live if k.number in self._from]
        self._find_striker(play, trigger)
        stood = self.striker.placement(t)
        earliest = stood[0].until if stood else 0.0
        play.t_strike = max(self._struck_at(play.striker or trigger, play.contacts()), earliest)
        if play.striker is None and (contacts := play.contacts()):
            play.t_strike = contacts[0][0]
        self._tracker.ended = []
        return play

    def _struck_at(self, track: Track, contacts: Sequence[Contact]) -> float:
        """Returns when a flight began, extrapolated back from its first sighting at the speed measured then."""
        start = flight_start(track)
        flight = list(track.sightings)[start:]
        origin = None if self._was_coin(track) else self._origin(track) or self.striker.last(track.times[start])
        if origin is None or is_same_place(flight[0][1], (origin.x, origin.y)):
            (stood, place), flight = flight[0], flight[1:]
        else:
            stood, place = origin.until, (origin.x, origin.y)
        if not flight:
            return stood
        t, first = flight[0]
        return max(stood, began_hidden(t, math.dist(place, first), self._speed(flight, contacts)))

    def _origin(self, track: Track) -> StrikerSighting | None:
        """Returns the sighting of the standing striker from which a flight leads away, or None.

        A fast striker is far from there when it is identified. If a coin or a cushion has deflected it, its course
        before that is used.
        """
        start, board = flight_start(track), self._known.profile.board
        struck = [k.places[0] for k in self._tracker.live if self._was_coin(k)]
        inner, reach = board.half - board.striker_radius, board.striker_radius + board.coin_radius
        before = deflected(list(track.sightings)[start:], inner, struck, reach)
        courses = [(track.place, track.velocity), *((glide.place, glide.velocity) for glide in before)]
        found = (self.striker.origin(track.times[start], *course) for course in courses)
        return next((stood for stood in found if stood), None)

    def _speed(self, flight: list[Sighting], contacts: Sequence[Contact]) -> float:
        """Returns the highest speed in mm/s between a striker's sightings, and from the first to the coin that it
        struck.
        """
        t0, first = flight[0]
        legs = [(math.dist(a, b), t - s) for (s, a), (t, b) in pairwise(flight)]
        board = self._known.profile.board
        reach = board.striker_radius + board.coin_radius
        struck = next(((t, c) for t, c in contacts if t > t0), None)
        if struck is not None:
            legs.append((math.dist(first, struck[1].place) - reach, struck[0] - t0))
        return max((way / took for way, took in legs if took > 0), default=0.0)

    def _find_striker(self, play: Play, trigger: Track) -> None:
        """Assigns the striker's track: from where it was known to lie, or one first detected in flight."""
        known = next((m for m in play.moved if m[1].kind is Kind.STRIKER), None)
        stray = trigger if trigger.number not in self._from else self._striker_track(trigger)
        if known is not None:
            play.striker_known = True
            if stray is None or _has_moved(known[1]):
                play.striker = known[1]
                return
            self._tracker.live.remove(known[1])
            play.moved.remove(known)
            play.moved.append((known[0], stray))
        if stray is not None:
            stray.kind = Kind.STRIKER
            play.striker = stray

    def _striker_track(self, trigger: Track) -> Track | None:
        """Returns the track of the striker that set a coin moving: from a base strip, flying before the coin did."""
        if any(_has_moved(k) and k.kind is Kind.STRIKER for k in self._tracker.live if k.number in self._from):
            return None
        strays = [k for k in self._tracker.live if k.number not in self._from and _has_moved(k)]
        flying = [k for k in strays if has_flown(k) and k.times[flight_start(k)] <= trigger.t
                  and self._in_strip(*k.places[flight_start(k)])]  # fmt: skip
        return max(flying, key=travelled, default=None) or self._first_to_appear(strays, trigger)

    def _first_to_appear(self, strays: list[Track], trigger: Track) -> Track | None:
        """Returns the first track that began after the striker stood and before a coin flew, near enough to be the
        striker's.
        """
        stood = self.striker.last(trigger.times[flight_start(trigger)])
        if stood is None:
            return None
        place = stood.x, stood.y
        may = [k for k in strays if stood.until < k.born <= trigger.t and may_come_from(k, place, stood.until)]
        return min(may, key=lambda k: (k.born, math.dist(k.places[0], place)), default=None)

    def _in_strip(self, x: float, y: float) -> bool:
        """Tells whether a point in mm lies on or near a side's base lines, from where strikers are played."""
        sides = [to_side(seat, x, y) for seat in Seat]
        board = self._known.profile.board
        reach = board.base_circle_x + STRIP_MM
        return any(abs(sy + board.base_y) < STRIP_MM and abs(sx) < reach for sx, sy in sides)


def _has_moved(track: Track) -> bool:
    """Tells whether a track has more than its first sighting."""
    return len(track.times) > 1
