"""Yardsticks: the cost of a frame processed in the usual way, to which speed is compared.

Frames are I420 (YUV 4:2:0) in memory, one OpenCV thread. The settings are fixed, so that figures of years and machines
can be compared.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np

from calibration.geometry.camera import Camera
from calibration.geometry.picture import U8, Picture

YARDSTICKS_SIDE = 1024
"""Side of the rectified board, px."""
MASKS = (((15, 20, 120), (40, 160, 255)), ((0, 0, 0), (180, 120, 70)), ((170, 90, 60), (180, 255, 255)))
"""Bounds of hue, saturation and value of pale, dark and red coins."""
MEDIAN_PX, LEAST_APART_PX, YARDSTICKS_EDGE, VOTES, YARDSTICKS_RADII_PX = 5, 30, 100, 30, (15, 32)
"""Usual parameters in tutorials of the median blur and of the Hough transform for circles."""


class Yardstick(StrEnum):
    """A fixed amount of work on one frame."""

    COPY = "copy"
    """Read and write the luma plane once: the least cost of any processing of every pixel."""
    REMAP = "remap"
    """First steps of a whole-frame program: to BGR, lens and perspective removed, to HSV."""
    TUTORIAL = "tutorial"
    """Next steps in tutorials of disc detection: blur, circles by Hough transform, colour masks."""


class Yardsticks:
    """The yardsticks for one camera, with reusable buffers."""

    def __init__(self, camera: Camera, half_mm: float) -> None:
        self._maps = _square_maps(camera, half_mm)
        self._luma: U8 = np.empty((camera.height, camera.width), np.uint8)

    def seconds(self, frame: U8) -> dict[Yardstick, float]:
        """Returns each yardstick's time (s) on an I420 frame (height * 3 / 2, width)."""
        return {
            Yardstick.COPY: timed(lambda: self.copy(frame)),
            Yardstick.REMAP: timed(lambda: self.remap(frame)),
            Yardstick.TUTORIAL: timed(lambda: self.tutorial(frame)),
        }

    def copy(self, frame: U8) -> None:
        """Copies the luma plane."""
        np.copyto(self._luma, frame[: self._luma.shape[0]])

    def remap(self, frame: U8) -> tuple[cv2.typing.MatLike, cv2.typing.MatLike]:
        """Returns the rectified board (SIDE, SIDE, 3) as BGR and as HSV."""
        bgr = cv2.cvtColor(frame, cv2.COLOR_YUV2BGR_I420)
        top = cv2.remap(bgr, self._maps[0], self._maps[1], cv2.INTER_LINEAR)
        return top, cv2.cvtColor(top, cv2.COLOR_BGR2HSV)

    def tutorial(self, frame: U8) -> tuple[cv2.typing.MatLike | None, list[cv2.typing.MatLike]]:
        """Returns the circles found, and masks of the coins' colours."""
        top, hsv = self.remap(frame)
        grey = cv2.medianBlur(cv2.cvtColor(top, cv2.COLOR_BGR2GRAY), MEDIAN_PX)
        circles = cv2.HoughCircles(grey, cv2.HOUGH_GRADIENT, 1, LEAST_APART_PX, param1=YARDSTICKS_EDGE, param2=VOTES,
                                   minRadius=YARDSTICKS_RADII_PX[0], maxRadius=YARDSTICKS_RADII_PX[1])  # fmt: skip
        return circles, [cv2.inRange(hsv, np.array(low), np.array(high)) for low, high in MASKS]


def _square_maps(camera: Camera, half_mm: float) -> tuple[cv2.typing.MatLike, cv2.typing.MatLike]:
    """Returns fixed-point maps that rectify the picture to the board from straight above."""
    along = np.linspace(-half_mm, half_mm, YARDSTICKS_SIDE)
    x, y = np.meshgrid(along, -along)
    places = camera.to_pixels(np.column_stack([x.ravel(), y.ravel()]))
    return cv2.convertMaps(
        places.reshape(YARDSTICKS_SIDE, YARDSTICKS_SIDE, 2).astype(np.float32), np.empty(0), cv2.CV_16SC2
    )


@dataclass(frozen=True, slots=True)
class Cost:
    """Time of one kind of work over many frames, s."""

    median: float
    p99: float
    mean: float
    frames: int

    @classmethod
    def of(cls, seconds: list[float]) -> Cost:
        """Summarises times. Raises ValueError if there are none."""
        if not seconds:
            raise ValueError("no frame was timed")
        median, p99 = np.percentile(seconds, (50, 99))
        return cls(float(median), float(p99), float(np.mean(seconds)), len(seconds))

    def as_ms(self) -> dict[str, float]:
        """Returns the times in milliseconds, rounded to microseconds."""
        named = {"median": self.median, "p99": self.p99, "mean": self.mean}
        return {name: round(1e3 * seconds, 3) for name, seconds in named.items()}


def i420(picture: Picture) -> U8:
    """Returns a picture's planes stacked (height * 3 / 2, width), as decoders and cameras deliver them."""
    planes = [np.ascontiguousarray(p).ravel() for p in (picture.y, picture.u, picture.v)]
    return np.concatenate(planes).reshape(-1, picture.width)


def picture_of(frame: U8, full_range: bool = False) -> Picture:
    """Returns the planes of an I420 frame (height * 3 / 2, width) as views."""
    height, width = frame.shape[0] * 2 // 3, frame.shape[1]
    quarter = height * width // 4
    flat = frame.reshape(-1)
    u, v = (flat[i : i + quarter].reshape(height // 2, width // 2) for i in (height * width, height * width + quarter))
    return Picture(frame[:height], u, v, full_range)


@contextmanager
def single_threaded() -> Iterator[None]:
    """Restricts OpenCV to this thread."""
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)


def timed(work: Callable[[], object]) -> float:
    """Returns the time of a call, s."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
