"""Estimates what lies at a place: the log odds of a coin or a striker there against the empty board.

A small convolutional network judges each circle by the patch around it. The patch is a view from straight above at the
height of the discs' tops, scaled to the coin's size (`models/presence.onnx`; training and accuracy: docs/presence.md).
Colours are relative to the board around, so none has to be known beforehand. The patch includes the empty board there:
as it was observed, or as the board's symmetry predicts it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64
from calibration.geometry.lattice import Lattice
from calibration.geometry.picture import U8
from calibration.rings import F32
from referee.pieces.learned_network import DARKEST_GROUND, LEAST_TONE, PATCH_SIDE, network

COIN_STEPS = 10.0
"""Coin radius in patch steps."""
BOARD_STEP, BOARD_WINDOW = 8, 31
"""The board's local colour is the median of this many points a side, each the mean of this many lattice points a side:
a third of the board."""
PRESENCE_MOST = 2.5
"""Greatest difference from the board, as a share of its luma."""
LEAF_COUNTS = (5, 6, 7, 9, 10, 11, 13, 14)
"""Numbers of leaves of an ornament that the symmetry of the four sides does not repeat."""
POLAR_STEPS, LEAF_COARSE_STEPS = 48, 12
"""Rings of an ornament that are sampled and steps in a leaf to reconstruct it, and steps in a leaf to count them."""
MIDDLE_RADII = 1.3
"""Distance from the centre, in coin radii, within which a disc and its shadow cover all their symmetric places."""
PRESENCE_NETWORK = "presence.onnx"


def log_odds(source: PatchSource, cells: F64) -> F64:
    """Returns log odds (n, 2) of a coin and of a striker against nothing, centred at `cells` (n, 2) (column, row)."""
    return patch_log_odds(source.patches(cells)) if len(cells) else np.zeros((0, 2))


def patch_log_odds(patches: F32) -> F64:
    """Returns log odds (n, 2) of patches (n, 8, SIDE, SIDE)."""
    net = network(PRESENCE_NETWORK)
    net.setInput(patches)
    scores = np.asarray(net.forward(), np.float64)
    return np.asarray(scores[:, 1:] - scores[:, :1])


@dataclass(frozen=True, slots=True, eq=False)
class PrintedCircles:
    """Printed circles on the lattice."""

    cells: F64
    """Centres (n, 2) (column, row)."""
    steps: float
    """Radius in lattice steps."""


@dataclass(frozen=True, slots=True, eq=False)
class BareBoard:
    """The empty board as it was observed, at the height of the coins' tops."""

    lattice: Lattice
    yuv: U8
    """Y, U, V (3, h, w)."""
    known: U8
    """Not 0 (h, w) where it was observed."""

    def on(self, lattice: Lattice) -> BareBoard:
        """Returns the same on another lattice."""
        size = lattice.shape[1], lattice.shape[0]
        ends = np.array([(0.0, 0.0), (size[0] - 1.0, 0.0), (0.0, size[1] - 1.0)])
        there = self.lattice.to_cells(lattice.to_board(ends))
        move = cv2.getAffineTransform(ends.astype(np.float32), there.astype(np.float32))

        def moved(plane: U8, how: int) -> U8:
            out = cv2.warpAffine(plane, move, size, flags=how | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE)
            return np.asarray(out, np.uint8)

        yuv = np.stack([moved(plane, cv2.INTER_LINEAR) for plane in self.yuv])
        return BareBoard(lattice, yuv, moved(self.known, cv2.INTER_NEAREST))


class PatchSource:
    """Cuts the network's patches from a board: relative to the board's local colour and scaled to the coins."""

    def __init__(self, yuv: U8, prints: U8, holes: U8, coin_steps: float, middle: tuple[float, float] | None = None,
                 ornament_steps: float = 0.0, bare: F32 | None = None, circles: PrintedCircles | None = None,
                 remembered: BareBoard | None = None) -> None:  # fmt: skip
        """`yuv` (3, h, w). `prints` and `holes` (h, w): not 0 where lines may be printed and where there is no
        board.

        `coin_steps`: a coin's radius. `bare` (3, ...): the empty board as `relative_planes` returns it. Without it the
        empty board is estimated by its symmetry around the prints' `middle` (column, row): see `symmetric_estimate`.
        The centre circle is assumed printed like most of the other `circles`. `remembered` has precedence over either.
        """
        self._scale = COIN_STEPS / coin_steps
        self.size = (round(yuv.shape[2] * self._scale), round(yuv.shape[1] * self._scale))
        """Columns and rows at the scale of the patches."""
        image = relative_planes(yuv, self.size, holes)
        if bare is None and middle is not None:
            column, row = ((float(m) + 0.5) * self._scale - 0.5 for m in middle)
            bare = symmetric_estimate(image, (column, row), ornament_steps * self._scale)
            if circles is not None:
                _copy_circles_to_middle(
                    bare, (column, row), (circles.cells + 0.5) * self._scale - 0.5, circles.steps * self._scale
                )
        elif bare is None:
            bare = np.zeros_like(image)
        if remembered is not None:
            then = relative_planes(remembered.yuv, self.size, holes)
            known = cv2.resize(remembered.known, self.size, interpolation=cv2.INTER_NEAREST) > 0
            bare = np.where(known, then, bare)
        masks = [cv2.resize(mask, self.size, interpolation=cv2.INTER_AREA)[None] for mask in (prints, holes)]
        half = PATCH_SIDE // 2
        planes = np.concatenate([image, bare, *(m.astype(np.float32) / 255 for m in masks)])
        self._planes = np.pad(planes, ((0, 0), (half, half), (half, half)), mode="edge")

    def patches(self, cells: F64) -> F32:
        """Returns the network's input (n, 8, SIDE, SIDE) around `cells` (n, 2) (column, row) of the lattice: luma, blue
        and red difference; the same of the empty board; where the book has prints; where there is no board.
        """
        at = np.floor((np.asarray(cells) + 0.5) * self._scale).astype(int)
        at = np.clip(at, 0, np.array(self.size) - 1)
        return np.stack([self._planes[:, row : row + PATCH_SIDE, column : column + PATCH_SIDE] for column, row in at])


def relative_planes(yuv: U8, size: tuple[int, int], holes: U8) -> F32:
    """Returns luma, blue and red difference (3 of `size`) minus the board's local ones, as shares of the local luma.

    Outside the rows and columns that show board, off `holes` (h, w), the local colour is that of the nearest ones.
    """
    bare = cv2.resize(holes, None, fx=1 / BOARD_STEP, fy=1 / BOARD_STEP, interpolation=cv2.INTER_AREA) < 255
    rows, columns = np.flatnonzero(bare.any(1)), np.flatnonzero(bare.any(0))
    grounds = [_local_level(plane, size, rows, columns) for plane in yuv]
    full = np.maximum(grounds[0], DARKEST_GROUND)
    out = np.empty((3, size[1], size[0]), np.float32)
    for estimate, plane, ground, gain in zip(out, yuv, grounds, (1.0, 2.0, 2.0), strict=True):
        image = cv2.resize(plane, size, interpolation=cv2.INTER_AREA).astype(np.float32)
        np.clip((image - ground) / full * np.float32(gain), LEAST_TONE, PRESENCE_MOST, estimate)
    return out


def _local_level(plane: U8, size: tuple[int, int], rows: NDArray[np.int64], columns: NDArray[np.int64]) -> F32:
    small = np.asarray(cv2.resize(plane, None, fx=1 / BOARD_STEP, fy=1 / BOARD_STEP, interpolation=cv2.INTER_AREA))
    if len(rows) and len(columns):
        down, across = (
            np.clip(np.arange(n), at[0], at[-1]) for n, at in zip(small.shape, (rows, columns), strict=True)
        )
        small = np.ascontiguousarray(small[down][:, across])
    median = cv2.medianBlur(small, BOARD_WINDOW)
    return np.asarray(cv2.resize(median, size, interpolation=cv2.INTER_LINEAR), np.float32)


def symmetric_estimate(image: F32, middle: tuple[float, float], ornament: float) -> F32:
    """Returns an estimate of the empty board (3, h, w): the median over the eight places that symmetry maps to each.

    Prints are repeated on four sides and mirrored, so the median has them. Discs cover few of the eight places, so it
    does not have them. An ornament within `ornament` steps of the middle may have another number of leaves; the one
    that repeats it best is used. The centre maps to itself, so nothing is known there and plain board is assumed.
    """
    estimate = _fourfold_estimate(image, middle)
    _add_ornament(estimate, image, middle, ornament)
    for plane in estimate:
        cv2.circle(plane, (round(middle[0]), round(middle[1])), round(MIDDLE_RADII * COIN_STEPS), 0.0, cv2.FILLED)
    return estimate


def _add_ornament(estimate: F32, image: F32, middle: tuple[float, float], radius: float) -> None:
    """Changes `estimate` within a radius of the middle to an ornament's repeated leaf, if that is clearly better."""
    leaves = _leaf_count(estimate, image, middle, radius)
    if not leaves:
        return
    height, width = image.shape[1:]
    rows, columns = np.mgrid[:height, :width].astype(np.float32)
    radii = np.hypot(columns - middle[0], rows - middle[1])
    inside = radii < radius
    turn = np.arctan2(rows - middle[1], columns - middle[0])[inside] % math.tau * (leaves * POLAR_STEPS / math.tau)
    across, down = (turn % POLAR_STEPS + 0.5)[None], (radii[inside] * (POLAR_STEPS / radius) - 0.5)[None]
    for bare, plane in zip(estimate, image, strict=True):
        rings = _polar(plane, middle, radius, leaves * POLAR_STEPS)
        leaf = np.median(rings.reshape(POLAR_STEPS, leaves, POLAR_STEPS), 1).astype(np.float32)
        ring = np.concatenate([leaf[:, -1:], leaf, leaf[:, :1]], 1)
        bare[inside] = cv2.remap(ring, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)[0]


def _copy_circles_to_middle(estimate: F32, middle: tuple[float, float], circles: F64, radius: float) -> None:
    """Changes `estimate` (3, h, w) within a radius of the middle to the median radial profile of the other circles."""
    height, width = estimate.shape[1:]
    rows, columns = np.mgrid[:height, :width]
    radii = np.hypot(columns - middle[0], rows - middle[1])
    inside, distances = radii < radius, (np.arange(POLAR_STEPS) + 0.5) * (radius / POLAR_STEPS)
    for plane in estimate:
        rings = [_polar(plane, (float(x), float(y)), radius, POLAR_STEPS) for x, y in circles]
        plane[inside] = np.interp(radii[inside], distances, np.median(np.concatenate(rings, 1), 1))


def _leaf_count(estimate: F32, image: F32, middle: tuple[float, float], radius: float) -> int:
    """Returns the number of leaves that best repeats the image within a radius of the middle; 0 if the four sides do as
    well.
    """
    steps = LEAF_COUNTS[-1] * LEAF_COARSE_STEPS
    differences = [
        _polar(a, middle, radius, steps) - _polar(b, middle, radius, steps)
        for a, b in zip(image, estimate, strict=True)
    ]
    best, least = 0, float(np.abs(differences).mean())
    for leaves in LEAF_COUNTS:
        rings = np.stack([_polar(plane, middle, radius, leaves * LEAF_COARSE_STEPS) for plane in image])
        leaf = rings.reshape(3, POLAR_STEPS, leaves, LEAF_COARSE_STEPS)
        unlike = float(np.abs(leaf - np.median(leaf, 2, keepdims=True)).mean())
        if unlike < least:
            best, least = leaves, unlike
    return best


def _polar(plane: F32, middle: tuple[float, float], radius: float, steps: int) -> F32:
    """Returns a plane in polar coordinates around the middle: rings (POLAR_STEPS, steps), the innermost first."""
    turn = (np.arange(steps, dtype=np.float32) + np.float32(0.5)) * np.float32(math.tau / steps)
    radii = (np.arange(POLAR_STEPS, dtype=np.float32)[:, None] + np.float32(0.5)) * np.float32(radius / POLAR_STEPS)
    across, down = np.float32(middle[0]) + radii * np.cos(turn), np.float32(middle[1]) + radii * np.sin(turn)
    return np.asarray(cv2.remap(plane, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)


def _fourfold_estimate(image: F32, middle: tuple[float, float]) -> F32:
    """Returns the estimate by the symmetry of the four sides and their mirror images alone."""
    height, width = image.shape[1:]
    reach = int(max(middle[0], middle[1], width - 1 - middle[0], height - 1 - middle[1])) + 1
    shift = np.array([[1, 0, reach - middle[0]], [0, 1, reach - middle[1]]], np.float64)
    side, per_tone, out = 2 * reach + 1, 255 / (PRESENCE_MOST - LEAST_TONE), np.empty_like(image)
    back = shift * np.array([[1, 1, -1], [1, 1, -1]])
    for estimate, plane in zip(out, image, strict=True):
        levels = np.asarray((plane - LEAST_TONE) * per_tone + 0.5, np.uint8)
        centred = cv2.warpAffine(levels, shift, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
        turns = [np.rot90(centred, k)[: reach + 1, : reach + 1] for k in range(4)]
        median = _median_of_eight([np.ascontiguousarray(t, np.uint8) for t in (*turns, *(t.T for t in turns))])
        top = np.concatenate([median, median[:, -2::-1]], 1)
        whole = np.concatenate([top, top[-2::-1]]) / np.float32(per_tone) + np.float32(LEAST_TONE)
        cv2.warpAffine(whole, back, (width, height), estimate, cv2.INTER_LINEAR, cv2.BORDER_REFLECT)
    return out


def _median_of_eight(planes: list[U8]) -> U8:
    """Returns the median (h, w) of eight planes at each point: the mean of the fourth and the fifth.

    Comparing whole planes takes a hundredth of the time of sorting at each point.
    """
    p = list(planes)
    for last in range(7, 2, -1):
        for i in range(last):
            p[i], p[i + 1] = np.minimum(p[i], p[i + 1]), np.maximum(p[i], p[i + 1])
    return np.asarray(cv2.addWeighted(p[3], 0.5, p[4], 0.5, 0.0), np.uint8)
