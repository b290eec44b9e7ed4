"""Writes encoded frames to MP4 clips that browsers play, and decodes frames."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import av
from av.video.codeccontext import VideoCodecContext
from av.video.frame import VideoFrame

from calibration.profile import Profile
from referee.atomic_files import written
from referee.replay.camera_poses import CameraPoses
from referee.replay.cliptimes import ClipTimes
from referee.replay.encoder import NOMINAL_FPS, TICKS, EncodedFrame
from referee.replay.match_folder import MatchFolder

INDEX_BYTES, INDEX_BYTES_A_FRAME = 4096, 48
"""Bytes reserved for the index at the start of the file, a fixed part and one for each frame: browsers can play it
before they have all of it."""


@dataclass(frozen=True, slots=True)
class ClipFormat:
    """Format of a clip's pictures."""

    width: int
    height: int
    encoder: str
    masked: bool
    """Everything beyond the board's frame is painted over."""


def frames_between(coded: Sequence[EncodedFrame], start: float, end: float) -> list[EncodedFrame]:
    """Returns the frames from `start` to `end` (s), and before them those from the last key frame on."""
    chosen = [c for c in coded if c.t <= end]
    first = max((i for i, c in enumerate(chosen) if c.is_key and c.t <= start), default=None)
    if first is None:
        first = next((i for i, c in enumerate(chosen) if c.is_key), len(chosen))
    return chosen[first:]


def write_clip(folder: MatchFolder, stroke: int, coded: Sequence[EncodedFrame], shape: ClipFormat, profile: Profile,
               poses: CameraPoses) -> None:  # fmt: skip
    """Writes the clip of a stroke, and beside it the time of each of its frames; raises OSError."""
    if not coded:
        return
    data = mp4(coded, shape)
    times, camera = tuple(c.t for c in coded), profile.camera.as_dict()
    tops = profile.board.coin_height, profile.board.striker_height
    stood = poses.over(times[0], times[-1])
    times_file = ClipTimes(shape.width, shape.height, shape.masked, times, camera, *tops, stood)
    times_file.save(folder, stroke)
    with written(folder.clip(stroke)) as part:
        part.write_bytes(data)


def mp4(coded: Sequence[EncodedFrame], shape: ClipFormat) -> bytes:
    """Returns an MP4 file with its index first; the first frame is at 0, each other at its time after it."""
    file = io.BytesIO()
    room = str(INDEX_BYTES + INDEX_BYTES_A_FRAME * len(coded))
    with av.open(file, "w", format="mp4", options={"moov_size": room}) as container:
        unit = Fraction(1, TICKS)
        stream = container.add_mux_stream(
            "h264", rate=NOMINAL_FPS, width=shape.width, height=shape.height, time_base=unit
        )
        stamps = [round((c.t - coded[0].t) * TICKS) for c in coded]
        ends = [*stamps[1:], stamps[-1] + TICKS // NOMINAL_FPS]
        for each, stamp, end in zip(coded, stamps, ends, strict=True):
            packet: av.Packet[av.stream.Stream] = av.Packet(each.data)
            packet.pts = packet.dts = stamp
            packet.duration, packet.time_base = end - stamp, unit
            packet.is_keyframe, packet.stream = each.is_key, stream
            container.mux(packet)
    return file.getvalue()


def pictures(coded: Sequence[EncodedFrame], times: Sequence[float]) -> Iterator[tuple[float, VideoFrame]]:
    """Yields the frames nearest to `times` (s), decoded, each once, in order and with its own time."""
    if not coded:
        return
    wanted = {min(range(len(coded)), key=lambda i: abs(coded[i].t - t)) for t in times}
    keys = [i for i, c in enumerate(coded) if c.is_key]
    for start, end in zip(keys, [*keys[1:], len(coded)], strict=True):
        if chosen := wanted & set(range(start, end)):
            group = coded[start : max(chosen) + 1]
            for i, frame in enumerate(decoded(group), start):
                if i in chosen:
                    yield coded[i].t, frame


def decoded(group: Sequence[EncodedFrame]) -> Iterator[VideoFrame]:
    """Yields the frames of a group that begins with a key frame."""
    decoder = av.CodecContext.create("h264", "r")
    assert isinstance(decoder, VideoCodecContext)
    decoder.thread_count = 1
    for each in group:
        yield from decoder.decode(av.Packet(each.data))
    yield from decoder.decode(None)
