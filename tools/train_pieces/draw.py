"""Draws parts of boards from straight above, with discs and prints that vary far more than real ones.

A scene is a window of WINDOW mm of a board at the height of the discs' tops, as the program samples it. Prints are
displaced by the camera's obliquity at that height. A disc's wall is visible on one side, its shadow on another. Wood,
ink, discs and light have any colour, so that a network learns shapes, walls, shadows and borders rather than colours.
Everything is a pure function of the generator.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from camera import Tone, downsample_mask, photograph, remember_board, uneven_light
from canvas import F32, FINE, SIZE, WINDOW, Canvas, Rng, Scene, SceneDisc, any_colour, circle, hsv, powder
from discs import Light, Style, cast_shadow, draw_disc, draw_hand, draw_light, draw_style, place_coins
from prints import Printer, board, corner

BARE = ("symmetry", "remembered", "nothing")


def draw(rng: Rng, pale: float = 0.0) -> Scene:
    """Draws one scene; `pale`: share of the styles of discs that are near the wood's colour beside those that are drawn
    so anyway.
    """
    image, wood = board(rng)
    canvas = Canvas(image)
    canvas.twin = np.broadcast_to(wood.astype(np.float32), image.shape).copy()
    printer, holes, marks, limits = Printer(canvas, rng, wood), np.zeros((SIZE, SIZE), np.float32), [], (-40.0, -40.0)
    kind = rng.choice(("line", "centre", "corner", "plain"), p=(0.27, 0.4, 0.25, 0.08))
    middle, circles = None, list[tuple[float, float]]()
    if kind == "line" or rng.random() < 0.15:
        marks += printer.base_lines()
    if kind == "centre":
        middle, circles = printer.centre()
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
        _spread_powder(canvas, rng)
    twin, canvas.twin = canvas.twin, None
    if rng.random() < 0.35:
        _spread_powder(canvas, rng)
    bare = twin if bare_by == "symmetry" else canvas.image.copy() if bare_by == "remembered" else None
    if rng.random() < 0.1:
        _spread_powder(canvas, rng)
    coin = rng.uniform(13.0, 16.5)
    large = coin * rng.uniform(1.22, 1.9)
    foot = rng.normal(0, 2.0, 2)
    foot *= min(1.0, 5.0 / max(float(np.hypot(*foot)), 1e-6))
    discs = []
    if rng.random() < 0.9:
        discs = [SceneDisc(x, y, coin, False) for x, y in place_coins(rng, coin, marks, limits, middle)]
    if rng.random() < 0.6:
        _place_striker(discs, large, marks, limits, rng)
    light, styles = draw_light(rng), [draw_style(rng, wood, False, pale, printer.fill) for _ in range(3)]
    striker_style = draw_style(rng, wood, True, pale)
    if bare_by == "symmetry" and rng.random() < 0.15:
        _draw_symmetric_discs(Canvas(twin), styles, coin, foot, rng)
    _draw_discs(canvas, discs, styles, striker_style, light, foot, rng)
    if min(limits) > 0:
        _shade_cushions(canvas, limits, rng)
    if rng.random() < 0.2:
        _mark_covered(discs, draw_hand(canvas, rng))
    share, glare = uneven_light(rng)
    tone = Tone.of(rng)
    picture = photograph(_apply_light(canvas.image, share, glare), tone, rng)
    bare_picture = None
    if bare is not None:
        bare_picture = remember_board(_apply_light(bare, share, glare) if bare_by == "remembered" else bare, tone, rng)
    symmetry_centre = None
    if middle is not None and bare_by == "symmetry" and max(abs(m - WINDOW / 2) for m in middle) < 15:
        symmetry_centre = tuple(m + rng.normal(0, 0.6) - 0.5 for m in middle)
    slip = rng.normal(0, 0.5, 2)
    move = np.array([[1, 0, slip[0] * FINE], [0, 1, slip[1] * FINE]], np.float64)
    known = cv2.warpAffine(printer.mask, move, (SIZE, SIZE)) if rng.random() < 0.95 else np.zeros_like(holes)
    return Scene(
        picture,
        downsample_mask(known),
        downsample_mask(holes),
        bare_picture,
        symmetry_centre,
        coin,
        large,
        (float(foot[0]), float(foot[1])),
        discs,
        circles,
    )


def _apply_light(image: F32, share: F32, glare: F32) -> F32:
    return np.clip(image * share[..., None] + glare[..., None], 0, 1)


def _spread_powder(canvas: Canvas, rng: Rng) -> None:
    """Draws powder that games have smeared over wood and prints, or dirt."""
    colour = hsv(rng, (0, 360), (0, 0.12), (0.75, 1.0)) if rng.random() < 0.8 else any_colour(rng)
    canvas.lay(powder((SIZE, SIZE), rng), colour)


def _draw_symmetric_discs(canvas: Canvas, styles: list[Style], coin: float, foot, rng: Rng) -> None:
    """Draws discs that cover so many symmetric places that the estimate of the empty board has them."""
    for _ in range(int(rng.integers(1, 4))):
        x, y = rng.uniform(0, WINDOW, 2)
        style = styles[int(rng.integers(3))]
        draw_disc(canvas.part(x, y, coin + 8)[0], SceneDisc(x, y, coin, False), style, foot, rng)


def _draw_discs(
    canvas: Canvas, discs: list[SceneDisc], styles: list[Style], striker_style: Style, light: Light, foot, rng: Rng
) -> None:
    """Draws discs with their shadows, which fall on the board and not on a neighbour's top."""
    shade = np.zeros((SIZE, SIZE), np.float32)
    for d in discs:
        part, where = canvas.part(d.x, d.y, 2 * d.radius + 14)
        np.maximum(shade[where], cast_shadow(part, d, foot, light), out=shade[where])
    contact = canvas.cover([circle(d.x, d.y, d.radius + 1.5) + foot for d in discs])
    near = light.contact * cv2.GaussianBlur(contact, (0, 0), 1.2 * FINE)
    canvas.dim(np.maximum(cv2.GaussianBlur(shade, (0, 0), light.soft * FINE), near), 1.0)
    for d in discs:
        style = striker_style if d.is_striker else styles[int(rng.integers(3))]
        draw_disc(canvas.part(d.x, d.y, d.radius + 8)[0], d, style, foot, rng)


def _shade_cushions(canvas: Canvas, limits: tuple[float, float], rng: Rng) -> None:
    """Darkens wood and discs beside the cushions, widely where a lamp stands aside."""
    for axis, limit in enumerate(limits):
        if rng.random() < 0.5:
            continue
        wide, soft = rng.choice((rng.uniform(2, 12), rng.uniform(10, 60))), rng.uniform(0.3, 6)
        along = np.arange(SIZE, dtype=np.float32) / FINE
        shade = rng.uniform(0.1, 0.8) / (1 + np.exp(np.clip((along - limit - wide) / soft, -30, 30)))
        canvas.dim(np.broadcast_to(shade[None, :] if axis == 0 else shade[:, None], (SIZE, SIZE)), 1.0)


def _place_striker(discs: list[SceneDisc], radius: float, marks, limits, rng: Rng) -> None:
    """Adds a striker, often near a mark, and removes the coins that it would overlap."""
    at = rng.uniform(20, WINDOW - 20, 2)
    if marks and rng.random() < 0.5:
        at = np.array(marks[int(rng.integers(len(marks)))]) + rng.normal(0, rng.choice((1, 10, 40)), 2) * (1, 0.1)
    discs[:] = [d for d in discs if math.dist(at, (d.x, d.y)) > d.radius + radius]
    if min(at - np.array(limits)) > radius:
        discs.append(SceneDisc(float(at[0]), float(at[1]), radius, True))


def _mark_covered(discs: list[SceneDisc], mask: F32) -> None:
    """Sets the share of each disc that a hand's mask covers."""
    yy, xx = np.mgrid[:SIZE, :SIZE].astype(np.float32) / FINE
    for d in discs:
        inside = np.hypot(xx - d.x, yy - d.y) < d.radius
        d.covered = float(mask[inside].mean()) if inside.any() else 0.0
