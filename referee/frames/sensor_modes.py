"""Modes of a Raspberry Pi camera's sensor: chooses one for the board, its share of the field and its readout time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LEAST_ROWS = 720
"""Least number of rows: they show a board of 74 cm with its frame at 1.25 mm a pixel; with fewer, placements stay
undecided."""
MOST_ROWS = 1088
"""Number of rows (0.85 mm a pixel) to which the image processor scales larger pictures. That costs the CPU nothing,
unlike analysing and recording them whole."""
LEAST_RATE_SHARE = 0.9
"""Share of the requested rate that a mode must reach: 56 for 60."""
MODE_WHOLE = 0.98
"""Share of the sensor's width and height from which a mode shows the whole field."""

GLOBAL_SHUTTERS = frozenset({"imx296", "ov9281", "ov9782", "ov7251", "ov2311"})

READOUT_SHARE = 0.95
"""Share of a rolling shutter's shortest frame time in which its rows are read (imx219, 477, 708); the rest is
blanking."""

Size = tuple[int, int]
"""Width and height, pixels."""


@dataclass(frozen=True, slots=True)
class Mode:
    """Mode in which a sensor can be read."""

    size: Size
    """Size of its picture."""
    bit_depth: int
    fps: float
    """Greatest rate."""
    part: Size
    """Size of the part of the sensor that it shows, in the sensor's own pixels."""

    def share_shown(self, sensor: Size, picture: Size | None = None) -> float:
        """Returns the share (0 to 1) of the field's width or height, whichever is less, in a picture of this shape."""
        width, height = self.cropped(picture) if picture is not None else self.part
        return min(width / sensor[0], height / sensor[1])

    def cropped(self, picture: Size) -> tuple[float, float]:
        """Returns width and height, in the sensor's own pixels, of the part that a picture of this shape shows."""
        width, height = self.part
        return min(width, height * picture[0] / picture[1]), min(height, width * picture[1] / picture[0])


def modes_of(describe: Iterable[Mapping[str, Any]]) -> tuple[Mode, ...]:
    """Returns the modes in picamera2's `sensor_modes`; entries that are no raw modes are left out."""
    return tuple(
        Mode((int(m["size"][0]), int(m["size"][1])), int(m["bit_depth"]), float(m["fps"]),
             (int(m["crop_limits"][2]), int(m["crop_limits"][3])))
        for m in describe if {"size", "bit_depth", "fps", "crop_limits"} <= m.keys()
    )  # fmt: skip


def choose(modes: Sequence[Mode], sensor: Size, fps: float, size: Size | None) -> Mode | None:
    """Returns the best mode for a requested rate and picture; None if there are no modes.

    In this order count: enough rows, the rate, the whole field (for a part of it the camera must hang higher), no more
    rows than are used, more bits.
    """
    rows = size[1] if size else LEAST_ROWS

    def merit(mode: Mode) -> tuple[float, ...]:
        enough, fast, whole = (
            mode.size[1] >= rows,
            mode.fps >= LEAST_RATE_SHARE * fps,
            mode.share_shown(sensor) >= MODE_WHOLE,
        )
        # If no mode has enough rows the one with most counts; if none is fast enough the fastest.
        return (enough, 0.0 if enough else mode.size[1], fast, whole, 0.0 if fast else mode.fps, -mode.size[1],
                mode.bit_depth)  # fmt: skip

    return max(modes, key=merit, default=None)


def picture_size(mode: Mode, wished: Size | None) -> Size:
    """Returns the size to ask for.

    It is the requested size, else the mode's own shape with at most `MOST_ROWS` rows, both sides even.
    """
    if wished:
        return wished
    width, height = mode.size
    shrunk = min(1.0, MOST_ROWS / height)
    return 2 * round(width * shrunk / 2), 2 * round(height * shrunk / 2)


def describe_mode(model: str, mode: Mode, sensor: Size, picture: Size) -> str:
    """Returns what a picture of this mode shows, in words for people."""
    share = mode.share_shown(sensor, picture)
    field = "the whole field" if share >= MODE_WHOLE else f"the middle {100 * share:.0f} % of the field"
    return f"{model} {mode.size[0]}x{mode.size[1]}, {field}"


def row_time_s(model: str, shortest_s: float, sensor: Size | None, picture: Size) -> float | None:
    """Returns the readout time (s) of one picture row, 0 for a global shutter, None if the sensor's mode is unknown.

    `sensor` and `picture` are (width, height), `shortest_s` is the mode's shortest frame time. The driver does not
    report the blanking, so a rolling shutter's value is right to about 3 %.
    """
    if model in GLOBAL_SHUTTERS:
        return 0.0
    if sensor is None:
        return None
    seen_rows = min(sensor[1], sensor[0] * picture[1] / picture[0])
    return READOUT_SHARE * shortest_s / sensor[1] * seen_rows / picture[1]


def sensor_row_s(camera: Any, picture: Size) -> float | None:
    """Returns `row_time_s` of a configured camera."""
    mode = camera.camera_configuration().get("sensor") or {}
    shortest_us = camera.camera_controls.get("FrameDurationLimits", (0, 0, 0))[0]
    sensor = mode.get("output_size") if shortest_us else None
    return row_time_s(camera.camera_properties.get("Model", ""), shortest_us * 1e-6, sensor, picture)
