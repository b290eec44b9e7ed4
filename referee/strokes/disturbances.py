"""The guard: notices and tells what befalls the whole picture: light, focus, a camera or a board pushed aside."""

from __future__ import annotations

import math
from collections.abc import Iterator

from calibration.geometry.picture import Picture
from calibration.profile import Profile
from calibration.reregister import moved_mm, register
from referee.facts import Alert, AlertKind
from referee.foreground.background import BackgroundModel, ForegroundFrame, Mask
from referee.foreground.colourless import is_colourless
from referee.foreground.illumination import IlluminationMonitor
from referee.foreground.segmentation import Segmentation
from referee.stabilise.camera_bump import BumpDetector
from referee.stabilise.drift_monitor import DriftMonitor

LOST_AGAIN_S = 10.0
TRY_AGAIN_S = 0.4
"""A search for the board takes as long as a hundred frames; where hands hide it, it is tried again after this time."""
LOST_TEXT = "The camera has moved and the board is not found; free the board's lines or calibrate again."
MOVED_TEXT = "The camera has moved by about {mm:.1f} mm on the board; the board was found again and the match goes on."
LIGHT_TEXT = "The light on the board has changed; calls go on, look twice at those of this moment."
UNSURE_TEXT = "The board may be of another model, which would make it another size; name it with --board."
COLOURLESS_TEXT = (
    "The camera gives no colour, so that the queen is never certain: switch its night mode off, or give light."
)
SOFT_TEXT = "The picture is less sharp than before, {share:.0%} of its best; see to the camera's focus."
SHARP_TEXT = "The picture is sharp again."
SHARP = 0.9
"""From this share of the best sharpness on a picture passes for sharp."""


class DisturbanceMonitor:
    """Call `watch` for each frame looked at."""

    def __init__(self, background: BackgroundModel) -> None:
        self._background, self._light, self._shift = background, IlluminationMonitor(), BumpDetector(background)
        self._drift: DriftMonitor | None = None
        self._unsure = self._colourless = False
        self._lost_told, self._upset, self._next_try = -math.inf, math.inf, 0.0
        self.dazzled = False
        """Whether this frame told that the light has changed."""

    def refer(self, profile: Profile, pictures: list[Picture]) -> None:
        """The board as it looks in these pictures is what later ones are held against."""
        self._drift = DriftMonitor(profile, pictures)
        self._unsure = not profile.residuals.model_sure
        self._colourless = is_colourless(pictures)

    def watch(self, picture: Picture, foreground: ForegroundFrame) -> Iterator[Alert]:
        """Takes in one frame; tells when the light or the focus has changed, and at first of a board not sure."""
        if self._unsure:
            self._unsure = False
            yield Alert(foreground.t, AlertKind.BOARD_UNSURE, UNSURE_TEXT)
        if self._colourless:
            self._colourless = False
            yield Alert(foreground.t, AlertKind.NO_COLOUR, COLOURLESS_TEXT)
        self.dazzled = self._light.has_changed(foreground.t, foreground.light)
        if self.dazzled:
            yield Alert(foreground.t, AlertKind.LIGHT_CHANGED, LIGHT_TEXT)
        if self._drift is None:
            return
        self._drift.watch(picture, foreground.t, self._background.stood_s)
        if (share := self._drift.refocused) is not None:
            text = SHARP_TEXT if share >= SHARP else SOFT_TEXT.format(share=share)
            yield Alert(foreground.t, AlertKind.FOCUS_CHANGED, text)

    @property
    def steady(self) -> bool:
        """Whether the light is what it was a moment ago."""
        return self._light.steady

    @property
    def is_nudged(self) -> bool:
        """Whether the base lines are seen to rest elsewhere than where they were."""
        return self._drift is not None and self._drift.nudged

    @property
    def since(self) -> float:
        """Since when what is seen may be out of place."""
        return min(self._upset, self._drift.rested if self.is_nudged and self._drift is not None else math.inf)

    def is_upset(self, foreground: ForegroundFrame, scene: Segmentation, explained: Mask) -> bool:
        """Whether the picture of the board has moved, or so much differs that it may have.

        Out of focus all prints differ; that they have moved is then told by the lines alone.
        """
        is_soft = self._drift is not None and self._drift.is_soft
        upset = not is_soft and self._shift.is_upset(foreground, scene, explained)
        self._upset = min(self._upset, foreground.t) if upset else math.inf
        return upset or self.is_nudged

    def has_moved(self, foreground: ForegroundFrame) -> bool:
        """Whether the board's picture rests again, elsewhere than before.

        Arms that tidy the board, and the coins they push, look like a picture that has moved; the base lines tell.
        """
        stands = self._drift is not None and self._drift.stands
        return self.is_nudged or (self._shift.has_moved(foreground) and not stands)

    def find(self, profile: Profile, picture: Picture, t: float) -> tuple[Profile | None, Alert | None]:
        """The board where it is now, and what to tell of it; no board where it is not found."""
        if t < self._next_try:
            return None, None
        self._next_try = t + TRY_AGAIN_S
        found = register(profile, picture)
        if found is None:
            if t <= self._lost_told + LOST_AGAIN_S:
                return None, None
            self._lost_told = t
            return None, Alert(t, AlertKind.BOARD_LOST, LOST_TEXT)
        if self._drift is not None:
            self._drift.relocate(found)
        moved = moved_mm(profile, found)
        return found, Alert(t, AlertKind.CAMERA_MOVED, MOVED_TEXT.format(mm=moved)) if moved else None
