"""Procedural surfaces: wood, cloth and the printed playing surface, drawn from above in board millimetres."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from models.board import ARC_RADIUS_MM, BoardModel
from models.pieces import Pocket, Seat, from_side
from referee.sim.stage import pocket_centre
from referee.sim.viewpoint import Appearance, Bgr, Cloth

U8 = NDArray[np.uint8]
F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

TEXTURE_SHIFT = 6
"""Fractional bits of OpenCV's drawing coordinates."""
CIRCLE_POINTS = 96
"""Corners of a drawn circle. The sagitta of the largest one is below 0.05 mm."""
RING_MM = 1.5
"""Thickness of printed rings and arcs, mm."""
STAR_LINE_MM, SHOULDER = 0.8, 1.6
"""Thickness of the lines around a star's points, mm, and where these part, in radii of the centre circle."""
STRIPES = 22
"""Number of stripes of a striped or checked cloth."""
WEAR_MM = 25.0
"""Size of the patches in which prints are worn off, mm."""


def smooth_noise(shape: tuple[int, int], cells: tuple[float, float], rng: np.random.Generator) -> F32:
    """Returns noise (h, w) of unit spread with blobs of `cells` (rows, columns) pixels."""
    small = [max(math.ceil(n / max(c, 1.0)) + 3, 4) for n, c in zip(shape, cells, strict=True)]
    coarse = rng.standard_normal(small).astype(np.float32)
    fine = cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC)
    return np.asarray(fine / max(float(fine.std()), 1e-6), np.float32)


def wood(shape: tuple[int, int], colour: Bgr, contrast: float, rng: np.random.Generator) -> U8:
    """Returns wood (h, w, 3) with its grain along the rows."""
    h, w = shape
    rings = smooth_noise(shape, (h / 6, w / 2), rng) + 0.35 * smooth_noise(shape, (h / 40, w / 3), rng)
    bands = np.sin(rings * 7.0)
    fibre = smooth_noise(shape, (2.0, w / 14), rng)
    blotch = smooth_noise(shape, (h / 4, w / 4), rng)
    tone = 1.0 + contrast * (0.45 * bands + 0.35 * fibre + 0.5 * blotch)
    return np.asarray(np.clip(np.array(colour, np.float32) * tone[..., None], 0, 255), np.uint8)


def cloth(shape: tuple[int, int], colour: Bgr, pattern: Cloth, rng: np.random.Generator) -> U8:
    """Returns a table cloth (h, w, 3): fine weave and soft folds, perhaps stripes or checks."""
    tone = 1.0 + 0.05 * smooth_noise(shape, (2, 2), rng) + 0.06 * smooth_noise(shape, (60, 60), rng)
    if pattern is not Cloth.PLAIN:
        dark = [np.arange(n) * STRIPES // n % 2 == 0 for n in shape]
        tone *= np.where(dark[1][None], 1.0, 0.6)
        if pattern is Cloth.CHECKS:
            tone *= np.where(dark[0][:, None], 1.0, 0.6)
    return np.asarray(np.clip(np.array(colour, np.float32) * tone[..., None], 0, 255), np.uint8)


TEXTURE_FINE = 4
"""Samples along each side of a pixel with which prints are drawn."""
CROSS = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))


class Sheet:
    """A picture from straight above, drawn on in board mm."""

    def __init__(self, image: U8, half_mm: float) -> None:
        self.image = image
        self.per_mm = image.shape[0] / (2 * half_mm)
        self._half = half_mm

    def pixels(self, points: ArrayLike) -> F64:
        """Returns pixels (n, 2) of board points (n, 2), pixel centres at integers."""
        xy = np.asarray(points, np.float64).reshape(-1, 2)
        return np.asarray(np.column_stack([xy[:, 0] + self._half, self._half - xy[:, 1]]) * self.per_mm - 0.5)

    def fill(self, outlines: Sequence[ArrayLike], colour: Bgr) -> None:
        """Fills the area between outlines (n, 2), at their true size; the second one is a hole in the first.

        OpenCV also fills the samples that a shape's outline runs through, half of which are inside.
        """
        drawn, (height, width) = [self.pixels(o) for o in outlines], self.image.shape[:2]
        every = np.concatenate(drawn)
        first = np.maximum(np.floor(every.min(0)).astype(int) - 1, 0)
        last = np.minimum(np.ceil(every.max(0)).astype(int) + 2, (width, height))
        if np.any(last <= first):
            return
        size = tuple((last - first).tolist())
        mask = np.zeros((size[1] * TEXTURE_FINE, size[0] * TEXTURE_FINE), np.uint8)
        samples = [((o - first + 0.5) * TEXTURE_FINE - 0.5) * (1 << TEXTURE_SHIFT) for o in drawn]
        cv2.fillPoly(mask, [np.round(o).astype(np.int32) for o in samples], 255, cv2.LINE_8, TEXTURE_SHIFT)
        within = cv2.addWeighted(mask, 0.5, cv2.erode(mask, CROSS), 0.5, 0.0)
        share = cv2.resize(within, size, interpolation=cv2.INTER_AREA).astype(np.float32)[..., None] / 255
        part = self.image[first[1] : last[1], first[0] : last[0]]
        part[:] = np.round(part + (np.array(colour, np.float32) - part) * share)

    def disc(self, centre: tuple[float, float], radius: float, colour: Bgr) -> None:
        self.fill([circle(centre, radius)], colour)

    def ring(self, centre: tuple[float, float], outer: float, thickness: float, colour: Bgr) -> None:
        """Draws a ring whose outer edge has radius `outer`."""
        self.fill([circle(centre, outer), circle(centre, outer - thickness)], colour)

    def stroke(self, path: ArrayLike, thickness: float, colour: Bgr) -> None:
        """Draws a path (n, 2) of width `thickness` mm, centred on the points."""
        points = np.asarray(path, np.float64).reshape(-1, 2)
        for a, b in pairwise(points):
            along = (b - a) / np.hypot(*(b - a))
            side = np.array([-along[1], along[0]]) * thickness / 2
            self.fill([np.stack([a + side, b + side, b - side, a - side])], colour)


def circle(centre: tuple[float, float], radius: float, points: int = CIRCLE_POINTS) -> F64:
    """Returns the outline (n, 2) of a circle."""
    angle = np.arange(points) * math.tau / points
    return np.asarray(np.column_stack([np.cos(angle), np.sin(angle)]) * radius + np.array(centre))


def playing_surface(board: BoardModel, appearance: Appearance, per_mm: float, rng: np.random.Generator) -> U8:
    """Returns the surface (n, n, 3) from above with all its printed marks and pockets."""
    size = round(board.surface * per_mm)
    bare = wood((size, size), appearance.wood, appearance.grain, rng)
    bare = np.ascontiguousarray(bare.transpose(1, 0, 2)) if appearance.grain_across else bare
    sheet = Sheet(bare.copy(), board.half)
    sheet.ring((0, 0), board.outer_circle_radius + RING_MM / 2, RING_MM, appearance.lines)
    _ornament(sheet, board, appearance)
    _star(sheet, board, appearance)
    sheet.disc((0, 0), board.centre_circle_radius, appearance.red)
    sheet.ring((0, 0), board.centre_circle_radius, RING_MM, appearance.lines)
    for seat in Seat:
        _base_lines(sheet, board, appearance, seat)
        _arrow(sheet, board, appearance, seat)
    if appearance.worn > 0:
        sheet.image[:] = _worn(bare, sheet.image, appearance.worn, WEAR_MM * per_mm, rng)
    for pocket in Pocket:
        _pocket(sheet, board, appearance, pocket)
    return sheet.image


def _worn(bare: U8, printed: U8, share: float, patch_px: float, rng: np.random.Generator) -> U8:
    """Returns the print with up to `share` of its strength worn off, in patches."""
    rubbed = np.clip(0.5 + 0.5 * smooth_noise(bare.shape[:2], (patch_px, patch_px), rng), 0.0, 1.0)
    return np.asarray(cv2.blendLinear(bare, printed, share * rubbed, 1.0 - share * rubbed), np.uint8)


def _ornament(sheet: Sheet, board: BoardModel, appearance: Appearance) -> None:
    """Draws petals between the centre circle and the outer one."""
    inner, outer = board.centre_circle_radius + 3.0, board.outer_circle_radius - 4.0
    for k in range(appearance.petals):
        turn = math.tau * k / appearance.petals
        travel, side = np.array([math.cos(turn), math.sin(turn)]), np.array([-math.sin(turn), math.cos(turn)])
        width = 0.7 * math.pi * (inner + outer) / 2 / appearance.petals
        sheet.fill([[travel * inner, travel * (inner + outer) / 2 + side * width, travel * outer,
                     travel * (inner + outer) / 2 - side * width]], appearance.petal)  # fmt: skip


def _star(sheet: Sheet, board: BoardModel, appearance: Appearance) -> None:
    """Draws a compass rose from the centre circle to the outer one: points with a filled and a bare half, in
    two inks.
    """
    outer = board.outer_circle_radius
    for k in range(appearance.points):
        axis, flank = math.tau * k / appearance.points, math.pi / appearance.points
        shoulder = SHOULDER * board.centre_circle_radius / math.cos(flank)
        tip, middle = (outer * math.cos(axis), outer * math.sin(axis)), (0.0, 0.0)
        left, right = ((shoulder * math.cos(a), shoulder * math.sin(a)) for a in (axis + flank, axis - flank))
        sheet.fill([[middle, left, tip]], (appearance.red, appearance.lines)[k % 2])
        sheet.stroke([left, tip, right], STAR_LINE_MM, appearance.lines)
        sheet.stroke([middle, tip], STAR_LINE_MM, appearance.lines)


def _base_lines(sheet: Sheet, board: BoardModel, appearance: Appearance, seat: Seat) -> None:
    x = board.base_circle_x
    rear, front = -board.base_y - board.line_gap / 2, -board.base_y + board.line_gap / 2
    for y, thickness in ((rear, board.rear_line_thickness), (front, board.front_line_thickness)):
        sheet.stroke([from_side(seat, -x, y), from_side(seat, x, y)], thickness, appearance.lines)
    for side in (-x, x):
        centre = from_side(seat, side, -board.base_y)
        sheet.disc(centre, board.base_circle_radius, appearance.wood)
        sheet.disc(centre, board.base_disc_radius, appearance.red)
        sheet.ring(centre, board.base_circle_radius, RING_MM, appearance.lines)


def _arrow(sheet: Sheet, board: BoardModel, appearance: Appearance, seat: Seat) -> None:
    """Draws the arrow to this seat's left-hand pocket: shaft along the diagonal, head outside, arc inside."""
    diagonal = 1 / math.sqrt(2)
    tip = (board.half - board.arrow_start) / diagonal
    inner = tip - board.arrow_length

    def at(along: float, aside: float = 0.0) -> tuple[float, float]:
        return from_side(seat, (-along + aside) * diagonal, (-along - aside) * diagonal)

    head, wide = appearance.head_mm
    sheet.stroke([at(inner), at(tip - head / 2)], board.arrow_thickness, appearance.lines)
    sheet.fill([[at(tip), at(tip - head, wide), at(tip - head, -wide)]], appearance.lines)
    if not appearance.has_arcs:
        return
    radius = ARC_RADIUS_MM * board.arrow_length / 267.0  # on smaller boards it shrinks with the arrows
    turns = np.linspace(math.radians(45), math.radians(315), 40)
    arc = [at(inner + radius * (1 + math.cos(a)), radius * math.sin(a)) for a in turns]
    sheet.stroke(arc, RING_MM, appearance.lines)


def _pocket(sheet: Sheet, board: BoardModel, appearance: Appearance, pocket: Pocket) -> None:
    centre, radius = pocket_centre(board, pocket), board.pocket_diameter / 2
    dark = tuple(int(c * 0.45) for c in appearance.net)
    sheet.disc(centre, radius, (dark[0], dark[1], dark[2]))
    for k in range(-3, 4):
        chord = math.sqrt(max((radius - 1.5) ** 2 - (6.0 * k) ** 2, 0.0))
        x, y = centre
        sheet.stroke([(x + 6.0 * k, y - chord), (x + 6.0 * k, y + chord)], 0.7, appearance.net)
        sheet.stroke([(x - chord, y + 6.0 * k), (x + chord, y + 6.0 * k)], 0.7, appearance.net)
