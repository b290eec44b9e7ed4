"""Camera shake: the small similarity transform of each picture from a camera that trembles or hunts for its focus.

At steep points of the bare board's picture a difference of luma is a shift (Lucas and Kanade, 1981). A camera on a pole
swings by a millimetre on the board when somebody walks by; without this, pieces at rest would seem to move.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibrate import first_few
from calibration.geometry.lattice import Lattice, Maps
from calibration.geometry.picture import U8, Picture, SimilarityTransform
from referee.foreground.background import BackgroundModel, Mask
from referee.foreground.illumination import median
from referee.foreground.segmentation import round_kernel
from referee.stabilise.baseline_monitor import FIT_ROUNDS

F32 = NDArray[np.float32]

PROBE_PX = 0.5
"""Step of the numeric gradients, pixels. Differences between lattice points would be too coarse."""
SHAKE_LEAST_SLOPE, REGIONS, SHAKE_MOST_CELLS = 5.0, 8, 40
"""Least gradient of a usable cell (levels a pixel), regions across the lattice, and cells used of each."""
SHAKE_EDGE_MM = 12.0
"""Distance from cushions and pockets within which cells are left out: their shade changes with the light."""
STILL_STEP = 4
"""For a camera at rest every fourth cell suffices."""
LEAST_CELLS = 200
"""Least number of visible cells for a measurement."""
FARTHEST_PX = 3.0
"""Greatest shift that a cell may indicate, and the whole picture. Beyond it the cell is covered, and the camera has
moved instead of trembling."""
OUTLYING = 1.5
"""Residual, in medians, that halves a cell's weight."""
EXPLAINED = 0.7
"""Greatest share of the differences left unexplained for a camera at rest to count as shaking."""
SHAKE_EVERY_S = 0.1
"""Interval between measurements of a camera at rest."""
SHAKES_MM, SHAKE_LEFT_MM, SHAKE_TRIES = 0.15, 0.08, 5
"""Least displacement on the board, residual at which iteration ends, and greatest number of iterations."""
SWINGS_MM = 0.2
"""Displacement between two measurements from which a camera swings."""
SWINGS_S = 0.6
"""A camera that moved this recently counts as swinging."""


SHAKE_STILL = SimilarityTransform()
AXES = ("right", "down", "turn", "zoom")


@dataclass(frozen=True, slots=True, eq=False)
class _Slopes:
    """Steep cells of the bare board's picture."""

    cells: NDArray[np.int64]
    """Flat lattice indices, (k,)."""
    maps: Maps
    """Remap tables of their luma, (1, k)."""
    gradients: F32
    """Change of luma (4, k) by a pixel right, a pixel down, a radian of turn and a unit of zoom, levels."""
    light: F32
    """Basis of slow changes of light (3, k): 1, and the place across and down from -1 to 1."""
    steep: F32
    """Magnitude of the gradient (k,), levels a pixel."""


class ShakeMeter:
    """Measures camera shake. Call `register` for each picture."""

    def __init__(self, background: BackgroundModel) -> None:
        self._background = background
        self._lattice: Lattice | None = None
        self._now: SimilarityTransform | None = None
        self._due = -math.inf
        self._past: deque[tuple[float, SimilarityTransform]] = deque()

    def steady(self, pictures: Sequence[Picture]) -> list[Picture]:
        """Returns the first pictures with their transforms, relative to the mean of the pictures that calibrate the
        camera.
        """
        first, surface = pictures[0], self._background.surface
        self._learn(first, surface)
        sampled = [self._background.lattice.planes(p) for p in pictures]
        expected = self._background.lattice.luma(sampled[0], self._slopes.maps, first.sway).astype(np.float32)
        sways = [self._measured(planes, None, expected, surface) or SHAKE_STILL for planes in sampled]
        few = first_few(sways)
        mean = SimilarityTransform(*(sum(getattr(s, name) for s in few) / len(few) for name in AXES))
        sways = [self._about(s.less(mean)) for s in sways]
        if max(map(self._mm, sways)) < SHAKES_MM:
            return list(pictures)
        steady = [replace(p, sway=s) for p, s in zip(pictures, sways, strict=True)]
        self._learn(steady[0], surface)
        return steady

    def register(self, picture: Picture, t: float, near_hand: Mask | None) -> tuple[Picture, U8]:
        """Returns a picture with its transform (None at rest), and its lattice samples (3, n, n)."""
        if self._lattice is not self._background.lattice:
            self._learn(picture, self._free(near_hand))
            self._now, self._due = None, -math.inf
            self._past.clear()
        planes, now = self._background.lattice.planes(picture), self._now
        if t >= self._due:
            self._now = now = self._measured(planes, now, self._expected(), self._free(near_hand))
            self._remember(t)
        under = picture if now is None else replace(picture, sway=now)
        return under, self._background.lattice.resample(planes, now)

    def _measured(
        self, planes: tuple[U8, ...], now: SimilarityTransform | None, expected: F32, free: Mask
    ) -> SimilarityTransform | None:
        """Returns the transform of a picture's planes, iterated from `now`; None at rest.

        Only steep cells are sampled for it. The whole lattice is sampled once the transform is known.
        """
        for _ in range(SHAKE_TRIES):
            luma = self._background.lattice.luma(planes, self._slopes.maps, now)
            estimate = self._estimate(luma, expected, free, STILL_STEP if now is None else 1)
            if estimate is None:
                return now
            more, left = estimate
            if self._mm(more) <= (SHAKES_MM if now is None else SHAKE_LEFT_MM) or (now is None and left >= EXPLAINED):
                return now
            now = self._about(more if now is None else now.after(more))
            if math.hypot(now.right, now.down) > FARTHEST_PX:
                return None
        return now

    def _remember(self, t: float) -> None:
        """Stores the present transform at time t, and updates since when the camera has been at rest."""
        now = self._now or SHAKE_STILL
        self._past.append((t, now))
        while self._past[0][0] <= t - SWINGS_S:
            self._past.popleft()
        self._background.swings = any(self._mm(past.less(now)) > SWINGS_MM for _, past in self._past)
        self._due = t if self._background.swings else t + SHAKE_EVERY_S
        if not self._background.swings and self._mm(now) < SHAKES_MM:
            self._now = None
        self._background.sways = self._now is not None

    def _about(self, sway: SimilarityTransform) -> SimilarityTransform:
        return replace(sway, middle=self._middle)

    def _mm(self, sway: SimilarityTransform) -> float:
        """Returns the greatest displacement of the board's corners by a transform, mm."""
        return sway.reach(self._corner) / self._px_per_mm

    def _free(self, near_hand: Mask | None) -> Mask:
        """Returns a mask of the cells where the bare board is known and visible."""
        free = cv2.subtract(self._background.known, self._background.hidden)
        return np.asarray(free if near_hand is None else cv2.subtract(free, near_hand), np.uint8)

    def _expected(self) -> F32:
        """Returns the luma (k,) of the bare board's steep cells, in the light of the last frame."""
        background, cells = self._background, self._slopes.cells
        assert background.empty is not None
        return np.asarray(background.empty[0].take(cells) * background.light.gain.take(cells), np.float32)

    def _learn(self, picture: Picture, free: Mask) -> None:
        """Learns the slopes of the board from a picture, within the mask `free` (n, n)."""
        lattice, crop = self._background.lattice, self._background.lattice.crop
        self._lattice = lattice
        self._middle = (crop.left + crop.right - 1) / 2, (crop.top + crop.bottom - 1) / 2
        self._corner = math.hypot(crop.right - crop.left, crop.bottom - crop.top) / 2
        self._px_per_mm = (crop.right - crop.left) / ((lattice.shape[1] - 1) * lattice.step)

        planes = lattice.planes(picture)

        def slope(right: float, down: float) -> F32:
            base = picture.sway or SHAKE_STILL
            ends = (self._about(base.after(SimilarityTransform(k * right, k * down))) for k in (1.0, -1.0))
            a, b = (lattice.resample(planes, end)[0] for end in ends)
            return np.asarray((a.astype(np.float32) - b).ravel() / np.float32(2 * PROBE_PX), np.float32)

        right, down = slope(PROBE_PX, 0.0), slope(0.0, PROBE_PX)
        bare = cv2.erode(self._background.surface, round_kernel(SHAKE_EDGE_MM, self._background))
        steep = np.hypot(right, down) * (cv2.bitwise_and(bare, free).ravel() > 0)
        cells = _spread(steep, lattice.shape)
        across, under = lattice.pixels(cells)
        x, y = across - np.float32(self._middle[0]), under - np.float32(self._middle[1])
        gx, gy = right[cells], down[cells]
        light = np.stack([np.ones_like(x), x / self._corner, y / self._corner]).astype(np.float32)
        gradients = np.stack([gx, gy, gy * x - gx * y, gx * x + gy * y])
        self._slopes = _Slopes(cells, lattice.luma_maps_of(cells), gradients, light, steep[cells])

    def _estimate(self, luma: U8, expected: F32, free: Mask, each: int = 1) -> tuple[SimilarityTransform, float] | None:
        """Returns the transform from `expected` (k,) to `luma` (k,) of the steep cells, and the share of the
        differences that it leaves.

        Only cells within the mask `free` are used, and of these one in `each`. None if too few are left.
        """
        s = self._slopes
        off = luma - expected
        these = np.flatnonzero((np.abs(off) < FARTHEST_PX * s.steep) & (free.take(s.cells) > 0))
        if len(these) < LEAST_CELLS:
            return None
        these = these[::each]
        lit = expected.take(these) * s.light.take(these, 1)
        return _fit(s.gradients.take(these, 1), off.take(these), lit, s.steep.take(these), self._corner)


def _spread(steep: F32, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Returns the steepest cells (k,) of each region of the lattice."""
    rows, columns = shape
    row, column = np.divmod(np.flatnonzero(steep > SHAKE_LEAST_SLOPE), columns)
    region = row * REGIONS // rows * REGIONS + column * REGIONS // columns
    cells = row * columns + column
    order = np.lexsort((-steep[cells], region))
    starts = np.searchsorted(region[order], region[order], side="left")
    return np.sort(cells[order][np.arange(len(order)) - starts < SHAKE_MOST_CELLS])


def _fit(gradients: F32, off: F32, lit: F32, steep: F32, reach: float) -> tuple[SimilarityTransform, float]:
    """Returns the transform that explains the differences `off` (k,), and the share of them that it leaves.

    Haze and slow changes of light (3, k) are fitted with it. Outliers weigh little (Geman and McClure, 1987).
    """
    scale = np.array([1.0, 1.0, 1 / reach, 1 / reach], np.float32)
    light = np.concatenate([np.ones_like(lit[:1]), lit / lit[0].mean()]) * np.float32(median(steep))
    rows, estimate = np.concatenate([gradients * scale[:, None], light]).T / steep[:, None], -off / steep
    weight, flat = np.ones(len(off), np.float32), 1e-3 * np.eye(rows.shape[1], dtype=np.float32)
    for _ in range(FIT_ROUNDS):
        held = rows * weight[:, None]
        step = np.linalg.solve(held.T @ rows + flat, held.T @ estimate)
        rest = np.abs(estimate - rows @ step)
        typical = max(OUTLYING * median(rest), 0.05)
        weight = np.asarray((1 / (1 + (rest / typical) ** 2)) ** 2, np.float32)
    without = np.abs(estimate - rows[:, 4:] @ step[4:])
    left = float(weight @ rest) / max(float(weight @ without), 1e-6)
    return SimilarityTransform(*(step[:4] * scale).tolist()), left
