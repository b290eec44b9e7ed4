"""Where the camera hangs and how things look: colours, lamp, and the camera over the board."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibration.camera import Camera
from models.board import BoardModel

Bgr = tuple[int, int, int]

MARGIN = 0.97
"""Share of the picture that the board with its frame fills."""


@dataclass(frozen=True, slots=True)
class Look:
    """Colours (blue, green, red) and light."""

    wood: Bgr = (128, 176, 212)
    frame: Bgr = (34, 46, 72)
    table: Bgr = (92, 84, 78)
    lines: Bgr = (34, 34, 38)
    red: Bgr = (52, 48, 196)
    net: Bgr = (26, 24, 24)
    white: Bgr = (170, 214, 232)
    black: Bgr = (40, 38, 40)
    queen: Bgr = (74, 44, 206)
    striker: Bgr = (214, 206, 190)
    skin: Bgr = (122, 154, 208)
    sleeves: tuple[Bgr, Bgr] = ((120, 74, 52), (70, 92, 56))
    """Sleeves of the two players."""
    lamp_mm: tuple[float, float, float] = (-160.0, 220.0, 1100.0)
    """The lamp over the board, board mm."""
    lamp_falloff_mm: float = 900.0
    """Distance from the spot beneath the lamp at which the light has fallen to a half."""


@dataclass(frozen=True, slots=True)
class Mount:
    """Where the camera hangs."""

    height_mm: float = 1150.0
    """Lens over the playing surface."""
    tilt_rad: float = 0.03
    """Angle from straight above."""
    tilt_towards: float = -1.2
    """Board direction to which the camera is shifted by the tilt."""
    roll_rad: float = 0.012
    """Turn of the picture about its axis."""
    k1: float = -0.045
    """Barrel distortion."""
    k2: float = 0.010


def camera_over(board: BoardModel, width: int, height: int, mount: Mount) -> Camera:
    """A camera that sees the whole board with its frame, as large as the picture allows."""
    a, tilt = mount.tilt_towards, mount.tilt_rad
    eye = mount.height_mm * np.array([math.tan(tilt) * math.cos(a), math.tan(tilt) * math.sin(a), 1.0])
    z_axis = -eye / np.linalg.norm(eye)
    down = np.array([0.0, -1.0, 0.0])
    y_axis = down - (down @ z_axis) * z_axis
    y_axis /= np.linalg.norm(y_axis)
    r = np.stack([np.cross(y_axis, z_axis), y_axis, z_axis])
    c, s = math.cos(mount.roll_rad), math.sin(mount.roll_rad)
    r = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ r
    t = -r @ eye
    dist = (mount.k1, mount.k2, 0.0, 0.0, 0.0)
    centre = (width - 1) / 2, (height - 1) / 2
    unit = Camera.of(width, height, np.eye(3), dist, r, t)
    reach = board.half + board.frame_width
    corners = unit.to_pixels([(x * reach, y * reach) for x in (-1, 1) for y in (-1, 1)], board.frame_height)
    focal = MARGIN * float(np.min(np.array([width, height]) / 2 / np.abs(corners).max(axis=0)))
    k = [[focal, 0.0, centre[0]], [0.0, focal, centre[1]], [0.0, 0.0, 1.0]]
    return Camera.of(width, height, k, dist, r, t)


def scaled(colour: Bgr, share: float) -> Bgr:
    """A brighter or darker colour."""
    b, g, r = (min(int(c * share), 255) for c in colour)
    return b, g, r
