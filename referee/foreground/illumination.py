"""Illumination: the light on the board now, relative to the light in which the bare board was learned.

Lamps, people and clouds change the board's brightness by region and its tint as a whole. Light varies slowly over the
board; coins, hands and prints vary within millimetres. Less light also means less colour: where the change is even over
the board, U and V keep their share of the luma.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from functools import cached_property, lru_cache

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
LIGHT_LATELY_S = 0.08
"""Light that two measurements found equal is not measured again for this long."""
GLANCE, GLANCE_STEP, GLANCE_SHARE = 12, 5, 0.05
"""Exception to `LIGHT_LATELY_S`: sampling step, difference in levels and share of points that differ."""
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
and shadows no longer pass for hands."""
LIGHT_STEADY_S = 0.11
"""Time without change after which light is steady. Flights are judged by what was seen within it."""
FLICKERS_S = 0.5
"""Light that changes for longer than this flickers, and counts as steady."""
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
    """Measures the light over a lattice: in each frame while it changes, else about every other one."""

    def __init__(self, inside: U8) -> None:
        self._shape = inside.shape
        self._inside = inside[::SUBSAMPLE, ::SUBSAMPLE] > 0
        rows, columns = self._inside.shape
        row, column = (np.minimum(np.arange(n) * BLOCKS // n, BLOCKS - 1) for n in (rows, columns))
        self._block = row[:, None] * BLOCKS + column[None, :]
        self._ground: BareGround | None = None
        self._last: Illumination | None = None
        self._glance = inside[::GLANCE, ::GLANCE]
        self._due, self._same = -math.inf, False

    def at(self, t: float, now: U8, empty: U8, hidden: U8) -> Illumination:
        """Returns the light of samples `now` (3, n, n) at t. A recent measurement is reused while the light is
        constant.
        """
        glance = now[0, ::GLANCE, ::GLANCE]
        if self._last is not None and self._same and t < self._due and _is_like(glance, self._glance):
            return self._last
        light = self.measure(now, empty, hidden)
        self._same = self._last is not None and _are_near(self._last, light)
        self._last, self._glance, self._due = light, glance.copy(), t + LIGHT_LATELY_S
        return light

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
        du, dv = (median(v[::SUBSAMPLE]) for v in off)
        bare = (np.abs(ratio - middle) < BARE_SPAN * middle) & _is_like_tint(off, du, dv)
        blue, red = off
        if np.count_nonzero(bare) < LIGHT_LEAST_POINTS:
            bare[:] = True
        known = np.flatnonzero(bare)
        tint = _mean(blue.take(known)), _mean(red.take(known))
        blocks = self._fill(self._ground, bare, a[0])
        size = self._shape[1], self._shape[0]
        gain = cv2.resize(blocks, size, interpolation=cv2.INTER_LINEAR)
        return Illumination(np.asarray(gain, np.float32), tint, blocks, colour)

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


def _is_like_tint(off: F32, du: float, dv: float) -> NDArray[np.bool_]:
    """Returns points whose residuals (2, k) are near the median ones."""
    return np.asarray((np.abs(off[0] - du) < BARE_TINT) & (np.abs(off[1] - dv) < BARE_TINT))


def _is_like(glance: U8, before: U8) -> bool:
    """Tells whether nearly all of a few luma points (k, k) of two frames are equal."""
    return int(np.count_nonzero(cv2.absdiff(glance, before) > GLANCE_STEP)) < GLANCE_SHARE * glance.size


def _are_near(a: Illumination, b: Illumination) -> bool:
    """Tells whether two lights are equal within the noise."""
    hue = max(abs(p - q) for p, q in zip(a.tint, b.tint, strict=True))
    return hue < NEAR_HUE and float(np.abs(b.blocks / a.blocks - 1.0).max()) < RELIT_LEAST


def _mean(values: F32) -> float:
    """Returns the mean of values (k,). It skips the checks on which NumPy's own spends most of its time for few
    values.
    """
    return float(np.add.reduce(values) / len(values))


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
        self._last = -LIGHT_AGAIN_S
        self._unlike = -math.inf, -math.inf
        self.steady = True
        """Whether the light has been constant for a moment. While it is not, differences may be light alone."""

    def has_changed(self, t: float, light: Illumination) -> bool:
        """Adds the light at time t. Returns True once for each sudden change."""
        self._past.append((t, light))
        while len(self._past) > 1 and self._past[1][0] <= t - LIGHT_SPAN_S:
            self._past.popleft()
        lately = next(past for when, past in self._past if when >= t - LIGHT_STEADY_S)
        self._keep_steady(t, not _differ(lately, light))
        if not _differ(self._past[0][1], light):
            return False
        fresh, self._last = t > self._last + LIGHT_AGAIN_S, t
        return fresh

    def _keep_steady(self, t: float, same: bool) -> None:
        """Updates whether the light is steady. A lamp that goes on flickering counts as steady."""
        if same:
            self.steady = True
            return
        if t > self._unlike[1] + FLICKERS_S:
            self._unlike = t, t
        self._unlike = self._unlike[0], t
        self.steady = t > self._unlike[0] + FLICKERS_S


@lru_cache(maxsize=4)
def _differ(a: Illumination, b: Illumination) -> bool:
    """Tells whether two lights differ over much of the board. Cached, because several frames ask for the same pair."""
    if a is b:
        return False
    share = np.count_nonzero(np.abs(b.blocks / a.blocks - 1.0) > LIGHT_STEP) / b.blocks.size
    hue = max(abs(p - q) for p, q in zip(a.tint, b.tint, strict=True))
    return bool(share > LIGHT_SHARE or hue > LIGHT_HUE)
