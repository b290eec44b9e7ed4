"""The tables of docs/pi.md, worked out from the makers' numbers: python deploy/cameras.py prints them as Markdown.

Sensors, pixels, lenses, fields of view: the maker's table of camera hardware. Modes (picture, part of the sensor,
highest rate): as the drivers tell by `rpicam-hello --list-cameras`, with ten bits; an imx219 read with eight is up to
twice as fast. Thin lens without distortion; a real one may need a few centimetres more or less.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import hypot

from models.board import BoardModel, load_board
from referee.frames.sensor_modes import row_time_s

BOARDS = ("icf74", "masters72", "carambole60")
FAST_MM_S = 3000.0
"""A hard stroke's coin; the striker of a break comes to twice that."""
ROOM_MM = 20.0
"""Seen beyond the frame on each side, so that nobody has to mount to the millimetre."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera module with its lens."""

    name: str
    sensor: str
    pixel_um: float
    focal_mm: float
    """The fixed lens, or the one usually sold with it."""
    modes: tuple[tuple[tuple[int, int], tuple[int, int], float], ...]
    """Picture, the part of the sensor that it shows (pixels, width and height), highest rate (frames a second)."""
    field_deg: float | None = None
    """Field of view from top to bottom as the maker tells it, degrees; None where the lens is changed."""


CAMERAS = (
    Camera("Global Shutter, 6 mm", "imx296", 3.45, 6.0, (((1456, 1088), (1456, 1088), 60.38),)),
    Camera("Camera Module 3", "imx708", 1.4, 4.74,
           (((2304, 1296), (4608, 2592), 56.03), ((1536, 864), (3072, 1728), 120.13)), 41.0),
    Camera("Camera Module 3 Wide", "imx708", 1.4, 2.75,
           (((2304, 1296), (4608, 2592), 56.03), ((1536, 864), (3072, 1728), 120.13)), 67.0),
    Camera("HQ, 6 mm", "imx477", 1.55, 6.0, (((2028, 1520), (4056, 3040), 40.01), ((1332, 990), (2664, 1980), 120.05))),
    Camera("Module 2", "imx219", 1.12, 3.04,
           (((1640, 1232), (3280, 2464), 41.85), ((640, 480), (1280, 960), 103.33)), 48.8),
)  # fmt: skip


def seen_mm(board: BoardModel) -> float:
    """Side (mm) of the square that the picture's short side must show: the board with its frame, and some room."""
    return board.surface + 2 * board.frame_width + 2 * ROOM_MM


def height_mm(camera: Camera, part: tuple[int, int], side_mm: float) -> float:
    """Height (mm) of the lens above the playing surface at which the short side of `part` shows `side_mm`."""
    return side_mm * camera.focal_mm / (min(part) * camera.pixel_um * 1e-3)


def skew_mm(camera: Camera, picture: tuple[int, int], part: tuple[int, int], fps: float, coin_px: float) -> float:
    """How far (mm) a coin at `FAST_MM_S` moves while its own `coin_px` rows are read; 0 with a global shutter."""
    row_s = row_time_s(camera.sensor, 1 / fps, part, picture)
    return 0.0 if row_s is None else FAST_MM_S * row_s * coin_px


def heights() -> Iterator[str]:
    """Mount height by camera and board."""
    boards = [load_board(name) for name in BOARDS]
    yield "| camera, mode | " + " | ".join(f"{b.surface / 10:.0f} cm board" for b in boards) + " |"
    yield "|---|" + "---|" * len(boards)
    for camera in CAMERAS:
        for picture, part, _ in camera.modes:
            tall = (f"{height_mm(camera, part, seen_mm(b)) / 10:.0f} cm" for b in boards)
            yield f"| {camera.name}, {picture[0]}x{picture[1]} | " + " | ".join(tall) + " |"


def modes() -> Iterator[str]:
    """What each mode resolves on the board by the book."""
    board = load_board(BOARDS[0])
    side = seen_mm(board)
    yield "| camera, mode | frames/s | mm per pixel | way between frames | skew of a coin | parallax in a corner |"
    yield "|---|---|---|---|---|---|"
    for camera in CAMERAS:
        for picture, part, fps in camera.modes:
            mm_px = side / min(picture)
            skew = skew_mm(camera, picture, part, fps, 2 * board.coin_radius / mm_px)
            parallax = board.coin_height * hypot(board.half, board.half) / height_mm(camera, part, side)
            yield (f"| {camera.name}, {picture[0]}x{picture[1]} | {fps:.0f} | {mm_px:.2f} | {FAST_MM_S / fps:.0f} mm | "
                   f"{skew:.1f} mm | {parallax:.1f} mm |")  # fmt: skip


def blur() -> Iterator[str]:
    """Blur (mm) by exposure and speed."""
    speeds = (1.0, 3.0, 6.0)
    yield "| exposure | " + " | ".join(f"at {v:g} m/s" for v in speeds) + " |"
    yield "|---|" + "---|" * len(speeds)
    for ms in (0.5, 1.0, 2.0, 4.0, 8.0):
        yield f"| {ms:g} ms | " + " | ".join(f"{v * ms:g} mm" for v in speeds) + " |"


def lamps() -> Iterator[str]:
    """How far to the side a lamp must hang so that its mirror image lies beyond the playing surface."""
    board = load_board(BOARDS[0])
    ratios = (0.5, 1.0, 1.5)
    yield "| lamp's height, beside the camera's | at least so far from the middle |"
    yield "|---|---|"
    for ratio in ratios:
        yield f"| {ratio:g} times | {board.half * (1 + ratio) / 10:.0f} cm |"


def main() -> None:
    """Prints every table."""
    for table in (heights, modes, blur, lamps):
        print("\n".join(table()), end="\n\n")


if __name__ == "__main__":
    main()
