"""Discs as the camera sees them: top face, side wall, rings, shadow, and blur when they slide."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from models.board import BoardModel
from models.pieces import Kind
from referee.sim.layer import Layer, Patch
from referee.sim.texture import circle
from referee.sim.view import Bgr, Look, scaled

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

FINE = 4
"""Samples along each side of a pixel: the disc's place is good to a hundredth of a pixel."""
RIM_POINTS = 40
"""Corners of a drawn rim."""
RINGS = ((0.80, 0.72), (0.44, 0.34))
"""Turned grooves on a top face: outer and inner edge in shares of its radius."""
SIDE_SHADE, GROOVE_SHADE = 0.62, 0.84
"""Brightness of the side wall and of the grooves against the top face."""
SHADOW_PX = 1.2
"""Softness of a disc's shadow at least."""
BLUR_STEP_PX = 1.5
"""A blurred disc is drawn at least that densely along its way."""
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

    def __init__(self, camera: Camera, board: BoardModel, look: Look) -> None:
        self._camera, self._lamp = camera, np.array(look.lamp_mm)
        self._per_mm = float(camera.px_per_mm()[0])
        self._colour = {Kind.WHITE: look.white, Kind.BLACK: look.black, Kind.QUEEN: look.queen,
                        Kind.STRIKER: look.striker}  # fmt: skip
        self._size = dict.fromkeys(Kind, (board.coin_radius, board.coin_height))
        self._size[Kind.STRIKER] = board.striker_radius, board.striker_height

    def sprite(self, kind: Kind, trail_mm: F64, lift_mm: float) -> Sprite:
        """A disc whose centre passes through `trail_mm` (k, 2) during the exposure, `lift_mm` over the board."""
        rims = self._rims(kind, _thinned(trail_mm, self._per_mm), lift_mm)
        shade = self._shadow_outline(kind, trail_mm[len(trail_mm) // 2], lift_mm)
        points = np.concatenate([rims.reshape(-1, 2), shade])
        patch = Patch.around(points, 2 * SHADOW_PX + 1, self._camera.width, self._camera.height)
        if patch.is_empty:
            nothing = np.zeros((0, 0, 4), np.float32)
            return Sprite(patch, nothing, nothing)
        total = sum((self._drawn(patch, self._colour[kind], top, foot) for foot, top in rims), np.float32(0.0))
        shadow = Layer(patch, 2)
        if lift_mm >= 0:
            shadow.fill([shade], (0, 0, 0))
            shadow.soften(SHADOW_PX)
        return Sprite(patch, shadow.covered(), np.asarray(total / len(rims), np.float32))

    def _rims(self, kind: Kind, trail_mm: F64, lift_mm: float) -> F64:
        """Outlines (k, 2, RIM_POINTS, 2) in pixels of the bottom and the top rim at every place of the trail."""
        radius, height = self._size[kind]
        rim = (trail_mm[:, None] + UNIT_RIM * radius)[:, None].repeat(2, axis=1)
        z = np.broadcast_to(np.array([lift_mm, lift_mm + height])[None, :, None], rim.shape[:3])
        return self._camera.to_pixels(rim.reshape(-1, 2), z.ravel()).reshape(rim.shape)

    def _shadow_outline(self, kind: Kind, at_mm: F64, lift_mm: float) -> F64:
        """Outline (n, 2) in pixels of what the lamp does not reach."""
        radius, height = self._size[kind]
        lean = (at_mm - self._lamp[:2]) / self._lamp[2]
        foot, top = at_mm + lean * max(lift_mm, 0.0), at_mm + lean * (max(lift_mm, 0.0) + height)
        points = np.concatenate([foot + UNIT_RIM * radius, top + UNIT_RIM * radius])
        hull = cv2.convexHull(self._camera.to_pixels(points).astype(np.float32))
        return np.asarray(hull, np.float64).reshape(-1, 2)

    def _drawn(self, patch: Patch, colour: Bgr, top: F64, foot: F64) -> F32:
        layer = Layer(patch, FINE)
        foot, top = _inset(foot), _inset(top)
        side = np.asarray(cv2.convexHull(np.concatenate([foot, top]).astype(np.float32)), np.float64).reshape(-1, 2)
        layer.fill([side], scaled(colour, SIDE_SHADE))
        layer.fill([top], colour)
        middle = top.mean(axis=0)
        for outer, inner in RINGS:
            layer.fill([middle + (top - middle) * outer, middle + (top - middle) * inner], scaled(colour, GROOVE_SHADE))
        return layer.covered()


def _thinned(trail_mm: F64, px_per_mm: float) -> F64:
    """As few places (k, 2) of the trail as show its blur; one when the disc hardly moves within the exposure."""
    way_px = float(np.hypot(*(trail_mm[-1] - trail_mm[0]))) * px_per_mm
    wanted = min(int(way_px / BLUR_STEP_PX) + 1, len(trail_mm))
    if wanted == 1:
        return np.asarray(trail_mm[len(trail_mm) // 2][None])
    return np.asarray(trail_mm[np.linspace(0, len(trail_mm) - 1, wanted).round().astype(int)])


def _inset(rim: F64) -> F64:
    """A rim half a sample smaller: OpenCV fills a shape together with the samples that its outline runs through."""
    middle = rim.mean(axis=0)
    out = rim - middle
    return np.asarray(middle + out * (1.0 - 0.5 / FINE / np.hypot(out[:, 0], out[:, 1]))[:, None])
