"""The drawn window of a board: canvas, truth, and the noise and colours that all drawings share."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]
Rng = np.random.Generator

WINDOW = 264
"""Side of a scene, mm."""
FINE = 2
"""Samples a mm in which a scene is drawn."""
SIZE = WINDOW * FINE
SHIFT = 5
"""Fractional bits of drawing coordinates."""
BOOK = {"circle": 15.9, "disc": 12.7, "outer": 85.0, "gap": 31.8, "rear": 5.5, "front": 1.5, "pocket": 44.5}


@dataclass
class SceneDisc:
    """A disc of a scene: centre (mm from the window's left and top), radius (mm), and the share of it that a hand
    hides.
    """

    x: float
    y: float
    radius: float
    is_striker: bool
    covered: float = 0.0


@dataclass
class Scene:
    """A drawn window with its truth."""

    yuv: U8
    """(3, WINDOW, WINDOW), one mm a point."""
    prints: U8
    holes: U8
    bare: U8 | None
    """The empty board (3, ...), as remembered or as its symmetry predicts it; None if unknown."""
    middle: tuple[float, float] | None
    """The prints' centre (column, row) if the empty board is estimated from the scene's own symmetry."""
    coin: float
    """Radius of the coins, mm."""
    striker: float
    foot: tuple[float, float]
    """Displacement (mm) of the discs' feet in the picture, along columns and rows."""
    discs: list[SceneDisc] = field(default_factory=list)
    circles: list[tuple[float, float]] = field(default_factory=list)
    """Centres (mm) of the base circles that show beside the board's middle."""


class Canvas:
    """A picture in colour shares 0..1 that is drawn on in mm."""

    def __init__(self, image: F32) -> None:
        self.image = image
        self.twin: F32 | None = None
        """A picture on which the same is drawn: the board as its other sides show it."""
        self.offset = np.zeros(2)

    def part(self, x: float, y: float, reach: float) -> tuple[Canvas, tuple[slice, slice]]:
        """Returns the picture around (x, y) mm as a smaller canvas, and its place."""
        height, width = self.image.shape[:2]
        first = np.clip(np.floor((np.array([x, y]) - reach) * FINE), 0, (width - 1, height - 1)).astype(int)
        last = np.clip(np.ceil((np.array([x, y]) + reach) * FINE), first + 1, (width, height)).astype(int)
        where = slice(first[1], last[1]), slice(first[0], last[0])
        out = Canvas(self.image[where])
        out.offset = -first / FINE
        return out, where

    def cover(self, polygons: list[NDArray[np.float64]], lines: list[tuple[NDArray[np.float64], float]] = ()) -> F32:
        """Returns the share (SIZE, SIZE) of each point that polygons, and lines of a width (mm), cover."""
        mask = np.zeros(self.image.shape[:2], np.uint8)
        for polygon in polygons:
            cv2.fillPoly(mask, [self._fixed(polygon)], 255, cv2.LINE_AA, SHIFT)
        for path, width in lines:
            cv2.polylines(mask, [self._fixed(path)], False, 255, max(1, round(width * FINE)), cv2.LINE_AA, SHIFT)
        return mask.astype(np.float32) / 255

    def _fixed(self, points: NDArray[np.float64]) -> NDArray[np.int32]:
        at = (np.asarray(points) + self.offset) * FINE
        return np.round(at * (1 << SHIFT)).astype(np.int32)

    def lay(self, mask: F32, colour: NDArray[np.float64], opacity: F32 | float = 1.0) -> None:
        """Draws a colour over the picture where `mask` is 1."""
        rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
        if not len(rows):
            return
        part = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        share = mask[part] * (opacity if np.isscalar(opacity) else opacity[part])
        for image in (self.image,) if self.twin is None else (self.image, self.twin):
            own = image[part]
            own += (np.asarray(colour, np.float32) - own) * share[..., None]

    def dim(self, mask: F32, share: float) -> None:
        """Darkens the picture by a share where `mask` is 1."""
        self.image *= (1 - share * mask)[..., None]


def circle(x: float, y: float, radius: float, points: int = 64) -> NDArray[np.float64]:
    """Returns a circle as a polygon (points, 2)."""
    turn = np.arange(points) * math.tau / points
    return np.column_stack([x + radius * np.cos(turn), y + radius * np.sin(turn)])


def noise(shape: tuple[int, int], cells: tuple[float, float], rng: Rng) -> F32:
    """Returns noise of standard deviation 1 with blobs of `cells` (rows, columns) points."""
    small = [max(math.ceil(n / c) + 3, 4) for n, c in zip(shape, cells, strict=True)]
    fine = cv2.resize(rng.standard_normal(small).astype(np.float32), shape[::-1], interpolation=cv2.INTER_CUBIC)
    return fine / max(float(fine.std()), 1e-6)


def powder(shape: tuple[int, int], rng: Rng) -> F32:
    """Returns the share (rows, columns) of each point that smeared powder covers: clouds of all sizes, stretched one
    way.
    """
    long, across = rng.uniform(20, 120), rng.uniform(8, 60)
    clouds = noise(shape, (across * FINE, long * FINE), rng)
    for share, size in ((0.7, 10), (0.5, 4), (0.4, 1.2)):
        clouds = clouds + rng.uniform(0, share) * noise(shape, (size * FINE, size * FINE), rng)
    clouds = (clouds - np.quantile(clouds, rng.uniform(0.5, 0.97))) / rng.uniform(0.1, 1.2)
    return np.float32(rng.uniform(0.1, 0.95)) * np.clip(np.rot90(clouds, int(rng.integers(4))), 0, 1)


def hsv(rng: Rng, hue: tuple[float, float], saturation: tuple[float, float], value: tuple[float, float]):
    """Blue, green, red (3,) 0..1."""
    h, s, v = rng.uniform(*hue) % 360, rng.uniform(*saturation), rng.uniform(*value)
    rgb = cv2.cvtColor(np.array([[[h, s, v]]], np.float32), cv2.COLOR_HSV2BGR)[0, 0]
    return rgb.astype(np.float64)


def any_colour(rng: Rng):
    """Draws a colour of any hue."""
    return hsv(rng, (0, 360), (0, 0.95), (0.03, 0.98))


def ink_colour(rng: Rng, wood):
    """Draws a colour for a print: mostly dark or red, else any, or near that of the wood."""
    kind = rng.random()
    if kind < 0.45:
        return hsv(rng, (0, 360), (0, 0.5), (0.02, 0.25))
    if kind < 0.65:
        return hsv(rng, (345, 375), (0.5, 0.95), (0.3, 0.95))
    if kind < 0.85:
        return any_colour(rng)
    return np.clip(wood * rng.uniform(0.5, 1.3), 0, 1)


def rng_choice(rng: Rng, values):
    """Returns one of the values, of any type."""
    return values[int(rng.integers(len(values)))]
