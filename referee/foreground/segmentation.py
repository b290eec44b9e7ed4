"""Segmentation: the foreground divided into hands, which reach in from outside, and loose blobs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.rings import peaks
from referee.foreground.background import BackgroundModel, ForegroundFrame, Mask, mask_of
from referee.foreground.components import Components, Window
from referee.foreground.illumination import LIGHT_GREY
from referee.foreground.low_contrast_discs import low_contrast_discs

HAND_LEAST_MM2, CLUSTER_MM2 = 2200.0, 4500.0
"""Least area of a hand or an arm, and greatest area of discs that touch each other at a cushion."""
BAND_MM = 6.0
"""Width of the band inside the cushion that a hand crosses."""
SEGMENT_BEYOND_MM, BEYOND_MM2 = 8.0, 150.0
"""Distance beyond the cushion and area there by which an arm differs from discs. A dark sleeve may show less."""
HAND_MARGIN_MM = 7.5
"""Margin of a hand within which nothing counts as free: fingers blur, cast shade and push."""
SEGMENT_SHADOW_MM = 31.0
"""Reach of the shadow that a hand casts, to the middles of cells."""
SEGMENT_GAP_MM = 5.0
"""Gaps up to twice this are closed within a hand: lines between fingers, skin of the board's colour."""
LOOSE_LEAST_MM2 = 170.0
"""Patches smaller than a quarter of a coin are noise, print edges or glints."""
TWO_DISCS = 1.7
"""Area, in coins, beyond which a patch may be several discs."""
SPLIT_DEPTH, SPLIT_APART = 0.6, 1.6
"""Least distances of a disc's middle from the patch's border and from another middle, in coin radii."""

Tint = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Blob:
    """A patch that is neither a hand nor a known piece at rest; usually one moving disc."""

    x: float
    y: float
    """Centre, board mm."""
    area_mm2: float
    tint: Tint
    """Mean luma, blue and red difference in percent of the bare board's luma."""


@dataclass(frozen=True, slots=True, eq=False)
class Segmentation:
    """A frame's hands and loose blobs."""

    hand: Mask
    """Hands and arms, (n, n)."""
    near_hand: Mask
    """Hands with a margin."""
    loose: Mask
    """Foreground that is neither a hand nor a known piece at rest, without specks."""
    blobs: tuple[Blob, ...]


class Segmenter:
    """Divides a frame's foreground into hands and blobs."""

    def __init__(self, background: BackgroundModel, half_mm: float, coin_radius_mm: float) -> None:
        self._background = background
        self._cell = background.lattice.step**2
        self._coin_cells = np.pi * (coin_radius_mm / background.lattice.step) ** 2
        outward = np.maximum(np.abs(background.x), np.abs(background.y)) - half_mm
        self._band, self._frame = (mask_of(outward > limit) for limit in (-BAND_MM, SEGMENT_BEYOND_MM))
        self._open = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3))
        self._margin, self._cast = round_kernel(HAND_MARGIN_MM, background), SEGMENT_SHADOW_MM / background.lattice.step
        self._close = round_kernel(SEGMENT_GAP_MM, background)
        self._entry = cv2.dilate(self._band, self._close)
        self._blank: Mask = np.zeros(background.lattice.shape, np.uint8)
        self.shady = False
        """Whether pieces of this set pass for shade. Round shade then counts as a disc."""

    def read(self, foreground: ForegroundFrame, explained: Mask) -> Segmentation:
        """Returns the hands and blobs of a frame; `explained` (n, n) covers the known pieces at rest."""
        unknown = cv2.subtract(foreground.solid, explained)
        if not (self.shady or cv2.countNonZero(unknown)):
            return Segmentation(self._blank, self._blank, self._blank, ())
        free = np.asarray(cv2.morphologyEx(unknown, cv2.MORPH_OPEN, self._open), np.uint8)
        window = window_about(free, self._close.shape[0])
        hand = self._hands(free, window)
        free, near = np.asarray(cv2.subtract(free, hand), np.uint8), self._near(hand, foreground.shade)
        if self.shady:
            shade = np.asarray(cv2.subtract(cv2.subtract(foreground.shade, explained), near), np.uint8)
            free = low_contrast_discs(shade, free, self._coin_cells, np.asarray(self._open, np.uint8))
            window = window_about(free, self._close.shape[0])
        return Segmentation(hand, near, free, self._blobs(foreground, free, window))

    def _hands(self, free: Mask, window: Window) -> Mask:
        """Returns large components that reach in from outside: larger than touching discs, or large and partly over the
        frame. Gaps between fingers and pale skin are closed.
        """
        hand = self._blank.copy()
        if not cv2.countNonZero(cv2.bitwise_and(free, self._entry)):
            return hand
        closed = np.asarray(cv2.morphologyEx(free[window], cv2.MORPH_CLOSE, self._close), np.uint8)
        for patch, cells in reaching(closed, self._band[window]):
            beyond = cv2.countNonZero(cv2.bitwise_and(patch, self._frame[window])) * self._cell
            if cells * self._cell > (HAND_LEAST_MM2 if beyond > BEYOND_MM2 else CLUSTER_MM2):
                cv2.bitwise_or(hand[window], patch, hand[window])
        return hand

    def _near(self, hand: Mask, shade: Mask) -> Mask:
        """Returns a hand with its margin and its own shadow."""
        window = window_about(hand, 2 * round(self._cast))
        near, arm = self._blank.copy(), hand[window]
        away = cv2.distanceTransform(cv2.bitwise_not(arm), cv2.DIST_L2, 5)
        cast = cv2.bitwise_and(cv2.inRange(away, (0.0,), (self._cast,)), shade[window])
        near[window] = cv2.bitwise_or(cv2.dilate(arm, self._margin), cast)
        return near

    def _blobs(self, foreground: ForegroundFrame, free: Mask, window: Window) -> tuple[Blob, ...]:
        """Returns the blobs of the foreground free of hands. A component too large for one disc is split."""
        if not cv2.countNonZero(free):
            return ()
        found = Components.of(free, window)
        middles: dict[int, list[int]] = {}
        for i in np.flatnonzero(found.sizes > TWO_DISCS * self._coin_cells).tolist():
            if len(discs := self._middles(found, i)) > 1:
                middles |= zip(found.split(i, discs), discs.tolist(), strict=True)
        planes = *foreground.yuv, foreground.light.gain, self._background.ground
        column, row, luma, u, v, gain, ground = found.means(planes)
        places = np.stack([column, row], 1)
        tints = np.stack([luma, u - LIGHT_GREY, v - LIGHT_GREY], 1) * (100 / np.maximum(8.0, ground * gain))[:, None]
        for i, middle in middles.items():
            places[i] = middle
        board, areas = self._background.lattice.to_board(places).tolist(), (found.sizes * self._cell).tolist()
        rows = enumerate(zip(board, areas, tints.tolist(), strict=True))
        return tuple(Blob(x, y, area, tuple(tint)) for i, ((x, y), area, tint) in rows
                     if i in middles or area > LOOSE_LEAST_MM2)  # fmt: skip

    def _middles(self, found: Components, number: int) -> NDArray[np.int64]:
        """Returns the middles (k, 2) (column, row) of the discs in a component: peaks of its distance transform."""
        cells = np.flatnonzero(found.owner == number)
        rows, columns = found.rows[cells], found.columns[cells]
        left, top, bottom = int(columns.min()) - 1, int(rows[0]) - 1, int(rows[-1]) + 1
        shape = np.zeros((bottom - top + 1, int(columns.max()) - left + 2), np.uint8)
        shape[rows - top, columns - left] = 1
        depth = np.asarray(cv2.distanceTransform(shape, cv2.DIST_L2, 3), np.float32)
        radius = math.sqrt(self._coin_cells / math.pi)
        return np.asarray(peaks(depth, SPLIT_DEPTH * radius, SPLIT_APART * radius) + np.array([left, top]), np.int64)


def reaching(mask: Mask, border: Mask) -> Iterator[tuple[Mask, int]]:
    """Yields components (n, m) of a mask that touch `border`, each with its number of cells."""
    rest = cv2.bitwise_and(mask, border)
    while (seed := cv2.minMaxLoc(rest))[1]:
        patch, cells = component_at(mask, (seed[3][0], seed[3][1]))
        rest = cv2.subtract(rest, patch)
        yield patch, cells


def component_at(mask: Mask, cell: tuple[int, int]) -> tuple[Mask, int]:
    """Returns the component (n, m) of a mask that holds a cell (column, row), and its number of cells."""
    filled: Mask = np.zeros((mask.shape[0] + 2, mask.shape[1] + 2), np.uint8)
    cells, *_ = cv2.floodFill(mask, filled, cell, (255,), flags=8 | cv2.FLOODFILL_MASK_ONLY | 255 << 8)
    return filled[1:-1, 1:-1], cells


def window_about(mask: Mask, margin: int = 0) -> Window:
    """Returns the bounding box of a mask, `margin` cells wider. It begins at even cells, because OpenCV labels blocks
    of two.
    """
    x, y, w, h = cv2.boundingRect(mask)
    left, top = max(0, x - margin) // 2 * 2, max(0, y - margin) // 2 * 2
    return slice(top, y + h + margin), slice(left, x + w + margin)


def round_kernel(radius_mm: float, background: BackgroundModel) -> Mask:
    """Returns an elliptic kernel of `radius_mm` on the lattice, for morphology."""
    side = 2 * round(radius_mm / background.lattice.step) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)
