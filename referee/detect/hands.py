"""Hands and loose discs: what the gate saw, told apart by size and by whether it reaches in from outside."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import F64
from calibration.rings import peaks
from referee.detect.gate import Gate, Mask, Sight, mask_of
from referee.detect.shady import shady_discs

HAND_LEAST_MM2, CLUSTER_MM2 = 2200.0, 4500.0
"""A hand or an arm covers more than the first; discs that touch each other at a cushion at most the second."""
BAND_MM = 6.0
"""Whatever reaches in crosses this band inside the cushion."""
BEYOND_MM, BEYOND_MM2 = 8.0, 150.0
"""An arm is seen over the frame too, this far beyond the cushion, where discs do not lie; a dark sleeve may not be."""
HAND_MARGIN_MM = 7.5
"""Nothing this near to a hand is believed to lie free: fingers blur, cast shade and push."""
SHADOW_MM = 30.0
"""A hand's shadow is believed to be its own this far from it."""
GAP_MM = 5.0
"""Gaps up to twice this are closed within a hand: lines between fingers, skin of the board's colour."""
LOOSE_LEAST_MM2 = 170.0
"""Patches smaller than a quarter of a coin are noise, print edges or glints."""
TWO_DISCS = 1.7
"""A patch of more than so many coins' area may be several discs."""
SPLIT_DEPTH, SPLIT_APART = 0.6, 1.6
"""In coin radii: how far from the patch's border a disc's middle lies, and how far apart two middles are."""


HALF_CELL = 0.4
"""A cell is within a distance when about half of it is, and distances are a little too long aslant."""

Tint = tuple[float, float, float]
Window = tuple[slice, slice]
"""Rows and columns of a lattice."""
Labels = NDArray[np.uint16]
"""The number of the component (n, n) that each cell belongs to; 0 for none."""


@dataclass(frozen=True, slots=True)
class Blob:
    """A patch that is neither hand nor a piece known to lie there; usually one moving disc."""

    x: float
    y: float
    """Centre, board mm."""
    area_mm2: float
    tint: Tint
    """Mean luma, blue and red difference in percent of the empty board's luma."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A frame's hands and loose blobs."""

    hand: Mask
    """Hands and arms, (n, n)."""
    near_hand: Mask
    """Hands with a margin."""
    loose: Mask
    """What is neither hand nor a piece known to lie there, but for specks."""
    blobs: tuple[Blob, ...]


class SceneReader:
    """Splits what differs from the empty board into hands and blobs."""

    def __init__(self, gate: Gate, half_mm: float, coin_radius_mm: float) -> None:
        self._gate = gate
        self._cell = gate.lattice.step**2
        self._coin_cells = np.pi * (coin_radius_mm / gate.lattice.step) ** 2
        outward = np.maximum(np.abs(gate.x), np.abs(gate.y)) - half_mm
        self._band, self._frame = (mask_of(outward > limit) for limit in (-BAND_MM, BEYOND_MM))
        self._open = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3))
        self._margin, self._cast = round_kernel(HAND_MARGIN_MM, gate), SHADOW_MM / gate.lattice.step + HALF_CELL
        self._close = round_kernel(GAP_MM, gate)
        self._entry = cv2.dilate(self._band, self._close)
        self._blank: Mask = np.zeros(gate.lattice.shape, np.uint8)
        self.shady = False
        """Whether pieces of the set pass for shade: then round shade is a disc."""

    def read(self, sight: Sight, explained: Mask) -> Scene:
        """Hands and blobs of a frame; `explained` (n, n) covers the pieces known to lie where they lay."""
        unknown = cv2.subtract(sight.solid, explained)
        if not (self.shady or cv2.countNonZero(unknown)):
            return Scene(self._blank, self._blank, self._blank, ())
        free = np.asarray(cv2.morphologyEx(unknown, cv2.MORPH_OPEN, self._open), np.uint8)
        window = _window(free, self._close.shape[0])
        hand, near = self._hands(free, window), self._blank
        if hand is not None:
            free = np.asarray(cv2.subtract(free, hand), np.uint8)
            near = self._near(hand, sight.shade)
        if self.shady and (discs := self._shady(sight.shade, free, explained, near)) is not None:
            free = np.asarray(cv2.bitwise_or(free, discs), np.uint8)
            window = _window(free, self._close.shape[0])
        return Scene(self._blank if hand is None else hand, near, free, self._blobs(sight, free, window))

    def _shady(self, shade: Mask, free: Mask, explained: Mask, near: Mask) -> Mask | None:
        """What passes for shade and may be a disc, away from hands and pieces that are known to lie there."""
        dark = np.asarray(cv2.subtract(cv2.subtract(shade, explained), near), np.uint8)
        return shady_discs(dark, free, self._coin_cells, np.asarray(self._open, np.uint8))

    def _hands(self, free: Mask, window: Window) -> Mask | None:
        """Large patches that reach in from outside, gaps between fingers and pale skin closed."""
        if not cv2.countNonZero(cv2.bitwise_and(free, self._entry)):
            return None
        closed = cv2.morphologyEx(free[window], cv2.MORPH_CLOSE, self._close)
        labels = _labels(closed)
        areas = np.bincount(labels[closed > 0])[1:] * self._cell
        hand = None
        for i in (np.flatnonzero(areas > HAND_LEAST_MM2) + 1).tolist():
            patch = cv2.inRange(labels, (i,), (i,))
            if not self._reaches_in(patch, window, areas[i - 1]):
                continue
            hand = self._blank.copy() if hand is None else hand
            cv2.bitwise_or(hand[window], patch, hand[window])
        return hand

    def _reaches_in(self, patch: cv2.typing.MatLike, window: Window, area_mm2: float) -> bool:
        """Whether a large patch of a window crosses the cushion, and the frame too unless it is too large for discs."""
        if not cv2.countNonZero(cv2.bitwise_and(patch, self._band[window])):
            return False
        beyond = cv2.countNonZero(cv2.bitwise_and(patch, self._frame[window])) * self._cell
        return bool(area_mm2 > CLUSTER_MM2 or beyond > BEYOND_MM2)

    def _near(self, hand: Mask, shade: Mask) -> Mask:
        """A hand with its margin, and the shadow that it casts beside itself."""
        window = _window(hand, 2 * round(self._cast))
        near, arm = self._blank.copy(), hand[window]
        away = cv2.distanceTransform(cv2.bitwise_not(arm), cv2.DIST_L2, 5)
        cast = cv2.bitwise_and(cv2.inRange(away, (0.0,), (self._cast,)), shade[window])
        near[window] = cv2.bitwise_or(cv2.dilate(arm, self._margin), cast)
        return near

    def _blobs(self, sight: Sight, free: Mask, window: Window) -> tuple[Blob, ...]:
        """The patches that no hand covers, those too large for one disc as several."""
        if not cv2.countNonZero(free):
            return ()
        found = _cells(free, window)
        areas = np.bincount(found.owner)
        discs, middles, count = [], [], len(areas)
        for i in (np.flatnonzero(areas[1:] * self._cell > LOOSE_LEAST_MM2) + 1).tolist():
            several = self._share_out(found, i, count) if areas[i] > TWO_DISCS * self._coin_cells else ()
            if len(several) < 2:
                discs.append(i)
                continue
            middles.append(several)
            discs += range(count, count + len(several))
            count += len(several)
        if not discs:
            return ()
        cells, places, tints = self._means(sight, found, count)
        places[len(areas) :] = np.concatenate([np.empty((0, 2)), *middles])
        board = self._gate.lattice.to_board(places[discs]).tolist()
        told = zip(board, (cells[discs] * self._cell).tolist(), tints[discs].tolist(), strict=True)
        return tuple(Blob(x, y, area, (luma, blue, red)) for (x, y), area, (luma, blue, red) in told)

    def _share_out(self, found: Cells, i: int, first: int) -> F64:
        """The middles (k, 2) (column, row) of the discs that patch `i` seems to be.

        Where it is two or more, each of its cells is given to the nearest: their numbers are `first` and those after.
        """
        cells = np.flatnonzero(found.owner == i)
        columns, rows = found.columns[cells], found.rows[cells]
        left, top = int(columns.min()) - 1, int(rows.min()) - 1
        patch = np.zeros((int(rows.max()) - top + 2, int(columns.max()) - left + 2), np.uint8)
        patch[rows - top, columns - left] = 1
        depth = np.asarray(cv2.distanceTransform(patch, cv2.DIST_L2, 3), np.float32)
        radius = float(np.sqrt(self._coin_cells / np.pi))
        middles = peaks(depth, SPLIT_DEPTH * radius, SPLIT_APART * radius) + np.array([left, top], np.float64)
        if len(middles) > 1:
            away = np.hypot(columns[:, None] - middles[:, 0], rows[:, None] - middles[:, 1])
            found.owner[cells] = first + away.argmin(1)
        return np.asarray(middles, np.float64)

    def _means(self, sight: Sight, found: Cells, count: int) -> tuple[NDArray[np.int64], F64, F64]:
        """Each patch's cells (count,), their middle (count, 2), and their mean luma, blue and red difference in percent
        of the empty board's luma (count, 3).
        """
        ground = self._gate.ground
        at = found.rows * ground.shape[1] + found.columns
        values = [found.columns, found.rows, *(p.take(at) for p in (*sight.yuv, sight.light.gain, ground))]
        cells = np.bincount(found.owner, minlength=count)
        sums = np.array([np.bincount(found.owner, v, count) for v in values])
        column, row, luma, blue, red, lit, bare = sums / np.maximum(cells, 1)
        tints = np.column_stack([luma, blue - 128, red - 128]) * (100 / np.maximum(8.0, bare * lit))[:, None]
        return cells, np.column_stack([column, row]), tints


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells (k,) of a mask, row by row, and which of its connected patches each belongs to."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    """In the lattice."""
    owner: NDArray[np.int64]
    """Number of the patch, from 1 on; given to others where a patch is shared out."""


def _cells(mask: Mask, window: Window) -> Cells:
    """The connected patches of a mask that lies in a window."""
    part = mask[window]
    inside = np.flatnonzero(part > 0)
    rows, columns = np.divmod(inside, part.shape[1])
    return Cells(rows + window[0].start, columns + window[1].start, _labels(part).take(inside).astype(np.int64))


def _labels(mask: cv2.typing.MatLike) -> Labels:
    """The number of the connected patch (h, w) of a mask that each cell belongs to, as OpenCV counts them.

    Labels of 16 bits take a third of the time of 32; OpenCV's statistics of the patches take longer than the labels.
    """
    labels = cv2.connectedComponentsWithAlgorithm(mask, 8, cv2.CV_16U, cv2.CCL_DEFAULT)[1]
    return np.asarray(labels, np.uint16)


def _window(mask: Mask, margin: int = 0) -> Window:
    """The part of a lattice that holds all of a mask, and `margin` cells around it.

    It begins at even cells, since components are numbered by blocks of two.
    """
    x, y, w, h = cv2.boundingRect(mask)
    left, top = max(0, x - margin) // 2 * 2, max(0, y - margin) // 2 * 2
    return slice(top, y + h + margin), slice(left, x + w + margin)


def round_kernel(radius_mm: float, gate: Gate) -> Mask:
    """A disc of so many mm on a gate's lattice, to close, open and widen masks with."""
    side = 2 * round(radius_mm / gate.lattice.step) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)
