"""Webcams through Video4Linux, with the driver's own timestamps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from av.container import InputContainer

from referee.frames.controls import US_PER_STEP, Control, Controls, begin, fix
from referee.frames.decoder import Decoder, open_container, video_stream
from referee.frames.frame import Frame, SourceError
from referee.frames.lock_exposure import LOCK_SETTLE_S
from referee.frames.video import VIDEO_DEFAULT_FPS, frames_of, timing_of

BY_ID = Path("/dev/v4l/by-id")
"""Folder in which udev names webcams by maker, model and serial number; /dev/video0 may be another one after a
restart."""


def lasting_name(device: str, names: Path = BY_ID) -> str:
    """Returns the name of a webcam that stays when it is plugged in again; `device` itself if it has none."""
    target = Path(device)
    links = sorted(names.iterdir()) if names.is_dir() else []
    if target.parent == names or not target.exists():
        return device
    return next((str(link) for link in links if link.resolve() == target.resolve()), device)


class Webcam:
    """Source of frames from a V4L2 device.

    After two seconds exposure, white balance and focus are locked as the device has found them by then.

    The kernel queues up to 32 pictures while the referee is busy. Pictures lost beyond that are gaps in the driver's
    timestamps and count as dropped. Frames stay valid as long as their planes are referenced.
    """

    live = True

    def __init__(self, device: str, *, size: tuple[int, int] | None = None, fps: float | None = None,
                 pixel_format: str | None = None, row_s: float | None = None) -> None:  # fmt: skip
        """`size` (width, height), `fps` and `pixel_format` (mjpeg, yuyv422 ...) are requests to the driver."""
        self.name = device
        self.fps: float | None = fps
        self._wishes = {"video_size": f"{size[0]}x{size[1]}" if size else None,
                        "framerate": f"{fps:g}" if fps else None, "input_format": pixel_format}  # fmt: skip
        self._row_s = row_s
        self._controls = Controls(device)
        self._container: InputContainer | None = None

    def __enter__(self) -> Self:
        """Opens the device; raises SourceError if it is missing or busy, or cannot do what was requested."""
        options = {name: wish for name, wish in self._wishes.items() if wish}
        self._container = open_container(self.name, "v4l2", **options)
        try:
            self._stream = video_stream(self._container, self.name)
        except SourceError:
            self._container.close()
            raise
        # Threads by slices only: a thread per frame would return each picture some frames late.
        self._stream.thread_type = "SLICE"
        self._timing = timing_of(self._container, self._stream, self.fps)
        self.fps = self._timing.fps
        begin(self._controls.__enter__())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self._controls.__exit__(kind, error, trace)
        if self._container:
            self._container.close()
            self._container = None

    @property
    def condition(self) -> dict[str, float]:
        """`exposure_s`, if the device reports it."""
        steps = self._controls.get(Control.EXPOSURE_ABSOLUTE)
        return {} if steps is None else {"exposure_s": steps * US_PER_STEP * 1e-6}

    def __iter__(self) -> Iterator[Frame]:
        """Yields frames until the device goes away, which raises SourceError."""
        if self._container is None:
            raise RuntimeError("open the camera with `with` before reading it")
        decoder = Decoder(self._container, self._stream)
        is_fixed = False
        for frame in frames_of(decoder, self._timing, self._row_s):
            if not is_fixed and frame.t >= LOCK_SETTLE_S:
                is_fixed = True
                fix(self._controls, round(1e6 / (self.fps or VIDEO_DEFAULT_FPS)))
            yield frame
        why = decoder.damage or "the stream ended"
        raise SourceError(f"the camera {self.name} gives no more pictures ({why}); check its cable")
