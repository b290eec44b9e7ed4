"""Illumination: the light on the board now, relative to the light in which the bare board was learned.

Lamps, people and clouds change the board's brightness by region and its tint as a whole. Light varies slowly over the
board; coins, hands and prints vary within millimetres. Less light also means less colour: where the change is even over
the board, U and V keep their share of the luma.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.picture import U8

F32 = NDArray[np.float32]

BLOCKS = 12
"""Regions across the lattice, each about 70 mm wide: wider than a coin, narrower than a person's shadow."""
SUBSAMPLE = 4
"""Lattice points sampled each way are every fourth one: about fifty a region. So are points of which medians are taken.
"""
BARE_SPAN = 0.4
"""Greatest relative deviation of a bare point's luma ratio from the board's median."""
BARE_TINT = 7.0
"""Greatest deviation of a bare point's change of chroma from the board's median, levels."""
LIGHT_DARKEST, LIGHT_LEAST_POINTS = 24, 50
"""Least luma of a usable point, and least number of bare points."""
LIGHT_LEAST_BARE = 12
"""Bare points that a region needs; with fewer its light is interpolated from its neighbours'."""
NEAR_HUE = 0.7
"""Difference of tint below which two lights are equal, levels."""
LIGHT_GREY = 128.0
"""U and V of grey, levels."""
COLOUR_STEP = 0.05
"""Quantum of the colour factor: three levels of the strongest colours."""
UNEVEN, UNEVEN_SHARE = 0.1, 0.2
"""Uneven light: deviation of a region's factor, and share of regions that deviate. A single hand passes for other
light in some regions."""
ALIKE_SPAN, ALIKE_SHARE = 0.15, 0.7
"""Even light: relative deviation of a point's factor, and share of points within it."""
GAIN_SPAN = (0.2, 4.0)
"""Range of a region's factor, that of a black picture included: lights are compared by their ratio."""
LIGHT_SPAN_S, LIGHT_AGAIN_S = 0.3, 1.0
"""Time within which a change counts as sudden, and after which the eyes are used to it: then another one is reported,
shadows no longer pass for hands, and light that still flickers counts as steady."""
LIGHT_STEADY_S = 0.11
"""Time without change after which light is steady. Flights are judged by what was seen within it."""
RELIT_LEAST = 0.05
"""Change of a region's factor that stays below the noise."""
LIGHT_STEP, LIGHT_SHARE, LIGHT_HUE = 0.12, 0.3, 5.0
"""Sudden change: change of a region's factor, share of regions that change, or change of tint in levels."""


@dataclass(frozen=True, eq=False)
class Illumination:
    """Light relative to the learned light."""

    gain: NDArray[np.float32]
    """Factor of the luma, (n, n)."""
    tint: tuple[float, float]
    """Offset of U and V all over the board, levels."""
    blocks: NDArray[np.float32]
    """Luma factors by region, (BLOCKS, BLOCKS)."""
    colour: float
    """Factor of U and V about grey: the luma's in even light, in steps of `COLOUR_STEP`; else 1."""

    @classmethod
    def even(cls, shape: tuple[int, int]) -> Illumination:
        """Returns unchanged light."""
        return cls(np.ones(shape, np.float32), (0.0, 0.0), np.ones((BLOCKS, BLOCKS), np.float32), 1.0)

    @cached_property
    def uneven(self) -> bool:
        """Tells whether regions differ enough that colours may follow each region's own light."""
        return int(np.count_nonzero(np.abs(self.blocks - self.colour) > UNEVEN)) > UNEVEN_SHARE * self.blocks.size

    @property
    def shifts(self) -> tuple[float, float]:
        """Offsets to add to `colour` times U and V, levels."""
        blue, red = (LIGHT_GREY * (1.0 - self.colour) + more for more in self.tint)
        return blue, red


@dataclass(frozen=True, slots=True, eq=False)
class BareGround:
    """Bare-board points from which the light is measured while the same pieces lie on the board."""

    empty: U8
    hidden: U8
    cells: NDArray[np.int64]
    """Flat lattice indices, (k,), ordered by region."""
    starts: NDArray[np.int64]
    """First position of each region that has points."""
    block: NDArray[np.int64]
    """Index of each of those regions."""
    planes: F32
    """Y, U, V of the bare board there, (3, k)."""


class IlluminationMeter:
    """Measures the light over a lattice."""

    def __init__(self, inside: U8) -> None:
        self._shape = inside.shape
        self._inside = inside[::SUBSAMPLE, ::SUBSAMPLE] > 0
        rows, columns = self._inside.shape
        row, column = (np.minimum(np.arange(n) * BLOCKS // n, BLOCKS - 1) for n in (rows, columns))
        self._block = row[:, None] * BLOCKS + column[None, :]
        self._ground: BareGround | None = None

    def measure(self, now: U8, empty: U8, hidden: U8) -> Illumination:
        """Returns the light of samples `now` (3, n, n), given the bare board and where known pieces hide it (n, n).

        Neither `empty` nor `hidden` may change afterwards: they are compared by identity.
        """
        if self._ground is None or self._ground.empty is not empty or self._ground.hidden is not hidden:
            self._ground = self._bare_ground(empty, hidden)
        cells, b = self._ground.cells, self._ground.planes
        if len(cells) < LIGHT_LEAST_POINTS:
            return Illumination.even((self._shape[0], self._shape[1]))
        a = now.reshape(3, -1).take(cells, 1).astype(np.float32)
        ratio = a[0] / b[0]
        middle = median(ratio[::SUBSAMPLE])
        even = float(np.mean(np.abs(ratio - middle) < ALIKE_SPAN * middle)) > ALIKE_SHARE
        colour = max(1, round(middle / COLOUR_STEP)) * COLOUR_STEP if even else 1.0
        off = _off_colour(a, b, np.float32(colour))
        if not even:
            off = min(off, _off_colour(a, b, ratio), key=_spread)
        tints = np.array([[median(v[::SUBSAMPLE])] for v in off])
        bare = (np.abs(ratio - middle) < BARE_SPAN * middle) & (np.abs(off - tints) < BARE_TINT).all(0)
        if np.count_nonzero(bare) < LIGHT_LEAST_POINTS:
            bare[:] = True
        blue, red = off[:, bare].mean(1).tolist()
        blocks = self._fill(self._ground, bare, a[0])
        size = self._shape[1], self._shape[0]
        gain = cv2.resize(blocks, size, interpolation=cv2.INTER_LINEAR)
        return Illumination(np.asarray(gain, np.float32), (blue, red), blocks, colour)

    def _bare_ground(self, empty: U8, hidden: U8) -> BareGround:
        seen = empty[0, ::SUBSAMPLE, ::SUBSAMPLE] > LIGHT_DARKEST
        use = self._inside & seen & (hidden[::SUBSAMPLE, ::SUBSAMPLE] == 0)
        rows, columns = np.nonzero(use)
        cells, block = np.ravel_multi_index((rows * SUBSAMPLE, columns * SUBSAMPLE), self._shape), self._block[use]
        order = np.argsort(block, kind="stable")
        cells, block = cells[order], block[order]
        starts = np.flatnonzero(np.diff(block, prepend=-1))
        planes = empty.reshape(3, -1).take(cells, 1).astype(np.float32)
        return BareGround(empty, hidden, cells, starts, block[starts], planes)

    def _fill(self, ground: BareGround, bare: NDArray[np.bool_], luma: F32) -> F32:
        """Returns the luma factor of each region from its bare points (k,), smoothed; regions with too few points take
        their neighbours'.
        """
        sums = np.zeros((3, BLOCKS**2))
        values = np.array([luma * bare, ground.planes[0] * bare, bare], np.float64)
        sums[:, ground.block] = np.add.reduceat(values, ground.starts, axis=1)
        counts = sums[2]
        known = (counts >= LIGHT_LEAST_BARE).astype(np.float32).reshape(BLOCKS, BLOCKS)
        ratio = (sums[0] / np.maximum(sums[1], 1.0)).astype(np.float32).reshape(BLOCKS, BLOCKS) * known
        whole = float(sums[0].sum() / max(sums[1].sum(), 1.0))
        weight = cv2.GaussianBlur(known, (0, 0), 0.6) + 1e-3 * cv2.GaussianBlur(known, (0, 0), 3.0) + 1e-6
        value = cv2.GaussianBlur(ratio, (0, 0), 0.6) + 1e-3 * cv2.GaussianBlur(ratio, (0, 0), 3.0) + 1e-6 * whole
        return np.asarray(np.clip(value / weight, *GAIN_SPAN), np.float32)


def _off_colour(now: F32, then: F32, factor: F32 | np.float32) -> F32:
    """Returns the residual (levels) of U and V (2, k) of samples (3, k) against `factor` times another's."""
    return np.asarray(now[1:] - LIGHT_GREY - (then[1:] - LIGHT_GREY) * factor, np.float32)


def _spread(off: F32) -> float:
    """Returns the median absolute deviation (levels) of residuals (2, k), summed over U and V."""
    few = off[:, ::SUBSAMPLE]
    return sum(median(np.abs(v - median(v))) for v in few)


def _are_near(a: Illumination, b: Illumination) -> bool:
    """Tells whether two lights are equal within the noise."""
    hue = max(abs(p - q) for p, q in zip(a.tint, b.tint, strict=True))
    return hue < NEAR_HUE and float(np.abs(b.blocks / a.blocks - 1.0).max()) < RELIT_LEAST


def median(values: F32) -> float:
    """Returns the median of values (k,) without NaN. NumPy's own spends most of its time on the check for NaN.

    Sorting all values is quicker than partitioning, which many equal values slow down fivefold.
    """
    ordered, half = np.sort(values), len(values) // 2
    if len(values) % 2:
        return float(ordered[half])
    return float((ordered[half - 1] + ordered[half]) / 2)


def relit(planes: U8, then: Illumination, now: Illumination) -> U8:
    """Returns samples (3, n, n) converted from the light `then` to `now`; unchanged where both are nearly equal."""
    if _are_near(then, now):
        return planes
    luma = cv2.multiply(planes[0], cv2.divide(now.gain, then.gain), dtype=cv2.CV_8U)
    colour = now.colour / then.colour
    shifts = (b - colour * a for a, b in zip(then.shifts, now.shifts, strict=True))
    chroma = (cv2.convertScaleAbs(plane, alpha=colour, beta=d) for plane, d in zip(planes[1:], shifts, strict=True))
    return np.stack([luma, *chroma])


class IlluminationMonitor:
    """Detects sudden changes of the light over much of the board."""

    def __init__(self) -> None:
        self._past: deque[tuple[float, Illumination]] = deque()
        self._changes = -math.inf, -math.inf
        """Times of the first and the last of the changes that still go on."""
        self.steady = True
        """Whether the light has been constant for a moment. While it is not, differences may be light alone."""

    def has_changed(self, t: float, light: Illumination) -> bool:
        """Adds the light at time t. Returns True once for each sudden change; a lamp that flickers on is one."""
        self._past.append((t, light))
        while len(self._past) > 1 and self._past[1][0] <= t - LIGHT_SPAN_S:
            self._past.popleft()
        lately = next(past for when, past in self._past if when >= t - LIGHT_STEADY_S)
        first, last = self._changes
        is_fresh = (changes := _differ(self._past[0][1], light)) and t > last + LIGHT_AGAIN_S
        if changes:
            self._changes = t if is_fresh else first, t
        self.steady = t > self._changes[0] + LIGHT_AGAIN_S or not _differ(lately, light)
        return is_fresh


def _differ(a: Illumination, b: Illumination) -> bool:
    """Tells whether two lights differ over much of the board."""
    share = np.count_nonzero(np.abs(b.blocks / a.blocks - 1.0) > LIGHT_STEP) / b.blocks.size
    hue = max(abs(p - q) for p, q in zip(a.tint, b.tint, strict=True))
    return bool(share > LIGHT_SHARE or hue > LIGHT_HUE)
