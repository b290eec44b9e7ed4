"""The stroke watch: turns what the frames show into strokes, returned coins, settled tables and formations.

Between strokes the table is still but for hands; a stroke begins when something moves freely, ends when everything
rests, and is told when the census can be taken: every piece that left its place is seen elsewhere, or its track ended
in a pocket or over the frame, or nothing hides a place where it could lie.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import replace
from enum import Enum

import cv2
import numpy as np

from calibration.discs import Disc
from calibration.looks import find_formation, mean_colour
from calibration.picture import Picture
from calibration.profile import Profile
from models.pieces import COINS, Kind, Piece
from referee.detect.gate import Gate, Sight
from referee.detect.hands import Scene
from referee.strokes.census import Fate, Missing, assign
from referee.strokes.facts import Alert, Fell, Formation, Foul, Returned, Seen, Stroke, Table
from referee.strokes.guard import Guard
from referee.strokes.handling import AFTER_S, Gaps, HandMemory
from referee.strokes.motion import LAG_S, Motion
from referee.strokes.play import Play, Reckoning
from referee.strokes.pursuit import Pursuit
from referee.strokes.report import StrokeDraft, tell
from referee.strokes.strike import Glance, StrikeWatch
from referee.strokes.striker import StrikerWatch
from referee.strokes.surface import Surface
from referee.strokes.tidy import QUIET_EVERY_S, Housekeeper, Shift, Tidied, shift_of
from referee.strokes.touch import touched
from referee.table import Lying, Presence, TableWatch
from referee.track import Tracker

REST_S = 0.15
"""Nothing moves freely for this long: the pieces rest."""
CENSUS_EVERY_S = 0.1
REBUILDING = 3
"""Hands that have moved this many coins since the last stroke clear the board: what they put down is no return."""
REFRESH_S = 1.0
"""The bare board is remembered anew this often while nothing moves: light drifts, and the encoder sharpens."""
LOOK_EVERY_S = 0.07
MEASURE_S = 1.0
"""A striker that lies free of any hand is measured within this time."""


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
        self._play: Play | None = None
        self._next_census = self._next_look = 0.0
        self._quiet_since = 0.0
        self._next_refresh = REFRESH_S / 4
        self._spent: tuple[Piece, ...] = ()
        self._out: Counter[Kind] = Counter()
        """How many coins of a kind have left the board and not come back; one that nobody put down was overlooked."""
        self._disturbed = 0
        self.guard = Guard(gate)
        self._reckoning = Reckoning(profile, gate, self.tracker)
        self._hands = HandMemory(gate)
        self._motion = Motion(gate)
        self._pursuit = Pursuit(profile, self.tracker)
        self._strike = StrikeWatch(profile, gate, self.tracker, self.striker, self._pursuit)
        self._housekeeper = Housekeeper(profile, self.table, self.surface, self.tracker)
        self._shifts: list[Shift] = []
        self._formed = False
        self._rests = False
        self._scene: Scene | None = None

    # -- each frame ----------------------------------------------------------------------------------------------

    def see(self, picture: Picture, sight: Sight, scene: Scene) -> Iterator[Seen]:
        """Takes in one frame, scene read against `self.table.explained`."""
        yield from self.guard.look(picture, sight)
        if self.guard.dazzled:
            self._hands.dazzle(sight.t)
        motion = self._motion.since(sight)
        if not self.guard.steady:
            self._wait_for_light(sight, scene)
            return
        gone = self.table.check(sight, scene)
        moving = self._motion.stirs(motion, scene, self._play is None)
        if self._is_upset(sight, scene):
            self._rests = False
            if (yield from self._find_board_again(picture, sight)) or self._play is None:
                return
        self._scene, self._rests = scene, not moving
        self._hands.keep(sight.t, scene.hand)
        gaps = Gaps(self._hands.lately(sight.t, scene.hand), self.gate.lattice)
        if self._play is not None:
            self._pursuit.follow(self._play, sight.t, scene.blobs, gone)
        else:
            for k in self._placed():
                self.striker.stays(k.piece, k.seen)
            glance = Glance(sight.t, scene, gaps, motion, self.table.last_seen(Kind.STRIKER))
            if (begun := self._strike.look(glance, gone)) is not None:
                self._begin(begun)
        if self._play is not None:
            yield from self._follow(self._play, picture, sight, scene, moving)
        else:
            yield from self._between(picture, sight, scene, gaps, moving)

    def _wait_for_light(self, sight: Sight, scene: Scene) -> None:
        """While the light changes nothing new is believed; what is followed is followed on."""
        self._scene, self._rests, self._quiet_since = scene, False, sight.t
        if self._play is not None:
            self._pursuit.follow(self._play, sight.t, scene.blobs, [])
        else:
            self.tracker.update(sight.t, scene.blobs)
            self._strike.dazzle()

    def is_calm(self, t: float) -> bool:
        """Whether nothing is under way or due at time t, so that a frame that shows nothing new may be passed over."""
        scene = self._scene
        if scene is None or not self._rests or self.phase is not Phase.WAITING or t >= self._next_refresh:
            return False
        look = scene.blobs or self._unmeasured(t)
        if (look and t >= self._next_look) or (gaps := Gaps(scene.hand, self.gate.lattice)).any_hand:
            return False
        return not self._housekeeper.restless(scene, gaps)

    def rest(self, t: float) -> None:
        """Takes in a frame that shows nothing new."""
        assert self._scene is not None
        self._motion.rest(t)
        self._hands.keep(t, self._scene.hand)
        self.tracker.update(t, self._scene.blobs)
        self.table.rest(t)

    def _is_upset(self, sight: Sight, scene: Scene) -> bool:
        """Whether nearly everything is out of place; while a stroke is under way only where most pieces are."""
        there = sum(k.presence is Presence.THERE for k in self.table.lying)
        if self._play is not None and 2 * there > len(self.table.lying):
            return self.guard.is_nudged
        return self.guard.is_upset(sight, scene, self.table.explained)

    def _find_board_again(self, picture: Picture, sight: Sight) -> Generator[Alert, None, bool]:
        """If the camera was bumped, the board is sought where it is now; whether it was found."""
        if not self.guard.has_moved(sight):
            return False
        profile, alert = self.guard.find(self.profile, picture, sight.t)
        if profile is not None:
            self.relocate(profile)
        if alert is not None:
            yield alert
        return profile is not None

    def relocate(self, profile: Profile) -> None:
        """Goes on with the same board and pieces under a camera that has moved."""
        self.gate.relocate(profile)
        self._know(profile)
        self.striker.relocate(profile, self.gate, self.guard.since)
        self._motion.forget()
        if self._play is not None:
            self._play.bumps += 1
            self.tracker.live = [k for k in self.tracker.live if k.home or k.born < self.guard.since]
            return
        self._strike.forget()
        self.table.restore()

    # -- between strokes -----------------------------------------------------------------------------------------

    def _begin(self, play: Play) -> None:
        """A stroke has begun: where the striker stood, under the hand, it stands no longer."""
        self._play = play
        self.phase = Phase.MOVING
        play.forget_lifted(self.table.lying)
        if play.striker is not None and not play.striker_known:
            self.table.lying = [k for k in self.table.lying
                                if k.piece.kind is not Kind.STRIKER or k.presence is Presence.THERE]  # fmt: skip
        if (stood := self.striker.placement(play.t_strike)) is not None:
            place = stood[0].x, stood[0].y
            play.fouls[Foul.HAND_OVER_DIAGONAL] = self._hands.over_diagonal(
                stood[0].seat, place, stood[1], play.t_strike)  # fmt: skip

    def _between(self, picture: Picture, sight: Sight, scene: Scene, gaps: Gaps, moving: bool) -> Iterator[Seen]:
        """Looks for the striker being placed; brings the table up to date when all is still."""
        self.phase = Phase.HAND if gaps.any_hand else Phase.WAITING
        if sight.t >= self._next_look and not moving and (gaps.any_hand or scene.blobs or self._unmeasured(sight.t)):
            self._next_look = sight.t + LOOK_EVERY_S
            self._look_for_striker(picture, sight)
        if moving:
            self._quiet_since = sight.t
        elif sight.t >= self._next_refresh:
            self._next_refresh = sight.t + REFRESH_S
            self.surface.refresh(sight, scene)
        quiet = sight.t - self._quiet_since > REST_S and sight.t >= self._next_census
        if quiet and self._housekeeper.restless(scene, gaps):
            self._next_census = sight.t + QUIET_EVERY_S
            yield from self._tidy(sight, self._housekeeper.tidy(picture, sight, scene, gaps))

    def _look_for_striker(self, picture: Picture, sight: Sight) -> None:
        unexplained = cv2.bitwise_and(sight.solid, cv2.bitwise_not(self.table.explained))
        for k in self._unmeasured(sight.t):
            unexplained[k.ground] = sight.solid[k.ground]
        lying = tuple(k.piece for k in self.table.lying if k.piece.kind is not Kind.STRIKER) + self._spent
        self.striker.look(picture, sight, lying, unexplained, self.table.shows(self._spent))
        self._learn_striker()

    def _placed(self) -> list[Lying]:
        """The striker where it lies to be struck, not where the last stroke left it."""
        return [k for k in self.table.lying if k.piece.kind is Kind.STRIKER and k.piece not in self._spent]

    def _unmeasured(self, t: float) -> list[Lying]:
        """The striker that was put down just now, or lay there at first, and has not been measured yet."""
        return [k for k in self._placed() if t - k.since < MEASURE_S and not self.striker.is_measured(k.piece)]

    def _learn_striker(self) -> None:
        """Takes over the striker's look and size once they are known, so that both tell it from a coin."""
        if Kind.STRIKER not in self.profile.colours and (own := self.striker.learned()) is not None:
            board = replace(self.profile.board, striker_radius=own.radius)
            self._know(replace(self.profile, board=board, colours={**self.profile.colours, Kind.STRIKER: own.look}))

    def _know(self, profile: Profile) -> None:
        self.profile = self.striker.profile = self.surface.profile = self._reckoning.profile = profile
        self._pursuit.profile = profile
        self._housekeeper.profile = profile
        self.table.board = profile.board
        self.tracker.colours = profile.colours

    def _tidy(self, sight: Sight, tidied: Tidied) -> Iterator[Seen]:
        """What the table's change between strokes means: a formation, coins put back, a striker that stayed."""
        self._shifts += tidied.shifted
        self._disturbed += tidied.lifted
        standing = self._formation(sight, list(tidied.found))
        if standing:
            if tidied.changed or not self._formed:
                self._out.clear()
                yield standing
            self._formed = True
            return
        self._formed = False
        for p in (*tidied.put_down, *(s.piece for s in tidied.shifted)):
            if p.kind is Kind.STRIKER:
                yield from self._stayed(sight, p)
        for p in tidied.put_down:
            if p.kind is not Kind.STRIKER and self.strokes and self._disturbed < REBUILDING:
                since = self._housekeeper.lay_since(p, sight.t)
                by = self._hands.seat_at((p.x_mm, p.y_mm), since)
                if by is not None or self._out[p.kind] > 0:
                    self._out[p.kind] -= 1
                    yield Returned(since, p.kind, p.x_mm, p.y_mm, by)
        yield from self._late_falls(tidied)
        if tidied.changed:
            yield self._snapshot(sight.t)

    def _late_falls(self, tidied: Tidied) -> Iterator[Fell]:
        """Coins gone from a pocket's lip that no hand came near: they fell by themselves."""
        for k in tidied.gone:
            pocket, place = self._housekeeper.tipped_into(k), (k.piece.x_mm, k.piece.y_mm)
            if pocket and k.piece.kind is not Kind.STRIKER and self.strokes and not self._hands.seat_at(place, k.seen):
                self._out[k.piece.kind] += 1
                yield Fell(k.seen, k.piece.kind, pocket)

    def _stayed(self, sight: Sight, striker: Piece) -> Iterator[Stroke]:
        """The stroke of a striker that was struck so weakly that it lies on its base lines still, if it was."""
        stay = self.striker.stayed(striker, self._housekeeper.lay_since(striker, sight.t))
        if stay is None:
            return
        self.strokes += 1
        draft = StrokeDraft(self.strokes, stay.t_strike, stay.t_rest, sight.t, None, (), (), 0,
                            {Foul.NO_LEAVE: stay.confidence})  # fmt: skip
        yield tell(self.profile, draft, self.striker.placement(stay.t_strike))
        self.striker.forget()
        self._shifts.clear()

    # -- during a stroke -----------------------------------------------------------------------------------------

    def _follow(self, play: Play, picture: Picture, sight: Sight, scene: Scene, moving: bool) -> Iterator[Seen]:
        if Foul.PUSH not in play.fouls and sight.t > play.t_strike + AFTER_S:
            self._look_for_push(play)
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

    def _look_for_push(self, play: Play) -> None:
        """Whether the hand went with the striker; known once the striker is free of it."""
        stood = self.striker.placement(play.t_strike)
        if stood is not None and play.striker is not None:
            place, radius = (stood[0].x, stood[0].y), self.profile.board.striker_radius
            play.fouls[Foul.PUSH] = self._hands.follows(place, play.striker, radius, play.t_strike)

    def _close(self, play: Play, picture: Picture, sight: Sight, scene: Scene) -> Iterator[Seen]:
        """Takes the census; tells the stroke if nothing is left open."""
        found = self.surface.found(picture, sight, scene)
        gone = [k for k in self.table.lying if k.presence is Presence.GONE]
        tracks = {id(k): track for k, track in play.moved}
        moved = [(k.piece, tracks.get(id(k))) for k in gone]
        play.unfollowed = [k for k in gone if id(k) not in tracks]
        if not play.striker_known and play.striker is not None:
            x, y = play.striker.places[0]
            moved.append((Piece(Kind.STRIKER, x, y), play.striker))
        pairs = assign(self.profile, moved, found)
        placed = {i for i, _ in pairs}
        taken = [(d.x, d.y) for _, d in found] + [(p.x_mm, p.y_mm) for p in self.table.pieces()]
        missing = self._reckoning.missing(play, [m for i, m in enumerate(moved) if i not in placed], sight, taken)
        if any(m.fate is Fate.HIDDEN for m in missing) and not play.gives_up(sight.t):
            return
        used = {j for _, j in pairs}
        extra = [(k, d) for j, (k, d) in enumerate(found) if j not in used]
        flew = any(moved[i][0].kind is not Kind.STRIKER or found[j][0] is Kind.STRIKER
                   or play.led_to(found[j][1].x, found[j][1].y) for i, j in pairs)  # fmt: skip
        if play.nothing_happened(flew, missing):
            self._forget(sight)
            return
        self._shifts += [shift_of(gone[i], found[j][1], sight.t) for i, j in pairs if i < len(gone)]
        arrived = [replace(moved[i][0], x_mm=found[j][1].x, y_mm=found[j][1].y) for i, j in pairs]
        arrived += [m.piece for m in missing if m.fate is Fate.LIES]
        yield from self._finish(play, sight, scene, arrived, missing, extra)

    def _finish(self, play: Play, sight: Sight, scene: Scene, arrived: list[Piece],
                missing: list[Missing], extra: list[tuple[Kind, Disc]]) -> Iterator[Seen]:  # fmt: skip
        self.strokes += 1
        self.surface.settle([*self.table.pieces(), *arrived], sight, scene)
        stood = self.striker.placement(play.t_strike)
        if Foul.PUSH not in play.fouls:
            self._look_for_push(play)
        if stood is not None:
            tracks = [*self.tracker.live, *self.tracker.ended]
            play.fouls[Foul.TOUCHED_COIN] = touched(self._shifts, tracks, stood[1], play.t_strike)
        draft = StrokeDraft(self.strokes, play.t_strike, play.t_rest or sight.t, sight.t, play.striker,
                            play.contacts(), tuple(missing), len(extra) + play.bumps, play.fouls)  # fmt: skip
        self._out.update(m.piece.kind for m in missing if m.fate in (Fate.POCKETED, Fate.OFF_BOARD))
        self._forget(sight)
        self._spent = tuple(p for p in arrived if p.kind is Kind.STRIKER)
        yield tell(self.profile, draft, stood)
        yield self._snapshot(sight.t)

    def _forget(self, sight: Sight) -> None:
        """The stroke is over; what led to it is history."""
        self._play = None
        self._disturbed = 0
        self._formed = False
        self.phase = Phase.WAITING
        self._strike.forget()
        self._shifts.clear()
        self.striker.forget()
        self._quiet_since = self._next_census = sight.t

    # -- the table -----------------------------------------------------------------------------------------------

    def begin(self, picture: Picture, sight: Sight, pieces: list[tuple[Kind, Disc]]) -> Iterator[Seen]:
        """The first table, as found in the first pictures."""
        self.table.settle([Piece(k, d.x, d.y) for k, d in pieces], sight)
        standing = self._formation(sight, pieces)
        self._formed = standing is not None
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
