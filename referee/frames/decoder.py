"""Decodes packets to undamaged frames: after damage everything up to the next key frame is skipped."""

from __future__ import annotations

import os
from collections.abc import Iterator

import av
from av.container import InputContainer
from av.packet import Packet
from av.video.stream import VideoStream

from referee.frames.frame import SourceError


def open_container(name: str, container_format: str | None = None, **options: str) -> InputContainer:
    """Opens a file or device with FFmpeg; raises SourceError with what to do."""
    try:
        # FFmpeg reads text before a colon, as in 12:30.mp4, as a protocol, but not in an absolute path.
        return av.open(os.path.abspath(name), format=container_format, options=options)
    except FileNotFoundError:
        raise SourceError(f"there is no {name}; check the path") from None
    except PermissionError:
        raise SourceError(f"{name} may not be read by this user; change its permissions") from None
    except (av.FFmpegError, ValueError) as e:
        raise SourceError(f"{name} cannot be read as video ({reason(e)}); is it complete, and a video?") from None


def video_stream(container: InputContainer, name: str) -> VideoStream:
    """Returns the stream that shows the board, not a cover picture; raises SourceError if there is none."""
    stream = container.streams.best("video")
    if not isinstance(stream, VideoStream) or not stream.codec_context:
        raise SourceError(f"{name} has no video that can be decoded; give a recording of the board")
    return stream


def reason(error: Exception) -> str:
    """Returns FFmpeg's own words for what went wrong."""
    return getattr(error, "strerror", None) or str(error)


class Decoder:
    """Decodes the undamaged frames of one stream in order of display, and records whether it is damaged at its end."""

    def __init__(self, container: InputContainer, stream: VideoStream) -> None:
        self._container, self._stream = container, stream
        self._awaits_key = False
        self.damage: str | None = None
        """Damage at the place to which the stream was read; None if its last frame was undamaged."""
        self.read_to_s = 0.0
        """End (s) of the packets read so far, on the stream's own clock."""

    def frames(self) -> Iterator[av.VideoFrame]:
        """Yields undamaged frames; ends at the stream's end or where it cannot be read on, see `damage`."""
        for packet in self._packets():
            if packet is not None and packet.is_corrupt:
                # Packets sent before are undamaged: get their frames out of the decoder before the damage can spread.
                yield from self._sound(None)
                self._stream.codec_context.flush_buffers()
                self._break("a damaged packet")
            else:
                yield from self._sound(packet)

    def _packets(self) -> Iterator[Packet[VideoStream] | None]:
        """Yields packets, and None at the end to empty the decoder."""
        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets)
            except StopIteration:
                return
            except av.FFmpegError as e:
                yield None
                self.damage = reason(e)
                return
            if packet.pts is not None and packet.time_base:
                self.read_to_s = max(self.read_to_s, float((packet.pts + (packet.duration or 0)) * packet.time_base))
            yield packet if packet.size else None

    def _sound(self, packet: Packet[VideoStream] | None) -> Iterator[av.VideoFrame]:
        try:
            frames = self._stream.decode(packet)
        except av.EOFError:
            return
        except av.FFmpegError as e:
            self._break(reason(e))
            return
        for frame in frames:
            if frame.is_corrupt:
                self._break("a damaged picture")
            elif frame.key_frame or not self._awaits_key:
                self._awaits_key, self.damage = False, None
                yield frame

    def _break(self, why: str) -> None:
        """Records damage; frames up to the next key frame depend on the lost ones and count as lost too."""
        self._awaits_key, self.damage = True, why
