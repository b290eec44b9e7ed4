"""Draws pictures of a board with known truth: surface, marks, pockets, frame and coins through a known camera."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64, Camera
from calibration.geometry.picture import Picture, picture_from_bgr
from models.board import BoardModel, load_board
from models.pieces import Pocket, Seat, from_side

MM = 4
"""Pixels per millimetre of the drawing that the camera sees."""
REACH = 470.0
"""Half the side of the drawing, mm: board, frame and cloth."""
COARSE = 8
"""Step, in pixels, at which the camera's map is computed. It is smooth, so it is interpolated between."""
WOOD, INK, RED, WHITE, BLACK = (150, 195, 220), (45, 45, 50), (60, 60, 200), (190, 225, 235), (50, 50, 55)
CLOTH, FRAME, HOLE, NET = (120, 90, 70), (35, 50, 80), (20, 25, 20), (165, 170, 172)
COINS = ((-200.0, 268.0, WHITE), (30.0, -236.0, BLACK), (0.0, 0.0, RED), (219.0, -250.0, BLACK), (120.0, 90.0, WHITE),
         (-268.0, 100.0, BLACK), (-90.0, -150.0, WHITE), (345.0, 200.0, BLACK))  # fmt: skip
"""Coins, some on lines and one on a base circle."""

WIDENED_MM = 0.4
"""Excess of drawn line widths, because OpenCV also fills the samples that an outline crosses."""

TONE = 2.2
"""Tone curve of the camera, applied after the lens has blurred the light."""


def camera(width: int = 1000, height: int = 750, focal: float = 1.15, roll: float = 2.0, tilt: float = 3.0,
           k1: float = -0.06, k2: float = 0.02, board_share: float = 0.82) -> Camera:  # fmt: skip
    """Returns a camera over a 740 mm board that fills `board_share` of the height; angles in degrees, focal in picture
    heights.
    """
    f = focal * height
    distance = 740.0 * f / (board_share * height)
    k = [[f, 0.0, width / 2 + 3.0], [0.0, f, height / 2 - 4.0], [0.0, 0.0, 1.0]]
    down = np.diag([1.0, -1.0, -1.0])
    r = cv2.Rodrigues(np.radians([tilt * 0.8, tilt * 0.6, 0.0]))[0] @ down @ cv2.Rodrigues(np.radians([0, 0, roll]))[0]
    return Camera.of(width, height, k, [k1, k2, 0.0, 0.0, 0.0], r, [6.0, -4.0, distance])


def picture(view: Camera, board: BoardModel | None = None, *, worn: float = 0.0, coins: bool = True,
            light: float = 1.0, noise: float = 2.0, seed: int = 1, quarter: float = 0.0,
            middle: tuple[float, float] = (0.0, 0.0), third: float = 0.0) -> Picture:  # fmt: skip
    """Returns the picture of the camera `view`. `worn` is the share of the print that is rubbed off.

    With `third` (mm) each side has a third thin line so far from the middle, as some makers print. With `quarter` (mm)
    the pockets are quarters of circles of that radius about the corners, with knitted nets, and nothing else. `middle`
    (mm) is the offset of the surface from its prints.
    """
    rng = np.random.default_rng(seed)
    board = board or load_board()
    surface = _surface(board, worn, coins, rng, quarter, middle, third)
    flat, top = _where(view, 0.0), _where(view, board.frame_height)
    image = _sampled(surface, flat)
    image[_from_middle(flat, middle) > board.half] = np.array(FRAME, np.float32) * 0.4
    edge = _from_middle(top, middle)
    image[(edge > board.half) & (edge < board.half + board.frame_width)] = FRAME
    image[edge >= board.half + board.frame_width] = CLOTH
    shining = cv2.resize((image / 255) ** TONE, (view.width, view.height), interpolation=cv2.INTER_AREA)
    levels = 255 * cv2.GaussianBlur(shining, (0, 0), 0.6) ** (1 / TONE)
    small = levels * light + rng.normal(0, noise, levels.shape)
    return picture_from_bgr(np.clip(small, 0, 255).astype(np.uint8))


def _where(view: Camera, z: float) -> NDArray[np.float32]:
    """Returns board mm (2h, 2w, 2) at height z of each half pixel."""
    x = np.arange(0, view.width + COARSE, COARSE, dtype=np.float64)
    y = np.arange(0, view.height + COARSE, COARSE, dtype=np.float64)
    grid = np.stack(np.meshgrid(x, y), -1)
    coarse = view.to_board(grid.reshape(-1, 2), z).reshape(grid.shape).astype(np.float32)
    u, v = np.meshgrid(np.arange(2 * view.width) / 2 - 0.25, np.arange(2 * view.height) / 2 - 0.25)
    at = (np.stack([u, v]) / COARSE).astype(np.float32)
    return np.asarray(cv2.remap(coarse, at[0], at[1], cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE))


def _from_middle(mm: NDArray[np.float32], middle: tuple[float, float]) -> NDArray[np.float32]:
    """Returns the greater of the distances along and across (h, w) mm."""
    x, y = np.float32(middle)
    return np.asarray(np.maximum(np.abs(mm[..., 0] - x), np.abs(mm[..., 1] - y)))


def _sampled(drawing: NDArray[np.uint8], mm: NDArray[np.float32]) -> NDArray[np.float32]:
    at = np.stack([(mm[..., 0] + REACH) * MM - 0.5, (REACH - mm[..., 1]) * MM - 0.5]).astype(np.float32)
    return np.asarray(cv2.remap(drawing, at[0], at[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)


def _surface(board: BoardModel, worn: float, coins: bool, rng: np.random.Generator,
             quarter: float, middle: tuple[float, float], third: float) -> NDArray[np.uint8]:  # fmt: skip
    size = round(2 * REACH * MM)
    wood = _bare(size, rng.normal(0, 5, (size // 16, size // 160)).tobytes(), WOOD).copy()
    bare = wood.copy() if worn else wood
    _print(wood, board)
    for seat in Seat if third else ():
        _line(wood, np.array([from_side(seat, x, -third) for x in (-third, third)]), board.front_line_thickness)
    if worn:
        patches = cv2.resize(rng.random((30, 30)), (size, size), interpolation=cv2.INTER_CUBIC) < worn
        wood[patches] = bare[patches]
    if quarter:
        _cut_quarters(wood, board, quarter, middle)
    for sx, sy in (pocket.corner for pocket in Pocket if not quarter):
        place = board.half - board.pocket_inset
        _disc(wood, middle[0] + sx * place, middle[1] + sy * place, board.pocket_diameter / 2, HOLE)
    for x, y, colour in COINS if coins else ():
        _disc(wood, x, y, board.coin_radius, colour)
    return wood


@lru_cache(maxsize=1)
def _bare(size: int, grain: bytes, colour: tuple[int, int, int]) -> NDArray[np.uint8]:
    """Returns bare wood (size, size, 3) of a colour whose coarse grain has these values. Most pictures of a file share
    them.
    """
    coarse = np.frombuffer(grain).reshape(size // 16, size // 160)
    # Never near 0 or 255: the grain is seven of its standard deviations from them.
    whole = np.floor(cv2.resize(coarse, (size, size), interpolation=cv2.INTER_CUBIC)).astype(np.int16)
    wood = np.empty((size, size, 3), np.uint8)
    for channel, level in enumerate(colour):
        wood[..., channel] = whole + level
    return wood


def _cut_quarters(wood: NDArray[np.uint8], board: BoardModel, radius: float, middle: tuple[float, float]) -> None:
    """Draws quarters of a circle about the corners, with a dark rim and pale threads a finger apart within."""
    for pocket in Pocket:
        x, y = (at + sign * board.half for at, sign in zip(middle, pocket.corner, strict=True))
        _disc(wood, x, y, radius, HOLE)
        _disc(wood, x, y, radius - 1.5, NET)
        for off in np.arange(-radius, radius, 9.0):
            reach = np.sqrt(radius**2 - off**2) - 3.0
            for ends in ([[x + off, y - reach], [x + off, y + reach]], [[x - reach, y + off], [x + reach, y + off]]):
                _line(wood, np.array(ends), 2.5)


def _print(wood: NDArray[np.uint8], board: BoardModel) -> None:
    rear, front = board.half - board.rear_line, board.half - board.rear_line - board.line_gap
    for seat in Seat:
        for y, thickness in ((rear, board.rear_line_thickness), (front, board.front_line_thickness)):
            ends = [from_side(seat, x, -y) for x in (-board.base_circle_x, board.base_circle_x)]
            _line(wood, np.array(ends), thickness)
        for x in (-board.base_circle_x, board.base_circle_x):
            cx, cy = from_side(seat, x, -board.base_y)
            _disc(wood, cx, cy, board.base_circle_radius + 0.5, INK)
            _disc(wood, cx, cy, board.base_circle_radius - 0.5, WOOD)
            _disc(wood, cx, cy, board.base_disc_radius, RED)
    for pocket in Pocket:
        first = board.half - board.arrow_start
        last = first - board.arrow_length / np.sqrt(2)
        _line(wood, np.array([[first], [last]]) * np.array(pocket.corner), board.arrow_thickness)


def _px(points: F64) -> NDArray[np.int32]:
    at = np.stack([(points[..., 0] + REACH) * MM - 0.5, (REACH - points[..., 1]) * MM - 0.5], -1)
    return np.rint(at * 16).astype(np.int32)


def _line(wood: NDArray[np.uint8], ends: F64, thickness: float) -> None:
    along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    side = np.array([-along[1], along[0]]) * thickness / 2
    cv2.fillConvexPoly(wood, _px(np.array([ends[0] - side, ends[1] - side, ends[1] + side, ends[0] + side])), INK,
                       cv2.LINE_AA, 4)  # fmt: skip


def _disc(wood: NDArray[np.uint8], x: float, y: float, radius: float, colour: tuple[int, int, int]) -> None:
    centre = _px(np.array([x, y]))
    cv2.circle(wood, (int(centre[0]), int(centre[1])), round(radius * MM * 16), colour, -1, cv2.LINE_AA, 4)


def error_mm(true: Camera, found: Camera, board: BoardModel) -> float:
    """Returns the RMS difference (mm) of two cameras at base circles, pockets and a grid at the coins' height."""
    half, q = board.half, board.half - board.pocket_inset
    signs = [(i, j) for i in (-1, 1) for j in (-1, 1)]
    flat = [(i * u, j * v) for i, j in signs for u, v in ((board.base_circle_x, board.base_y), (q, q))]
    g = np.linspace(-0.9, 0.9, 7) * half
    high = np.stack(np.meshgrid(g, g), -1).reshape(-1, 2)
    points = np.concatenate([np.array(flat), high])
    z = np.repeat([0.0, 8.0], [len(flat), len(high)])
    apart = true.to_pixels(points, z) - found.to_pixels(points, z)
    return float(np.sqrt(np.mean(np.sum(apart**2, 1))) / true.px_per_mm()[0])


def board_with(**lengths: float) -> BoardModel:
    """Returns the standard board with some other lengths."""
    return replace(load_board(), **lengths)
