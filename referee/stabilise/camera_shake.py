"""Sway: how a camera that trembles on its arm, or hunts for its focus, shows the board in each picture.

Prints and cushions tell it: where the empty board's picture is steep, a difference from it is a shift. A camera on a
pole swings by a millimetre on the board when somebody walks by, and what does not stand still would seem to move.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibrate import MOST_PICTURES
from calibration.geometry.lattice import Lattice, Maps
from calibration.geometry.picture import U8, Picture, Sway
from referee.foreground.background import SWINGS_S, Gate, Mask
from referee.foreground.illumination import median
from referee.foreground.segmentation import round_kernel

F32 = NDArray[np.float32]

PROBE_PX = 0.5
"""Slopes are told by looks from cameras swayed by so much to both sides: those between points would be too coarse."""
LEAST_SLOPE, REGIONS, MOST_CELLS = 5.0, 8, 40
"""Slopes (levels a pixel) that tell a sway, regions across the lattice, and how many cells are asked of each."""
EDGE_MM = 12.0
"""Nearer to a cushion or a hole the board lies in their shade, which comes and goes with the light."""
ROUGHLY = 4
"""Of a camera that stands still every so many of them tell well enough that it does."""
LEAST_CELLS = 200
"""Fewer tell nothing."""
FARTHEST_PX = 3.0
"""A cell that tells of more than this is hidden, or shows something else."""
ROUNDS, OUTLYING = 3, 1.5
"""Cells are weighed anew so often; one whose rest is so many times the median's counts half."""
EXPLAINED = 0.7
"""A camera that stood still is believed to sway where that leaves no more than this share of the differences."""
EVERY_S = 0.1
"""A camera that stands still is asked so often whether it does."""
SWAYS_MM, LEFT_MM, LOOKS = 0.15, 0.08, 5
"""More than this on the board is a sway; one is measured anew from where it left less, at most so many times."""
FARTHEST_MM = 4.0
"""A camera that shows the board farther away has been pushed."""
SWINGS_MM = 0.2
"""A camera swings that is seen so far from where it was."""


STILL = Sway()
WAYS = ("right", "down", "turn", "zoom")


@dataclass(frozen=True, slots=True, eq=False)
class _Slopes:
    """Where the empty board's picture is steep."""

    cells: NDArray[np.int64]
    """Numbers (k,) in the lattice."""
    maps: Maps
    """The lattice's luma maps (1, k) of them."""
    ways: F32
    """Levels (4, k) by which luma there changes a pixel of sway right, down, a radian of turn and a unit of zoom."""
    light: F32
    """1 and the place across and down (3, k) from -1 to 1: light may change so."""
    steep: F32
    """Levels a pixel (k,), whichever way."""


class SwayMeter:
    """Call `look` for each picture looked at."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._lattice: Lattice | None = None
        self._now: Sway | None = None
        self._due = -math.inf
        self._past: deque[tuple[float, Sway]] = deque()

    def steady(self, pictures: Sequence[Picture]) -> list[Picture]:
        """The first pictures, each with how far it is swayed from where those show the board on average in which a
        camera is measured.
        """
        first = pictures[0]
        self._learn(first, None)
        looked = [self._gate.lattice.planes(p) for p in pictures]
        expected = self._gate.lattice.luma(looked[0], self._slopes.maps, first.sway).astype(np.float32)
        sways = [self._measured(planes, None, expected, None) or STILL for planes in looked]
        few = sways[:MOST_PICTURES]
        mean = Sway(*(sum(getattr(s, name) for s in few) / len(few) for name in WAYS))
        sways = [self._about(s.less(mean)) for s in sways]
        if max(map(self._mm, sways)) < SWAYS_MM:
            return list(pictures)
        steady = [replace(p, sway=s) for p, s in zip(pictures, sways, strict=True)]
        self._learn(steady[0], None)
        return steady

    def look(self, picture: Picture, t: float, near_hand: Mask | None) -> tuple[Picture, U8]:
        """A picture with how far its camera is swayed, if it is, and the gate's look (3, n, n) at it."""
        if self._lattice is not self._gate.lattice:
            self._learn(picture, self._free(near_hand))
            self._now, self._due = None, -math.inf
            self._past.clear()
        planes, now = self._gate.lattice.planes(picture), self._now
        if t >= self._due:
            self._now = now = self._measured(planes, now, self._expected(), self._free(near_hand))
            self._remember(t)
        return _under(picture, now), self._gate.lattice.look_up(planes, now)

    def _measured(self, planes: tuple[U8, ...], now: Sway | None, expected: F32, free: Mask | None) -> Sway | None:
        """How far the camera of a picture's planes is swayed, if it is, from `now` on.

        Only where the board is steep is looked up for it: the whole once the sway is known.
        """
        for _ in range(LOOKS):
            luma = self._gate.lattice.luma(planes, self._slopes.maps, now)
            told = self._told(luma, expected, free, ROUGHLY if now is None else 1)
            if told is None or not self._is_more(now, *told):
                return now
            now = self._about(told[0] if now is None else now.after(told[0]))
            if self._mm(now) > FARTHEST_MM:
                return None
        return now

    def _is_more(self, now: Sway | None, more: Sway, left: float) -> bool:
        """Whether the camera is swayed by more than is known, if that leaves so much of the differences."""
        if now is None:
            return left < EXPLAINED and self._mm(more) > SWAYS_MM
        return self._mm(more) > LEFT_MM

    def _remember(self, t: float) -> None:
        """The camera was swayed as now at time t; notes for how long it has been."""
        now = self._now or STILL
        self._past.append((t, now))
        while self._past[0][0] < t - SWINGS_S:
            self._past.popleft()
        stirred = (when for when, past in reversed(self._past) if self._mm(past.less(now)) > SWINGS_MM)
        self._gate.stood_s = t - next(stirred, -math.inf)
        self._due = t if self._gate.swings else t + EVERY_S
        if not self._gate.swings and self._mm(now) < SWAYS_MM:
            self._now = None
        self._gate.sways = self._now is not None

    def _about(self, sway: Sway) -> Sway:
        return replace(sway, middle=self._middle)

    def _mm(self, sway: Sway) -> float:
        """By how much a sway moves the board's corners at most."""
        return sway.reach(self._corner) / self._px_per_mm

    def _free(self, near_hand: Mask | None) -> Mask:
        """Where the empty board is known and seen."""
        free = cv2.subtract(self._gate.known, self._gate.hidden)
        return np.asarray(free if near_hand is None else cv2.subtract(free, near_hand), np.uint8)

    def _expected(self) -> F32:
        """Luma (k,) of the empty board in the light of the last look, where it is steep."""
        gate, cells = self._gate, self._slopes.cells
        assert gate.empty is not None
        return np.asarray(gate.empty[0].take(cells) * gate.light.gain.take(cells), np.float32)

    def _learn(self, picture: Picture, free: Mask | None) -> None:
        """Takes the slopes of the board from a picture, where it is `free` in it (n, n)."""
        lattice, crop = self._gate.lattice, self._gate.lattice.crop
        self._lattice = lattice
        self._middle = (crop.left + crop.right - 1) / 2, (crop.top + crop.bottom - 1) / 2
        self._corner = math.hypot(crop.right - crop.left, crop.bottom - crop.top) / 2
        self._px_per_mm = (crop.right - crop.left) / ((lattice.shape[1] - 1) * lattice.step)

        planes = lattice.planes(picture)

        def slope(right: float, down: float) -> F32:
            base = picture.sway or STILL
            ends = (self._about(base.after(Sway(k * right, k * down))) for k in (1.0, -1.0))
            a, b = (lattice.look_up(planes, end)[0] for end in ends)
            return np.asarray((a.astype(np.float32) - b).ravel() / np.float32(2 * PROBE_PX), np.float32)

        right, down = slope(PROBE_PX, 0.0), slope(0.0, PROBE_PX)
        bare = cv2.erode(self._gate.surface, round_kernel(EDGE_MM, self._gate))
        seen = bare if free is None else cv2.bitwise_and(bare, free)
        steep = np.hypot(right, down) * (np.asarray(seen).ravel() > 0)
        cells = _spread(steep, lattice.shape)
        across, under = lattice.pixels(cells)
        x, y = across - np.float32(self._middle[0]), under - np.float32(self._middle[1])
        gx, gy = right[cells], down[cells]
        light = np.stack([np.ones_like(x), x / self._corner, y / self._corner]).astype(np.float32)
        ways = np.stack([gx, gy, gy * x - gx * y, gx * x + gy * y])
        self._slopes = _Slopes(cells, lattice.luma_maps_of(cells), ways, light, steep[cells])

    def _told(self, luma: U8, expected: F32, free: Mask | None, each: int = 1) -> tuple[Sway, float] | None:
        """How far a look's luma (k,) where the board is steep is swayed from what is `expected` (k,) there, by what is
        `free` of that, and what share of the differences that leaves; None where that tells nothing. One cell of `each`
        so many is asked.
        """
        s = self._slopes
        off = luma - expected
        use = np.abs(off) < FARTHEST_PX * s.steep
        if free is not None:
            use &= free.take(s.cells) > 0
        these = np.flatnonzero(use)
        if len(these) < LEAST_CELLS:
            return None
        these = these[::each]
        lit = expected.take(these) * s.light.take(these, 1)
        return _fit(s.ways.take(these, 1), off.take(these), lit, s.steep.take(these), self._corner)


def _under(picture: Picture, sway: Sway | None) -> Picture:
    """A picture whose camera has swayed so."""
    return picture if sway is None else replace(picture, sway=sway)


def _spread(steep: F32, shape: tuple[int, int]) -> NDArray[np.int64]:
    """The steepest cells (k,) of each region of the lattice."""
    rows, columns = shape
    row, column = np.divmod(np.flatnonzero(steep > LEAST_SLOPE), columns)
    region = row * REGIONS // rows * REGIONS + column * REGIONS // columns
    cells = row * columns + column
    order = np.lexsort((-steep[cells], region))
    starts = np.searchsorted(region[order], region[order], side="left")
    return np.sort(cells[order][np.arange(len(order)) - starts < MOST_CELLS])


def _fit(ways: F32, off: F32, lit: F32, steep: F32, reach: float) -> tuple[Sway, float]:
    """The sway that explains the differences `off` (k,), and what share of them it leaves.

    They are explained together with haze and with light (3, k) that may be other than thought; outliers weigh little
    (Geman and McClure, 1987).
    """
    scale = np.array([1.0, 1.0, 1 / reach, 1 / reach], np.float32)
    light = np.concatenate([np.ones_like(lit[:1]), lit / lit[0].mean()]) * np.float32(median(steep))
    rows, told = np.concatenate([ways * scale[:, None], light]).T / steep[:, None], -off / steep
    weight, flat = np.ones(len(off), np.float32), 1e-3 * np.eye(rows.shape[1], dtype=np.float32)
    for _ in range(ROUNDS):
        held = rows * weight[:, None]
        way = np.linalg.solve(held.T @ rows + flat, held.T @ told)
        rest = np.abs(told - rows @ way)
        typical = max(OUTLYING * median(rest), 0.05)
        weight = np.asarray((1 / (1 + (rest / typical) ** 2)) ** 2, np.float32)
    without = np.abs(told - rows[:, 4:] @ way[4:])
    left = float(weight @ rest) / max(float(weight @ without), 1e-6)
    return Sway(*(way[:4] * scale).tolist()), left
