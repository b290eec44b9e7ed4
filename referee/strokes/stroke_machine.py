"""Detects strokes, returned coins, settled tables and formations in a sequence of frames.

Between strokes only hands move. A stroke begins when something moves freely and ends when everything rests. It is
reported once the census leaves nothing open: every piece that left its place is detected elsewhere, or its track ended
in a pocket or over the frame, or nothing hides a place where it could lie.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator
from enum import Enum

import cv2
import numpy as np

from calibration.geometry.picture import Picture
from calibration.profile import Profile
from models.pieces import Kind, Piece
from referee.board_state.motion import MotionDetector
from referee.board_state.occupancy import Occupancy, Presence, RestingPiece
from referee.board_state.second_striker import rename_second_striker
from referee.census.between_strokes import BetweenStrokesCensus
from referee.census.ledger import Ledger
from referee.census.reconcile import Reconciler
from referee.facts import Alert, Fact, Foul
from referee.foreground.background import BackgroundModel, ForegroundFrame, Mask
from referee.foreground.hand_history import HandDistance, HandHistory, not_under_hand
from referee.foreground.pocket_appearance import PocketAppearance
from referee.foreground.segmentation import Segmentation
from referee.foreground.stale_background import ClearedBackground, StaleBackground
from referee.fouls.over_diagonal import reach_over
from referee.outcome.matching import nearest_pocket
from referee.outcome.stroke_in_progress import Play
from referee.pieces.colour_classes import mean_colour
from referee.pieces.current_profile import CurrentProfile
from referee.pieces.detector import find_pieces
from referee.pieces.disc import Disc
from referee.striker.placement_tracker import PlacementTracker
from referee.strokes.disturbances import DisturbanceMonitor
from referee.strokes.idle import IdlePhase
from referee.strokes.in_flight import FlightTracking
from referee.strokes.observe import Observer, Witness
from referee.strokes.stroke_end import StrokeEndDetector
from referee.strokes.stroke_start import FrameEvidence, StrokeStartDetector
from referee.strokes.unrest import LONGEST_STROKE_S, UnrestMonitor
from referee.tracking.tracker import Tracker

ROLLING_MM_S, MACHINE_BRINK_MM = 300.0, 40.0
"""Speed in mm/s below which, and distance from a pocket's rim in mm above which, a disc may be followed at thirty
frames a second: it rolls at most 10 mm from one frame to the next."""
STAYED_S = 2.0
"""Duration of motion in the picture, in seconds, from which the board is compared between strokes all the same if no
remembered piece has left its place meanwhile."""


class Phase(Enum):
    """State of the stroke machine."""

    WAITING = "waiting"
    HAND = "hand"
    MOVING = "moving"
    SETTLING = "settling"


class StrokeMachine:
    """Runs the stroke detection; call `update` for each frame, which yields the facts that are certain enough."""

    def __init__(self, profile: Profile, background: BackgroundModel) -> None:
        self._known, self._ledger = CurrentProfile(profile), Ledger()
        self.background, self.guard = background, DisturbanceMonitor(background)
        self._unrest = UnrestMonitor(background)
        self.table = Occupancy(background, profile.board)
        self.tracker = Tracker(profile.colours, profile.board.half)
        self.striker = PlacementTracker(self._known, background)
        self.surface = Reconciler(self._known, background, self.table)
        self.phase = Phase.WAITING
        self._hands, self._motion = HandHistory(background), MotionDetector(background)
        self._uncovering = StaleBackground(background)
        self._flight_tracking = FlightTracking(self._known, self.tracker)
        self._strike = StrokeStartDetector(self._known, background, self.tracker, self.striker, self._flight_tracking)
        census = BetweenStrokesCensus(self._known, self.surface, self.tracker)
        self._pockets = PocketAppearance(background, profile)
        witness = Witness(self._known, background, self.tracker, self._hands, self._pockets)
        self._between = IdlePhase(self._learn, self._ledger, self.striker, self.surface, census, witness)
        self._ending = StrokeEndDetector(self._ledger, self.striker, self.surface, witness)
        self._play: Play | None = None
        self._rests, self._moved = False, -math.inf
        """Whether nothing moved in the last frame, and the time at which the camera was last found to have moved."""
        self._departed = -math.inf
        """Time at which a remembered piece last left its place."""
        self._scene: Segmentation | None = None
        self._unheeded: list[RestingPiece] = []
        """Pieces that left while nearly everything seemed displaced, as when a break scatters them."""

    @property
    def profile(self) -> Profile:
        """The current calibration profile of board, pieces and camera."""
        return self._known.profile

    def observe(self, observer: Observer) -> None:
        """Sets the observer that receives each census of a stroke and its result."""
        self._ending.observer = observer

    def begin(self, foreground: ForegroundFrame, pieces: list[tuple[Kind, Disc]]) -> Fact:
        """Settles the first table from the `pieces` detected in the first pictures and returns it as a fact."""
        return self._between.begin(foreground, pieces)

    def update(self, picture: Picture, foreground: ForegroundFrame, scene: Segmentation) -> Iterator[Fact]:
        """Processes one frame and yields facts; the scene must have been segmented with `self.table.explained`."""
        yield from self.guard.watch(picture, foreground)
        if self.guard.dazzled:
            self._hands.dazzle(foreground.t)
        self._motion.add(foreground)
        self.background.follow_noise(foreground)
        if not self.guard.steady:
            self._wait_for_light(foreground, scene)
            return
        just_gone = self.table.check(foreground, scene)
        self._departed = foreground.t if just_gone else self._departed
        # The check above has updated which of the unheeded pieces lie there again.
        gone = [*(k for k in self._unheeded if k.presence is Presence.GONE), *just_gone]
        self._unheeded = []
        motion = self._motion.since() if self._play is None else None
        moving = self._motion.goes_on(scene) if motion is None else self._motion.stirs(motion, scene)
        if self._is_upset(foreground, scene):
            self._rests = False
            if (yield from self._find_board_again(picture, foreground)) or self._play is None:
                self._unheeded = gone
                self._between.stir(foreground.t)
                return
        yield from self._unrest.watch(picture, foreground, scene, self.profile, moving)
        moving = moving and not self._is_overruled(foreground.t)
        self._scene, self._rests = scene, not moving
        if (uncovered := self._uncovering.update(foreground, scene)) is not None:
            self._uncover(uncovered, picture, foreground)
        self._hands.update(foreground, scene.hand, self.table.explained)
        gaps = HandDistance(self._hands.lately(foreground.t, scene.hand), self.background.lattice)
        if motion is not None:
            self._detect_strike(foreground, scene, gaps, motion, gone)
        elif self._play is not None:
            blobs = not_under_hand(scene.blobs, gaps, self.background.half)
            self._flight_tracking.follow(self._play, foreground.t, blobs, gone)
        if self._play is not None:
            yield from self._follow(self._play, picture, foreground, scene, moving)
        else:
            self.phase = Phase.HAND if gaps.any_hand else Phase.WAITING
            self._pockets.note(foreground, gaps)
            yield from self._between.update(picture, foreground, scene, gaps, moving)

    def _is_overruled(self, t: float) -> bool:
        """Tells whether the pieces rest though something seems to move; a stroke that ends so is reported as
        doubtful.
        """
        since, play = self._unrest.rests_since, self._play
        if play is None:
            return since is not None or t >= max(self._departed, self._unrest.rested) + STAYED_S
        if since is None and t < play.t_strike + LONGEST_STROKE_S:
            return False
        if play.t_rest is not None:
            return True
        if since is not None:
            play.last_motion = min(play.last_motion, max(since, play.t_strike))
        play.bumps += 1
        return True

    def _detect_strike(
        self,
        foreground: ForegroundFrame,
        scene: Segmentation,
        gaps: HandDistance,
        motion: Mask,
        gone: list[RestingPiece],
    ) -> None:
        for k in self._between.placed():
            self.striker.extend(k.piece, k.seen)
        self.striker.hide(gaps, foreground.t)
        arms = HandDistance(self._hands.arms_lately(foreground.t, scene.hand), self.background.lattice)
        glance = FrameEvidence(foreground.t, scene, gaps, arms, motion, self.table.last_seen(Kind.STRIKER))
        if (begun := self._strike.update(glance, gone)) is not None:
            self._begin(begun)

    def _begin(self, play: Play) -> None:
        """Begins a stroke: removes the striker from where it stood under the hand, and checks the diagonal foul."""
        self._play = play
        self._unrest.begin_stroke()
        stood = self.striker.placement(play.t_strike)
        play.lay = tuple(k.piece for k in self.table.lying if k.piece.kind is not Kind.STRIKER)
        play.forget_lifted(self.table.lying)
        play.bumps = (play.t_strike < self._moved) + self._ledger.is_unlit(play.t_strike)
        if play.striker is not None and not play.striker_known:
            self.table.lying = [k for k in self.table.lying
                                if k.piece.kind is not Kind.STRIKER or k.presence is Presence.THERE]  # fmt: skip
            for k in self.table.lying:
                if k.piece.kind is Kind.STRIKER:
                    rename_second_striker(k, self._known.profile, self.background)
        if stood is not None:
            place = stood[0].x, stood[0].y
            coins = self.background.cover(play.lay, self.table.board)
            if (reach := reach_over(self._hands, stood[0].seat, place, play.t_strike, coins)) is not None:
                play.measured[Foul.HAND_OVER_DIAGONAL] = reach
            play.striker_colour = mean_colour([stood[0].disc])

    def _follow(
        self, play: Play, picture: Picture, foreground: ForegroundFrame, scene: Segmentation, moving: bool
    ) -> Iterator[Fact]:
        called = self._ending.update(play, picture, foreground, scene, moving)
        self.phase = Phase.MOVING if play.t_rest is None else Phase.SETTLING
        if play.over:
            self._finish(foreground.t)
        yield from called

    def _finish(self, t: float) -> None:
        """Waits for the next stroke: the last one ended at t."""
        self._play, self.phase = None, Phase.WAITING
        self._ledger.close()
        self._strike.forget()
        self.striker.forget()
        self._between.stir(t)

    def conclude(self, picture: Picture, foreground: ForegroundFrame, scene: Segmentation) -> Iterable[Fact]:
        """Returns the facts of a stroke whose call still waits at the last frame."""
        play = self._play
        facts = () if play is None else self._ending.conclude(play, picture, foreground, scene)
        if play is not None and play.over:
            self._finish(foreground.t)
        return facts

    # -- disturbances of the whole picture -----------------------------------------------------------------------

    def _wait_for_light(self, foreground: ForegroundFrame, scene: Segmentation) -> None:
        """Processes a frame while the light changes: existing tracks go on, nothing new is accepted."""
        self._scene, self._rests, self._ledger.unlit = scene, False, foreground.t
        self._pockets.forget()
        self._between.stir(foreground.t)
        if self._play is not None:
            self._flight_tracking.follow(self._play, foreground.t, scene.blobs, [])
        else:
            self.tracker.update(foreground.t, scene.blobs)
            self._strike.dazzle()

    def _is_upset(self, foreground: ForegroundFrame, scene: Segmentation) -> bool:
        """Tells whether nearly everything is displaced.

        During a stroke in which more than half of the pieces are in place, only the base lines count."""
        there = sum(k.presence is Presence.THERE for k in self.table.lying)
        if self._play is not None and 2 * there > len(self.table.lying):
            return self.guard.has_drifted
        return self.guard.is_upset(foreground, scene, self.table.explained)

    def _find_board_again(self, picture: Picture, foreground: ForegroundFrame) -> Generator[Alert, None, bool]:
        """Registers the board again if the camera was bumped; returns whether it was found, and yields an alert if
        any.
        """
        if not self.guard.has_moved(foreground):
            return False
        profile, alert = self.guard.find(self.profile, picture, foreground.t)
        if profile is not None:
            self.relocate(profile)
            self._moved = foreground.t
        if alert is not None:
            yield alert
        return profile is not None

    def _uncover(self, uncovered: ClearedBackground, picture: Picture, foreground: ForegroundFrame) -> None:
        """Learns the background that an arm hid from the first picture on, and drops coins that were detected on that
        arm.

        The coins that the arm hid may look like wood. They come to light, so that a stroke under way is doubtful.
        """
        discs = find_pieces(picture, self.profile)
        lying = self.background.cover((Piece(kind, d.x, d.y) for kind, d in discs), self.profile.board)
        bare = np.asarray(cv2.subtract(uncovered.bare, lying), np.uint8)
        self.background.uncover(foreground.yuv, uncovered.place, bare)
        self.table.drop(bare)
        if self._play is not None:
            self._play.bumps += 1

    def relocate(self, profile: Profile) -> None:
        """Continues with the same board and pieces and the `profile` of a camera that has moved."""
        self.background.relocate(profile)
        self._learn(profile)
        self.striker.relocate(self.background, self.guard.since)
        self._motion.forget()
        self._pockets.forget()
        if self._play is not None:
            self._play.bumps += 1
            self.tracker.live = [k for k in self.tracker.live if k.home or k.born < self.guard.since]
            return
        self._strike.forget()
        self.table.restore()

    def _learn(self, profile: Profile) -> None:
        """Replaces the profile, after new knowledge of the pieces or a camera movement."""
        self._known.profile = profile
        self.table.board = profile.board
        self.tracker.colours = profile.colours

    # -- skipped frames --------------------------------------------------------------------------------

    @property
    def is_unhurried(self) -> bool:
        """Tells whether thirty frames a second suffice: no stroke is under way, or all moving discs are slow."""
        if self._play is None:
            return True
        profile, rolling = self._known.profile, self.tracker.live
        if any(k.speed >= ROLLING_MM_S for k in rolling):
            return False
        return all(nearest_pocket(profile.pockets, *k.place)[1] > MACHINE_BRINK_MM for k in rolling)

    def is_calm(self, t: float) -> bool:
        """Tells whether nothing is under way or due at time t, so that a frame without changes may be skipped."""
        scene = self._scene
        if scene is None or not self._rests or self._play is not None:
            return False
        return not self._between.is_due(t, scene, HandDistance(scene.hand, self.background.lattice))

    def repeat_last(self, t: float) -> None:
        """Processes a frame without changes."""
        assert self._scene is not None
        self._motion.repeat_last(t)
        self._hands.repeat_last(t)
        self.tracker.repeat_last(t)
        self.table.repeat_last(t)
