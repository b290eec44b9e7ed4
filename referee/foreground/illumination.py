"""The light on the board now, against the light in which its empty look was remembered.

Lamps are switched, people lean in and clouds pass: the board's brightness changes by region, its tint as a whole. What
changes so slowly over the board is light; coins, hands and prints change within millimetres. Less light makes less of
a colour too: where it is much the same all over the board, the blue and red differences keep their share of the luma.
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
"""Regions across the lattice, each about 70 mm wide: wider than a coin, narrower than a shadow."""
SUBSAMPLE = 4
"""Every fourth point each way is looked at: some fifty of a region."""
BARE_SPAN = 0.4
"""Points whose luma ratio differs from the board's median by less than this share may be bare board in other light."""
BARE_TINT = 7.0
"""Points whose chroma differs from the board's median change by less than this may be bare board."""
DARKEST, LEAST_POINTS = 24, 50
"""Darker points of the board (luma levels) tell nothing of the light, and so few bare ones too little."""
ROUGHLY = 4
"""Every fourth of the points tells well enough what most of them show."""
LEAST_BARE = 12
"""A region needs this many bare points to tell its light; else its neighbours tell it."""
LATELY_S = 0.08
"""Light that is the same but for noise in two measurements is not measured again for so long."""
GLANCE, GLANCE_STEP, GLANCE_SHARE = 12, 5, 0.05
"""Unless of every so many points each way such a share differs by more than so many levels from then."""
NEAR_HUE = 0.7
"""Tints that differ by fewer levels are the same."""
GREY = 128.0
"""The blue and the red difference of what has no colour, levels."""
COLOUR_STEP = 0.05
"""Colours gain or lose in such steps: of the strongest ones each is three levels."""
UNEVEN, UNEVEN_SHARE = 0.1, 0.2
"""Colours of a region are also held against those of its own light where that differs by more than this in so many of
the regions: a hand, too, is taken for other light in some.
"""
SHADED_SHARE = 0.15
"""So many points of the board lie in a person's shadow."""
ALIKE_SPAN, ALIKE_SHARE = 0.15, 0.7
"""Light changes all over the board where so many points change by the same factor to within this share of it."""
GAIN_SPAN = (0.2, 4.0)
LIGHT_SPAN_S, LIGHT_AGAIN_S = 0.3, 1.0
"""The moment within which a change counts as sudden, and how long none must follow before another is told."""
STEADY_S = 0.11
"""Light that has been the same for so long is steady: flights are told by what was seen within this time."""
FLICKERS_S = 0.5
"""Light that keeps changing for longer flickers."""
RELIT_LEAST = 0.05
"""Light that differs less anywhere changes no look beyond the noise."""
LIGHT_STEP, LIGHT_SHARE, LIGHT_HUE = 0.12, 0.3, 5.0
"""The light has changed when this share of the regions differs so much, or the tint by so many levels, so quickly."""


@dataclass(frozen=True, eq=False)
class Light:
    """Light now relative to the remembered light."""

    gain: NDArray[np.float32]
    """Factor of the luma (n, n)."""
    tint: tuple[float, float]
    """What more of blue and red there is (levels), the same everywhere."""
    blocks: NDArray[np.float32]
    """The factors by region (BLOCKS, BLOCKS)."""
    colour: float
    """Factor of how far the blue and red differences are from grey: that of the luma where it is much the same over the
    board, in steps so large that noise leaves it as it is; else 1."""

    @classmethod
    def even(cls, shape: tuple[int, int]) -> Light:
        """Unchanged light."""
        return cls(np.ones(shape, np.float32), (0.0, 0.0), np.ones((BLOCKS, BLOCKS), np.float32), 1.0)

    @cached_property
    def uneven(self) -> bool:
        """Whether so many regions are lit so much more or less than colours are that their own colours may be too."""
        return int(np.count_nonzero(np.abs(self.blocks - self.colour) > UNEVEN)) > UNEVEN_SHARE * self.blocks.size

    @property
    def shifts(self) -> tuple[float, float]:
        """What is to be added to `colour` times the blue and the red difference (levels)."""
        blue, red = (GREY * (1.0 - self.colour) + more for more in self.tint)
        return blue, red


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The points of the empty board that tell the light while the same pieces lie on it."""

    empty: U8
    hidden: U8
    cells: NDArray[np.int64]
    """Their numbers (k,) in the lattice, row by row."""
    starts: NDArray[np.int64]
    """Where among them each region that has any begins: they are in the regions' order."""
    block: NDArray[np.int64]
    """The number of each of those regions."""
    look: F32
    """Y, U, V (3, k) of the empty board there."""


class LightMeter:
    """Measures the light over a lattice: of each frame while it changes or flickers, else of every other one or so."""

    def __init__(self, inside: U8) -> None:
        self._shape = inside.shape
        self._inside = inside[::SUBSAMPLE, ::SUBSAMPLE] > 0
        rows, columns = self._inside.shape
        row, column = (np.minimum(np.arange(n) * BLOCKS // n, BLOCKS - 1) for n in (rows, columns))
        self._block = row[:, None] * BLOCKS + column[None, :]
        self._ground: Ground | None = None
        self._last: Light | None = None
        self._glance: U8 | None = None
        self._due, self._same = -math.inf, False

    def at(self, t: float, now: U8, empty: U8, hidden: U8) -> Light:
        """The light of a look `now` (3, n, n) at time t, measured or, where it has been the same, that of lately."""
        glance = now[0, ::GLANCE, ::GLANCE]
        if self._last is not None and self._same and t < self._due and _is_like(glance, self._glance):
            return self._last
        light = self.measure(now, empty, hidden)
        self._same = self._last is not None and _are_near(self._last, light)
        self._last, self._glance, self._due = light, glance.copy(), t + LATELY_S
        return light

    def measure(self, now: U8, empty: U8, hidden: U8) -> Light:
        """The light of a look `now` (3, n, n), given the empty board and where known pieces hide it (n, n).

        Neither `empty` nor `hidden` may be changed afterwards; others take their places.
        """
        if self._ground is None or self._ground.empty is not empty or self._ground.hidden is not hidden:
            self._ground = self._bare_ground(empty, hidden)
        cells, b = self._ground.cells, self._ground.look
        if len(cells) < LEAST_POINTS:
            return Light.even((self._shape[0], self._shape[1]))
        a = now.reshape(3, -1).take(cells, 1).astype(np.float32)
        ratio = a[0] / b[0]
        middle = median(ratio[::ROUGHLY])
        even = float(np.mean(np.abs(ratio - middle) < ALIKE_SPAN * middle)) > ALIKE_SHARE
        colour = round(middle / COLOUR_STEP) * COLOUR_STEP if even else 1.0
        off = _off_colour(a, b, np.float32(colour))
        if not even:
            off = min(off, _off_colour(a, b, ratio), key=_spread)
        du, dv = (median(v[::ROUGHLY]) for v in off)
        near = np.abs(ratio - middle) < BARE_SPAN * middle
        bare = near & _is_like_tint(off, du, dv)
        other = near & ~bare
        # In a shadow colours lose what the luma loses; coins and hands of the board's hue are smaller than a person's.
        if np.count_nonzero(other) > SHADED_SHARE * len(bare):
            own = _off_colour(a, b, ratio)
            shaded = other & _is_like_tint(own, du, dv)
            if np.count_nonzero(shaded) > SHADED_SHARE * len(bare):
                bare |= shaded
                off = np.where(shaded, own, off)
        blue, red = off
        if np.count_nonzero(bare) < LEAST_POINTS:
            bare[:] = True
        known = np.flatnonzero(bare)
        tint = _mean(blue.take(known)), _mean(red.take(known))
        blocks = self._fill(self._ground, bare, a[0])
        size = self._shape[1], self._shape[0]
        gain = cv2.resize(np.clip(blocks, *GAIN_SPAN), size, interpolation=cv2.INTER_LINEAR)
        return Light(np.asarray(gain, np.float32), tint, blocks, colour)

    def _bare_ground(self, empty: U8, hidden: U8) -> Ground:
        seen = empty[0, ::SUBSAMPLE, ::SUBSAMPLE] > DARKEST
        use = self._inside & seen & (hidden[::SUBSAMPLE, ::SUBSAMPLE] == 0)
        rows, columns = np.nonzero(use)
        cells, block = np.ravel_multi_index((rows * SUBSAMPLE, columns * SUBSAMPLE), self._shape), self._block[use]
        order = np.argsort(block, kind="stable")
        cells, block = cells[order], block[order]
        starts = np.flatnonzero(np.diff(block, prepend=-1))
        look = empty.reshape(3, -1).take(cells, 1).astype(np.float32)
        return Ground(empty, hidden, cells, starts, block[starts], look)

    def _fill(self, ground: Ground, bare: NDArray[np.bool_], luma: F32) -> F32:
        """Ratio of the sums of bare points (k,) by region, smoothed; regions that show too little take their
        neighbours'.
        """
        sums = np.zeros((3, BLOCKS**2))
        values = np.array([luma * bare, ground.look[0] * bare, bare], np.float64)
        sums[:, ground.block] = np.add.reduceat(values, ground.starts, axis=1)
        counts = sums[2]
        known = (counts >= LEAST_BARE).astype(np.float32).reshape(BLOCKS, BLOCKS)
        ratio = (sums[0] / np.maximum(sums[1], 1.0)).astype(np.float32).reshape(BLOCKS, BLOCKS) * known
        whole = float(sums[0].sum() / max(sums[1].sum(), 1.0))
        weight = cv2.GaussianBlur(known, (0, 0), 0.6) + 1e-3 * cv2.GaussianBlur(known, (0, 0), 3.0) + 1e-6
        value = cv2.GaussianBlur(ratio, (0, 0), 0.6) + 1e-3 * cv2.GaussianBlur(ratio, (0, 0), 3.0) + 1e-6 * whole
        return np.asarray(value / weight, np.float32)


def _off_colour(now: F32, then: F32, factor: F32 | np.float32) -> F32:
    """How far (levels) the blue and red differences (2, k) of a look (3, k) are from `factor` times another's."""
    return np.asarray(now[1:] - GREY - (then[1:] - GREY) * factor, np.float32)


def _spread(off: F32) -> float:
    """How far (levels) every few of the colours (2, k) that are off are from being off alike, at the median."""
    few = off[:, ::ROUGHLY]
    return sum(median(np.abs(v - median(v))) for v in few)


def _is_like_tint(off: F32, du: float, dv: float) -> NDArray[np.bool_]:
    """Which colours (2, k) are off by much the same as most are."""
    return np.asarray((np.abs(off[0] - du) < BARE_TINT) & (np.abs(off[1] - dv) < BARE_TINT))


def _is_like(glance: U8, before: U8 | None) -> bool:
    """Whether nearly all of a few points (k, k) of two looks are as bright."""
    if before is None:
        return False
    return int(np.count_nonzero(cv2.absdiff(glance, before) > GLANCE_STEP)) < GLANCE_SHARE * glance.size


def _are_near(a: Light, b: Light) -> bool:
    """Whether two lights are the same but for noise."""
    hue = max(abs(p - q) for p, q in zip(a.tint, b.tint, strict=True))
    return hue < NEAR_HUE and float(np.abs(b.blocks / a.blocks - 1.0).max()) < RELIT_LEAST


def _mean(values: F32) -> float:
    """NumPy's own mean (k,) spends most of its time on what a few values may be."""
    return float(np.add.reduce(values) / len(values))


def median(values: F32) -> float:
    """The median of values (k,) that are all numbers; NumPy's own spends most of its time on those that are not.

    Sorting them all is quicker than parting them in two, which many equal values slow down fivefold.
    """
    ordered, half = np.sort(values), len(values) // 2
    if len(values) % 2:
        return float(ordered[half])
    return float((ordered[half - 1] + ordered[half]) / 2)


def relit(look: U8, then: Light, now: Light) -> U8:
    """A look (3, n, n) as it would be in the light `now`; the same one where the light is much the same."""
    tint = [round(b - a) for a, b in zip(then.tint, now.tint, strict=True)]
    if not any(tint) and float(np.abs(now.blocks / then.blocks - 1.0).max()) < RELIT_LEAST:
        return look
    luma = cv2.multiply(look[0], cv2.divide(now.gain, then.gain), dtype=cv2.CV_8U)
    colour = now.colour / then.colour
    shifts = (b - colour * a for a, b in zip(then.shifts, now.shifts, strict=True))
    chroma = (cv2.convertScaleAbs(plane, alpha=colour, beta=d) for plane, d in zip(look[1:], shifts, strict=True))
    return np.stack([luma, *chroma])


class LightWatch:
    """Notices when the light changes over much of the board within a moment, and while it does."""

    def __init__(self) -> None:
        self._past: deque[tuple[float, Light]] = deque()
        self._last = -LIGHT_AGAIN_S
        self._unlike = -math.inf, -math.inf
        self.steady = True
        """Whether the light is what it was a moment ago; what differs may be no more than light while it is not."""

    def has_changed(self, t: float, light: Light) -> bool:
        """Takes in the light at time t; True once for each change."""
        self._past.append((t, light))
        while len(self._past) > 1 and self._past[1][0] <= t - LIGHT_SPAN_S:
            self._past.popleft()
        lately = next(past for when, past in self._past if when >= t - STEADY_S)
        self._keep_steady(t, not _differ(lately, light))
        if not _differ(self._past[0][1], light):
            return False
        fresh, self._last = t > self._last + LIGHT_AGAIN_S, t
        return fresh

    def _keep_steady(self, t: float, same: bool) -> None:
        """A lamp that goes on flickering is the light to play by."""
        if same:
            self.steady = True
            return
        if t > self._unlike[1] + FLICKERS_S:
            self._unlike = t, t
        self._unlike = self._unlike[0], t
        self.steady = t > self._unlike[0] + FLICKERS_S


@lru_cache(maxsize=4)
def _differ(a: Light, b: Light) -> bool:
    """Whether two lights differ over much of the board; several frames ask of the same two."""
    if a is b:
        return False
    share = np.count_nonzero(np.abs(b.blocks / a.blocks - 1.0) > LIGHT_STEP) / b.blocks.size
    hue = max(abs(p - q) for p, q in zip(a.tint, b.tint, strict=True))
    return bool(share > LIGHT_SHARE or hue > LIGHT_HUE)
