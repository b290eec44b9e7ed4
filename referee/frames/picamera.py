"""Raspberry Pi cameras through picamera2: planes lent by the camera, its SensorTimestamp as the clock."""

from __future__ import annotations

import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from types import TracebackType
from typing import Any, Self

import numpy as np

from calibration.geometry.lens import StatedLens
from calibration.geometry.picture import U8, Picture
from referee.frames.frame import Frame, SourceError
from referee.frames.lock_exposure import automatic_controls, fixed, has_settled
from referee.frames.sensor_modes import Mode, choose, describe_mode, modes_of, picture_size, sensor_row_s
from referee.frames.standard_lenses import standard_lens
from referee.frames.timeline import Timeline

FALLBACK_SIZE = (1456, 1088)
"""Picture (width, height) of a camera that lists no modes: the global shutter camera's own size."""

PICAMERA_DEFAULT_FPS = 60.0
"""Frames per second: a coin struck hard moves 10 cm between two of them, which the tracker can still follow."""

BUFFERS = 10
"""Pictures in the camera's pool: memory is 2.4 MB each, and the queue below must not starve the sensor."""

MOST_LENT_BUFFERS = 4
"""Number of pictures that wait for a busy referee in the camera's own buffers. Further ones are copied, so that the
sensor always finds a free buffer."""

MOST_WAIT_S = 0.3
"""Time (s) of which pictures wait for a busy referee; beyond it the oldest is dropped, so that it catches up after a
delay. A search of the whole board takes a slow machine a tenth of a second, and 36 pictures at 120 a second are 85
MB."""

SILENCE_S = 5.0
"""Longest wait (s) for a picture; a sensor whose cable has slipped never reports it."""

CONDITIONS = {"exposure_s": ("ExposureTime", 1e-6), "gain": ("AnalogueGain", 1.0),
              "temperature_c": ("SensorTemperature", 1.0)}  # fmt: skip
"""Fields of the condition: name of each in picamera2's metadata, and factor to our unit."""

INSTALL = "install it with: sudo apt install python3-picamera2 (the environment must see the system's packages)"


@dataclass(frozen=True, slots=True, eq=False)
class CopiedPicture:
    """Picture that waits in the program's own memory."""

    metadata: dict[str, Any]
    """Metadata from the camera."""
    picture: Picture


def waiting_frames(fps: float) -> int:
    """Returns the greatest number of pictures that wait for a busy referee."""
    return max(MOST_LENT_BUFFERS, round(MOST_WAIT_S * fps))


class PicameraSource:
    """Source of frames from the first Raspberry Pi camera.

    The planes are views into the camera's buffers. A buffer goes back to the camera once its planes are no longer
    referenced, so hold none for long. `t` is the readout of the first row, a constant time before the middle row's.
    """

    live = True

    def __init__(
        self,
        *,
        size: tuple[int, int] | None = None,
        fps: float = PICAMERA_DEFAULT_FPS,
        row_s: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`size`: (width, height) of the main stream; None = that of the sensor's best mode.

        `row_s`: readout time of a row (s), instead of the known one of the sensor.
        """
        self.name = "picamera"
        self._size, self._row_s, self._clock = size, row_s, clock
        self.fps: float | None = fps
        self._wished_fps = fps
        self._period_us = round(1e6 / fps)
        self._metadata: dict[str, Any] = {}
        self._camera: Any = None
        self.stated_lens: StatedLens | None = None
        """Focal length by the sensor's datasheet, for the mode in use; None if it has no standard lens."""
        self._most = waiting_frames(fps)
        self._waiting: deque[Any] = deque()
        self._arrived = threading.Condition()

    def __enter__(self) -> Self:
        """Starts the camera and waits until it has found the light.

        Raises SourceError if picamera2 or the camera is missing.
        """
        camera = first_camera()
        try:
            self._start(camera)
        except (RuntimeError, ValueError) as e:
            camera.close()
            size = f"{self._size[0]}x{self._size[1]}" if self._size else "its own size"
            raise SourceError(f"the camera refuses {size} at {self._wished_fps:g} frames/s ({e}); "
                              "choose another size or rate") from None  # fmt: skip
        try:
            self._settle(camera)
        except SourceError:
            self.__exit__(None, None, None)
            raise
        return self

    def _start(self, camera: Any) -> None:
        mode = self._mode(camera)
        fps = min(self._wished_fps, mode.fps) if mode else self._wished_fps
        self.fps, self._period_us, self._most = fps, round(1e6 / fps), waiting_frames(fps)
        size = picture_size(mode, self._size) if mode else self._size or FALLBACK_SIZE
        camera.configure(
            camera.create_video_configuration(
                main={"size": size, "format": "YUV420"},
                buffer_count=BUFFERS,
                queue=False,
                controls={"FrameDurationLimits": (self._period_us, self._period_us)},
                **({"sensor": {"output_size": mode.size, "bit_depth": mode.bit_depth}} if mode else {}),
            )
        )
        self._layout = PlaneLayout.of(camera.camera_configuration())
        self._row_s = self._row_s if self._row_s is not None else sensor_row_s(camera, self._layout.size)
        self.stated_lens = standard_lens(camera.camera_properties.get("Model", ""), mode, self._layout.size)
        camera.post_callback = self._receive
        camera.start()
        self._camera = camera

    def _mode(self, camera: Any) -> Mode | None:
        """Returns the mode of the sensor to ask for; None if the camera lists none."""
        modes = modes_of(camera.sensor_modes)
        sensor = camera.camera_properties.get("PixelArraySize")
        mode = choose(modes, sensor, self._wished_fps, self._size) if sensor else None
        if mode is not None and sensor:
            model = camera.camera_properties.get("Model", "camera")
            self.name = f"picamera ({describe_mode(model, mode, sensor, picture_size(mode, self._size))})"
        return mode

    def _settle(self, camera: Any) -> None:
        """Waits until the camera has found light and focus, and locks them.

        Raises SourceError when no picture comes.
        """
        limits, began = camera.camera_controls, self._clock()
        camera.set_controls(automatic_controls(limits))
        while True:
            waited = self._next()
            metadata = waited.metadata if isinstance(waited, CopiedPicture) else waited.get_metadata()
            _let_go(waited)
            if has_settled(metadata, limits, self._clock() - began):
                break
        camera.set_controls(fixed(metadata, limits, self._period_us))

    @property
    def condition(self) -> dict[str, float]:
        """Condition of the camera at its last picture.

        It holds `exposure_s`, `gain` and `temperature_c`, as far as the camera reports them.
        """
        last = self._metadata
        return {name: float(last[key]) * unit for name, (key, unit) in CONDITIONS.items() if key in last}

    def _receive(self, request: Any) -> None:
        """Queues a picture, and drops the oldest when too many wait; runs in the camera's thread."""
        request.acquire()
        with self._arrived:
            is_busy = len(self._waiting) >= MOST_LENT_BUFFERS
        held = self._copied(request) if is_busy else request
        with self._arrived:
            self._waiting.append(held)
            surplus = self._waiting.popleft() if len(self._waiting) > self._most else None
            self._arrived.notify()
        if surplus is not None:
            _let_go(surplus)

    def _copied(self, request: Any) -> CopiedPicture:
        """Copies the request's picture into the program's own memory, and returns the request to the camera."""
        from picamera2 import MappedArray

        with MappedArray(request, "main", reshape=False, write=False) as mapped:
            picture = self._layout.picture(np.array(np.frombuffer(memoryview(mapped.array), np.uint8)))
        metadata = request.get_metadata()
        request.release()
        return CopiedPicture(metadata, picture)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        with self._arrived:
            camera, self._camera = self._camera, None
            self._arrived.notify_all()
        if camera is None:
            return
        camera.stop()
        camera.post_callback = None
        while self._waiting:
            _let_go(self._waiting.popleft())
        camera.close()

    def __iter__(self) -> Iterator[Frame]:
        if self._camera is None:
            raise RuntimeError("open the camera with `with` before reading it")
        timeline = Timeline(self._period_us * 1e-6)
        index = 0
        while (waited := self._next()) is not None:
            self._metadata, picture = self._opened(waited)
            t, lost = timeline.place(Fraction(self._metadata["SensorTimestamp"], 10**9))
            yield Frame(picture, t, index, self._row_s, lost)
            index += 1
            # Nothing here may hold the last picture's buffer while waiting for the next.
            del waited, picture

    def _opened(self, waited: Any) -> tuple[dict[str, Any], Picture]:
        """Returns metadata and picture of a request or of a copy that waited."""
        if isinstance(waited, CopiedPicture):
            return waited.metadata, waited.picture
        return waited.get_metadata(), self._layout.picture(self._lend(waited))

    def _next(self) -> Any:
        """Returns the oldest picture that waits, once there is one; None after the source was closed.

        Raises SourceError after SILENCE_S.
        """
        with self._arrived:
            if not self._arrived.wait_for(lambda: self._waiting or self._camera is None, SILENCE_S):
                raise SourceError(f"the camera has given no picture for {SILENCE_S:g} s; check its cable")
            return self._waiting.popleft() if self._camera is not None else None

    def _lend(self, request: Any) -> U8:
        """Returns the request's bytes; the request goes back to the camera when the last view of them is gone."""
        from picamera2 import MappedArray

        mapped = MappedArray(request, "main", reshape=False, write=False)
        mapped.__enter__()
        data: U8 = np.frombuffer(memoryview(mapped.array), np.uint8)
        data.setflags(write=False)
        weakref.finalize(data, self._give_back, request, mapped).atexit = False
        return data

    def _give_back(self, request: Any, mapped: Any) -> None:
        """Returns a buffer to the camera.

        After `__exit__` there is no camera, and the buffers belong to their holders.
        """
        if self._camera is not None:
            mapped.__exit__(None, None, None)
            request.release()


def _let_go(waited: Any) -> None:
    if not isinstance(waited, CopiedPicture):
        waited.release()


def picamera2_class() -> Any:
    """Returns the class `Picamera2`; raises SourceError with what to do if the package is missing or does not load."""
    try:
        from picamera2 import Picamera2
    except (ImportError, ValueError) as e:
        # ValueError: a compiled part was built for another numpy.
        raise SourceError(f"picamera2 cannot be loaded ({e}); {INSTALL}") from None
    return Picamera2


def cameras() -> list[str]:
    """Returns the models of the connected cameras; raises SourceError if picamera2 is missing."""
    return [str(info.get("Model", "camera")) for info in picamera2_class().global_camera_info()]


def first_camera() -> Any:
    """Opens the first camera; raises SourceError with what to do if picamera2 or the camera is missing."""
    if not cameras():
        raise SourceError("no camera is connected; check its cable and run: rpicam-hello --list-cameras")
    try:
        return picamera2_class()()
    except RuntimeError as e:
        raise SourceError(f"the camera cannot be opened ({e}); does another program hold it?") from None


@dataclass(frozen=True, slots=True)
class PlaneLayout:
    """Layout of the planes in a buffer of the main stream: three planes one after another, rows padded."""

    width: int
    height: int
    stride: int
    """Bytes from one luma row to the next; chroma rows are half as far apart."""
    full_range: bool

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height

    @classmethod
    def of(cls, configuration: dict[str, Any]) -> PlaneLayout:
        """Returns the layout that the camera has chosen, which may differ from the request."""
        main = configuration["main"]
        width, height = main["size"]
        colours = str(getattr(configuration["colour_space"], "range", ""))
        return cls(width, height, main["stride"], colours.endswith("Full"))

    def picture(self, data: U8) -> Picture:
        """Returns the picture as views (no copies) into one buffer's bytes."""
        rows, half, luma = self.height // 2, self.stride // 2, self.height * self.stride
        chroma = rows * half
        y = data[:luma].reshape(self.height, self.stride)[:, : self.width]
        u = data[luma : luma + chroma].reshape(rows, half)[:, : self.width // 2]
        v = data[luma + chroma : luma + 2 * chroma].reshape(rows, half)[:, : self.width // 2]
        return Picture(y, u, v, self.full_range)
