"""Frame skipping: examines thirty frames a second while nothing moves fast, and holds the last skipped one ready."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import replace

import numpy as np

from calibration.geometry.camera import F64
from referee.foreground.background import BackgroundModel
from referee.foreground.segmentation import Segmentation
from referee.frames.frame import Frame

APART_S = 0.026
"""Interval between examined frames: thirty a second, as of a common webcam."""
AWAKE_S = 0.15
"""Time after a loose blob during which every frame is examined: a flight is recognised within it."""
SKIP_PATCH_MM, PATCH_S = 25.0, 0.5
"""Distance and age of an earlier blob that make a blob no news: a piece at rest, or a part of a hand."""


class FrameSkipper:
    """Skips frames while nothing moves fast, and returns the last skipped one once a blob comes loose."""

    def __init__(self, background: BackgroundModel) -> None:
        self._background = background
        self._held: Frame | None = None
        self._awake = self._examined = -math.inf
        self._lately: deque[tuple[float, F64]] = deque()
        """Times and middles (n, 2) mm of the blobs of the last examined frames."""

    def passes(self, frame: Frame) -> bool:
        """Tells whether a frame is skipped for now. It is held, as a copy if the camera reuses its buffer."""
        if frame.t >= self._examined + APART_S or frame.t < self._awake:
            return False
        picture = frame.picture
        copied = replace(picture, y=picture.y.copy(), u=picture.u.copy(), v=picture.v.copy())
        self._held = frame if frame.lasts else replace(frame, picture=copied)
        return True

    def note_unchanged(self, t: float) -> None:
        """Notes that the frame at t shows nothing new, and so neither does the held one."""
        self._held, self._examined = None, t

    def recall(self, t: float, scene: Segmentation) -> Frame | None:
        """Returns the frame skipped just before the one at t, if that one shows a loose blob; else None."""
        held, self._held, self._examined = self._held, None, t
        while self._lately and self._lately[0][0] < t - PATCH_S:
            self._lately.popleft()
        if not scene.blobs:
            return None
        places = np.array([(b.x, b.y) for b in scene.blobs])
        is_loose = self._is_loose(places[scene.near_hand[self._background.lattice.nearest(places)] == 0])
        self._lately.append((t, places))
        if is_loose:
            self._awake = t + AWAKE_S
        return held if is_loose else None

    def _is_loose(self, free: F64) -> bool:
        """Tells whether a blob at `free` (n, 2) mm, apart from all hands, lies apart from all recent blobs."""
        if not (len(free) and self._lately):
            return len(free) > 0
        known = np.concatenate([places for _, places in self._lately])
        # Written out, the squares of distances are a product of matrices: a tenth of the time that distances take.
        beyond = (known**2).sum(1) - 2 * (free @ known.T)
        return bool(np.any(beyond.min(1) + (free**2).sum(1) >= SKIP_PATCH_MM**2))
