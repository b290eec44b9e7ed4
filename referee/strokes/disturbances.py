"""Detects and reports disturbances of the whole picture: changes of light or focus, a moved camera or board.

If the camera or the board has moved, the module registers the board again and returns the new calibration profile."""

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
"""Least time between two registrations of the board, in seconds: one takes as long as a hundred frames, and fails while
hands hide the board."""
LOST_TEXT = "The camera has moved and the board is not found; free the board's lines or calibrate again."
MOVED_TEXT = "The camera has moved by about {mm:.1f} mm on the board; the board was found again and the match goes on."
LIGHT_TEXT = "The light on the board has changed; calls go on, look twice at those of this moment."
UNSURE_TEXT = "The board may be of another model, which would make it another size; name it with --board."
COLOURLESS_TEXT = (
    "The camera gives no colour, so that the queen is never certain: switch its night mode off, or give light."
)
SOFT_TEXT = "The picture is less sharp than before, {share:.0%} of its best; see to the camera's focus."
SHARP_TEXT = "The picture is sharp again."


class DisturbanceMonitor:
    """Monitors the whole picture; call `watch` for each examined frame."""

    def __init__(self, background: BackgroundModel) -> None:
        self._background, self._light, self._shift = background, IlluminationMonitor(), BumpDetector(background)
        self._drift: DriftMonitor | None = None
        self._at_first: list[tuple[AlertKind, str]] = []
        self._loss_reported, self._upset, self._next_try = -math.inf, math.inf, 0.0
        self.dazzled = False
        """Whether the light changed in the last frame."""

    def refer(self, profile: Profile, pictures: list[Picture]) -> None:
        """Sets the reference pictures of the board with which later ones are compared."""
        self._drift = DriftMonitor(profile, pictures)
        if not profile.residuals.model_sure:
            self._at_first.append((AlertKind.BOARD_UNSURE, UNSURE_TEXT))
        if is_colourless(pictures):
            self._at_first.append((AlertKind.NO_COLOUR, COLOURLESS_TEXT))

    def watch(self, picture: Picture, foreground: ForegroundFrame) -> Iterator[Alert]:
        """Processes one frame and yields alerts when the light or the focus has changed.

        The first frame also yields the alerts of an uncertain board model and of a camera without colour."""
        yield from (Alert(foreground.t, kind, text) for kind, text in self._at_first)
        self._at_first = []
        self.dazzled = self._light.has_changed(foreground.t, foreground.light)
        if self.dazzled:
            yield Alert(foreground.t, AlertKind.LIGHT_CHANGED, LIGHT_TEXT)
        if self._drift is None:
            return
        self._drift.watch(picture, foreground.t, self._background.swings)
        if (share := self._drift.refocused) is not None:
            text = SOFT_TEXT.format(share=share) if self._drift.is_soft else SHARP_TEXT
            yield Alert(foreground.t, AlertKind.FOCUS_CHANGED, text)

    @property
    def steady(self) -> bool:
        """Tells whether the light is the same as a moment ago."""
        return self._light.steady

    @property
    def has_drifted(self) -> bool:
        """Tells whether the base lines have come to rest at another place."""
        return self._drift is not None and self._drift.drifted

    @property
    def since(self) -> float:
        """Time since which detections may be displaced; infinite if there is no sign of it."""
        return min(self._upset, self._drift.rested if self.has_drifted and self._drift is not None else math.inf)

    def is_upset(self, foreground: ForegroundFrame, scene: Segmentation, explained: Mask) -> bool:
        """Tells whether the picture of the board has moved, or differs so much that it may have.

        Out of focus all prints differ, so that only the base lines show whether they have moved.
        """
        is_soft = self._drift is not None and self._drift.is_soft
        upset = not is_soft and self._shift.is_upset(foreground, scene, explained)
        self._upset = min(self._upset, foreground.t) if upset else math.inf
        return upset or self.has_drifted

    def has_moved(self, foreground: ForegroundFrame) -> bool:
        """Tells whether the picture of the board rests again, at another place than before.

        Arms that tidy the board, and the coins they push, look like a picture that has moved; the base lines decide.
        """
        stands = self._drift is not None and self._drift.stands
        return self.has_drifted or (self._shift.has_moved(foreground) and not stands)

    def find(self, profile: Profile, picture: Picture, t: float) -> tuple[Profile | None, Alert | None]:
        """Registers the board again; returns the new profile (None if it is not found) and the alert to report, if any.

        Does nothing within `TRY_AGAIN_S` of the last attempt."""
        if t < self._next_try:
            return None, None
        self._next_try = t + TRY_AGAIN_S
        found = register(profile, picture)
        if found is None:
            if t <= self._loss_reported + LOST_AGAIN_S:
                return None, None
            self._loss_reported = t
            return None, Alert(t, AlertKind.BOARD_LOST, LOST_TEXT)
        if self._drift is not None:
            self._drift.relocate(found)
        moved = moved_mm(profile, found)
        return found, Alert(t, AlertKind.CAMERA_MOVED, MOVED_TEXT.format(mm=moved)) if moved else None
