"""The reserve: where nothing moves fast not every picture is looked at; the last one passed over is kept at hand."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import replace

import numpy as np

from calibration.picture import U8, Picture
from referee.detect.gate import Gate
from referee.detect.hands import Scene
from referee.frames.frame import Frame

APART_S = 0.026
"""The board is then looked at thirty times a second, as webcams of that rate show it."""
AWAKE_S = 0.15
"""So long after something was seen loose beside a hand each picture is looked at: a flight is told within this time."""
PATCH_MM, PATCH_S = 25.0, 0.5
"""A patch this near to one seen so lately is a piece that lies there, or one of those that a hand falls into."""


class Reserve:
    """Passes pictures over while nothing moves fast, and gives the last one back where a look shows something loose."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._kept: Frame | None = None
        self._planes: tuple[U8, U8, U8] | None = None
        self._awake = -math.inf
        self._looked = -math.inf
        self._patches: deque[tuple[float, float, float]] = deque()

    def passes(self, frame: Frame) -> bool:
        """Whether a frame is passed over for now: it is kept, or a copy if the camera takes it back."""
        if frame.t < self._awake or frame.t >= self._looked + APART_S:
            return False
        self._kept = frame if frame.lasts else replace(frame, picture=self._copied(frame.picture))
        return True

    def _copied(self, picture: Picture) -> Picture:
        """The picture in memory of the reserve's own, used again for the next."""
        planes = picture.y, picture.u, picture.v
        if self._planes is None or any(a.shape != b.shape for a, b in zip(self._planes, planes, strict=True)):
            self._planes = np.empty_like(planes[0]), np.empty_like(planes[1]), np.empty_like(planes[2])
        for mine, plane in zip(self._planes, planes, strict=True):
            np.copyto(mine, plane)
        return Picture(*self._planes, full_range=picture.full_range)

    def rest(self, t: float) -> None:
        """A frame at time t shows nothing new: what was passed over before it did neither."""
        self._kept, self._looked = None, t

    def take(self, t: float, scene: Scene) -> Frame | None:
        """The frame passed over just before the one at time t, if that one's scene shows something loose."""
        kept, self._kept, self._looked = self._kept, None, t
        while self._patches and self._patches[0][0] < t - PATCH_S:
            self._patches.popleft()
        loose = self._loose(scene)
        self._patches.extend((t, b.x, b.y) for b in scene.blobs)
        if not loose:
            return None
        self._awake = t + AWAKE_S
        return kept

    def _loose(self, scene: Scene) -> bool:
        """Whether a patch lies apart from all hands and from where any was seen lately."""
        if not scene.blobs:
            return False
        places = np.array([(b.x, b.y) for b in scene.blobs])
        known = np.array([(x, y) for _, x, y in self._patches]).reshape(-1, 2)
        away = np.hypot(*(places[:, None] - known).transpose(2, 0, 1)).min(1, initial=math.inf)
        last = scene.near_hand.shape[0] - 1
        columns, rows = np.clip(np.round(self._gate.lattice.to_cells(places)), 0, last).astype(int).T
        return bool(np.any((away >= PATCH_MM) & (scene.near_hand[rows, columns] == 0)))
