"""Vision: frames in, facts out. `Seeing` connects the stages from foreground to strokes for one profile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2

from calibration.calibrate import mean_picture
from calibration.geometry.picture import Picture
from calibration.profile import Colour, Profile
from calibration.rings import edge_floor
from models.pieces import Kind, Piece
from referee.facts import Fact
from referee.foreground.background import BackgroundModel, ForegroundFrame
from referee.foreground.colourless import is_colourless
from referee.foreground.low_contrast_discs import is_like_board
from referee.foreground.segmentation import Segmentation, Segmenter
from referee.frames.frame import Frame
from referee.pieces.circles import scan_lattice
from referee.pieces.detector import detect_and_learn
from referee.pieces.disc import Disc
from referee.scheduling.frame_difference import FrameDifference, Planes
from referee.scheduling.frame_skipping import FrameSkipper
from referee.stabilise.camera_shake import ShakeMeter
from referee.strokes.queen_doubt import in_doubt_of_queen
from referee.strokes.stroke_machine import Phase, StrokeMachine

FIRST_FRAMES = 8
"""Frames examined before the first is refereed: to calibrate, to measure the noise, and to learn the coins' colours."""


SEEING_AGAIN_S = 0.2
"""Greatest interval between full examinations of an unchanged picture. Light drifts, and small changes add up."""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """Result of one frame, for a live view."""

    picture: Picture
    """The frame's picture with its similarity transform."""
    foreground: ForegroundFrame
    scene: Segmentation


def _likeliest(pieces: list[tuple[Kind, Disc]], profile: Profile) -> list[tuple[Kind, Disc]]:
    """Returns the likeliest pieces, no more of a kind than the set has."""
    likely = []
    for kind in Kind:
        of_kind = sorted((d for k, d in pieces if k is kind), key=lambda d: -d.presence)
        likely += [(kind, d) for d in of_kind[: profile.full_set.get(kind, 1)]]
    return likely


class Seeing:
    """Turns frames into facts. Call `process` for each frame in order."""

    def __init__(self, profile: Profile, first: Sequence[Picture], again_s: float = SEEING_AGAIN_S) -> None:
        """Learns what `profile` lacks from the `first` pictures. With `again_s` 0 every frame is examined."""
        self._again_s = again_s
        self._background = BackgroundModel(profile)
        self._sway = ShakeMeter(self._background)
        steady = self._sway.steady(first)
        samples = [self._background.lattice.sample(p) for p in steady]
        self._background.learn_noise(samples)
        # Noise as in dim light at high gain would hide pale coins.
        clear = mean_picture(steady) if self._background.is_noisy else steady[0]
        self.profile, pieces = detect_and_learn(clear, profile)
        self._colourless = is_colourless(first)
        self._pieces = _likeliest(pieces, self.profile)
        self._reader = Segmenter(self._background, self.profile.board.half, self.profile.board.coin_radius)
        board = self.profile.board
        self._background.edge_floor = edge_floor(
            scan_lattice(self.profile.camera, board.half, board.coin_height).sample(steady[0])
        )
        self._still = FrameDifference(self.profile.camera, self._background)
        self._colours: dict[Kind, Colour] = {}
        self._reserve = FrameSkipper(self._background)
        lying = [Piece(k, d.x, d.y) for k, d in self._pieces]
        self._background.remember(samples[0], self._background.cover(lying, self.profile.board))
        self.watch = StrokeMachine(self.profile, self._background)
        self.watch.guard.refer(self.profile, list(first))
        self.moment: Moment | None = None

    def process(self, frame: Frame) -> Iterator[Fact]:
        """Yields the facts that this frame settles; none if it repeats the last one."""
        if self._may_wait and self._reserve.passes(frame):
            return
        planes = self._compared(frame)
        if planes is not None and self._still.is_same(planes):
            self._reserve.note_unchanged(frame.t)
            self.watch.repeat_last(frame.t)
            return
        was_free, moment = self._is_free, self._observe(frame)
        if (passed := self._reserve.recall(frame.t, moment.scene)) is not None:
            yield from self._report(self._observe(passed))
            moment = self._observe(frame)
        yield from self._report(moment)
        self._refer(frame, planes, was_free)

    def conclude(self) -> Iterator[Fact]:
        """Yields the call that still waits at the last frame: no picture follows that may decide more."""
        if self.moment is not None:
            facts = self.watch.conclude(self.moment.picture, self.moment.foreground, self.moment.scene)
            yield from (self._with_doubt(fact) for fact in facts)

    def _with_doubt(self, fact: Fact) -> Fact:
        """Returns a fact as it is, or in doubt of the queen if the camera has no colour."""
        return in_doubt_of_queen(fact, self.watch.table.pieces()) if self._colourless else fact

    def _observe(self, frame: Frame) -> Moment:
        """Returns the foreground and the segmentation of a frame."""
        if self.watch.profile.colours is not self._colours:
            self._colours = self.watch.profile.colours
            self._reader.shady = any(is_like_board(colour, self._background) for colour in self._colours.values())
        near_hand = None if self.moment is None else self.moment.scene.near_hand
        picture, yuv = self._sway.register(frame.picture, frame.t, near_hand)
        foreground = self._background.compare(yuv, frame.t)
        return Moment(picture, foreground, self._reader.read(foreground, self.watch.table.explained))

    def _report(self, moment: Moment) -> Iterator[Fact]:
        """Yields the facts that follow from a frame."""
        if self.moment is None:
            yield self.watch.begin(moment.foreground, self._pieces)
            # Read again now that coins are known to lie there: some in a row that ends at a cushion look like a hand.
            moment = replace(moment, scene=self._reader.read(moment.foreground, self.watch.table.explained))
        self.moment = moment
        for fact in self.watch.update(moment.picture, moment.foreground, moment.scene):
            yield self._with_doubt(fact)

    @property
    def _may_wait(self) -> bool:
        """Whether nothing moved in the last examined frame but hands and slow discs far from pockets."""
        return self._again_s > 0 and self.moment is not None and self.watch.is_unhurried

    def _compared(self, frame: Frame) -> Planes | None:
        """Returns the planes to compare; None while something is under way or due, or while all frames are new."""
        if (
            self.moment is None
            or frame.t >= self.moment.foreground.t + self._again_s
            or not self.watch.is_calm(frame.t)
        ):
            return None
        if self._background.swings:
            return None
        return self._still.planes(frame.picture)

    @property
    def _is_free(self) -> bool:
        """Whether the last picture showed no hand."""
        return self.moment is not None and not cv2.countNonZero(self.moment.scene.hand)

    def _refer(self, frame: Frame, planes: Planes | None, was_free: bool) -> None:
        """Makes this frame a reference, if the next one may repeat it."""
        if self._still.lattice is not self._background.lattice:
            self._still.relocate(self.watch.profile.camera)
            planes = None
        if self._background.swings or not self.watch.is_calm(frame.t):
            self._still.forget()
            return
        self._still.refer(planes or self._still.planes(frame.picture), also=was_free and self._is_free)

    @property
    def phase(self) -> Phase:
        """The present phase of the stroke machine."""
        return self.watch.phase
