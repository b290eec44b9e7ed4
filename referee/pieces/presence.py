"""What lies at a place: how much better a coin or a striker there explains the picture than the board without it.

One question for every circle, answered by a small convolutional network on a patch of the board about it, straightened
at the height of the discs' tops and scaled to the coin's size (`models/presence.onnx`; how it was trained and how well
it does: docs/presence.md). Colours are relative to the board around, so that no colour is known beforehand. What the
bare board shows there comes along: what was seen, or what the board shows where its symmetry repeats the place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64
from calibration.rings import F32

U8 = NDArray[np.uint8]

COIN_STEPS = 10.0
"""Patch steps in a coin's radius."""
PRESENCE_SIDE = 48
"""Steps along a patch's side: as far as the rim of the largest striker and what is beside it."""
PLANES = 8
"""Luma, blue and red difference, the same of the bare board, what may be printed by the book, what is no board."""
BOARD_STEP, BOARD_WINDOW = 8, 31
"""The board's own look about a place: medians of so many points of every so many, a third of the board."""
PRESENCE_HALF = 128
"""A point of every so many shows board where less of a hole is seen."""
PRESENCE_DARKEST = 24.0
"""Luma (levels) that a darker board is taken for: noise there says nothing."""
LEAST, PRESENCE_MOST = -1.5, 2.5
"""Between these shares of the board's luma differences from it are told."""
EXCHANGES = ((0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7), (0, 1), (2, 3), (4, 5), (6, 7), (2, 4),
             (3, 5), (1, 4), (3, 6), (1, 2), (3, 4), (5, 6))  # fmt: skip
"""Exchanges that sort eight (Knuth, The Art of Computer Programming 3, 5.3.4)."""
LEAVES = (5, 6, 7, 9, 10, 11, 13, 14)
"""An ornament may have so many leaves, which the four sides' symmetry does not repeat."""
RINGS, COARSE, PRESENCE_FINE = 48, 12, 48
"""Rings in which an ornament is looked at, steps in one leaf to count them, and to tell how it looks."""
PRESENCE_CLEARER = 0.85
"""Leaves repeat an ornament if by this share less is left unlike than by the four sides."""
OWN_PLACE = 1.3
"""So far from the middle, in coin radii, a disc there and its shade lie on all their symmetric places."""
NETWORK = "presence.onnx"
PLAIN = 6.0
"""Log odds, for or against, from which on a patch is asked once."""


@lru_cache(maxsize=1)
def _network() -> cv2.dnn.Net:
    weights = (resources.files("models") / NETWORK).read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(weights, np.uint8))


def log_odds(source: PatchSource, cells: F64) -> F64:
    """Log odds (n, 2) of a coin and of a striker against nothing with its middle at `cells` (n, 2) (column, row)."""
    return odds_of(source.patches(cells)) if len(cells) else np.zeros((0, 2))


def odds_of(patches: F32) -> F64:
    """The same (n, 2) of patches (n, PLANES, SIDE, SIDE); where it is not plain, the mean of the patch's eight turns.

    A board has no up and down, so that all eight ask the same. On circles that it never learned, their mean loses half
    as much as one alone (Simard, Steinkraus, Platt, 2003, on what a network shall not notice).
    """
    odds = _odds(patches)
    near = np.flatnonzero(np.abs(np.logaddexp(odds[:, 0], odds[:, 1])) < PLAIN)
    if len(near):
        sides = [np.rot90(patches[near], turn, (2, 3)) for turn in range(4)]
        turns = [*sides[1:], *(side.swapaxes(2, 3) for side in sides)]
        odds[near] = np.mean([odds[near], *(_odds(np.ascontiguousarray(turn)) for turn in turns)], axis=0)
    return odds


def _odds(patches: F32) -> F64:
    net = _network()
    net.setInput(patches)
    scores = np.asarray(net.forward(), np.float64)
    return np.asarray(scores[:, 1:] - scores[:, :1])


@dataclass(frozen=True, slots=True, eq=False)
class Circles:
    """Printed circles on the lattice on which it is asked what lies there."""

    cells: F64
    """Middles (n, 2) (column, row)."""
    steps: float
    """Radius."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownBare:
    """The bare board as it was seen, on the lattice on which it is asked what lies there."""

    yuv: U8
    """Y, U, V (3, h, w)."""
    known: U8
    """Not 0 (h, w) where it was seen."""


class PatchSource:
    """A board on a lattice as the network wants it: relative to the board's own light, and scaled to the coins."""

    def __init__(self, yuv: U8, prints: U8, holes: U8, coin_steps: float, middle: tuple[float, float] | None = None,
                 ornament_steps: float = 0.0, bare: F32 | None = None, circles: Circles | None = None,
                 remembered: KnownBare | None = None) -> None:  # fmt: skip
        """Y, U, V (3, h, w); `prints` and `holes` (h, w) are not 0 where lines may be printed and where no board is.

        A coin's radius takes `coin_steps`. The bare board (3, ...) is as `relative` gives it; where none was seen it is
        what the board shows at its symmetric places about the prints' `middle` (column, row): see `symmetric`. The
        centre circle is printed as most of the other `circles` are. What is `remembered` of the bare board goes before.
        """
        self._scale = COIN_STEPS / coin_steps
        self._size = (round(yuv.shape[2] * self._scale), round(yuv.shape[1] * self._scale))
        seen = relative(yuv, self._size, holes)
        if bare is None and middle is not None:
            column, row = ((float(m) + 0.5) * self._scale - 0.5 for m in middle)
            bare = symmetric(seen, (column, row), ornament_steps * self._scale)
            if circles is not None:
                _print_middle(
                    bare, (column, row), (circles.cells + 0.5) * self._scale - 0.5, circles.steps * self._scale
                )
        elif bare is None:
            bare = np.zeros_like(seen)
        if remembered is not None:
            then = relative(remembered.yuv, self._size, holes)
            known = cv2.resize(remembered.known, self._size, interpolation=cv2.INTER_NEAREST) > 0
            bare = np.where(known, then, bare)
        masks = [cv2.resize(mask, self._size, interpolation=cv2.INTER_AREA)[None] for mask in (prints, holes)]
        half = PRESENCE_SIDE // 2
        planes = np.concatenate([seen, bare, *(m.astype(np.float32) / 255 for m in masks)])
        self._planes = np.pad(planes, ((0, 0), (half, half), (half, half)), mode="edge")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of what is seen."""
        return self._size[1], self._size[0]

    def patches(self, cells: F64) -> F32:
        """What the network sees (n, PLANES, SIDE, SIDE) about `cells` (n, 2) (column, row) of the lattice."""
        at = np.floor((np.asarray(cells) + 0.5) * self._scale).astype(int)
        at = np.clip(at, 0, np.array(self._size) - 1)
        return np.stack(
            [self._planes[:, row : row + PRESENCE_SIDE, column : column + PRESENCE_SIDE] for column, row in at]
        )


def relative(yuv: U8, size: tuple[int, int], holes: U8) -> F32:
    """Luma, blue and red difference (3 of size) as differences from the board's own thereabouts, shares of its luma.

    Beyond rows and columns that show board, off `holes` (h, w), the board goes on as it ends.
    """
    bare = cv2.resize(holes, None, fx=1 / BOARD_STEP, fy=1 / BOARD_STEP, interpolation=cv2.INTER_AREA) < PRESENCE_HALF
    rows, columns = np.flatnonzero(bare.any(1)), np.flatnonzero(bare.any(0))
    grounds = [_ground(plane, size, rows, columns) for plane in yuv]
    full = np.maximum(grounds[0], PRESENCE_DARKEST)
    out = np.empty((3, size[1], size[0]), np.float32)
    for estimate, plane, ground, gain in zip(out, yuv, grounds, (1.0, 2.0, 2.0), strict=True):
        seen = cv2.resize(plane, size, interpolation=cv2.INTER_AREA).astype(np.float32)
        np.clip((seen - ground) / full * np.float32(gain), LEAST, PRESENCE_MOST, estimate)
    return out


def _ground(plane: U8, size: tuple[int, int], rows: NDArray[np.int64], columns: NDArray[np.int64]) -> F32:
    small = np.asarray(cv2.resize(plane, None, fx=1 / BOARD_STEP, fy=1 / BOARD_STEP, interpolation=cv2.INTER_AREA))
    if len(rows) and len(columns):
        down, across = (
            np.clip(np.arange(n), at[0], at[-1]) for n, at in zip(small.shape, (rows, columns), strict=True)
        )
        small = np.ascontiguousarray(small[down][:, across])
    usual = cv2.medianBlur(small, BOARD_WINDOW)
    return np.asarray(cv2.resize(usual, size, interpolation=cv2.INTER_LINEAR), np.float32)


def symmetric(seen: F32, middle: tuple[float, float], ornament: float = 0.0) -> F32:
    """What a board (3, h, w) shows at most of the eight places onto which its symmetry takes each of its points.

    Prints are drawn for four sides and both hands, so they are there; discs lie at few of the eight and are not. An
    ornament within so many steps of the middle may have another number of leaves, whichever repeats it best. The
    middle itself lies on all its places: nothing is known there, as if it were plain board.
    """
    estimate = _of_four_sides(seen, middle)
    if ornament > 0:
        _add_ornament(estimate, seen, middle, ornament)
    for plane in estimate:
        cv2.circle(plane, (round(middle[0]), round(middle[1])), round(OWN_PLACE * COIN_STEPS), 0.0, cv2.FILLED)
    return estimate


def _add_ornament(estimate: F32, seen: F32, middle: tuple[float, float], radius: float) -> None:
    """Changes `estimate` within a radius of the middle to what an ornament of some number of leaves repeats there, if
    any does so clearly better.
    """
    leaves = _leaves(estimate, seen, middle, radius)
    if not leaves:
        return
    height, width = seen.shape[1:]
    rows, columns = np.mgrid[:height, :width].astype(np.float32)
    away = np.hypot(columns - middle[0], rows - middle[1])
    inside = away < radius
    turn = np.arctan2(rows - middle[1], columns - middle[0])[inside] % math.tau * (leaves * PRESENCE_FINE / math.tau)
    across, down = (turn % PRESENCE_FINE + 0.5)[None], (away[inside] * (RINGS / radius) - 0.5)[None]
    for bare, plane in zip(estimate, seen, strict=True):
        rings = _polar(plane, middle, radius, leaves * PRESENCE_FINE)
        leaf = np.median(rings.reshape(RINGS, leaves, PRESENCE_FINE), 1).astype(np.float32)
        ring = np.concatenate([leaf[:, -1:], leaf, leaf[:, :1]], 1)
        bare[inside] = cv2.remap(ring, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)[0]


def _print_middle(estimate: F32, middle: tuple[float, float], circles: F64, radius: float) -> None:
    """Changes `estimate` (3, h, w) within a radius of the middle to what it shows within that of most other circles."""
    height, width = estimate.shape[1:]
    rows, columns = np.mgrid[:height, :width]
    away = np.hypot(columns - middle[0], rows - middle[1])
    inside, ways = away < radius, (np.arange(RINGS) + 0.5) * (radius / RINGS)
    for plane in estimate:
        rings = [_polar(plane, (float(x), float(y)), radius, PRESENCE_FINE) for x, y in circles]
        plane[inside] = np.interp(away[inside], ways, np.median(np.concatenate(rings, 1), 1))


def _leaves(estimate: F32, seen: F32, middle: tuple[float, float], radius: float) -> int:
    """How many leaves repeat best what is seen within a radius of the middle; 0 where the four sides do so as well."""
    steps = LEAVES[-1] * COARSE
    off = [
        _polar(a, middle, radius, steps) - _polar(b, middle, radius, steps) for a, b in zip(seen, estimate, strict=True)
    ]
    best, least = 0, PRESENCE_CLEARER * float(np.abs(off).mean())
    for leaves in LEAVES:
        rings = np.stack([_polar(plane, middle, radius, leaves * COARSE) for plane in seen])
        leaf = rings.reshape(3, RINGS, leaves, COARSE)
        unlike = float(np.abs(leaf - np.median(leaf, 2, keepdims=True)).mean())
        if unlike < least:
            best, least = leaves, unlike
    return best


def _polar(plane: F32, middle: tuple[float, float], radius: float, steps: int) -> F32:
    """A plane about the middle: rings (RINGS, steps) from within outwards, at so many steps of a turn."""
    turn = (np.arange(steps, dtype=np.float32) + np.float32(0.5)) * np.float32(math.tau / steps)
    away = (np.arange(RINGS, dtype=np.float32)[:, None] + np.float32(0.5)) * np.float32(radius / RINGS)
    across, down = np.float32(middle[0]) + away * np.cos(turn), np.float32(middle[1]) + away * np.sin(turn)
    return np.asarray(cv2.remap(plane, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)


def _of_four_sides(seen: F32, middle: tuple[float, float]) -> F32:
    """The same by the symmetry of the four sides and their two hands alone."""
    height, width = seen.shape[1:]
    reach = int(max(middle[0], middle[1], width - 1 - middle[0], height - 1 - middle[1])) + 1
    shift = np.array([[1, 0, reach - middle[0]], [0, 1, reach - middle[1]]], np.float64)
    side = 2 * reach + 1
    out = np.empty_like(seen)
    back = shift * np.array([[1, 1, -1], [1, 1, -1]])
    for estimate, plane in zip(out, seen, strict=True):
        levels = np.asarray((plane - LEAST) * (255 / (PRESENCE_MOST - LEAST)) + 0.5, np.uint8)
        centred = cv2.warpAffine(levels, shift, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
        quarter = np.s_[: reach + 1, : reach + 1]
        turns = [np.ascontiguousarray(np.rot90(centred, k)[quarter]) for k in range(4)]
        usual = _middle_of_eight(
            [np.asarray(t, np.uint8) for t in (*turns, *(np.ascontiguousarray(t.T) for t in turns))]
        )
        top = np.concatenate([usual, usual[:, -2::-1]], 1)
        whole = np.concatenate([top, top[-2::-1]]).astype(np.float32) * np.float32(
            (PRESENCE_MOST - LEAST) / 255
        ) + np.float32(LEAST)
        estimate[:] = cv2.warpAffine(
            whole, back, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
        )
    return out


def _middle_of_eight(planes: list[U8]) -> U8:
    """The mean (h, w) of the fourth and the fifth of eight planes at each point, by a network of exchanges."""
    p = list(planes)
    for a, b in EXCHANGES:
        p[a], p[b] = np.minimum(p[a], p[b]), np.maximum(p[a], p[b])
    return np.asarray(cv2.addWeighted(p[3], 0.5, p[4], 0.5, 0.0), np.uint8)
