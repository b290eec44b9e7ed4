"""The reserve: where nothing moves fast not every picture is looked at; the last one passed over is kept at hand."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.geometry.camera import F64
from calibration.geometry.picture import U8, Picture
from referee.foreground.background import Gate
from referee.foreground.segmentation import Scene
from referee.frames.frame import Frame

APART_S = 0.026
"""The board is then looked at thirty times a second, as webcams of that rate show it."""
AWAKE_S = 0.15
"""So long after something was seen loose beside a hand each picture is looked at: a flight is told within this time."""
PATCH_MM, PATCH_S = 25.0, 0.5
"""A patch this near to one seen so lately is a piece that lies there, or one of those that a hand falls into."""


@dataclass(frozen=True, slots=True, eq=False)
class _Patches:
    """What a look showed that is no piece."""

    t: float
    places: F64
    """Middles (n, 2), mm."""
    free: F64
    """Those (k, 2) that lay apart from all hands."""


class Reserve:
    """Passes pictures over while nothing moves fast, and gives the last one back where a look shows something loose."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._kept: Frame | None = None
        self._planes: tuple[U8, U8, U8] | None = None
        self._awake = self._looked = self._judged = -math.inf
        self._patches: deque[_Patches] = deque()

    def passes(self, frame: Frame) -> bool:
        """Whether a frame is passed over for now: it is kept, or a copy if the camera takes it back."""
        if frame.t >= self._looked + APART_S or self._is_awake(frame.t):
            return False
        self._kept = frame if frame.lasts else replace(frame, picture=self._copied(frame.picture))
        return True

    def _is_awake(self, t: float) -> bool:
        """Whether a look showed something loose lately, told of looks that have not been asked about yet."""
        for patches in reversed(self._patches):
            if patches.t <= self._judged or t >= patches.t + AWAKE_S:
                break
            if self._is_loose(patches):
                self._awake = patches.t + AWAKE_S
                break
        self._judged = self._looked
        return t < self._awake

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
        while self._patches and self._patches[0].t < t - PATCH_S - AWAKE_S:
            self._patches.popleft()
        if not scene.blobs:
            return None
        places = np.array([(b.x, b.y) for b in scene.blobs])
        self._patches.append(_Patches(t, places, self._free(places, scene)))
        return kept if kept is not None and self._is_loose(self._patches[-1]) else None

    def _free(self, places: F64, scene: Scene) -> F64:
        """Those of some places (n, 2) mm that lie apart from all hands."""
        if not cv2.countNonZero(scene.near_hand):
            return places
        return np.asarray(places[scene.near_hand[self._gate.lattice.nearest(places)] == 0])

    def _is_loose(self, patches: _Patches) -> bool:
        """Whether one of a look's patches lies apart from all hands and from where any was seen lately."""
        lately = [p.places for p in self._patches if patches.t - PATCH_S <= p.t < patches.t]
        if not (len(patches.free) and lately):
            return len(patches.free) > 0
        known = np.concatenate(lately)
        # Written out, the squares of distances are a product of matrices: a tenth of the time that distances take.
        beyond = (known**2).sum(1) - 2 * (patches.free @ known.T)
        return bool(np.any(beyond.min(1) + (patches.free**2).sum(1) >= PATCH_MM**2))
