"""Encodes pictures to H.264 packets with the first encoder that works on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import av
import numpy as np
from av.video.codeccontext import VideoCodecContext
from av.video.frame import VideoFrame
from av.video.plane import VideoPlane
from av.video.reformatter import ColorRange

from calibration.geometry.picture import U8, Picture

TICKS = 90_000
"""Time units per second in the stream: each frame's time is exact to six microseconds."""
KEY_FRAME_INTERVAL = 30
"""Frames from one key frame to the next: a clip begins at most a second earlier than asked."""
ENCODERS = ("h264_v4l2m2m", "libx264", "libopenh264")
"""Encoders in the order of trial: the Raspberry Pi 4's hardware, then software. A Pi 5 has no hardware encoder."""
OPTIONS = {"libx264": {"preset": "ultrafast", "tune": "zerolatency", "crf": "23"}}
"""Options by encoder: software at its fastest, since vision needs the processor; zerolatency returns each packet at
once."""
BITS_A_PIXEL = 0.12
"""Bit rate for encoders that need one, in bits per pixel and frame."""
NOMINAL_FPS = 30
"""Nominal frames per second for encoders; each frame's own time stamp holds."""


class EncoderError(Exception):
    """No encoder works; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class EncodedFrame:
    """One encoded frame."""

    data: bytes
    t: float
    """Capture time of the frame (s)."""
    is_key: bool
    """True for a key frame: it can be decoded without those before it."""


def frame_of(picture: Picture) -> VideoFrame:
    """Returns a copy of a picture as a frame for the encoder."""
    frame = VideoFrame(picture.width, picture.height, "yuv420p")
    for plane, pixels in zip(frame.planes, (picture.y, picture.u, picture.v), strict=True):
        pixels_of(plane)[:] = pixels
    frame.color_range = ColorRange.JPEG if picture.full_range else ColorRange.MPEG
    return frame


def pixels_of(plane: VideoPlane) -> U8:
    """Returns a writable view of the plane's pixels (rows, columns)."""
    return np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)[: plane.height, : plane.width]


class Encoder:
    """Encodes frames of one size in the order of their times."""

    def __init__(self, width: int, height: int, full_range: bool, names: Sequence[str] = ENCODERS) -> None:
        """Raises EncoderError when none of the encoders works."""
        for name in names:
            if self._works(name, width, height, full_range):
                self.name = name
                self._context = _context(name, width, height, full_range)
                self._origin: float | None = None
                self._times: dict[int, float] = {}
                return
        raise EncoderError(
            "no encoder on this machine makes H.264 video, so nothing is recorded and the match goes on: "
            "install PyAV from its wheel (pip install av), which brings one"
        )

    @staticmethod
    def _works(name: str, width: int, height: int, full_range: bool) -> bool:
        """Tells whether two grey frames can be encoded; a listed driver may be missing."""
        grey = Picture(
            np.full((height, width), 128, np.uint8), *(np.full((height // 2, width // 2), 128, np.uint8),) * 2
        )
        try:
            context = _context(name, width, height, full_range)
            packets = []
            for i in range(2):
                frame = frame_of(grey)
                frame.pts, frame.time_base = i * TICKS // NOMINAL_FPS, Fraction(1, TICKS)
                packets += context.encode(frame)
            packets += context.encode(None)
        except (av.FFmpegError, ValueError, OSError):
            return False
        return len(packets) == 2

    def encode(self, frame: VideoFrame, t: float) -> list[EncodedFrame]:
        """Encodes the frame of time t (s); returns the packets that are ready."""
        if self._origin is None:
            self._origin = t
        frame.pts, frame.time_base = round((t - self._origin) * TICKS), Fraction(1, TICKS)
        self._times[frame.pts] = t
        return self._coded(frame)

    def flush(self) -> list[EncodedFrame]:
        """Returns the remaining packets; nothing can be encoded afterwards."""
        return self._coded(None)

    def _coded(self, frame: VideoFrame | None) -> list[EncodedFrame]:
        packets = self._context.encode(frame)
        return [EncodedFrame(bytes(p), self._times.pop(p.pts), p.is_keyframe) for p in packets if p.pts in self._times]


def _context(name: str, width: int, height: int, full_range: bool) -> VideoCodecContext:
    context = av.CodecContext.create(name, "w")
    if not isinstance(context, VideoCodecContext):
        raise ValueError(f"{name} is no video encoder")
    context.width, context.height, context.pix_fmt = width, height, "yuv420p"
    context.time_base, context.framerate = Fraction(1, TICKS), Fraction(NOMINAL_FPS)
    context.gop_size, context.max_b_frames, context.thread_count = KEY_FRAME_INTERVAL, 0, 1
    context.color_range = ColorRange.JPEG if full_range else ColorRange.MPEG
    context.options = dict(OPTIONS.get(name, {}))
    if name not in OPTIONS:
        context.bit_rate = round(BITS_A_PIXEL * width * height * NOMINAL_FPS)
    return context
