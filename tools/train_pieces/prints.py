"""Draws wood, and the prints and fittings of boards: lines, circles, arrows, ornaments, letters, pockets."""

from __future__ import annotations

import math

import cv2
import numpy as np
from canvas import BOOK, F32, FINE, SIZE, WINDOW, Canvas, Rng, any_colour, circle, hsv, ink_colour, noise, rng_choice
from numpy.typing import NDArray

ASLANT_MM = 105.0
"""Distance of base circles from the board's middle along both sides, in mm: nearer than on boards, so that a window has
them."""
OWN_MIDDLE = 0.3
"""Share of boards whose circle in the middle is printed unlike their base circles."""


def wood_colour(rng: Rng):
    kind = rng.random()
    if kind < 0.6:
        return hsv(rng, (18, 45), (0.15, 0.7), (0.35, 0.97))
    if kind < 0.75:
        return hsv(rng, (0, 40), (0.2, 0.9), (0.08, 0.45))
    return any_colour(rng)


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
    """Draws the prints of a scene: those of the book (also into `mask`) and those that makers add."""

    def __init__(self, canvas: Canvas, rng: Rng, wood) -> None:
        self.canvas, self.rng, self.wood = canvas, rng, wood
        self.line, self.fill = ink_colour(rng, wood), ink_colour(rng, wood)
        self.mask = np.zeros((SIZE, SIZE), np.float32)
        self.bold = rng.random() < 0.4
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
        """Adds a print to the mask of those that the program expects."""
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
        """Draws a side's two lines with one or two base circles and returns the circles' centres."""
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

    def circles_around(self, x: float, y: float) -> list[tuple[float, float]]:
        """Draws base circles aslant beside the board's middle, off its ornament, and returns their centres.

        By them the program guesses the print in the middle, which a disc there hides. Some boards have another there.
        """
        out = [(x + a * ASLANT_MM, y + b * ASLANT_MM) for a in (-1, 1) for b in (-1, 1)]
        for at in out:
            self.base_circle(*at)
            self.book_ring(*at, BOOK["circle"])
        if self.rng.random() < OWN_MIDDLE:
            self.base = self._base_style()
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

    def centre(self) -> tuple[tuple[float, float], list[tuple[float, float]]]:
        """Draws the middle with its circles and ornament; returns its centre and those of base circles beside it."""
        rng = self.rng
        x, y = rng.uniform(60, WINDOW - 60, 2) if rng.random() < 0.15 else WINDOW / 2 + rng.uniform(-12, 12, 2)
        circles = self.circles_around(x, y) if rng.random() < 0.85 else []
        outer, inner = BOOK["outer"] * rng.uniform(0.9, 1.1), BOOK["circle"]
        if rng.random() < 0.8:
            self.ring(x, y, outer, rng.uniform(0.8, 3), self.line)
        self.book_ring(x, y, BOOK["outer"])
        for _ in range(int(rng.integers(0, 3))):
            self._ornament(x, y, inner, outer)
        if rng.random() < 0.75:
            self.base_circle(x, y)
        self.book_ring(x, y, inner)
        return (x, y), circles

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
            kind = rng.integers(6)
            self.canvas.twin = None if rng.random() < (0.1 if kind in (1, 5) else 0.3) else twin
            x, y, r = *rng.uniform(0, WINDOW, 2), rng.uniform(4, 45)
            colour = ink_colour(rng, self.wood)
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


def corner(canvas: Canvas, rng: Rng, holes: F32) -> tuple[float, float]:
    """Draws a corner with its pocket, net and frame, marks them in `holes`, and returns the inner corner."""
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
