"""Network cameras: rtsp:// and http:// MJPEG streams, as cameras in a hall and apps of phones serve them."""

from __future__ import annotations

import errno
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit, urlunsplit

import av
from av.container import InputContainer
from av.video.stream import VideoStream

from referee.frames.decoder import Decoder, reason, video_stream
from referee.frames.frame import Frame, SourceError
from referee.frames.planes import PlaneReader
from referee.frames.timeline import Timeline
from referee.frames.video import timing_of

SCHEMES = ("rtsp", "rtsps", "http", "https")
NO_CLOCK = ("mpjpeg", "mjpeg")
"""Containers that keep no times: FFmpeg counts their pictures at 25 a second, whatever the rate is."""
STREAM_OPTIONS = {
    # Nothing but the network: an address must not be able to name a file of this machine.
    "protocol_whitelist": "rtsp,rtsps,rtp,udp,tcp,tls,http,https,crypto",
    "rtsp_transport": "tcp",
    "flags": "low_delay",
    "analyzeduration": "1000000",
    "probesize": "1000000",
}
OPEN_S, READ_S = 8.0, 4.0
"""Longest waits for a camera that is asked for its stream, and for its next picture."""
AGAIN_S = 0.5, 1.0, 2.0, 4.0
"""Pauses before a camera that fell silent is asked again; the last one from then on."""
NETWORK_GIVE_UP_S = 120.0
"""After so long without a picture the camera is given up: somebody has to look after it."""
LEAVE_READER_S = 1.0
"""Longest wait (s) for the thread when the source is closed: whoever ends the referee wants no network's time-out."""
WAITING = 32
"""Pictures that wait while the referee is busy, as many as of a webcam; then the oldest are lost."""


def is_address(spec: str) -> bool:
    """Whether this names a network camera."""
    return urlsplit(spec).scheme in SCHEMES and "://" in spec


def without_password(url: str) -> str:
    """The address as it may be shown and logged."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"...@{parts.netloc.rpartition('@')[2]}")) if "@" in parts.netloc else url


@dataclass(frozen=True, slots=True, eq=False)
class _Arrived:
    """A picture, or the end of the stream."""

    clock_s: float
    """Seconds since the source was opened: by the camera's clock where it sends one, else when it came."""
    picture: av.VideoFrame | None
    error: Exception | None = None


class NetworkCamera:
    """Frames of a stream from the network.

    A thread takes pictures as they come, so that times are right while the referee is busy. A camera that falls silent
    is asked again for two minutes; the time without pictures is a gap on the clock. RTSP cameras send times of their
    own; MJPEG streams do not, and what the network holds up comes late: speeds are less exact then.
    """

    live = True

    def __init__(self, url: str, *, row_s: float | None = None, lost_s: float = NETWORK_GIVE_UP_S,
                 read_s: float = READ_S) -> None:  # fmt: skip
        """`lost_s`: silence (s) after which iteration raises; `read_s`: silence after which it is asked again."""
        self.name = without_password(url)
        self.fps: float | None = None
        self._url, self._row_s, self._lost_s, self._read_s = url, row_s, lost_s, read_s
        self._arrived: deque[_Arrived] = deque()
        self._has_arrived = threading.Condition()
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        """Asks for the stream; raises SourceError when the camera cannot be reached or sends none."""
        container, stream = self._open()
        self.fps = timing_of(container, stream, None).fps if container.format.name not in NO_CLOCK else None
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._follow, args=(container, stream), name="camera", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self._ending.set()
        if self._thread is not None:
            # It may wait for the network; then it ends by itself when that answers or its time is over.
            self._thread.join(LEAVE_READER_S)
            self._thread = None

    def __iter__(self) -> Iterator[Frame]:
        """Frames until the camera is given up, which raises SourceError."""
        if self._thread is None:
            raise RuntimeError("open the camera with `with` before reading it")
        planes, timeline = PlaneReader(), Timeline()
        size: tuple[int, ...] | None = None
        index = 0
        while (arrived := self._next()).picture is not None:
            picture = planes.picture(arrived.picture)
            size = size or picture.y.shape
            if picture.y.shape != size:
                raise SourceError(
                    f"{self.name} sends pictures of another size than before ({size[1]}x{size[0]}, now "
                    f"{picture.y.shape[1]}x{picture.y.shape[0]}): keep the camera's settings, and start again"
                )
            t, lost = timeline.place(Fraction(arrived.clock_s))
            yield Frame(picture, t, index, self._row_s, lost, True)
            index += 1
        if arrived.error is not None:
            raise arrived.error

    def _next(self) -> _Arrived:
        with self._has_arrived:
            self._has_arrived.wait_for(lambda: bool(self._arrived))
            return self._arrived.popleft()

    def _put(self, arrived: _Arrived) -> None:
        with self._has_arrived:
            if len(self._arrived) >= WAITING:
                self._arrived.popleft()
            self._arrived.append(arrived)
            self._has_arrived.notify()

    def _open(self) -> tuple[InputContainer, VideoStream]:
        try:
            container = av.open(self._url, options=STREAM_OPTIONS, timeout=(OPEN_S, self._read_s))
        except (av.FFmpegError, ValueError) as e:
            raise SourceError(f"{self.name} {_why_not(e)}") from None
        try:
            stream = video_stream(container, self.name)
        except SourceError:
            container.close()
            raise
        # Slices only: a thread per frame would hand out each picture some frames late.
        stream.thread_type = "SLICE"
        return container, stream

    def _follow(self, container: InputContainer, stream: VideoStream) -> None:
        """Runs in the thread; what goes wrong there is raised where the frames are asked for."""
        try:
            self._connections(container, stream)
        except Exception as e:  # noqa: BLE001 - else whoever waits for a frame would wait for ever
            self._put(_Arrived(0.0, None, e))

    def _connections(self, container: InputContainer, stream: VideoStream) -> None:
        """Pictures of this connection, and of the next ones until the camera is given up."""
        connection: tuple[InputContainer, VideoStream] | None = container, stream
        last, tries, why = time.monotonic(), 0, "it ended"
        while not self._ending.is_set():
            if connection is not None:
                with connection[0]:
                    came, why = self._pictures(*connection)
                last, tries = (time.monotonic(), 0) if came else (last, tries)
            if time.monotonic() - last >= self._lost_s:
                self._put(_Arrived(0.0, None, SourceError(
                    f"{self.name} gave no picture for {self._lost_s:.0f} s ({why}): is the camera on, and the network?"
                )))  # fmt: skip
                return
            self._ending.wait(AGAIN_S[min(tries, len(AGAIN_S) - 1)])
            tries += 1
            try:
                connection = self._open()
            except SourceError as e:
                connection, why = None, str(e).removeprefix(self.name).strip()
        self._put(_Arrived(0.0, None))

    def _pictures(self, container: InputContainer, stream: VideoStream) -> tuple[bool, str]:
        """Takes in this connection's pictures; whether any came, and why no more do."""
        has_clock = container.format.name not in NO_CLOCK
        timing = timing_of(container, stream, None)
        decoder, origin, count = Decoder(container, stream), None, 0
        for decoded in decoder.frames():
            now = time.monotonic() - self._began
            clock = timing.clock(decoded) if has_clock else None
            if clock is not None:
                origin = now - float(clock) if origin is None else origin
                now = origin + float(clock)
            self._put(_Arrived(now, decoded))
            count += 1
            if self._ending.is_set():
                break
        return count > 0, decoder.damage or "the stream ended"


def _why_not(error: Exception) -> str:
    """What to do where a stream cannot be had."""
    if isinstance(error, av.HTTPUnauthorizedError | av.HTTPForbiddenError):
        return "wants a name and a password: write them into the address, as in rtsp://NAME:PASSWORD@ADDRESS/..."
    if isinstance(error, av.HTTPNotFoundError):
        return "has no such stream: look up the address after the camera's name in its app or manual"
    if isinstance(error, av.InvalidDataError) or getattr(error, "errno", None) == errno.EIO:
        return "sends no video that can be read: give the address of the stream itself, not of the page that shows it"
    return f"cannot be reached ({reason(error)}): is the camera on, in this network, and its address right?"
