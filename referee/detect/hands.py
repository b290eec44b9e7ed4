"""Hands and loose discs: what the gate saw, told apart by size and by whether it reaches in from outside."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.rings import peaks
from referee.detect.gate import Gate, Mask, Sight

HAND_LEAST_MM2 = 2200.0
"""A hand or an arm covers more than this; the largest striker (62 mm) cut by the frame stays below."""
BAND_MM = 6.0
"""Whatever reaches in crosses this band inside the cushion."""
HAND_MARGIN_MM = 7.5
"""Nothing this near to a hand is believed to lie free: fingers blur, cast shade and push."""
SHADOW_MM = 30.0
"""A hand's shadow is believed to be its own this far from it."""
GAP_MM = 5.0
"""Gaps up to twice this are closed within a hand: lines between fingers, skin of the board's colour."""
LOOSE_LEAST_MM2 = 170.0
"""Patches smaller than a quarter of a coin are noise, print edges or glints."""
SPLIT_DEPTH, SPLIT_APART = 0.6, 1.6
"""In coin radii: how far from the patch's border a disc's middle lies, and how far apart two middles are."""


@dataclass(frozen=True, slots=True)
class Blob:
    """A patch that is neither hand nor a piece known to lie there; usually one moving disc."""

    x: float
    y: float
    """Centre, board mm."""
    area_mm2: float
    tint: tuple[float, float, float]
    """Mean luma, blue and red difference in percent of the empty board's luma."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A frame's hands and loose blobs."""

    hand: Mask
    """Hands and arms, (n, n)."""
    near_hand: Mask
    """Hands with a margin."""
    blobs: tuple[Blob, ...]


class SceneReader:
    """Splits what differs from the empty board into hands and blobs."""

    def __init__(self, gate: Gate, half_mm: float, coin_radius_mm: float) -> None:
        self._gate = gate
        self._cell = gate.lattice.step**2
        self._coin_cells = np.pi * (coin_radius_mm / gate.lattice.step) ** 2
        self._band = np.maximum(np.abs(gate.x), np.abs(gate.y)) > half_mm - BAND_MM
        self._open = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3))
        self._margin, self._cast = _disc(HAND_MARGIN_MM, gate), _disc(SHADOW_MM, gate)
        self._close = _disc(GAP_MM, gate)
        self._blank: Mask = np.zeros(gate.lattice.shape, np.uint8)

    def read(self, sight: Sight, explained: Mask) -> Scene:
        """Hands and blobs of a frame; `explained` (n, n) covers the pieces known to lie where they lay."""
        unknown = cv2.bitwise_and(sight.solid, cv2.bitwise_not(explained))
        free = np.asarray(cv2.morphologyEx(unknown, cv2.MORPH_OPEN, self._open), np.uint8)
        hand = self._hands(free)
        if hand is not None:
            free = np.asarray(cv2.bitwise_and(free, cv2.bitwise_not(hand)), np.uint8)
        count, labels, stats, centres = cv2.connectedComponentsWithStats(free, connectivity=8)
        blobs: list[Blob] = []
        for i in range(1, count):
            if stats[i, cv2.CC_STAT_AREA] * self._cell > LOOSE_LEAST_MM2:
                blobs += self._blobs(sight, np.asarray(labels, np.int32), i, stats[i], centres[i])
        if hand is None:
            return Scene(self._blank, self._blank, tuple(blobs))
        return Scene(hand, self._near(hand, sight.shade), tuple(blobs))

    def _hands(self, free: Mask) -> Mask | None:
        """Large patches that reach in from outside, gaps between fingers and pale skin closed."""
        closed = cv2.morphologyEx(free, cv2.MORPH_CLOSE, self._close)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
        is_hand = stats[:, cv2.CC_STAT_AREA] * self._cell > HAND_LEAST_MM2
        reaching = np.zeros(count, bool)
        reaching[np.unique(labels[self._band])] = True
        is_hand &= reaching
        is_hand[0] = False
        return np.where(is_hand[labels], np.uint8(255), np.uint8(0)) if is_hand.any() else None

    def _near(self, hand: Mask, shade: Mask) -> Mask:
        """A hand with its margin, and the shadow that it casts beside itself."""
        cast = cv2.bitwise_and(cv2.dilate(hand, self._cast), shade)
        return np.asarray(cv2.bitwise_or(cv2.dilate(hand, self._margin), cast), np.uint8)

    def _blobs(self, sight: Sight, labels: NDArray[np.int32], i: int, stat: NDArray[np.int32],
               centre: NDArray[np.float64]) -> list[Blob]:  # fmt: skip
        """One component as one blob, or as several where it is too large for one disc."""
        x, y, w, h, area = (int(v) for v in stat)
        patch = labels[y : y + h, x : x + w] == i
        if area <= 1.7 * self._coin_cells:
            return [self._blob(sight, patch, x, y, centre, area)]
        depth = np.asarray(cv2.distanceTransform(np.pad(patch, 1).astype(np.uint8), cv2.DIST_L2, 3), np.float32)
        radius = float(np.sqrt(self._coin_cells / np.pi))
        spots = peaks(depth, SPLIT_DEPTH * radius, SPLIT_APART * radius)
        if len(spots) < 2:
            return [self._blob(sight, patch, x, y, centre, area)]
        at = spots + np.array([x - 1, y - 1])
        return [self._blob(sight, patch, x, y, spot.astype(np.float64), area // len(at)) for spot in at]

    def _blob(self, sight: Sight, patch: NDArray[np.bool_], x: int, y: int, centre: NDArray[np.float64],
              area: float) -> Blob:  # fmt: skip
        h, w = patch.shape
        (bx, by), empty = self._gate.lattice.to_board([centre])[0], self._gate.empty
        assert empty is not None
        lit = float(sight.light.gain[y : y + h, x : x + w][patch].mean())
        ground = max(8.0, float(empty[0, y : y + h, x : x + w][patch].mean()) * lit)
        look = [float(plane[y : y + h, x : x + w][patch].mean()) for plane in sight.yuv]
        tint = (100 * look[0] / ground, 100 * (look[1] - 128) / ground, 100 * (look[2] - 128) / ground)
        return Blob(float(bx), float(by), area * self._cell, tint)


def _disc(radius_mm: float, gate: Gate) -> Mask:
    side = 2 * round(radius_mm / gate.lattice.step) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)
