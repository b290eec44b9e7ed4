"""Parts of boards drawn from straight above with what may lie and be printed there, far wider than life.

A scene is a window of WINDOW mm of a board at the height of the discs' tops, as the program looks at it: prints are
shifted by what the camera's slant makes of that height, a disc's wall shows on one side, its shadow on another. No
colour is usual: wood, ink, discs and light are drawn from all there are, so that a network learns shapes, walls,
shadows and borders and no colours. Everything is a pure function of the generator.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from camera import Tone, camera, lit, point, remembered
from canvas import F32, FINE, SIZE, WINDOW, Canvas, Lying, Rng, Scene, any_colour, circle, hsv, powder
from discs import Light, Style, disc, hand, light, places, shadow, style
from prints import Printer, board, corner

BARE = ("symmetry", "remembered", "nothing")


def draw(rng: Rng) -> Scene:
    """One scene."""
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
    if rng.random() < 0.1:
        _dust(canvas, rng)
    twin, canvas.twin = canvas.twin, None
    if rng.random() < 0.35:
        _dust(canvas, rng)
    bare = twin if bare_by == "symmetry" else canvas.image.copy() if bare_by == "remembered" else None
    if rng.random() < 0.1:
        _dust(canvas, rng)
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
    if min(limits) > 0:
        _shade_edges(canvas, limits, rng)
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


def _dust(canvas: Canvas, rng: Rng) -> None:
    """Powder that games have smeared over wood and prints, or dirt."""
    colour = hsv(rng, (0, 360), (0, 0.12), (0.75, 1.0)) if rng.random() < 0.8 else any_colour(rng)
    canvas.lay(powder((SIZE, SIZE), rng), colour)


def _ghosts(canvas: Canvas, looks: list[Style], coin: float, foot, rng: Rng) -> None:
    """Discs that lie at so many symmetric places that the bare board seems to show them."""
    for _ in range(int(rng.integers(1, 4))):
        x, y = rng.uniform(0, WINDOW, 2)
        look = looks[int(rng.integers(3))]
        disc(canvas.part(x, y, coin + 8)[0], Lying(x, y, coin, False), look, foot, rng)


def _lay_discs(canvas: Canvas, lying: list[Lying], looks: list[Style], own: Style, lamp: Light, foot, rng: Rng) -> None:
    """Discs with their shadows, which fall on the board and not on a neighbour's top."""
    shade = np.zeros((SIZE, SIZE), np.float32)
    for d in lying:
        part, where = canvas.part(d.x, d.y, 2 * d.radius + 14)
        np.maximum(shade[where], shadow(part, d, foot, lamp), out=shade[where])
    contact = canvas.cover([circle(d.x, d.y, d.radius + 1.5) + foot for d in lying])
    near = lamp.contact * cv2.GaussianBlur(contact, (0, 0), 1.2 * FINE)
    canvas.dim(np.maximum(cv2.GaussianBlur(shade, (0, 0), lamp.soft * FINE), near), 1.0)
    for d in lying:
        disc(canvas.part(d.x, d.y, d.radius + 8)[0], d, own if d.is_striker else looks[int(rng.integers(3))], foot, rng)


def _shade_edges(canvas: Canvas, limits: tuple[float, float], rng: Rng) -> None:
    """The cushions' shade over wood and discs, broad where a lamp stands aside."""
    for axis, limit in enumerate(limits):
        if rng.random() < 0.5:
            continue
        wide, soft = rng.choice((rng.uniform(2, 12), rng.uniform(10, 60))), rng.uniform(0.3, 6)
        along = np.arange(SIZE, dtype=np.float32) / FINE
        shade = rng.uniform(0.1, 0.8) / (1 + np.exp(np.clip((along - limit - wide) / soft, -30, 30)))
        canvas.dim(np.broadcast_to(shade[None, :] if axis == 0 else shade[:, None], (SIZE, SIZE)), 1.0)


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
