"""Video files, decoded straight to planar YUV 4:2:0 with the stream's own timestamps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from types import TracebackType
from typing import Self

import av
from av.container import InputContainer
from av.video.stream import VideoStream

from referee.frames.decoder import Decoder, open_container, video_stream
from referee.frames.frame import Frame, SourceError
from referee.frames.planes import PlaneReader
from referee.frames.timeline import Timeline

VIDEO_STEADY = 0.2
"""Share by which mean and nominal rate may differ (lost frames) before a file's rate counts as variable."""

NO_TIMESTAMPS = 0x80
"""FFmpeg's AVFMT_NOTIMESTAMPS: a bare stream of pictures, such as a .h264 file."""

VIDEO_DEFAULT_FPS = 30.0
"""Rate (frames/s) of a stream without any timing, when none is given."""

SHORT_S = 0.5
"""Time (s) before the length stated in its header from which a file that ends there is cut off."""


class VideoFile:
    """Source of a file's frames, as fast as they are read; each stays valid as long as its planes are referenced."""

    live = False

    def __init__(self, path: str, *, fps: float | None = None, row_s: float | None = None) -> None:
        """`fps`: rate, for streams without timestamps only.

        `row_s`: readout time of a row (s), if the camera's is known.
        """
        self.name = path
        self.fps: float | None = fps
        self._row_s = row_s
        self._container: InputContainer | None = None

    def __enter__(self) -> Self:
        """Opens the file; raises SourceError if it is missing or holds no video."""
        self._container = open_container(self.name)
        try:
            self._stream = video_stream(self._container, self.name)
        except SourceError:
            self._container.close()
            raise
        self._stream.thread_type = "AUTO"
        self._timing = timing_of(self._container, self._stream, self.fps)
        self.fps = self._timing.fps
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        if self._container:
            self._container.close()
            self._container = None

    def __iter__(self) -> Iterator[Frame]:
        if self._container is None:
            raise RuntimeError("open the video with `with` before reading it")
        decoder = Decoder(self._container, self._stream)
        last = -1.0
        for frame in frames_of(decoder, self._timing, self._row_s, lasting=True):
            last = frame.t
            yield frame
        if trouble := decoder.damage or self._cut_off(decoder.read_to_s):
            raise SourceError(f"{self.name} breaks off after {max(last, 0.0):.2f} s ({trouble}); "
                              "all before that was used")  # fmt: skip

    def _cut_off(self, read_to_s: float) -> str | None:
        """Returns why the file is shorter than its header states.

        It is None if the file is complete or its header states no length.
        """
        stated = stated_length_s(self._container, self._stream) if self._container else None
        if stated is None or read_to_s + SHORT_S >= stated:
            return None
        return f"its header states {stated:.2f} s"


@dataclass(frozen=True, slots=True)
class Timing:
    """Timing of a stream."""

    fps: float | None
    """Nominal rate (frames/s), None when unknown or variable."""
    unit_s: Fraction | None
    """Unit (s) of the frames' time stamps; None if they have no usable ones and must be counted."""

    def clock(self, frame: av.VideoFrame) -> Fraction | None:
        """Returns the frame's own time (s), None if it has none."""
        return None if self.unit_s is None or frame.pts is None else frame.pts * self.unit_s


def timing_of(container: InputContainer, stream: VideoStream, wished: float | None) -> Timing:
    """Returns the timing stated in the header; `wished` is the rate to use without time stamps.

    AVI states times of storage only, which are those of display unless pictures are stored out of order.
    """
    guessed = float(stream.guessed_rate) if stream.guessed_rate else None
    shuffled = container.format.name == "avi" and stream.codec_context.has_b_frames
    if shuffled or container.format.flags & NO_TIMESTAMPS:
        return Timing(wished or guessed or VIDEO_DEFAULT_FPS, None)
    mean = float(stream.average_rate) if stream.average_rate else None
    steady = guessed is not None and mean is not None and abs(mean / guessed - 1) <= VIDEO_STEADY
    return Timing(guessed if steady else None, stream.time_base)


def frames_of(decoder: Decoder, timing: Timing, row_s: float | None, lasting: bool = False) -> Iterator[Frame]:
    """Yields frames with planes and time, with pixels `lasting` or lent.

    Raises SourceError when the picture's size changes.
    """
    planes, timeline = PlaneReader(), Timeline(1 / timing.fps if timing.fps else None)
    size: tuple[int, ...] | None = None
    for index, decoded in enumerate(decoder.frames()):
        picture = planes.picture(decoded)
        size = size or picture.y.shape
        if size != picture.y.shape:
            rows, columns = picture.y.shape
            turned = ", as of a phone that was turned," if size == (columns, rows) else ""
            raise SourceError(
                f"the picture changes from {size[1]}x{size[0]} to {columns}x{rows}{turned} after {index} frames; "
                "cut the recording there and give the parts one by one"
            )
        t, lost = timeline.place(timing.clock(decoded))
        yield Frame(picture, t, index, row_s, lost, lasting)


def stated_length_s(container: InputContainer, stream: VideoStream) -> float | None:
    """Returns the length (s) that an MP4 or Matroska header states for this stream; None for other formats.

    It is the shorter of the stream's and the file's: sound may be longer, and an edit list may trim the stream.
    """
    if not {"mp4", "matroska"} & set(container.format.name.split(",")):
        return None
    lengths = []
    if stream.duration and stream.time_base:
        lengths.append(float(stream.duration * stream.time_base))
    if container.duration:
        lengths.append(container.duration / av.time_base)
    return min(lengths, default=None)
