"""Renders discs: top face, side wall, rings, shadow, and motion blur."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import Camera
from models.board import BoardModel
from models.pieces import Kind
from referee.sim.layer import Layer, Patch
from referee.sim.light import Light
from referee.sim.texture import circle
from referee.sim.viewpoint import Appearance, Bgr, Print, scaled

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

DISCS_FINE = 4
"""Samples along each side of a pixel. The disc's position is exact to a hundredth of a pixel."""
RIM_POINTS = 40
"""Corners of a drawn rim."""
SIDE_SHADE, SHOULDER_SHADE, EDGE_SHADE = 0.62, 0.92, 0.78
"""Brightness, relative to the top face, of the side wall, of the rounded edge where it turns, and of its
steeper part.
"""
DISCS_TURN = 1 - 0.5**0.5
"""Inset and depth, as shares of the rounded edge's radius, at which the edge is half as steep as the wall."""
DISCS_SECTORS, STAR_POINTS = 6, 5
"""Numbers of sectors and of a star's points in a striker's print."""
TURN_PER_MM = 0.013
"""Turn of a disc as it slides, radians per mm. So its print lies differently at each place."""
BLUR_STEP_PX = 1.5
"""Greatest distance between two copies of a blurred disc along its path, px."""
UNIT_RIM = circle((0.0, 0.0), 1.0, RIM_POINTS)


@dataclass(frozen=True, slots=True, eq=False)
class Sprite:
    """A disc ready to be laid over the picture."""

    patch: Patch
    shadow: F32
    """Layer (h, w, 4) that darkens the board."""
    disc: F32
    """Layer (h, w, 4) of the disc itself."""


class DiscPainter:
    """Makes sprites of one set of pieces under one camera."""

    def __init__(self, camera: Camera, board: BoardModel, appearance: Appearance, light: Light) -> None:
        self._camera, self._lamp = camera, np.array(appearance.lamp_mm)
        self._appearance, self._light = appearance, light
        self._per_mm = float(camera.px_per_mm()[0])
        self._colour = {Kind.WHITE: appearance.white, Kind.BLACK: appearance.black, Kind.QUEEN: appearance.queen,
                        Kind.STRIKER: appearance.striker}  # fmt: skip
        self._size = dict.fromkeys(Kind, (board.coin_radius, board.coin_height))
        self._size[Kind.STRIKER] = board.striker_radius, board.striker_height

    def sprite(self, kind: Kind, trail_mm: F64, lift_mm: float, tone: float = 1.0) -> Sprite:
        """Returns the sprite of a disc whose centre passes through `trail_mm` (k, 2) during the exposure.

        `lift_mm` is its height over the board. `tone` is this piece's brightness relative to its kind's.
        """
        rims = self._rims(kind, _thinned(trail_mm, self._per_mm), lift_mm)
        shade = self._shadow_outline(kind, trail_mm[len(trail_mm) // 2], lift_mm)
        points = np.concatenate([rims.reshape(-1, 2), shade])
        patch = Patch.around(points, 2 * self._appearance.shadow_px + 1, self._camera.width, self._camera.height)
        if patch.is_empty:
            nothing = np.zeros((0, 0, 4), np.float32)
            return Sprite(patch, nothing, nothing)
        turn = TURN_PER_MM * float(trail_mm[0].sum())
        colour = scaled(self._colour[kind], tone)
        total = sum((self._drawn(patch, kind, colour, levels, turn) for levels in rims), np.float32(0.0))
        shadow = Layer(patch, 2)
        if lift_mm >= 0:
            shadow.fill([shade], (0, 0, 0))
            shadow.soften(self._appearance.shadow_px)
        drawn = np.asarray(total / len(rims), np.float32)
        return Sprite(patch, shadow.covered(), self._light.on_layer(patch, drawn))

    def _rims(self, kind: Kind, trail_mm: F64, lift_mm: float) -> F64:
        """Returns outlines (k, 4, RIM_POINTS, 2) in pixels, for every place of the trail.

        The four are the side wall's lower and upper end, the rounded edge where it turns, and the flat top face.
        """
        (radius, height), edge = self._size[kind], self._appearance.edge_mm
        radii = np.array([radius, radius, radius - DISCS_TURN * edge, radius - edge])
        z = lift_mm + np.array([edge / 2, height - edge, height - DISCS_TURN * edge, height])
        rim = trail_mm[:, None, None] + UNIT_RIM * radii[:, None, None]
        at = np.broadcast_to(z[None, :, None], rim.shape[:3])
        return self._camera.to_pixels(rim.reshape(-1, 2), at.ravel()).reshape(rim.shape)

    def _shadow_outline(self, kind: Kind, at_mm: F64, lift_mm: float) -> F64:
        """Returns the outline (n, 2) in pixels of the disc's shadow."""
        radius, height = self._size[kind]
        lean = (at_mm - self._lamp[:2]) / self._lamp[2]
        foot, top = at_mm + lean * max(lift_mm, 0.0), at_mm + lean * (max(lift_mm, 0.0) + height)
        points = np.concatenate([foot + UNIT_RIM * radius, top + UNIT_RIM * radius])
        hull = cv2.convexHull(self._camera.to_pixels(points).astype(np.float32))
        return np.asarray(hull, np.float64).reshape(-1, 2)

    def _drawn(self, patch: Patch, kind: Kind, colour: Bgr, levels: F64, turn: float) -> F32:
        layer = Layer(patch, DISCS_FINE)
        foot, wide, shoulder, top = (_inset(level) for level in levels)
        side = np.asarray(cv2.convexHull(np.concatenate([foot, wide]).astype(np.float32)), np.float64).reshape(-1, 2)
        shades = SIDE_SHADE, EDGE_SHADE, SHOULDER_SHADE, 1.0
        for outline, shade in zip((side, wide, shoulder, top), shades, strict=True):
            layer.fill([outline], scaled(colour, shade))
        appearance = self._appearance
        if kind is Kind.STRIKER:
            _imprint(layer, top, appearance.striker_print, appearance.striker_ink, turn)
            return layer.covered()
        middle = top.mean(axis=0)
        for outer, inner in appearance.grooves:
            ring = [middle + (top - middle) * outer, middle + (top - middle) * inner]
            layer.fill(ring, scaled(colour, appearance.groove_shade))
        return layer.covered()


def _imprint(layer: Layer, top: F64, kind: Print, ink: Bgr, turn: float) -> None:
    """Returns the print on a striker's top face with the rim `top` (n, 2)."""
    middle, away = top.mean(axis=0), top - top.mean(axis=0)
    n = len(top)
    start = round(turn / (2 * np.pi) * n) % n
    if kind is Print.RING:
        for outer, inner in ((0.80, 0.72), (0.44, 0.34)):
            layer.fill([middle + away * outer, middle + away * inner], ink)
    elif kind is Print.SECTORS:
        for k in range(0, DISCS_SECTORS, 2):
            arc = [(start + k * n // DISCS_SECTORS + i) % n for i in range(n // DISCS_SECTORS + 1)]
            layer.fill([np.concatenate([middle[None], middle + away[arc] * 0.75])], ink)
    elif kind is Print.STAR:
        corners = [(start + k * n // (2 * STAR_POINTS)) % n for k in range(2 * STAR_POINTS)]
        reach = np.where(np.arange(2 * STAR_POINTS) % 2 == 0, 0.8, 0.33)
        layer.fill([middle + away[corners] * reach[:, None]], ink)


def _thinned(trail_mm: F64, px_per_mm: float) -> F64:
    """Returns the fewest places (k, 2) of the trail that show its blur; one if the disc hardly moves within the
    exposure.
    """
    way_px = float(np.hypot(*(trail_mm[-1] - trail_mm[0]))) * px_per_mm
    wanted = min(int(way_px / BLUR_STEP_PX) + 1, len(trail_mm))
    if wanted == 1:
        return np.asarray(trail_mm[len(trail_mm) // 2][None])
    return np.asarray(trail_mm[np.linspace(0, len(trail_mm) - 1, wanted).round().astype(int)])


def _inset(rim: F64) -> F64:
    """Returns a rim half a sample smaller. OpenCV also fills the samples that a shape's outline runs through."""
    middle = rim.mean(axis=0)
    out = rim - middle
    return np.asarray(middle + out * (1.0 - 0.5 / DISCS_FINE / np.hypot(out[:, 0], out[:, 1]))[:, None])
