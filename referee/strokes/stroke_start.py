"""The strike: tells from the tracks when a stroke begins, by which disc, and when the finger moved it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from models.pieces import Kind, Seat, to_side
from referee.board_state.occupancy import RestingPiece
from referee.board_state.second_striker import rename_second_striker
from referee.foreground.background import BackgroundModel, Mask
from referee.foreground.hand_history import HandDistance
from referee.foreground.segmentation import Segmentation
from referee.outcome.fates import SAME_PLACE_MM
from referee.outcome.first_contact import Contact
from referee.outcome.stroke_in_progress import Play
from referee.pieces.current_profile import CurrentProfile
from referee.striker.baseline_search import StrikerSighting
from referee.striker.placement_tracker import PlacementTracker
from referee.strokes.hand_shift import HandShifts
from referee.strokes.in_flight import FlightTracking
from referee.tracking.flight import (
    FLIGHT_LEFT_MM,
    FLIGHT_S,
    FREE_MM_S,
    HIDDEN_FLIGHT_S,
    START_MM,
    before_coin,
    before_cushion,
    exchange,
    flies,
    flight_start,
    gathers_speed,
    is_followed,
    leads_from,
    slides,
    travelled,
)
from referee.tracking.free_sliding import coasts
from referee.tracking.tracker import STRAY_SPEED_MM_S, Sighting, Track, Tracker

FREE_MM = 40.0
"""A blob this far from any hand moves by itself."""
ALONE_MM, ALONE_FLIGHT_MM, ALONE_INSIDE_MM = 200.0, 50.0, 60.0
"""What flies so far from any hand, for so long a way, first seen so far from the cushions, is no patch of a hand."""
COASTS_MM = 150.0
"""So far from any hand a disc coasts by itself."""
UNSEEN_FLIGHT_MM = 150.0
"""Nothing but a stroke sends a disc so far on, though nobody saw the striker stand: one of the board's look."""
TO_COIN_S = 0.2
"""A striker reaches the coin that gives a stroke away within this time: 250 mm at little more than 1 m/s."""
SCATTERED = 4
"""So many coins leave their places at once only when they are struck."""
BROKEN, ALL_WAYS = 8, 0.6
"""So many do so in all directions, their courses' mean no longer than this, in a break alone, though nobody saw the
striker stand: what clears a board sweeps them one way."""
STIRRED_SHARE = 0.2
"""The picture changes over at least this share of a coin's area where a disc flies."""
LEFT_BEHIND = 0.5
"""A hand is farther than this share of its way behind a striker that it played; coins put back were 0.3 and 0.4 ahead
of the hand that brought them."""
START_CLEAR_OF, START_WHOLE, START_LIKE = 2.0, (0.75, 1.4), 3.0
"""A striker has left a pushing hand behind if it is so many radii from where it stood, by this share of its face, and
so many standard deviations at most from its look.
"""
STRIP_MM = 60.0
"""A striker just played is first seen free of the hand at most this far from the middle of the base lines."""


@dataclass(frozen=True, slots=True, eq=False)
class FrameEvidence:
    """What one frame shows between strokes."""

    t: float
    scene: Segmentation
    gaps: HandDistance
    arms: HandDistance
    """From hands with what seems to be skin of the board's colour, patches of which come, go and move with it."""
    motion: Mask
    """Where the board looks otherwise than a moment ago."""
    striker_seen: float
    """When the striker was last seen to lie on its place: what flew before that is not it, nor struck by it."""

    def is_free(self, x: float, y: float) -> bool:
        """Whether what moves at x, y mm moves by itself."""
        return self.gaps.of(x, y) > FREE_MM and self.arms.of(x, y) > FREE_MM


class StrokeStartDetector:
    """Follows what leaves its place between strokes until something flies."""

    def __init__(
        self,
        known: CurrentProfile,
        background: BackgroundModel,
        tracker: Tracker,
        striker: PlacementTracker,
        pursuit: FlightTracking,
    ) -> None:
        self._known, self._background, self._tracker = known, background, tracker
        self.striker, self._pursuit = striker, pursuit
        self._shifting = HandShifts(known, tracker, striker)
        self._from: dict[int, RestingPiece] = {}

    def forget(self) -> None:
        """Nothing that left its place before matters any more."""
        self._tracker.reset()
        self._from.clear()

    def dazzle(self) -> None:
        """The light changes: what turned up in it may be light; pieces that have left their places are followed on."""
        self._tracker.live = [k for k in self._tracker.live if k.number in self._from]

    def update(self, now: FrameEvidence, gone: list[RestingPiece]) -> Play | None:
        """The stroke that this frame shows to have begun, if any; `gone` are the pieces that have just left."""
        for k in gone:
            self._from[self._pursuit.release(now.t, k).number] = k
        for blob in self._tracker.update(now.t, now.scene.blobs):
            self._tracker.adopt(now.t, blob, None)
        self._untangle(now.t)
        struck = (k for k in self._tracker.live if self._is_struck(k, now))
        trigger = next(struck, None) or self._scattered(now)
        return self._begin(trigger, now.t) if trigger else None

    def _untangle(self, t: float) -> None:
        """A coin's track may have gone on with the striker that struck it: what flies from the coin's place and looks
        more like the coin is the coin.
        """
        flying = [k for k in self._tracker.live if k.number not in self._from and flies(k, t)]
        coins = [k for k in self._tracker.live if self._was_coin(k) and _has_moved(k)] if flying else []
        for stray, coin in product(flying, coins):
            if coin.kind is None or stray.kind is not None or not leads_from(stray, coin):
                continue
            if self._tracker.unlike(coin.kind, stray) < self._tracker.unlike(coin.kind, coin):
                exchange(coin, stray)

    def _is_struck(self, track: Track, now: FrameEvidence) -> bool:
        """Whether a track is that of a disc that flies: from its place or from a base strip, straight, off any hand."""
        if self._coasts_far_off(track, now):
            return True
        if not flies(track, now.t):
            return self._slides_out(track, now)
        if not self._stirs(track, now.motion) or (gathers_speed(track) and not now.gaps.any_hand):
            # With a hand in view the finger may have sped it; if none is, one that nobody sees carries it.
            return False
        start = flight_start(track)
        flew = track.times[start]
        if self._was_coin(track):
            if not self.striker.stood(flew) and (now.striker_seen > flew or not self._was_set_off(track, now)):
                return False
        elif not self._is_strikers(track, start, now):
            return False
        return now.is_free(*track.place)

    def _coasts_far_off(self, track: Track, now: FrameEvidence) -> bool:
        """Whether a disc coasts far from any hand once the striker stood, whatever has turned it on its way."""
        if track.t < now.t or track.speed < FREE_MM_S or not self.striker.stood(track.times[0]) or not coasts(track):
            return False
        return now.gaps.of(*track.place) > COASTS_MM and now.is_free(*track.place) and self._stirs(track, now.motion)

    def _slides_out(self, track: Track, now: FrameEvidence) -> bool:
        """Whether a slow disc is the striker that has left a pushing hand behind: its whole face is seen, far from
        where it stood, still going away from there.
        """
        if track.number in self._from or not slides(track, now.t) or not self._stirs(track, now.motion):
            return False
        start = flight_start(track)
        stood, whole = self.striker.last(track.times[start]), self._known.profile.board.striker_radius
        if stood is None or math.dist((stood.x, stood.y), track.places[start]) < START_CLEAR_OF * whole:
            return False
        area = next((b.area_mm2 for b in now.scene.blobs if (b.x, b.y) == track.place), 0.0)
        if not START_WHOLE[0] < area / (math.pi * whole**2) < START_WHOLE[1] or not self._looks_like_striker(track):
            return False
        return self._is_strikers(track, start, now) and now.is_free(*track.place)

    def _looks_like_striker(self, track: Track) -> bool:
        """Whether a track looks no more like any coin, where the striker's look is known."""
        colours = self._tracker.colours
        unlike = {kind: self._tracker.unlike(kind, track) for kind in colours}
        return (
            Kind.STRIKER in colours
            and unlike[Kind.STRIKER] < START_LIKE
            and unlike[Kind.STRIKER] == min(unlike.values())
        )

    def _was_set_off(self, coin: Track, now: FrameEvidence) -> bool:
        """Whether a striker that nobody saw stand set a coin moving: it leaves the hand behind, no hand carries it; or
        the coin has flown so far, far from any hand, that it cannot but have.
        """
        if self._is_far_flight(coin, now):
            return True
        striker = self._striker_track(coin)
        return striker is not None and now.gaps.of(*striker.place) > LEFT_BEHIND * travelled(striker)

    def _is_far_flight(self, track: Track, now: FrameEvidence) -> bool:
        far = travelled(track) > UNSEEN_FLIGHT_MM and now.gaps.of(*track.place) > ALONE_MM
        return far and is_followed(track)

    def _is_strikers(self, track: Track, start: int, now: FrameEvidence) -> bool:
        """Whether a flight since its `start`-th sighting led the striker away from where it stood, by no hand, or is so
        far from any hand that nothing else can fly there: one of the board's look is not seen on all of its way.
        """
        flew, origin = track.times[start], track.places[start]
        if self._shifting.stands(track, flew, now.t, now.scene.blobs) or self._shifting.goes_along(track, start):
            return False
        if self.striker.left(flew, origin, track.place) or self._origin(track) is not None:
            return True
        return (self.striker.stood(flew) or self._is_far_flight(track, now)) and self._is_alone(track, now)

    def _is_alone(self, track: Track, now: FrameEvidence) -> bool:
        """Whether a track that turned up on the board has flown far, and far from any hand, while no coin has left its
        place, which might be it; hands come over the frame and are not known at once.
        """
        if any(k.piece.kind is not Kind.STRIKER for k in self._from.values()):
            return False
        inside = max(map(abs, track.places[0])) < self._known.profile.board.half - ALONE_INSIDE_MM
        return inside and travelled(track) > ALONE_FLIGHT_MM and now.gaps.of(*track.place) > ALONE_MM

    def _scattered(self, now: FrameEvidence) -> Track | None:
        """The farthest of several coins that have left their places together; hands move one or two."""
        loose = [k for k in self._tracker.live if self._was_coin(k) and _has_moved(k) and now.t - k.born < FLIGHT_S
                 and math.dist(k.places[0], k.place) > FLIGHT_LEFT_MM and now.is_free(*k.place)]  # fmt: skip
        if len(loose) < SCATTERED or not (self.striker.stood(now.t) or _is_break(loose)):
            return None
        return max(loose, key=lambda k: math.dist(k.places[0], k.place))

    def _stirs(self, track: Track, motion: Mask) -> bool:
        """Whether the picture changes where a track is; a hand at rest falls into patches that come and go."""
        rows, columns = self._background.lattice.disc_cells(*track.place, self._known.profile.board.coin_radius)
        return len(rows) > 0 and float(np.mean(motion[rows, columns] > 0)) > STIRRED_SHARE

    def _was_coin(self, track: Track) -> bool:
        return track.number in self._from and track.kind is not Kind.STRIKER

    def _begin(self, trigger: Track, t: float) -> Play:
        """The stroke that set `trigger` moving."""
        play = Play(-math.inf, last_motion=t)
        play.moved = [(self._from[k.number], k) for k in self._tracker.live if k.number in self._from]
        self._find_striker(play, trigger)
        flew, stood = trigger.times[flight_start(trigger)], self.striker.placement(t)
        earliest = max(flew - TO_COIN_S, stood[0].until if stood else 0.0)
        play.t_strike = max(self._struck_at(play.striker or trigger, play.contacts()), earliest)
        if play.striker is None and (contacts := play.contacts()):
            left = self._left_its_lines(stood[0]) if stood else None
            play.t_strike = contacts[0][0] if left is None else left
        self._tracker.ended = []
        return play

    def _left_its_lines(self, stood: StrikerSighting) -> float | None:
        """When the striker was last seen where it `stood`, if it was known to lie there and is gone: one of the board's
        look may strike a coin only after several cushions, unseen all the way.
        """
        place = stood.x, stood.y
        left = [k.seen for k in self._from.values() if k.piece.kind is Kind.STRIKER
                and math.dist((k.piece.x_mm, k.piece.y_mm), place) < SAME_PLACE_MM]  # fmt: skip
        return max(left, default=None)

    def _struck_at(self, track: Track, contacts: Sequence[Contact]) -> float:
        """When a flight began: so long before its first sighting as it took the way there at the speed seen then."""
        start = flight_start(track)
        seen = list(track.sightings)[start:]
        origin = None if self._was_coin(track) else self._origin(track) or self.striker.last(track.times[start])
        if origin is None or math.dist(seen[0][1], (origin.x, origin.y)) < SAME_PLACE_MM:
            (stood, place), seen = seen[0], seen[1:]
        else:
            stood, place = origin.until, (origin.x, origin.y)
        if not seen:
            return stood
        hidden = math.dist(place, seen[0][1]) / max(self._speed(seen, contacts), FREE_MM_S)
        return max(stood, seen[0][0] - min(hidden, HIDDEN_FLIGHT_S))

    def _origin(self, track: Track) -> StrikerSighting | None:
        """Where the striker stood from which a flight leads away; fast ones are far from there when they are known, and
        one that a coin or a cushion has turned leads there by the way that it went before.
        """
        start, board = flight_start(track), self._known.profile.board
        flew, first = track.times[start], track.places[start]
        if (stood := self.striker.origin(flew, first, track.place, track.velocity)) is not None:
            return stood
        flight = list(track.sightings)[start:]
        struck = [k.places[0] for k in self._tracker.live if self._was_coin(k)]
        turned = (before_coin(flight, struck, board.striker_radius + board.coin_radius),
                  before_cushion(flight, board.half - board.striker_radius))  # fmt: skip
        found = (self.striker.origin(flew, first, *way) for way in turned if way)
        return next((stood for stood in found if stood), None)

    def _speed(self, seen: list[Sighting], contacts: Sequence[Contact]) -> float:
        """The highest speed (mm/s) between sightings of a striker, and from the first to the coin that it struck."""
        t0, first = seen[0]
        legs = [(math.dist(a, b), t - s) for (s, a), (t, b) in pairwise(seen)]
        board = self._known.profile.board
        reach = board.striker_radius + board.coin_radius
        struck = next(((t, c) for t, c in contacts if t > t0), None)
        if struck is not None:
            legs.append((math.dist(first, (struck[1].x_mm, struck[1].y_mm)) - reach, struck[0] - t0))
        return max((way / took for way, took in legs if took > 0), default=0.0)

    def _find_striker(self, play: Play, trigger: Track) -> None:
        """Which track is the striker's: its own from where it was known to lie, or one first seen on its way."""
        known = next((m for m in play.moved if m[1].kind is Kind.STRIKER), None)
        if known is not None and self._is_second(*known, trigger):
            known = None
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

    def _is_second(self, k: RestingPiece, track: Track, trigger: Track) -> bool:
        """Whether what was known for the striker lay there still when that was seen standing on its lines: a coin."""
        stood = self.striker.last(trigger.times[flight_start(trigger)])
        if stood is None or k.seen <= stood.t or math.dist((stood.x, stood.y), (k.piece.x_mm, k.piece.y_mm)) < STRIP_MM:
            return False
        if not rename_second_striker(k, self._known.profile, self._background):
            return False
        track.kind, track.home = k.piece.kind, k.piece
        return True

    def _striker_track(self, trigger: Track) -> Track | None:
        """The track of the striker that set a coin moving: from a base strip, flying before the coin."""
        if any(_has_moved(k) and k.kind is Kind.STRIKER for k in self._tracker.live if k.number in self._from):
            return None
        strays = [k for k in self._tracker.live if k.number not in self._from and _has_moved(k)]
        flying = [k for k in strays if travelled(k) > START_MM and k.times[flight_start(k)] <= trigger.t
                  and self._in_strip(*k.places[flight_start(k)])]  # fmt: skip
        return max(flying, key=travelled, default=None) or self._first_to_appear(strays, trigger)

    def _first_to_appear(self, strays: list[Track], trigger: Track) -> Track | None:
        """Of the discs that turned up since the striker stood, before a coin flew, the one that may be it."""
        stood = self.striker.last(trigger.times[flight_start(trigger)])
        if stood is None:
            return None
        may = [k for k in strays if stood.until < k.born <= trigger.t and math.dist(k.places[0], (stood.x, stood.y))
               < STRAY_SPEED_MM_S * (k.born - stood.until) + START_MM]  # fmt: skip
        return min(may, key=lambda k: (k.born, math.dist(k.places[0], (stood.x, stood.y))), default=None)

    def _in_strip(self, x: float, y: float) -> bool:
        """Whether a point lies on or near a side's base lines, where strikers are played from."""
        sides = [to_side(seat, x, y) for seat in Seat]
        board = self._known.profile.board
        reach = board.base_circle_x + STRIP_MM
        return any(abs(sy + board.base_y) < STRIP_MM and abs(sx) < reach for sx, sy in sides)


def _is_break(loose: Sequence[Track]) -> bool:
    """Whether coins fly apart from one another as only the opening formation does."""
    if len(loose) < BROKEN:
        return False
    ways = np.array([k.place for k in loose]) - [k.places[0] for k in loose]
    return float(np.linalg.norm(np.mean(ways / np.linalg.norm(ways, axis=1, keepdims=True), axis=0))) < ALL_WAYS


def _has_moved(track: Track) -> bool:
    """Whether a track has been seen anywhere but where it began."""
    return len(track.times) > 1
