"""Renders the still part of the picture: table, frame and playing surface through the lens, drawn once."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import Camera
from models.board import BoardModel
from referee.sim.light import COARSE_PX, Light
from referee.sim.texture import cloth, playing_surface, wood
from referee.sim.tone import shrunk
from referee.sim.viewpoint import Appearance

U8 = NDArray[np.uint8]
F32 = NDArray[np.float32]

BACKDROP_SMALL_PX = 1000
"""Pictures narrower than this are sampled 3 x 3 a pixel, larger ones 2 x 2."""
TABLE_MM = -60.0
"""Height of the table relative to the playing surface, mm."""
TABLE_REACH_MM = 1400.0
"""Half the side of the table that is drawn, mm."""
CORNER_SHADE_MM, CORNER_SHADE = 9.0, 0.27
"""Reach (mm) of the shade at the foot of the frame, and the share of picture levels that it takes. A wall blocks half
of the ambient light, which costs this share of the levels.
"""
ROW_PX = 1024
"""Width of the arrays in which single places are sampled."""
FINEST_PER_MM = 5.0
"""Greatest density of a texture, pixels per mm."""
BAND_PX = 32
"""Rows of the picture that are drawn at once: few enough for the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Textures:
    """The surfaces that the picture shows, each from straight above."""

    table: U8
    rail: U8
    """One of the frame's four."""
    surface: U8


def backdrop(camera: Camera, board: BoardModel, appearance: Appearance, light: Light, rng: np.random.Generator,
             drawn_for: Camera | None = None) -> U8:  # fmt: skip
    """Returns the empty board (height, width, 3) as `camera` sees it.

    Textures have the density that `drawn_for` needs, by default `camera` itself: with another number of pixels the same
    random numbers would make another wood.
    """
    scale = 3 if camera.width < BACKDROP_SMALL_PX else 2
    surface_at, top_at, table_at = (_board_points(camera, z, scale) for z in (0.0, board.frame_height, TABLE_MM))
    density = min(float((drawn_for or camera).px_per_mm()[0]) * scale, FINEST_PER_MM)
    table = cloth((1024, 1024), appearance.table, appearance.cloth, rng)
    rail = wood((256, 1024), appearance.frame, 0.22, rng)
    textures = Textures(table, rail, playing_surface(board, appearance, density, rng))
    small = np.empty((camera.height, camera.width, 3), np.float32)
    for first in range(0, camera.height, BAND_PX):
        rows = slice(first, first + BAND_PX)
        fine = slice(first * scale, (first + BAND_PX) * scale)
        levels = _levels(textures, surface_at[fine], top_at[fine], table_at[fine], board, appearance)
        small[rows] = shrunk(levels, camera.width, len(levels) // scale)
    return np.asarray(np.clip(light.on_picture(small), 0, 255) + 0.5, np.uint8)


def _levels(textures: Textures, surface_at: F32, top_at: F32, table_at: F32, board: BoardModel,
            appearance: Appearance) -> F32:  # fmt: skip
    """Returns the levels (h, w, 3) of samples, given the board points (h, w, 2) that each sees at the heights of the
    surface, of the frame's top and of the table.
    """
    outer = _reach(top_at)
    inside = outer < board.half
    wall = inside & (_reach(surface_at) >= board.half)
    frame = ~inside & (outer <= board.half + board.frame_width)
    shown = [np.flatnonzero(mask) for mask in (~inside & ~frame, frame, wall, inside & ~wall)]
    table, rail, surface = (at.reshape(-1, 2).take(shown[i], axis=0)
                            for i, at in ((0, table_at), (1, top_at), (3, surface_at)))  # fmt: skip
    levels = np.concatenate([
        _sample(textures.table, table, TABLE_REACH_MM) * _foot_shadow(table, board)[:, None],
        _frame(textures.rail, rail, board),
        np.broadcast_to(np.array(appearance.frame, np.float32) * np.float32(0.5), (len(shown[2]), 3)),
        _sample(textures.surface, surface, board.half) * _corner_shade(surface, board)[:, None],
    ])  # fmt: skip
    # To take rows is many times as fast as to set them through a mask.
    place = np.empty(len(levels), np.intp)
    place[np.concatenate(shown)] = np.arange(len(levels))
    return np.asarray(levels.take(place, axis=0).reshape(*outer.shape, 3), np.float32)


def _board_points(camera: Camera, z: float, scale: int) -> F32:
    """Returns board points (height * scale, width * scale, 2) at height z, one for each sample of the picture."""
    columns, rows = -(-camera.width // COARSE_PX), -(-camera.height // COARSE_PX)
    u = (np.arange(-1, columns + 1) + 0.5) * COARSE_PX - 0.5
    v = (np.arange(-1, rows + 1) + 0.5) * COARSE_PX - 0.5
    nodes = np.stack(np.meshgrid(u, v), axis=-1).reshape(-1, 2)
    coarse = camera.to_board(nodes, z).reshape(len(v), len(u), 2).astype(np.float32)
    step = COARSE_PX * scale
    fine = cv2.resize(coarse, (len(u) * step, len(v) * step), interpolation=cv2.INTER_LINEAR)
    return np.asarray(fine[step : step + camera.height * scale, step : step + camera.width * scale], np.float32)


def _sample(texture: U8, at: F32, half_mm: float) -> F32:
    """Returns the colours (k, 3) at board points (k, 2) of a texture that covers +-half_mm."""
    per_mm = texture.shape[0] / (2 * half_mm)
    return _remapped(texture, (at[:, 0] + half_mm) * per_mm - 0.5, (half_mm - at[:, 1]) * per_mm - 0.5)


def _remapped(texture: U8, column: NDArray[np.floating], row: NDArray[np.floating]) -> F32:
    """Returns a texture's colours (k, 3) at places (k,) in its pixels; OpenCV takes no side longer than 32767."""
    places = np.zeros((2, (len(column) // ROW_PX + 1) * ROW_PX), np.float32)
    places[0, : len(column)], places[1, : len(row)] = column, row
    columns, rows = places.reshape(2, -1, ROW_PX)
    found = cv2.remap(texture, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(found.reshape(-1, 3)[: len(column)], np.float32)


def _frame(rail: U8, at: F32, board: BoardModel) -> F32:
    """Returns the wooden frame's colours (k, 3) at board points (k, 2): four mitred rails with rounded edges."""
    lying = np.abs(at[..., 1]) > np.abs(at[..., 0])
    along = np.where(lying, at[..., 0], at[..., 1])
    across = np.where(lying, at[..., 1], at[..., 0])
    column = (along + 700.0) * (1023.0 / 1400.0)
    row = np.mod(across + 700.0, 200.0) * (255.0 / 200.0)
    colour = _remapped(rail, column, row)
    from_edge = np.minimum(np.abs(across) - board.half, board.half + board.frame_width - np.abs(across))
    bright = 1.0 + 0.35 * np.exp(-np.square((from_edge - 3.0) / 2.5))
    return np.asarray(colour * bright[..., None], np.float32)


def _reach(at: F32) -> F32:
    """Returns the larger of |x| and |y| (...,) of points (..., 2)."""
    return np.asarray(np.maximum(np.abs(at[..., 0]), np.abs(at[..., 1])), np.float32)


def _corner_shade(at: F32, board: BoardModel) -> F32:
    """Returns the share of light (k,) that reaches the surface near the foot of the frame."""
    from_cushion = np.maximum(board.half - _reach(at), 0.0)
    return np.asarray(1.0 - CORNER_SHADE * np.exp(-from_cushion / CORNER_SHADE_MM), np.float32)


def _foot_shadow(at: F32, board: BoardModel) -> F32:
    """Returns the share of light (k,) that the board's own shadow leaves on the table."""
    beyond = np.maximum(_reach(at) - (board.half + board.frame_width), 0.0)
    return np.asarray(1.0 - 0.5 * np.exp(-beyond / 45.0), np.float32)
