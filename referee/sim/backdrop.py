"""Renders the still part of the picture: table, frame and playing surface through the lens, drawn once."""

from __future__ import annotations

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


def backdrop(camera: Camera, board: BoardModel, appearance: Appearance, light: Light, rng: np.random.Generator,
             drawn_for: Camera | None = None) -> U8:  # fmt: skip
    """Returns the empty board (height, width, 3) as `camera` sees it.

    Textures have the density that `drawn_for` needs, by default `camera` itself: with another number of pixels the same
    random numbers would make another wood.
    """
    scale = 3 if camera.width < BACKDROP_SMALL_PX else 2
    surface_at = _board_points(camera, 0.0, scale)
    top_at = _board_points(camera, board.frame_height, scale)
    table_at = _board_points(camera, TABLE_MM, scale)
    density = min(float((drawn_for or camera).px_per_mm()[0]) * scale, FINEST_PER_MM)
    outer = _reach(top_at)
    inside = outer < board.half
    wall = inside & (_reach(surface_at) >= board.half)
    surface_mask, frame = inside & ~wall, ~inside & (outer <= board.half + board.frame_width)
    table = ~inside & ~frame
    image = np.empty((*outer.shape, 3), np.float32)
    texture = cloth((1024, 1024), appearance.table, appearance.cloth, rng)
    image[table] = _sample(texture, table_at[table], TABLE_REACH_MM) * _foot_shadow(table_at[table], board)[:, None]
    image[frame] = _frame(top_at[frame], board, appearance, rng)
    image[wall] = np.array(appearance.frame, np.float32) * 0.5
    texture = playing_surface(board, appearance, density, rng)
    surface = surface_at[surface_mask]
    image[surface_mask] = _sample(texture, surface, board.half) * _corner_shade(surface, board)[:, None]
    small = shrunk(image, camera.width, camera.height)
    return np.asarray(np.clip(light.on_picture(small), 0, 255) + 0.5, np.uint8)


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


def _frame(at: F32, board: BoardModel, appearance: Appearance, rng: np.random.Generator) -> F32:
    """Returns the wooden frame's colours (k, 3) at board points (k, 2): four mitred rails with rounded edges."""
    rail = wood((256, 1024), appearance.frame, 0.22, rng)
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
