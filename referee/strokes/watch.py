"""The stroke watch: turns what the frames show into strokes, returned coins, settled tables and formations.

Between strokes the table is still but for hands; a stroke begins when something moves freely, ends when everything
rests, and is told when the census can be taken: every piece that left its place is seen elsewhere, or its track ended
in a pocket or over the frame, or nothing hides a place where it could lie.
"""

from __future__ import annotations

import logging
import math
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum

import cv2
import numpy as np

from calibration.discs import Disc
from calibration.looks import find_formation, mean_colour
from calibration.picture import U8, Picture
from calibration.profile import Profile
from calibration.recheck import register
from models.pieces import COINS, Kind, Piece, Seat, to_side
from referee.detect.gate import Gate, Sight
from referee.detect.hands import Blob, Scene
from referee.detect.light import LightWatch
from referee.detect.shift import ShiftMeter
from referee.strokes.census import Fate, Missing, assign, nearest_pocket
from referee.strokes.facts import Alert, AlertKind, Formation, Returned, Seen, Table
from referee.strokes.flight import FREE_MM_S, START_MM, flies, flight_start, travelled
from referee.strokes.play import Play, Reckoning
from referee.strokes.report import StrokeDraft, tell
from referee.strokes.striker import StrikerWatch
from referee.strokes.surface import SAME_PLACE_MM, Surface
from referee.table import Lying, Presence, TableWatch
from referee.track import Track, Tracker

logger = logging.getLogger(__name__)

LAG_S = 0.1
"""Stillness is judged against the look this long before, so that a coin creeping to its rest is seen to move."""
STILL_MM2 = 60.0
"""Changes of less area than this are noise."""
LOST_AGAIN_S = 10.0
LOST_TEXT = "The camera has moved and the board is not found; free the board's lines or calibrate again."
MOVED_TEXT = "The camera has moved by about {mm:.0f} mm on the board; the board was found again and the match goes on."
LIGHT_TEXT = "The light on the board has changed; calls go on, look twice at those of this moment."
FLICKER_MM2, FLICKER_RATE = 500.0, 0.05
"""Smaller changes between strokes are averaged at this rate: what compression and lamps always stir is no motion."""
REST_S = 0.15
"""Nothing moves freely for this long: the pieces rest."""
CENSUS_EVERY_S = 0.1
GIVE_UP_S = 6.0
"""A census that hands keep from closing this long after the rest is told as it stands, in doubt."""
FALLEN_MM, NET_MM = -2.0, 6.0
"""A middle this far from a pocket's rim (negative over the hole) has fallen; a blob so near may lie in the net."""
FREE_MM = 40.0
"""A blob this far from any hand moves by itself."""
HIDDEN_FLIGHT_S = 0.3
"""A striker flies at most this long before it is seen free of the hand that pushes it."""
TO_COIN_S = 0.2
"""A striker reaches the coin that gives a stroke away within this time: 250 mm at little more than 1 m/s."""
CONTACT_S = 0.12
"""A coin that left its place longer before the striker flew was not struck by it."""
LEFT_MM = 6.0
"""A coin this far from its place has left it."""
REBUILDING = 3
"""Hands that have moved this many coins since the last stroke clear the board: what they put down is no return."""
QUIET_EVERY_S = 0.25
STRIP_MM = 60.0
"""A striker just played is first seen free of the hand at most this far from the middle of the base lines."""
REFRESH_S = 1.0
"""The bare board is remembered anew this often while nothing moves: light drifts, and the encoder sharpens."""
LOOK_EVERY_S = 0.07
LONELY_MM = 25.0
"""A blob this far from any hand lies by itself."""
STEADY_MM = 2.0
"""Two censuses find a piece that lies still within this distance; fingers do not hold so still."""
CLEAR_MM = 12.0
"""A new piece lies this far from a hand before it is believed."""


class Phase(Enum):
    """What the referee is doing."""

    WAITING = "waiting"
    HAND = "hand"
    MOVING = "moving"
    SETTLING = "settling"


class StrokeWatch:
    """Call `see` for each frame; it yields what has become certain enough to tell."""

    def __init__(self, profile: Profile, gate: Gate) -> None:
        self.profile, self.gate = profile, gate
        self.table = TableWatch(gate, profile.board)
        self.tracker = Tracker(profile.colours, profile.board.half)
        self.striker = StrikerWatch(profile, gate)
        self.surface = Surface(profile, gate, self.table)
        self.phase = Phase.WAITING
        self.strokes = 0
        self._looks: deque[tuple[float, U8]] = deque()
        self._play: Play | None = None
        self._next_census = self._next_look = 0.0
        self._quiet_since = 0.0
        self._next_refresh = REFRESH_S / 4
        self._flicker = 0.0
        self._spent: tuple[Piece, ...] = ()
        self._disturbed = 0
        self._light, self._shift = LightWatch(), ShiftMeter(gate)
        self._lost_told = -LOST_AGAIN_S
        self._reckoning = Reckoning(profile, gate, self.tracker)
        self._from: dict[int, Lying] = {}
        self._unsure: dict[tuple[float, float], float] = {}

    # -- each frame ----------------------------------------------------------------------------------------------

    def see(self, picture: Picture, sight: Sight, scene: Scene) -> Iterator[Seen]:
        """Takes in one frame, scene read against `self.table.explained`."""
        if self._light.has_changed(sight.t, sight.light):
            yield Alert(sight.t, AlertKind.LIGHT_CHANGED, LIGHT_TEXT)
        gone = self.table.check(sight, scene)
        moving = self._moving(sight, scene)
        if self._play is None and self._shift.is_upset(sight, scene, self.table.explained):
            yield from self._find_board_again(picture, sight)
            return
        if self._play is None:
            self._watch_for_strike(sight, scene, gone)
        if self._play is not None:
            yield from self._follow(picture, sight, scene, gone, moving)
        else:
            yield from self._between(picture, sight, scene, moving)

    def _find_board_again(self, picture: Picture, sight: Sight) -> Iterator[Alert]:
        """Nearly everything is out of place: if the camera was bumped, the board is sought where it is now."""
        moved = self._shift.measure(sight)
        if moved is None:
            return
        profile = register(self.profile, picture)
        if profile is None:
            if sight.t > self._lost_told + LOST_AGAIN_S:
                self._lost_told = sight.t
                yield Alert(sight.t, AlertKind.BOARD_LOST, LOST_TEXT)
            return
        self.relocate(profile)
        yield Alert(sight.t, AlertKind.CAMERA_MOVED, MOVED_TEXT.format(mm=moved))

    def relocate(self, profile: Profile) -> None:
        """Goes on with the same board and pieces under a camera that has moved."""
        self.gate.relocate(profile)
        self._know(profile)
        self.striker = StrikerWatch(profile, self.gate)
        self.tracker.reset()
        self._from.clear()
        self._looks.clear()
        for k in self.table.lying:
            k.presence = Presence.THERE

    def _moving(self, sight: Sight, scene: Scene) -> bool:
        """Whether anything on the board moves that is not a hand or right beside one."""
        self._looks.append((sight.t, sight.yuv))
        while len(self._looks) > 1 and self._looks[1][0] <= sight.t - LAG_S:
            self._looks.popleft()
        changed = self.gate.differs(sight.yuv, self._looks[0][1])
        free = cv2.bitwise_and(cv2.bitwise_and(changed, self.gate.inside), cv2.bitwise_not(scene.near_hand))
        area = int(np.count_nonzero(free)) * self.gate.lattice.step**2
        if self._play is None and area < FLICKER_MM2:
            self._flicker += FLICKER_RATE * (area - self._flicker)
        return area > STILL_MM2 + 2.5 * self._flicker

    # -- between strokes -----------------------------------------------------------------------------------------

    def _watch_for_strike(self, sight: Sight, scene: Scene, gone: list[Lying]) -> None:
        """Begins a stroke when something has travelled freely."""
        for k in gone:
            self._release(sight.t, k)
        left = self.tracker.update(sight.t, scene.blobs)
        for blob in left:
            self.tracker.adopt(sight.t, blob, None)
        for track in self.tracker.live:
            if self._is_struck(track, sight.t, scene):
                self._begin(track, sight.t)
                return

    def _release(self, t: float, k: Lying) -> None:
        self._from[self.tracker.release(t, k.piece).number] = k

    def _is_struck(self, track: Track, t: float, scene: Scene) -> bool:
        """Whether a track is that of a disc that flies: from its place or from a base strip, straight, off any hand."""
        if not flies(track, t):
            return False
        start = flight_start(track)
        if track.number in self._from and track.kind is not Kind.STRIKER:
            if not self.striker.stood(track.times[start]) and self._striker_track(track) is None:
                return False
        elif (not self.striker.stood_near(track.times[start], *track.places[start])
              and self.striker.origin(t, track.place, track.velocity) is None):  # fmt: skip
            return False
        return self._hand_gap(_distance_to_hand(scene), *track.place) > FREE_MM

    def _begin(self, trigger: Track, t: float) -> None:
        """The stroke that set `trigger` moving."""
        play = Play(t, last_motion=t)
        for track in self.tracker.live:
            if track.number in self._from:
                play.moved.append((self._from[track.number], track))
                self._note_contact(play, track)
        striker = trigger if trigger.number not in self._from else self._striker_track(trigger)
        if striker is not None:
            striker.kind = Kind.STRIKER
            play.striker = striker
            self._lift_striker()
        known = [track for _, track in play.moved if track.kind is Kind.STRIKER]
        if known:
            play.striker, play.striker_known = known[0], True
        source = play.striker or trigger
        play.t_strike = max(self._struck_at(source), trigger.times[flight_start(trigger)] - TO_COIN_S)
        play.contacts = [c for c in play.contacts if c[0] > play.t_strike - CONTACT_S]
        if play.striker is None and play.contacts:
            play.t_strike = min(c[0] for c in play.contacts)
        self.tracker.ended = []
        self._play = play
        self.phase = Phase.MOVING
        logger.debug("stroke at %.3f: track %s kind %s from %s speed %.0f", t, trigger.number, trigger.kind,
                     trigger.places[:1] + trigger.places[-3:], trigger.speed)  # fmt: skip

    def _struck_at(self, track: Track) -> float:
        """When a flight began: at its first free sighting, or before, if the hand hid its beginning."""
        start = flight_start(track)
        t, place = track.times[start], track.places[start]
        coin = track.number in self._from and track.kind is not Kind.STRIKER
        origin = None if coin else self.striker.origin(track.t, track.place, track.velocity)
        if origin is None or math.dist(place, (origin.x, origin.y)) < SAME_PLACE_MM:
            return t
        hidden = math.dist(place, (origin.x, origin.y)) / max(track.longest_leap(len(track.times)), FREE_MM_S)
        return max(origin.t, t - min(hidden, HIDDEN_FLIGHT_S))

    def _striker_track(self, trigger: Track) -> Track | None:
        """The track of the striker that set a coin moving: from a base strip, flying before the coin."""
        if any(self._from[n].piece.kind is Kind.STRIKER for n in self._from):
            return None
        strays = [k for k in self.tracker.live if k.number not in self._from and len(k.times) > 1]
        flying = [k for k in strays if travelled(k) > START_MM and k.times[flight_start(k)] <= trigger.t
                  and self._in_strip(*k.places[flight_start(k)])]  # fmt: skip
        return max(flying, key=travelled, default=None)

    def _in_strip(self, x: float, y: float) -> bool:
        """Whether a point lies on or near a side's base lines, where strikers are played from."""
        board = self.profile.board
        sides = [to_side(seat, x, y) for seat in Seat]
        return any(abs(sy + board.base_y) < STRIP_MM and abs(sx) < board.base_circle_x + STRIP_MM for sx, sy in sides)

    def _lift_striker(self) -> None:
        """The striker flies: where it stood, under the hand, it stands no longer."""
        self.table.lying = [k for k in self.table.lying
                            if k.piece.kind is not Kind.STRIKER or k.presence is Presence.THERE]  # fmt: skip

    def _note_contact(self, play: Play, track: Track) -> None:
        """A coin that has left its place was touched when it did; one merely lost to shade or glare was not."""
        if track.kind is not Kind.STRIKER and track.home is not None:
            start = flight_start(track)
            if len(track.times) == 1 or math.dist(track.places[0], track.place) > LEFT_MM:
                play.contacts.append((track.times[start], track.home))

    def _between(self, picture: Picture, sight: Sight, scene: Scene, moving: bool) -> Iterator[Seen]:
        """Looks for the striker being placed; brings the table up to date when all is still."""
        hand = bool(np.any(scene.hand))
        self.phase = Phase.HAND if hand else Phase.WAITING
        if sight.t >= self._next_look and not moving and (hand or scene.blobs):
            self._next_look = sight.t + LOOK_EVERY_S
            unexplained = cv2.bitwise_and(sight.solid, cv2.bitwise_not(self.table.explained))
            lying = tuple(k.piece for k in self.table.lying if k.piece.kind is not Kind.STRIKER) + self._spent
            self.striker.look(picture, sight, lying, unexplained)
            self._learn_striker()
        if moving:
            self._quiet_since = sight.t
        elif sight.t >= self._next_refresh:
            self._next_refresh = sight.t + REFRESH_S
            self.surface.refresh(sight, scene)
        restless = any(k.presence is Presence.GONE for k in self.table.lying) or self._lonely(scene)
        if restless and sight.t - self._quiet_since > REST_S and sight.t >= self._next_census:
            self._next_census = sight.t + QUIET_EVERY_S
            yield from self._tidy(picture, sight, scene)

    def _learn_striker(self) -> None:
        """Takes over the striker's look once it is known, so that size alone need not tell it from a coin."""
        if Kind.STRIKER not in self.profile.colours and (look := self.striker.learned()) is not None:
            self._know(replace(self.profile, colours={**self.profile.colours, Kind.STRIKER: look}))

    def _know(self, profile: Profile) -> None:
        self.profile = self.striker.profile = self.surface.profile = self._reckoning.profile = profile
        self.tracker.colours = profile.colours

    def _lonely(self, scene: Scene) -> bool:
        """Whether a blob of a disc's size lies apart from any hand."""
        free = _distance_to_hand(scene)
        half = self.profile.board.half
        lying = (b for b in scene.blobs if max(abs(b.x), abs(b.y)) < half and not self._in_pocket(b.x, b.y))
        return any(self._hand_gap(free, b.x, b.y) > LONELY_MM for b in lying)

    def _tidy(self, picture: Picture, sight: Sight, scene: Scene) -> Iterator[Seen]:
        """The table after hands have worked on it: coins put back or taken away, the formation built."""
        found = self.surface.found(picture, sight, scene)
        kept = [k.piece for k in self.table.lying if k.presence is not Presence.GONE]
        moved = [k.piece for k in self.table.lying if k.presence is Presence.GONE]
        pairs = assign(self.profile, [(p, None) for p in moved], found)
        arrived = [replace(moved[i], x_mm=found[j][1].x, y_mm=found[j][1].y) for i, j in pairs]
        used = {j for _, j in pairs}
        apart = _distance_to_hand(scene)
        fresh = [(k, d) for j, (k, d) in enumerate(found) if j not in used
                 and self._hand_gap(apart, d.x, d.y) > d.radius + CLEAR_MM]  # fmt: skip
        added = [Piece(self._on_strip(k, d), d.x, d.y) for k, d in fresh]
        confirmed = [p for p in added if self._confirmed(p, sight.t)]
        self._disturbed += sum(p.kind is not Kind.STRIKER for p in moved)
        self.surface.settle([*kept, *arrived, *confirmed], sight, scene)
        standing = self._formation(sight, found)
        if standing:
            yield standing
            return
        for p in confirmed:
            if p.kind is not Kind.STRIKER and self.strokes and self._disturbed < REBUILDING:
                yield Returned(self._lay_since(p, sight.t), p.kind, p.x_mm, p.y_mm, None)
        if arrived or confirmed or moved:
            yield self._snapshot(sight.t)

    def _lay_since(self, piece: Piece, t: float) -> float:
        """Since when something has been seen lying where a piece was found."""
        since = t
        for track in [*self.tracker.live, *self.tracker.ended]:
            for when, place in zip(reversed(track.times), reversed(track.places), strict=True):
                if math.dist(place, (piece.x_mm, piece.y_mm)) > SAME_PLACE_MM:
                    break
                since = min(since, when)
        return since

    def _hand_gap(self, distances: np.ndarray | None, x: float, y: float) -> float:
        """Distance (mm) of a point from the nearest hand, by the lattice's `distances` (n, n) in steps."""
        if distances is None:
            return math.inf
        last = distances.shape[0] - 1
        column, row = np.clip(np.round(self.gate.lattice.to_cells([(x, y)])[0]), 0, last).astype(int)
        return float(distances[row, column]) * self.gate.lattice.step

    def _on_strip(self, kind: Kind, disc: Disc) -> Kind:
        """A disc put down between base lines is the striker unless the striker lies elsewhere; hands hide its size."""
        if any(k.piece.kind is Kind.STRIKER and k.presence is not Presence.GONE for k in self.table.lying):
            return kind
        board = self.profile.board
        between = (abs(to_side(s, disc.x, disc.y)[1] + board.base_y) < board.line_gap / 2 for s in Seat)
        return Kind.STRIKER if any(between) else kind

    def _confirmed(self, piece: Piece, t: float) -> bool:
        """Whether a new piece has been found on the same spot in two censuses running."""
        spot = (piece.x_mm, piece.y_mm)
        seen = any(math.dist(spot, other) < STEADY_MM for other in self._unsure)
        self._unsure = {k: s for k, s in self._unsure.items() if t - s < 3 * QUIET_EVERY_S}
        self._unsure[spot] = t
        return seen

    # -- during a stroke -----------------------------------------------------------------------------------------

    def _follow(self, picture: Picture, sight: Sight, scene: Scene, gone: list[Lying], moving: bool) -> Iterator[Seen]:
        play = self._play
        assert play is not None
        if sight.t > play.t_strike:
            self._track(play, sight, scene, gone)
        if moving:
            play.last_motion, play.t_rest, play.seen_since_rest = sight.t, None, None
            self.phase = Phase.MOVING
            return
        if sight.t - play.last_motion < REST_S:
            return
        if play.t_rest is None:
            play.t_rest = max(play.t_strike, play.last_motion - LAG_S / 2)
            play.seen_since_rest = np.zeros_like(scene.hand)
            self._next_census = sight.t
        self.phase = Phase.SETTLING
        assert play.seen_since_rest is not None
        seen = cv2.bitwise_or(play.seen_since_rest, cv2.bitwise_not(scene.near_hand))
        play.seen_since_rest = np.asarray(seen, np.uint8)
        if sight.t >= self._next_census:
            self._next_census = sight.t + CENSUS_EVERY_S
            yield from self._close(play, picture, sight, scene)

    def _track(self, play: Play, sight: Sight, scene: Scene, gone: list[Lying]) -> None:
        already = {id(k) for k, _ in play.moved}
        for k in gone:
            if id(k) not in already:
                self._release(sight.t, k)
                play.moved.append((k, self.tracker.live[-1]))
                if k.piece.kind is not Kind.STRIKER:
                    play.contacts.append((k.seen, k.piece))
        left = self.tracker.update(sight.t, scene.blobs)
        self._drop_fallen(play)
        for blob in left:
            pocket, gap = nearest_pocket(self.profile, blob.x, blob.y)
            if pocket in play.filled and gap < NET_MM:
                continue
            track = self.tracker.adopt(sight.t, blob, None)
            if play.striker is None:
                self._maybe_striker(play, track, blob)

    def _drop_fallen(self, play: Play) -> None:
        """Ends the tracks whose disc is over a hole: it falls, and what is seen there later lies in the net."""
        for track in list(self.tracker.live):
            pocket, gap = nearest_pocket(self.profile, *track.place)
            if gap < FALLEN_MM and track.t > play.t_strike:
                self.tracker.end(track)
                play.filled.add(pocket)

    def _maybe_striker(self, play: Play, track: Track, blob: Blob) -> None:
        """A blob that no moved piece explains, in a stroke whose striker has not been seen, is the striker."""
        if max(abs(blob.x), abs(blob.y)) < self.profile.board.half - 20.0:
            track.kind = Kind.STRIKER
            play.striker = track

    def _close(self, play: Play, picture: Picture, sight: Sight, scene: Scene) -> Iterator[Seen]:
        """Takes the census; tells the stroke if nothing is left open."""
        found = self.surface.found(picture, sight, scene)
        kept = [k.piece for k in self.table.lying if k.presence is not Presence.GONE]
        moved: list[tuple[Piece, Track | None]] = []
        tracks = {id(k): track for k, track in play.moved}
        for k in self.table.lying:
            if k.presence is Presence.GONE:
                moved.append((k.piece, tracks.get(id(k))))
        if not play.striker_known and play.striker is not None:
            x, y = play.striker.places[0]
            moved.append((Piece(Kind.STRIKER, x, y), play.striker))
        logger.debug("census at %.3f: found %s", sight.t, [(str(k), round(d.x), round(d.y), round(d.response, 2),
                     round(d.support, 2), d.tint.round().tolist()) for k, d in found])  # fmt: skip
        pairs = assign(self.profile, moved, found)
        arrived = [replace(moved[i][0], x_mm=found[j][1].x, y_mm=found[j][1].y) for i, j in pairs]
        placed = {i for i, _ in pairs}
        missing = self._reckoning.missing(play, [m for i, m in enumerate(moved) if i not in placed], sight)
        for m in missing:
            logger.debug("census at %.3f: %s", sight.t, m)
        open_ = [m for m in missing if m.fate is Fate.HIDDEN]
        late = play.t_rest is not None and sight.t - play.t_rest > GIVE_UP_S
        if open_ and not late:
            return
        used = {j for _, j in pairs}
        extra = [(k, d) for j, (k, d) in enumerate(found) if j not in used]
        flew = any(moved[i][0].kind is not Kind.STRIKER or found[j][0] is Kind.STRIKER for i, j in pairs)
        if play.nothing_happened(flew, missing):
            self._forget(sight)
            return
        yield from self._finish(play, sight, scene, kept, arrived, missing, extra)

    def _finish(self, play: Play, sight: Sight, scene: Scene, kept: list[Piece], arrived: list[Piece],
                missing: list[Missing], extra: list[tuple[Kind, Disc]]) -> Iterator[Seen]:  # fmt: skip
        self.strokes += 1
        self.surface.settle([*kept, *arrived], sight, scene)
        draft = StrokeDraft(self.strokes, play.t_strike, play.t_rest or sight.t, sight.t, play.striker,
                            tuple(play.contacts), tuple(missing), len(extra))  # fmt: skip
        stroke = tell(self.profile, draft, self.striker.placement(play.t_strike))
        self._forget(sight)
        self._spent = tuple(p for p in arrived if p.kind is Kind.STRIKER)
        yield stroke
        yield self._snapshot(sight.t)

    def _forget(self, sight: Sight) -> None:
        """The stroke is over; what led to it is history."""
        self._play = None
        self._disturbed = 0
        self.phase = Phase.WAITING
        self.tracker.reset()
        self._from.clear()
        self.striker.forget()
        self._quiet_since = self._next_census = sight.t

    # -- the table -----------------------------------------------------------------------------------------------

    def begin(self, picture: Picture, sight: Sight, pieces: list[tuple[Kind, Disc]]) -> Iterator[Seen]:
        """The first table, as found in the first pictures."""
        self.table.settle([Piece(k, d.x, d.y) for k, d in pieces], sight)
        standing = self._formation(sight, pieces)
        yield standing or self._snapshot(sight.t)

    def _formation(self, sight: Sight, found: list[tuple[Kind, Disc]]) -> Formation | None:
        coins = [d for k, d in found if k is not Kind.STRIKER]
        layout = find_formation(coins, self.profile.board.coin_radius)
        if not layout:
            return None
        groups: dict[Kind, list[Disc]] = {k: [d for p, d in layout if p.kind is k] for k in COINS}
        learned = {k: mean_colour(g) for k, g in groups.items() if g}
        self._know(replace(self.profile, colours={**self.profile.colours, **learned}))
        return Formation(sight.t, tuple(Piece(p.kind, d.x, d.y) for p, d in layout))

    def _snapshot(self, t: float) -> Table:
        return Table(t, self.table.pieces())

    def _in_pocket(self, x: float, y: float) -> bool:
        return nearest_pocket(self.profile, x, y)[1] < 4.0


def _distance_to_hand(scene: Scene) -> np.ndarray | None:
    """Distance (n, n) in lattice steps to the nearest hand; None when no hand is there."""
    if not np.any(scene.hand):
        return None
    return np.asarray(cv2.distanceTransform(cv2.bitwise_not(scene.hand), cv2.DIST_L2, 3))
