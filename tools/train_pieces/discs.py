"""Draws discs: their places, colours, walls, ornaments and shadows, and hands over them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from canvas import (
    BOOK,
    F32,
    WINDOW,
    Canvas,
    Rng,
    SceneDisc,
    any_colour,
    circle,
    hsv,
    noise,
)
from numpy.typing import NDArray


def place_coins(rng: Rng, coin: float, marks, limits: tuple[float, float],
           middle: tuple[float, float] | None) -> list[tuple[float, float]]:  # fmt: skip
    """Draws the centres of coins: anywhere, touching, in formation around the `middle`, on `marks`."""
    low = np.array(limits) + coin
    out: list[tuple[float, float]] = []

    def free(x: float, y: float) -> bool:
        inside = x > low[0] and y > low[1] and max(x, y) < WINDOW + 10
        return inside and all(math.dist((x, y), p) > 2 * coin for p in out)

    for mark in marks:
        if rng.random() < (0.45 if mark is middle else 0.3):
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
        elif rng.random() < (0.1 if limits[0] < 0 else 0.5):
            at = (
                (low[0] + rng.uniform(0.05, 2), at[1]) if rng.random() < 0.5 else (at[0], low[1] + rng.uniform(0.05, 2))
            )
        if free(*at):
            out.append((float(at[0]), float(at[1])))
    return out


NEAR_WOOD = 0.7
NEAR_LEAST, NEAR_MOST = 0.008, 0.15
"""Least and greatest difference of colours near another, as shares of full brightness."""


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


def draw_style(rng: Rng, wood, striker: bool, pale: float = 0.0, ink=None) -> Style:
    """Draws an appearance: pale, dark, red, near the wood's colour, of the prints' `ink`, or any."""
    kind = NEAR_WOOD if pale and rng.random() < pale else rng.random()
    if kind < 0.27:
        colour = hsv(rng, (25, 55), (0.05, 0.6), (0.6, 0.98))
    elif kind < 0.45:
        colour = hsv(rng, (0, 360), (0, 0.5), (0.03, 0.3))
    elif kind < 0.58:
        colour = hsv(rng, (335, 380), (0.5, 0.95), (0.35, 0.95))
    elif kind < 0.8:
        colour = _near(rng, wood)
    elif kind < 0.86 and ink is not None:
        colour = _near(rng, ink)
    else:
        colour = any_colour(rng)
    grooves = []
    for _ in range(int(rng.integers(0, 4))):
        outer = rng.uniform(0.2, 0.95)
        grooves.append((outer, max(outer - rng.uniform(0.03, 0.2), 0.05), rng.uniform(0.55, 1.35)))
    art = int(rng.integers(1, 6)) if rng.random() < (0.55 if striker else 0.12) else 0
    return Style(colour, rng.uniform(0.25, 1.05), rng.uniform(0.3, 2.2), grooves, rng.choice((0, 0, 0.05, 0.2)), art,
                 any_colour(rng), rng.uniform(0.35, 0.8) if striker and rng.random() < 0.1 else 1.0)  # fmt: skip


def _near(rng: Rng, colour):
    """Draws a colour near another, from hardly to clearly different."""
    apart = float(np.exp(rng.uniform(np.log(NEAR_LEAST), np.log(NEAR_MOST))))
    return np.clip(colour + apart * (rng.normal(0, 0.6, 3) + rng.choice((-1, 1))), 0, 1)


@dataclass
class Light:
    """Shadows: displacement (2,) mm, softness (mm), darkness, and darkness of the board right beside a disc; all shares
    0..1.
    """

    way: NDArray[np.float64]
    soft: float
    dark: float
    contact: float
    second: NDArray[np.float64] | None


def draw_light(rng: Rng) -> Light:
    """Draws one or two lamps."""
    turn = rng.uniform(0, math.tau, 2)
    reach = rng.uniform(0, 7, 2)
    second = reach[1] * np.array([math.cos(turn[1]), math.sin(turn[1])]) if rng.random() < 0.3 else None
    way, soft = reach[0] * np.array([math.cos(turn[0]), math.sin(turn[0])]), rng.uniform(0.5, 5)
    dark = rng.choice((rng.uniform(0.02, 0.15), rng.uniform(0.15, 0.65)))
    return Light(way, soft, dark, rng.uniform(0, 0.5), second)


def cast_shadow(canvas: Canvas, d: SceneDisc, foot, light: Light) -> F32:
    """Returns the share of light that a disc takes from each point of a part of the scene."""
    shifts = [light.way] if light.second is None else [light.way, light.second]
    out = np.zeros(canvas.image.shape[:2], np.float32)
    for way in shifts:
        outline = np.concatenate([circle(d.x, d.y, d.radius), circle(d.x + way[0], d.y + way[1], d.radius)]) + foot
        hull = cv2.convexHull(outline.astype(np.float32))[:, 0]
        out = np.maximum(out, canvas.cover([hull.astype(np.float64)]) * light.dark / len(shifts))
    return out


def draw_disc(canvas: Canvas, d: SceneDisc, appearance: Style, foot, rng: Rng) -> None:
    """Draws a disc's wall, rounded edge, top face and ornament; `foot` (2,) mm is the displacement of its foot."""
    colour = np.clip(appearance.colour * rng.uniform(0.94, 1.06), 0, 1)
    wall = np.concatenate([circle(d.x, d.y, d.radius) + foot * 0.8, circle(d.x, d.y, d.radius) + foot * 0.15])
    hull = cv2.convexHull(wall.astype(np.float32))[:, 0].astype(np.float64)
    canvas.lay(canvas.cover([hull]), colour * appearance.wall, appearance.clear)
    canvas.lay(
        canvas.cover([circle(d.x, d.y, d.radius) + foot * 0.1]),
        np.clip(colour * (0.6 + 0.4 * appearance.wall), 0, 1),
        appearance.clear,
    )
    top = canvas.cover([circle(d.x, d.y, d.radius - appearance.edge)])
    canvas.lay(top, colour, appearance.clear)
    for outer, inner, shade in appearance.grooves:
        ring = np.clip(
            canvas.cover([circle(d.x, d.y, outer * d.radius)]) - canvas.cover([circle(d.x, d.y, inner * d.radius)]),
            0,
            1,
        )
        canvas.lay(ring * top, np.clip(colour * shade, 0, 1))
    if appearance.art:
        canvas.lay(draw_art(canvas, d, appearance.art, rng) * top, appearance.ink)
    if appearance.mottle:
        tone = 1 + appearance.mottle * noise(top.shape, (8, 8), rng) * top
        canvas.image *= tone[..., None]


def draw_art(canvas: Canvas, d: SceneDisc, kind: int, rng: Rng) -> F32:
    """Returns the share of each point that a disc's print or inlay covers."""
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


def draw_hand(canvas: Canvas, rng: Rng) -> F32:
    """Draws an arm with fingers from one side and returns what it covers."""
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
