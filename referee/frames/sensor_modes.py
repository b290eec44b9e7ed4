"""A Raspberry Pi camera's sensor: which of its modes fits the board, what that shows of the field, its rows' time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LEAST_ROWS = 720
"""Rows that show a board of 74 cm with its frame at 1.25 mm a pixel; with fewer placements stay open questions."""
MOST_ROWS = 1088
"""The image processor brings larger pictures down to so many rows (0.85 mm a pixel), which costs the processor nothing:
seeing and recording them whole would."""
SLOWER = 0.9
"""A mode that reaches this share of the wished rate will do: 56 for 60."""
MODE_WHOLE = 0.98
"""A mode that shows this share of the sensor's width and height shows the whole field."""

GLOBAL_SHUTTERS = frozenset({"imx296", "ov9281", "ov9782", "ov7251", "ov2311"})

READOUT_SHARE = 0.95
"""Share of a rolling shutter's shortest frame time in which its rows are read (imx219, 477, 708); the rest is blank."""

Size = tuple[int, int]
"""Width and height, pixels."""


@dataclass(frozen=True, slots=True)
class Mode:
    """A way in which a sensor can be read."""

    size: Size
    """Picture that it gives."""
    bit_depth: int
    fps: float
    """Highest rate."""
    part: Size
    """Part of the sensor that it shows, in the sensor's own pixels."""

    def shows(self, sensor: Size, picture: Size | None = None) -> float:
        """Share of the field's width or height, whichever is less, that a picture of this shape shows; 0 to 1."""
        width, height = float(self.part[0]), float(self.part[1])
        if picture is not None:
            width, height = min(width, height * picture[0] / picture[1]), min(height, width * picture[1] / picture[0])
        return min(width / sensor[0], height / sensor[1])


def modes_of(describe: Iterable[Mapping[str, Any]]) -> tuple[Mode, ...]:
    """The modes as picamera2's `sensor_modes` lists them; entries that are no raw modes are left out."""
    return tuple(
        Mode((int(m["size"][0]), int(m["size"][1])), int(m["bit_depth"]), float(m["fps"]),
             (int(m["crop_limits"][2]), int(m["crop_limits"][3])))
        for m in describe if {"size", "bit_depth", "fps", "crop_limits"} <= m.keys()
    )  # fmt: skip


def choose(modes: Sequence[Mode], sensor: Size, fps: float, size: Size | None) -> Mode | None:
    """The mode for a wished rate and picture; None where none is known.

    Enough rows come first, then the rate, then the whole field (a part of it must hang higher), then no more rows than
    are used, and more bits.
    """
    rows = size[1] if size else LEAST_ROWS

    def merit(mode: Mode) -> tuple[float, ...]:
        enough, fast, whole = mode.size[1] >= rows, mode.fps >= SLOWER * fps, mode.shows(sensor) >= MODE_WHOLE
        # Where nothing has rows enough the most count, where nothing is fast enough the fastest.
        return (enough, 0.0 if enough else mode.size[1], fast, whole, 0.0 if fast else mode.fps, -mode.size[1],
                mode.bit_depth)  # fmt: skip

    return max(modes, key=merit, default=None)


def picture_size(mode: Mode, wished: Size | None) -> Size:
    """The picture to ask for: as wished, else the mode's own shape with at most `MOST_ROWS` rows, both sides even."""
    if wished:
        return wished
    width, height = mode.size
    shrunk = min(1.0, MOST_ROWS / height)
    return 2 * round(width * shrunk / 2), 2 * round(height * shrunk / 2)


def describe(model: str, mode: Mode, sensor: Size, picture: Size) -> str:
    """What a picture of this mode shows, for people."""
    share = mode.shows(sensor, picture)
    field = "the whole field" if share >= MODE_WHOLE else f"the middle {100 * share:.0f} % of the field"
    return f"{model} {mode.size[0]}x{mode.size[1]}, {field}"


def row_time_s(model: str, shortest_s: float, sensor: Size | None, picture: Size) -> float | None:
    """Readout time (s) of one picture row, 0 for a global shutter, None where the sensor's mode is unknown.

    `sensor` and `picture` are (width, height), `shortest_s` is the mode's shortest frame time. The blanking is not
    told by the driver, so a rolling shutter's value is right to about 3 %.
    """
    if model in GLOBAL_SHUTTERS:
        return 0.0
    if sensor is None:
        return None
    seen_rows = min(sensor[1], sensor[0] * picture[1] / picture[0])
    return READOUT_SHARE * shortest_s / sensor[1] * seen_rows / picture[1]


def sensor_row_s(camera: Any, picture: Size) -> float | None:
    """`row_time_s` of a configured camera."""
    mode = camera.camera_configuration().get("sensor") or {}
    shortest_us = camera.camera_controls.get("FrameDurationLimits", (0, 0, 0))[0]
    sensor = mode.get("output_size") if shortest_us else None
    return row_time_s(camera.camera_properties.get("Model", ""), shortest_us * 1e-6, sensor, picture)
