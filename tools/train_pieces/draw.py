"""Draws parts of boards from straight above, with pieces and prints in a far wider variety than real ones.

A scene is a window of WINDOW mm of a board at the height of the discs' tops, as the program rectifies it. Prints are
shifted by the camera's slant at that height. A disc's wall shows on one side, its shadow on another. No colour is
typical: wood, ink, discs and light have any colour, so that a network learns shapes, walls, shadows and borders instead
of colours. Everything is a pure function of the random generator.
"""

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
"""Samples per mm with which a scene is drawn."""
SIZE = WINDOW * FINE
SHIFT = 5
"""Fractional bits of drawing coordinates."""
BOOK = {"circle": 15.9, "disc": 12.7, "outer": 85.0, "gap": 31.8, "rear": 5.5, "front": 1.5, "pocket": 44.5}


@dataclass
class Lying:
    """A disc of a scene: middle (mm from the window's left and top), radius, and share that a hand hides."""

    x: float
    y: float
    radius: float
    is_striker: bool
    covered: float = 0.0


@dataclass
class Scene:
    """A drawn window and its truth."""

    yuv: U8
    """Y, U, V (3, WINDOW, WINDOW), one mm a point."""
    prints: U8
    holes: U8
    bare: U8 | None
    """The board without the discs (3, ...), as remembered or as given by its symmetry; None if neither gives it."""
    middle: tuple[float, float] | None
    """The prints' middle (column, row) if the scene's own symmetry gives the bare board."""
    coin: float
    """Radius of the coins, mm."""
    striker: float
    discs: list[Lying] = field(default_factory=list)


class Canvas:
    """A picture with colours from 0 to 1, on which is drawn in mm."""

    def __init__(self, image: F32) -> None:
        self.image = image
        self.twin: F32 | None = None
        """A picture on which the same is drawn: the board as its other sides show it."""
        self.offset = np.zeros(2)

    def part(self, x: float, y: float, reach: float) -> tuple[Canvas, tuple[slice, slice]]:
        """Returns the part of the picture about (x, y) mm as a smaller canvas, and its position."""
        height, width = self.image.shape[:2]
        first = np.clip(np.floor((np.array([x, y]) - reach) * FINE), 0, (width - 1, height - 1)).astype(int)
        last = np.clip(np.ceil((np.array([x, y]) + reach) * FINE), first + 1, (width, height)).astype(int)
        where = slice(first[1], last[1]), slice(first[0], last[0])
        out = Canvas(self.image[where])
        out.offset = -first / FINE
        return out, where

    def cover(self, polygons: list[NDArray[np.float64]], lines: list[tuple[NDArray[np.float64], float]] = ()) -> F32:
        """Returns the share (SIZE, SIZE) of each point that polygons and lines of a width (mm) cover."""
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
        """Paints a colour over the picture where `mask` is 1."""
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
    turn = np.arange(points) * math.tau / points
    return np.column_stack([x + radius * np.cos(turn), y + radius * np.sin(turn)])


def noise(shape: tuple[int, int], cells: tuple[float, float], rng: Rng) -> F32:
    """Returns noise of unit standard deviation with blobs of `cells` (rows, columns) points."""
    small = [max(math.ceil(n / c) + 3, 4) for n, c in zip(shape, cells, strict=True)]
    fine = cv2.resize(rng.standard_normal(small).astype(np.float32), shape[::-1], interpolation=cv2.INTER_CUBIC)
    return fine / max(float(fine.std()), 1e-6)


def hsv(rng: Rng, hue: tuple[float, float], saturation: tuple[float, float], value: tuple[float, float]):
    """Returns blue, green, red (3,) from 0 to 1."""
    h, s, v = rng.uniform(*hue) % 360, rng.uniform(*saturation), rng.uniform(*value)
    rgb = cv2.cvtColor(np.array([[[h, s, v]]], np.float32), cv2.COLOR_HSV2BGR)[0, 0]
    return rgb.astype(np.float64)


def any_colour(rng: Rng):
    return hsv(rng, (0, 360), (0, 0.95), (0.03, 0.98))


def wood_colour(rng: Rng):
    kind = rng.random()
    if kind < 0.6:
        return hsv(rng, (18, 45), (0.15, 0.7), (0.35, 0.97))
    if kind < 0.75:
        return hsv(rng, (0, 40), (0.2, 0.9), (0.08, 0.45))
    return any_colour(rng)


def ink_colour(rng: Rng, wood):
    kind = rng.random()
    if kind < 0.45:
        return hsv(rng, (0, 360), (0, 0.5), (0.02, 0.25))
    if kind < 0.65:
        return hsv(rng, (345, 375), (0.5, 0.95), (0.3, 0.95))
    if kind < 0.85:
        return any_colour(rng)
    return np.clip(wood * rng.uniform(0.5, 1.3), 0, 1)


def board(rng: Rng) -> tuple[F32, NDArray[np.float64]]:
    """Returns bare wood (SIZE, SIZE, 3) and its colour."""
    colour = wood_colour(rng)
    contrast = float(np.exp(rng.uniform(np.log(0.005), np.log(0.16))))
    long, across = rng.uniform(20, 300), rng.uniform(1, 12)
    shape = (SIZE, SIZE)
    rings = noise(shape, (across * 6, long * 3), rng) + 0.4 * noise(shape, (across * 2, long), rng)
    tone = 0.45 * np.sin(rings * rng.uniform(2, 9)) + 0.35 * noise(shape, (2, long / 6), rng)
    tone = 1 + contrast * (tone + 0.5 * noise(shape, (SIZE / 4, SIZE / 4), rng))
    image = np.clip(colour * tone[..., None], 0, 1).astype(np.float32)
    for _ in range(rng.poisson(0.4)):
        knot(image, rng)
    return np.ascontiguousarray(np.rot90(image, int(rng.integers(4)))), colour


def knot(image: F32, rng: Rng) -> None:
    """Draws a knot in the wood, or a stain."""
    x, y, r = [*rng.uniform(0, WINDOW, 2).tolist(), rng.uniform(3, 20)]
    yy, xx = np.mgrid[:SIZE, :SIZE].astype(np.float32) / FINE
    off = np.hypot((xx - x) / r, (yy - y) / (r * rng.uniform(0.5, 1.6)))
    image *= (1 - rng.uniform(-0.1, 0.35) / (1 + off ** rng.uniform(2, 8)))[..., None].astype(np.float32)


class Printer:
    """Draws the prints of a scene: those by the book (into `prints` too) and those that makers add."""

    def __init__(self, canvas: Canvas, rng: Rng, wood) -> None:
        self.canvas, self.rng, self.wood = canvas, rng, wood
        self.line, self.fill = ink_colour(rng, wood), ink_colour(rng, wood)
        self.mask = np.zeros((SIZE, SIZE), np.float32)
        self.bold = rng.random() < 0.25
        self.base = self._base_style()
        self.worn = np.clip(1 - rng.choice((0, 0, 0.4, 0.8)) * np.clip(0.5 + noise((SIZE, SIZE), (40, 40), rng), 0, 1),
                            0.05, 1).astype(np.float32)  # fmt: skip

    def _base_style(self) -> dict:
        rng = self.rng
        outer = rng.uniform(14.5, 17) if not self.bold else rng.uniform(16, 22)
        disc = rng.choice((0.0, 1.0), p=(0.2, 0.8)) * outer * rng.uniform(0.55, 1.0)
        width = rng.uniform(0.6, 2.5) if not self.bold else max(outer - disc, rng.uniform(2, 6))
        return {"outer": outer, "disc": disc, "width": width, "inner": rng.random() < 0.2, "dot": rng.random() < 0.2,
                "ground": rng.choice((0, 1, 2), p=(0.5, 0.35, 0.15)), "other": ink_colour(rng, self.wood),
                "cross": rng.random() < 0.1}  # fmt: skip

    def ink(self, polygons, colour, lines=()) -> None:
        self.canvas.lay(self.canvas.cover(polygons, lines), colour, self.worn)

    def known(self, polygons, lines=()) -> None:
        """Adds a print by the book to the mask of prints that the program expects."""
        cover = self.canvas.cover(polygons, [(p, w + 4.4) for p, w in lines])
        self.mask = np.maximum(self.mask, cover)

    def ring(self, x: float, y: float, outer: float, width: float, colour) -> None:
        mid = outer - width / 2
        path = circle(x, y, mid)
        self.ink([], colour, [(np.concatenate([path, path[:1]]), width)])

    def book_ring(self, x: float, y: float, radius: float) -> None:
        path = circle(x, y, radius)
        self.known([], [(np.concatenate([path, path[:1]]), 1.5)])

    def base_circle(self, x: float, y: float) -> None:
        b, rng = self.base, self.rng
        if b["ground"]:
            self.ink([circle(x, y, b["outer"])], self.wood if b["ground"] == 1 else b["other"])
        if b["disc"]:
            self.ink([circle(x, y, b["disc"])], self.fill)
        self.ring(x, y, b["outer"], b["width"], self.line)
        if b["inner"]:
            self.ring(x, y, b["outer"] * 0.6, 1.2, self.line)
        if b["dot"]:
            self.ink([circle(x, y, rng.uniform(1, 4))], self.line)
        if b["cross"]:
            r = b["outer"]
            self.ink(
                [], self.line, [(np.array([[x - r, y], [x + r, y]]), 1.2), (np.array([[x, y - r], [x, y + r]]), 1.2)]
            )

    def base_lines(self) -> list[tuple[float, float]]:
        """Draws a side's two lines with one or two base circles. Returns the circles' middles."""
        rng = self.rng
        y, gap = rng.uniform(60, WINDOW - 60), BOOK["gap"] + rng.normal(0, 0.6)
        x = rng.uniform(10, 160)
        far = WINDOW + 20 if rng.random() < 0.7 else x + rng.uniform(100, 240)
        flip = rng.random() < 0.5
        widths = (BOOK["rear"], BOOK["front"]) if not self.bold else tuple(rng.uniform(1, 8, 2))
        for side, width in zip((-1, 1) if flip else (1, -1), widths, strict=True):
            path = np.array([[x, y + side * gap / 2], [far, y + side * gap / 2]])
            self.ink([], self.line, [(path, width * rng.uniform(0.6, 1.2))])
            self.known([], [(path, width)])
        out = []
        for cx in (x, far):
            if rng.random() < 0.93:
                self.base_circle(cx, y)
                out.append((cx, y))
            self.book_ring(cx, y, BOOK["circle"])
        if rng.random() < 0.25:
            self.arrow((x - 20, y + rng.choice((-1, 1)) * 20), rng.uniform(0, math.tau))
        return out

    def arrow(self, at, turn: float) -> None:
        rng = self.rng
        way = np.array([math.cos(turn), math.sin(turn)])
        start, end = np.array(at), np.array(at) + way * rng.uniform(60, 260)
        width = rng.uniform(0.8, 3)
        self.ink([], self.line, [(np.stack([start, end]), width)])
        self.known([], [(np.stack([start, end]), 1.5)])
        side = np.array([-way[1], way[0]]) * rng.uniform(3, 8)
        self.ink([np.stack([start - way * 14, start + side, start - side])], self.line)
        radius = rng.uniform(10, 36)
        span = np.linspace(-2.4, 2.4, 40) + turn
        arc = end + way * radius * rng.uniform(0.3, 1) + radius * np.column_stack([np.cos(span), np.sin(span)])
        if rng.random() < 0.8:
            self.ink([], self.line, [(arc, width)])
            if rng.random() < 0.7:
                self.known([], [(arc, 1.5)])

    def centre(self) -> tuple[float, float]:
        """Draws the centre with its circles and ornament."""
        rng = self.rng
        x, y = rng.uniform(60, WINDOW - 60, 2) if rng.random() < 0.3 else WINDOW / 2 + rng.uniform(-12, 12, 2)
        outer, inner = BOOK["outer"] * rng.uniform(0.9, 1.1), BOOK["circle"]
        if rng.random() < 0.8:
            self.ring(x, y, outer, rng.uniform(0.8, 3), self.line)
        self.book_ring(x, y, BOOK["outer"])
        for _ in range(int(rng.integers(0, 3))):
            self._ornament(x, y, inner, outer)
        if rng.random() < 0.9:
            self.base_circle(x, y)
        self.book_ring(x, y, inner)
        return x, y

    def _ornament(self, x: float, y: float, inner: float, outer: float) -> None:
        rng, n = self.rng, int(rng_choice(self.rng, (4, 5, 6, 7, 8, 8, 8, 9, 10, 12, 16, 24)))
        low, high = sorted(rng.uniform(inner * 0.3, outer, 2))
        kind, turn0 = rng.integers(5), rng.uniform(0, math.tau)
        width = rng.uniform(0.3, 1.1) * math.pi * (low + high) / 2 / n
        colours = (ink_colour(rng, self.wood), ink_colour(rng, self.wood) if rng.random() < 0.5 else self.line)
        for k in range(n):
            turn = turn0 + math.tau * k / n
            way, side = np.array([math.cos(turn), math.sin(turn)]), np.array([-math.sin(turn), math.cos(turn)])
            at = np.array([x, y])
            colour = colours[k % 2]
            mid = (low + high) / 2
            if kind == 0:
                self.ink(
                    [at + np.stack([way * low, way * mid + side * width, way * high, way * mid - side * width])], colour
                )
            elif kind == 1:
                span = np.linspace(0, math.tau, 24, endpoint=False)
                leaf = (
                    at
                    + way * mid
                    + np.outer(np.cos(span), way) * (high - low) / 2
                    + np.outer(np.sin(span), side) * width
                )
                self.ink([leaf], colour)
            elif kind == 2:
                flank = low * (way + math.tan(math.pi / n) * side)
                self.ink([np.stack([at, at + flank, at + way * high])], colours[0])
                self.ink([], self.line, [(np.stack([at + flank, at + way * high]), 0.9)])
            elif kind == 3:
                self.ring(*(at + way * mid), max(4.0, min((high - low) / 2, 20)), rng.uniform(0.8, 3), colour)
            else:
                self.ink([circle(*(at + way * mid), max(2.0, min(width, 18)))], colour)

    def letters(self) -> None:
        """Draws a maker's name, or single bold letters."""
        rng = self.rng
        twin = self.canvas.twin
        self.canvas.twin = None if rng.random() < 0.8 else twin
        text = "".join(rng.choice(list("OOQCDGSB08BAREMPKLacdegopqs69&@"), int(rng.integers(1, 9))))
        font = int(rng.choice((cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX,
                               cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_SCRIPT_COMPLEX)))  # fmt: skip
        scale = rng.uniform(0.6, 3.4) * FINE / 2
        mask = np.zeros((SIZE, SIZE), np.uint8)
        at = (int(rng.uniform(-40, SIZE * 0.7)), int(rng.uniform(40, SIZE)))
        cv2.putText(mask, text, at, font, scale, 255, max(1, round(scale * rng.uniform(1, 9))), cv2.LINE_AA)
        turn = cv2.getRotationMatrix2D(
            (SIZE / 2, SIZE / 2), float(rng.choice((0, 90, 180, 270, 45, rng.uniform(0, 360)))), 1
        )
        self.canvas.lay(cv2.warpAffine(mask, turn, (SIZE, SIZE)).astype(np.float32) / 255,
                        ink_colour(rng, self.wood), self.worn)  # fmt: skip
        self.canvas.twin = twin

    def doodles(self) -> None:
        """Draws rings, dots, lines and patches that no book has."""
        rng = self.rng
        twin = self.canvas.twin
        for _ in range(rng.poisson(1.5)):
            self.canvas.twin = None if rng.random() < 0.4 else twin
            x, y, r = *rng.uniform(0, WINDOW, 2), rng.uniform(4, 45)
            colour = ink_colour(rng, self.wood)
            kind = rng.integers(6)
            if kind == 0:
                self.ring(x, y, r, rng.uniform(0.6, 7), colour)
            elif kind == 1:
                self.ink([circle(x, y, min(r, 18))], colour)
            elif kind == 2:
                n, turn = int(rng.integers(3, 9)), rng.uniform(0, math.tau)
                reach = np.where(np.arange(2 * n) % 2, 1.0, rng.uniform(0.3, 1)) * r
                angle = turn + np.arange(2 * n) * math.pi / n
                self.ink([np.column_stack([x + reach * np.cos(angle), y + reach * np.sin(angle)])], colour)
            elif kind == 3:
                ends = rng.uniform(-20, WINDOW + 20, (2, 2))
                self.ink([], colour, [(ends, rng.uniform(0.5, 8))])
            elif kind == 4:
                span = np.linspace(0, rng.uniform(1, 5), 30) + rng.uniform(0, math.tau)
                self.ink(
                    [], colour, [(np.column_stack([x + r * np.cos(span), y + r * np.sin(span)]), rng.uniform(0.6, 4))]
                )
            else:
                self.base_circle(x, y)
        self.canvas.twin = twin


def rng_choice(rng: Rng, values):
    return values[int(rng.integers(len(values)))]


def corner(canvas: Canvas, rng: Rng, holes: F32) -> tuple[float, float]:
    """Draws a corner with its pocket, its net and the frame beyond. Returns the inner corner and marks `holes` in
    place.
    """
    inset, radius = BOOK["pocket"] / 2 * rng.uniform(0.95, 1.1), BOOK["pocket"] / 2
    left, top = rng.uniform(30, 110, 2)
    frame = any_colour(rng) if rng.random() < 0.5 else hsv(rng, (10, 35), (0.3, 0.9), (0.05, 0.6))
    dark = hsv(rng, (0, 360), (0, 0.6), (0.0, 0.5))
    x, y = left + inset, top + inset
    canvas.lay(canvas.cover([circle(x, y, radius)]), dark)
    net = any_colour(rng)
    gap, width, turn = rng.uniform(3, 14), rng.uniform(0.5, 2.5), rng.uniform(0, math.pi)
    lines = []
    for k in np.arange(-radius, radius, gap):
        for a in (turn, turn + math.pi / 2):
            way, side = np.array([math.cos(a), math.sin(a)]), np.array([-math.sin(a), math.cos(a)])
            half = math.sqrt(max(radius**2 - k**2, 0))
            lines.append((np.array([x, y]) + np.outer([-half, half], way) + k * side, width))
    if rng.random() < 0.8:
        canvas.lay(canvas.cover([], lines), net)
    if rng.random() < 0.35:
        lone = rng.uniform(-12, 12, 2)
        inside = canvas.cover([circle(x, y, radius)]) * canvas.cover(
            [circle(x + lone[0], y + lone[1], rng.uniform(12, 15))]
        )
        canvas.lay(inside, any_colour(rng) * rng.uniform(0.3, 1))
    edges = [
        np.array([[-9, -9], [left, -9], [left, 300], [-9, 300]]),
        np.array([[-9, -9], [300, -9], [300, top], [-9, top]]),
    ]
    canvas.lay(canvas.cover(edges), frame)
    shade = canvas.cover([np.array([[left, -9], [left + 6, -9], [left + 6, 300], [left, 300]])])
    canvas.dim(cv2.GaussianBlur(shade, (0, 0), 4), rng.uniform(0, 0.5))
    np.maximum(holes, canvas.cover([*edges, circle(x, y, radius)]), out=holes)
    return left, top


def places(rng: Rng, coin: float, marks, limits: tuple[float, float],
           middle: tuple[float, float] | None) -> list[tuple[float, float]]:  # fmt: skip
    """Returns middles of coins: anywhere, touching, in formation about the `middle`, on `marks`."""
    low = np.array(limits) + coin
    out: list[tuple[float, float]] = []

    def free(x: float, y: float) -> bool:
        inside = x > low[0] and y > low[1] and max(x, y) < WINDOW + 10
        return inside and all(math.dist((x, y), p) > 2 * coin for p in out)

    for mark in marks:
        if rng.random() < 0.3:
            off = rng.normal(0, rng.choice((0.5, 4, 12)), 2)
            if free(mark[0] + off[0], mark[1] + off[1]):
                out.append((mark[0] + off[0], mark[1] + off[1]))
    if rng.random() < (0.4 if middle else 0.08):
        x, y = rng.uniform(60, WINDOW - 60, 2) if middle is None else np.array(middle) + rng.normal(0, 2, 2)
        out.clear()
        turn = rng.uniform(0, math.tau)
        for ring, count in ((0, 1), (2.0, 6), (3.46, 6), (4.0, 6)):
            for k in range(count):
                a = turn + k * math.tau / 6 + (math.pi / 6 if ring == 3.46 else 0)
                at = x + ring * 1.005 * coin * math.cos(a), y + ring * 1.005 * coin * math.sin(a)
                if free(*at) and rng.random() < 0.97:
                    out.append(at)
    if limits[0] > 0:
        hole = np.array(limits) + BOOK["pocket"] / 2
        for _ in range(rng.poisson(1.5)):
            turn, away = rng.uniform(-0.7, math.pi / 2 + 0.7), BOOK["pocket"] / 2 + rng.uniform(-3, coin + 25)
            at = hole + away * np.array([math.cos(turn), math.sin(turn)])
            at = np.maximum(at, low + rng.uniform(0.02, 1.5)) if rng.random() < 0.5 else at
            if free(*at) and math.dist(at, hole) > BOOK["pocket"] / 2 - 3:
                out.append((float(at[0]), float(at[1])))
    for _ in range(rng.poisson(rng.choice((0.5, 3, 6)))):
        at = tuple(rng.uniform(-10, WINDOW + 10, 2))
        if out and rng.random() < 0.35:
            near, turn = out[int(rng.integers(len(out)))], rng.uniform(0, math.tau)
            at = near[0] + 2.003 * coin * math.cos(turn), near[1] + 2.003 * coin * math.sin(turn)
        elif rng.random() < 0.1:
            at = (
                (low[0] + rng.uniform(0.05, 2), at[1]) if rng.random() < 0.5 else (at[0], low[1] + rng.uniform(0.05, 2))
            )
        if free(*at):
            out.append((float(at[0]), float(at[1])))
    return out


@dataclass
class Style:
    """Appearance of the discs of one kind."""

    colour: NDArray[np.float64]
    wall: float
    edge: float
    grooves: list[tuple[float, float, float]]
    mottle: float
    art: int
    ink: NDArray[np.float64]
    clear: float = 1.0


def style(rng: Rng, wood, striker: bool) -> Style:
    kind = rng.random()
    if kind < 0.3:
        colour = hsv(rng, (25, 55), (0.05, 0.6), (0.6, 0.98))
    elif kind < 0.5:
        colour = hsv(rng, (0, 360), (0, 0.5), (0.03, 0.3))
    elif kind < 0.65:
        colour = hsv(rng, (335, 380), (0.5, 0.95), (0.35, 0.95))
    elif kind < 0.8:
        near = rng.normal(0, 0.07, 3) + rng.choice((-1, 1)) * rng.uniform(0.04, 0.12)
        colour = np.clip(wood + near, 0, 1)
    else:
        colour = any_colour(rng)
    grooves = []
    for _ in range(int(rng.integers(0, 4))):
        outer = rng.uniform(0.2, 0.95)
        grooves.append((outer, max(outer - rng.uniform(0.03, 0.2), 0.05), rng.uniform(0.55, 1.35)))
    art = int(rng.integers(1, 6)) if rng.random() < (0.7 if striker else 0.12) else 0
    return Style(colour, rng.uniform(0.25, 1.05), rng.uniform(0.3, 2.2), grooves, rng.choice((0, 0, 0.05, 0.2)), art,
                 any_colour(rng), rng.uniform(0.35, 0.8) if striker and rng.random() < 0.1 else 1.0)  # fmt: skip


@dataclass
class Light:
    """Direction of shadows (2,) mm, their softness and darkness, and how dark the board is right beside a disc."""

    way: NDArray[np.float64]
    soft: float
    dark: float
    contact: float
    second: NDArray[np.float64] | None


def light(rng: Rng) -> Light:
    turn = rng.uniform(0, math.tau, 2)
    reach = rng.uniform(0, 7, 2)
    second = reach[1] * np.array([math.cos(turn[1]), math.sin(turn[1])]) if rng.random() < 0.3 else None
    way, soft = reach[0] * np.array([math.cos(turn[0]), math.sin(turn[0])]), rng.uniform(0.5, 5)
    dark = rng.choice((rng.uniform(0.02, 0.15), rng.uniform(0.15, 0.65)))
    return Light(way, soft, dark, rng.uniform(0, 0.5), second)


def shadow(canvas: Canvas, d: Lying, foot, lamp: Light) -> F32:
    """Returns the share of the light that a disc takes from each point of a part of the scene."""
    ways = [lamp.way] if lamp.second is None else [lamp.way, lamp.second]
    out = np.zeros(canvas.image.shape[:2], np.float32)
    for way in ways:
        outline = np.concatenate([circle(d.x, d.y, d.radius), circle(d.x + way[0], d.y + way[1], d.radius)]) + foot
        hull = cv2.convexHull(outline.astype(np.float32))[:, 0]
        out = np.maximum(out, canvas.cover([hull.astype(np.float64)]) * lamp.dark / len(ways))
    return out


def disc(canvas: Canvas, d: Lying, look: Style, foot, rng: Rng) -> None:
    """Draws a disc's wall, rounded edge, top face and its art; `foot` (2,) mm is the offset at which its foot
    appears.
    """
    colour = np.clip(look.colour * rng.uniform(0.94, 1.06), 0, 1)
    wall = np.concatenate([circle(d.x, d.y, d.radius) + foot * 0.8, circle(d.x, d.y, d.radius) + foot * 0.15])
    hull = cv2.convexHull(wall.astype(np.float32))[:, 0].astype(np.float64)
    canvas.lay(canvas.cover([hull]), colour * look.wall, look.clear)
    canvas.lay(
        canvas.cover([circle(d.x, d.y, d.radius) + foot * 0.1]),
        np.clip(colour * (0.6 + 0.4 * look.wall), 0, 1),
        look.clear,
    )
    top = canvas.cover([circle(d.x, d.y, d.radius - look.edge)])
    canvas.lay(top, colour, look.clear)
    for outer, inner, shade in look.grooves:
        ring = np.clip(
            canvas.cover([circle(d.x, d.y, outer * d.radius)]) - canvas.cover([circle(d.x, d.y, inner * d.radius)]),
            0,
            1,
        )
        canvas.lay(ring * top, np.clip(colour * shade, 0, 1))
    if look.art:
        canvas.lay(art(canvas, d, look.art, rng) * top, look.ink)
    if look.mottle:
        tone = 1 + look.mottle * noise(top.shape, (8, 8), rng) * top
        canvas.image *= tone[..., None]


def art(canvas: Canvas, d: Lying, kind: int, rng: Rng) -> F32:
    """Returns the mask (SIZE, SIZE) of the print or inlay of a disc."""
    turn, r = rng.uniform(0, math.tau), d.radius
    if kind == 1:
        outer = rng.uniform(0.4, 0.95)
        return np.clip(
            canvas.cover([circle(d.x, d.y, outer * r)])
            - canvas.cover([circle(d.x, d.y, (outer - rng.uniform(0.05, 0.3)) * r)]),
            0,
            1,
        )
    if kind == 2:
        return canvas.cover([circle(d.x, d.y, rng.uniform(0.2, 0.75) * r)])
    if kind in (3, 4):
        n = int(rng.integers(3, 9))
        angle = turn + np.arange(2 * n) * math.pi / n
        reach = np.where(np.arange(2 * n) % 2, 0.85, rng.uniform(0.2, 0.7)) * r
        return canvas.cover([np.column_stack([d.x + reach * np.cos(angle), d.y + reach * np.sin(angle)])])
    n = int(rng.integers(1, 5))
    wedges = []
    for k in range(n):
        span = np.linspace(0, math.pi / n, 12) + turn + k * math.tau / n
        wedges.append(
            np.concatenate(
                [[[d.x, d.y]], np.column_stack([d.x + 0.85 * r * np.cos(span), d.y + 0.85 * r * np.sin(span)])]
            )
        )
    return canvas.cover(wedges)


def hand(canvas: Canvas, rng: Rng) -> F32:
    """Draws an arm with fingers from one side. Returns what it covers."""
    skin = hsv(rng, (5, 35), (0.15, 0.7), (0.2, 0.98)) if rng.random() < 0.8 else any_colour(rng)
    at, turn = rng.uniform(20, WINDOW - 20, 2), rng.uniform(0, math.tau)
    way, side = np.array([math.cos(turn), math.sin(turn)]), np.array([-math.sin(turn), math.cos(turn)])
    palm = at + way * rng.uniform(40, 80)
    lines = [(np.stack([palm, palm + way * 300]), rng.uniform(40, 80))]
    for k in range(int(rng.integers(1, 5))):
        tip = at + side * (k - 1.5) * rng.uniform(12, 22) + way * rng.uniform(-8, 25)
        bend = (tip + palm) / 2 + side * rng.normal(0, 8)
        lines.append((np.stack([tip, bend, palm + side * (k - 1.5) * 14]), rng.uniform(12, 22)))
    mask = canvas.cover([circle(*palm, rng.uniform(25, 42))], lines)
    canvas.dim(cv2.GaussianBlur(np.roll(mask, tuple(rng.integers(-20, 21, 2)), (0, 1)), (0, 0), 6), rng.uniform(0, 0.4))
    soft = cv2.GaussianBlur(mask, (0, 0), 5)
    canvas.lay(mask, skin)
    canvas.image *= (1 - rng.uniform(0, 0.35) * mask * (1 - soft) * 2)[..., None].astype(np.float32)
    return mask


def lit(rng: Rng) -> tuple[F32, F32]:
    """Returns uneven light, a border of shade and mirrored lamps: factors of each point (SIZE, SIZE), and gains."""
    yy, xx = np.mgrid[:SIZE, :SIZE].astype(np.float32) / SIZE - 0.5
    a, b = rng.normal(0, 0.3, 2)
    share, more = np.clip(1 + a * xx + b * yy, 0.3, 1.8), np.zeros((SIZE, SIZE), np.float32)
    if rng.random() < 0.2:
        turn, at, soft = rng.uniform(0, math.tau), rng.uniform(-0.3, 0.3), rng.uniform(0.003, 0.1)
        side = 1 / (1 + np.exp(np.clip((xx * math.cos(turn) + yy * math.sin(turn) - at) / soft, -30, 30)))
        share *= 1 - rng.uniform(0.1, 0.6) * side
    for _ in range(rng.poisson(0.4)):
        x, y, r = *rng.uniform(-0.5, 0.5, 2), rng.uniform(0.02, 0.3)
        more += rng.uniform(0.03, 0.6) / (1 + (np.hypot(xx - x, yy - y) / r) ** rng.uniform(2, 6))
    return share.astype(np.float32), more.astype(np.float32)


@dataclass
class Tone:
    """Distortion of brightness and colours by a camera."""

    gain: float
    gamma: float
    saturation: float
    tint: NDArray[np.float64]

    @classmethod
    def of(cls, rng: Rng) -> Tone:
        return cls(rng.uniform(0.5, 1.3), rng.uniform(0.6, 1.6), rng.uniform(0.3, 1.5), rng.normal(0, 0.02, 3))

    def bent(self, image: F32) -> F32:
        image = np.clip(image * np.float32(self.gain), 0, 1) ** np.float32(self.gamma)
        grey = image.mean(2, keepdims=True)
        return np.clip(grey + (image - grey) * np.float32(self.saturation) + self.tint.astype(np.float32), 0, 1)


def yuv_of(bgr: U8) -> tuple[U8, U8, U8]:
    y, cr, cb = cv2.split(cv2.cvtColor(bgr, cv2.COLOR_BGR2YCrCb))
    return np.clip(16 + y.astype(np.float32) * 219 / 255, 0, 255).astype(np.uint8), cb, cr


def remembered(image: F32, tone: Tone, rng: Rng) -> U8:
    """Returns Y, U, V (3, WINDOW, WINDOW) of a bare board, softer and less noisy than a picture, and slightly
    displaced.
    """
    small = cv2.resize(image, (WINDOW, WINDOW), interpolation=cv2.INTER_AREA)
    slip = rng.normal(0, rng.choice((0.2, 0.8)), 2)
    move = np.array([[1, 0, slip[0]], [0, 1, slip[1]]])
    small = cv2.warpAffine(small, move, (WINDOW, WINDOW), borderMode=cv2.BORDER_REPLICATE)
    small = cv2.GaussianBlur(small, (0, 0), rng.uniform(0.4, 1.6))
    grain = rng.standard_normal(small.shape, np.float32) * np.float32(rng.uniform(0.3, 2.5))
    return np.stack(yuv_of(np.clip(tone.bent(small) * 255 + grain, 0, 255).astype(np.uint8)))


def camera(image: F32, tone: Tone, rng: Rng) -> U8:
    """Returns Y, U, V (3, WINDOW, WINDOW) of a scene from a camera of some resolution, focus, tone and compression."""
    per_mm = float(np.exp(rng.uniform(np.log(0.5), np.log(2.0))))
    size = max(64, round(WINDOW * per_mm / 2) * 2)
    if rng.random() < 0.12:
        blur = np.zeros((15, 15), np.float32)
        turn, length = rng.uniform(0, math.pi), rng.uniform(1, 7)
        cv2.line(
            blur,
            *[
                tuple(np.round(7 + s * length * np.array([math.cos(turn), math.sin(turn)])).astype(int).tolist())
                for s in (-1, 1)
            ],
            1.0,
        )
        image = cv2.filter2D(image, -1, blur / blur.sum())
    small = cv2.resize(image, (size, size), interpolation=cv2.INTER_AREA)
    focus = rng.uniform(0.2, 0.9) if rng.random() < 0.7 else rng.uniform(0.9, 1.8)
    small = cv2.GaussianBlur(small, (0, 0), focus)
    if rng.random() < 0.4:
        small = small + rng.uniform(0.2, 1.5) * (small - cv2.GaussianBlur(small, (0, 0), rng.uniform(0.6, 1.6)))
    small = tone.bent(small)
    level = float(np.exp(rng.uniform(np.log(0.3), np.log(9.0))))
    grain = rng.standard_normal(small.shape, np.float32) * np.float32(level)
    if rng.random() < 0.5:
        grain = cv2.GaussianBlur(grain, (0, 0), 0.7) * 1.6
    bgr = np.clip(small * 255 + grain, 0, 255).astype(np.uint8)
    if rng.random() < 0.7:
        bgr = cv2.imdecode(cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 97))])[1], 1)
    y, cb, cr = yuv_of(bgr)
    half = (size // 2, size // 2)
    u, v = (cv2.resize(p, half, interpolation=cv2.INTER_AREA) for p in (cb, cr))
    method = cv2.INTER_LINEAR if per_mm < 1.5 else cv2.INTER_AREA
    return np.stack([cv2.resize(p, (WINDOW, WINDOW), interpolation=m)
                     for p, m in ((y, method), (u, cv2.INTER_LINEAR), (v, cv2.INTER_LINEAR))])  # fmt: skip


def point(mask: F32) -> U8:
    return (cv2.resize(mask, (WINDOW, WINDOW), interpolation=cv2.INTER_AREA) > 0.4).astype(np.uint8) * 255


BARE = ("symmetry", "remembered", "nothing")


def draw(rng: Rng) -> Scene:
    """Returns one scene."""
    image, wood = board(rng)
    canvas = Canvas(image)
    canvas.twin = np.broadcast_to(wood.astype(np.float32), image.shape).copy()
    printer, holes, marks, limits = Printer(canvas, rng, wood), np.zeros((SIZE, SIZE), np.float32), [], (-40.0, -40.0)
    kind = rng.choice(("line", "centre", "corner", "plain"), p=(0.3, 0.32, 0.28, 0.1))
    middle = None
    if kind == "line" or rng.random() < 0.15:
        marks += printer.base_lines()
    if kind == "centre":
        middle = printer.centre()
        marks.append(middle)
    if rng.random() < 0.25:
        printer.letters()
    if rng.random() < 0.35:
        printer.doodles()
    if kind == "corner":
        if rng.random() < 0.6:
            printer.arrow(rng.uniform(80, 160, 2), math.pi / 4 + rng.normal(0, 0.03))
        limits = corner(canvas, rng, holes)
    bare_by = rng.choice(BARE, p=(0.6, 0.28, 0.12))
    twin, canvas.twin = canvas.twin, None
    bare = twin if bare_by == "symmetry" else canvas.image.copy() if bare_by == "remembered" else None
    coin = rng.uniform(13.0, 16.5)
    large = coin * rng.uniform(1.22, 1.9)
    foot = rng.normal(0, 2.0, 2)
    foot *= min(1.0, 5.0 / max(float(np.hypot(*foot)), 1e-6))
    lying = []
    if rng.random() < 0.9:
        lying = [Lying(x, y, coin, False) for x, y in places(rng, coin, marks, limits, middle)]
    if rng.random() < 0.6:
        _add_striker(lying, large, marks, limits, rng)
    lamp, looks, own = light(rng), [style(rng, wood, False) for _ in range(3)], style(rng, wood, True)
    if bare_by == "symmetry" and rng.random() < 0.15:
        _ghosts(Canvas(twin), looks, coin, foot, rng)
    _lay_discs(canvas, lying, looks, own, lamp, foot, rng)
    if rng.random() < 0.2:
        _cover(lying, hand(canvas, rng))
    share, more = lit(rng)
    tone = Tone.of(rng)
    seen = camera(_lit(canvas.image, share, more), tone, rng)
    told = None
    if bare is not None:
        told = remembered(_lit(bare, share, more) if bare_by == "remembered" else bare, tone, rng)
    about = None
    if middle is not None and bare_by == "symmetry" and max(abs(m - WINDOW / 2) for m in middle) < 15:
        about = tuple(m + rng.normal(0, 0.6) - 0.5 for m in middle)
    slip = rng.normal(0, 0.5, 2)
    move = np.array([[1, 0, slip[0] * FINE], [0, 1, slip[1] * FINE]], np.float64)
    known = cv2.warpAffine(printer.mask, move, (SIZE, SIZE)) if rng.random() < 0.95 else np.zeros_like(holes)
    return Scene(seen, point(known), point(holes), told, about, coin, large, lying)


def _lit(image: F32, share: F32, more: F32) -> F32:
    return np.clip(image * share[..., None] + more[..., None], 0, 1)


def _ghosts(canvas: Canvas, looks: list[Style], coin: float, foot, rng: Rng) -> None:
    """Draws discs on the bare board, as its symmetry shows them if discs lie at many symmetric places."""
    for _ in range(int(rng.integers(1, 4))):
        x, y = rng.uniform(0, WINDOW, 2)
        look = looks[int(rng.integers(3))]
        disc(canvas.part(x, y, coin + 8)[0], Lying(x, y, coin, False), look, foot, rng)


def _lay_discs(canvas: Canvas, lying: list[Lying], looks: list[Style], own: Style, lamp: Light, foot, rng: Rng) -> None:
    """Draws the discs with their shadows, which fall on the board and not on a neighbour's top."""
    shade = np.zeros((SIZE, SIZE), np.float32)
    for d in lying:
        part, where = canvas.part(d.x, d.y, 2 * d.radius + 14)
        np.maximum(shade[where], shadow(part, d, foot, lamp), out=shade[where])
    contact = canvas.cover([circle(d.x, d.y, d.radius + 1.5) + foot for d in lying])
    near = lamp.contact * cv2.GaussianBlur(contact, (0, 0), 1.2 * FINE)
    canvas.dim(np.maximum(cv2.GaussianBlur(shade, (0, 0), lamp.soft * FINE), near), 1.0)
    for d in lying:
        disc(canvas.part(d.x, d.y, d.radius + 8)[0], d, own if d.is_striker else looks[int(rng.integers(3))], foot, rng)


def _add_striker(lying: list[Lying], radius: float, marks, limits, rng: Rng) -> None:
    at = rng.uniform(20, WINDOW - 20, 2)
    if marks and rng.random() < 0.5:
        at = np.array(marks[int(rng.integers(len(marks)))]) + rng.normal(0, rng.choice((1, 10, 40)), 2) * (1, 0.1)
    lying[:] = [d for d in lying if math.dist(at, (d.x, d.y)) > d.radius + radius]
    if min(at - np.array(limits)) > radius:
        lying.append(Lying(float(at[0]), float(at[1]), radius, True))


def _cover(lying: list[Lying], mask: F32) -> None:
    yy, xx = np.mgrid[:SIZE, :SIZE].astype(np.float32) / FINE
    for d in lying:
        inside = np.hypot(xx - d.x, yy - d.y) < d.radius
        d.covered = float(mask[inside].mean()) if inside.any() else 0.0
