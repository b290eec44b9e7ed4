"""Camera pose and appearance of the board: colours, lamp, and the camera that sees it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from calibration.geometry.camera import Camera
from models.board import BoardModel

Bgr = tuple[int, int, int]

VIEWPOINT_MARGIN = 0.97
"""Share of the picture that the board with its frame fills."""


class Cloth(StrEnum):
    """Pattern of the table cloth."""

    PLAIN = "plain"
    STRIPES = "stripes"
    CHECKS = "checks"


class Print(StrEnum):
    """Print or inlay on a striker's top face."""

    NONE = "none"
    RING = "ring"
    SECTORS = "sectors"
    STAR = "star"


@dataclass(frozen=True, slots=True)
class Glare:
    """A lamp's reflection in the varnish."""

    x_mm: float
    y_mm: float
    radius_mm: float
    """Distance at which it has faded to a third, mm."""
    strength: float
    """Grey levels added at its middle."""


@dataclass(frozen=True, slots=True)
class Appearance:
    """Colours (blue, green, red), prints and light."""

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
    """Place of the lamp over the board, board mm."""
    lamp_falloff_mm: float = 900.0
    """Distance from the spot beneath the lamp at which the light has halved, mm."""
    slope: tuple[float, float] = (0.0, 0.0)
    """Light of a window: its change per metre in x and in y, as a share."""
    vignette: float = 0.0
    """Share by which the lens darkens the picture's corners."""
    glares: tuple[Glare, ...] = ()
    shadow: float = 0.45
    """Darkness of a piece's shadow, 0-1."""
    shadow_px: float = 1.2
    """Softness of a piece's shadow, px."""
    grain: float = 0.06
    """Contrast of the wood's grain."""
    grain_across: bool = False
    """The grain runs from south to north."""
    worn: float = 0.0
    """Share of the printed marks that is worn off, in patches."""
    cloth: Cloth = Cloth.PLAIN
    head_mm: tuple[float, float] = (11.0, 4.0)
    """Length and half width of the head at an arrow's outer end, mm."""
    has_arcs: bool = True
    """Arrows end in an arc."""
    petals: int = 0
    """Number of petals of the ornament within the outer circle."""
    petal: Bgr = (60, 60, 150)
    points: int = 0
    """Number of points of a star around the centre circle; their halves are filled with `red` and `lines` in turn."""
    nets_show: bool = False
    """Coins in the nets are visible."""
    grooves: tuple[tuple[float, float], ...] = ((0.80, 0.72), (0.44, 0.34))
    """Turned grooves of the coins: outer and inner edge as shares of the radius."""
    groove_shade: float = 0.84
    """Brightness of grooves relative to the top face."""
    tone_spread: float = 0.0
    """Standard deviation of brightness from coin to coin, as a share."""
    edge_mm: float = 1.6
    """Radius of the rounded edges of coins and striker, mm."""
    striker_print: Print = Print.RING
    striker_ink: Bgr = (180, 173, 160)


@dataclass(frozen=True, slots=True)
class Mount:
    """Pose of the camera."""

    height_mm: float = 1150.0
    """Height of the lens over the playing surface, mm."""
    tilt_rad: float = 0.03
    """Angle from straight above, radians."""
    tilt_towards: float = -1.2
    """Board direction in which the tilt shifts the camera."""
    roll_rad: float = 0.012
    """Rotation of the picture about its axis, radians."""
    k1: float = -0.045
    """Coefficient of barrel distortion."""
    k2: float = 0.010
    fill: float = VIEWPOINT_MARGIN
    """Share of the picture that the board with its frame fills."""


def camera_over(board: BoardModel, width: int, height: int, mount: Mount) -> Camera:
    """Returns a camera that sees the whole board with its frame, as large as the picture allows."""
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
    focal = mount.fill * float(np.min(np.array([width, height]) / 2 / np.abs(corners).max(axis=0)))
    k = [[focal, 0.0, centre[0]], [0.0, focal, centre[1]], [0.0, 0.0, 1.0]]
    return Camera.of(width, height, k, dist, r, t)


def pushed(c: Camera, dx: float, dy: float, turn: float) -> Camera:
    """Returns a camera that sees the board moved by (dx, dy) mm and rotated by `turn` (radians) about its middle."""
    spin = np.array([[math.cos(turn), -math.sin(turn), 0.0], [math.sin(turn), math.cos(turn), 0.0], [0.0, 0.0, 1.0]])
    return Camera.of(c.width, c.height, c.k, c.dist, c.r @ spin, c.r @ np.array([dx, dy, 0.0]) + c.t)


def scaled(colour: Bgr, share: float) -> Bgr:
    """Returns a brighter or darker colour."""
    b, g, r = (min(int(c * share), 255) for c in colour)
    return b, g, r
