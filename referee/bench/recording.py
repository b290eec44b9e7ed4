"""A recording of raw frames on disk, played from memory as from a camera, for hours if need be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self

import numpy as np

from calibration.geometry.picture import U8, Picture
from referee.bench.truth import Truth
from referee.bench.yardsticks import i420, picture_of
from referee.frames.frame import Frame, Source

if TYPE_CHECKING:
    from referee.sim.source import SimSource

RING = 24
"""Number of frames read into memory at a time. They exceed the processor's caches, so each frame comes from memory."""


class FrameContent(StrEnum):
    """Content of a frame, as far as it decides the amount of work."""

    STILL = "still"
    MOVING = "pieces moving"
    """Pieces slide or fall, with or without hands."""
    HAND = "hand in view"
    """Hands, and no piece slides."""


@dataclass(frozen=True, slots=True)
class Label:
    """Truth of one frame."""

    hand: bool
    moving: int
    """Number of pieces that slide or fall."""

    @property
    def show(self) -> FrameContent:
        if self.moving:
            return FrameContent.MOVING
        return FrameContent.HAND if self.hand else FrameContent.STILL


@dataclass(frozen=True, slots=True)
class FrameRecording:
    """Raw I420 frames in one file."""

    path: Path
    title: str
    width: int
    height: int
    fps: float
    full_range: bool
    labels: tuple[Label, ...]

    @property
    def frame_bytes(self) -> int:
        """Size of one frame, bytes."""
        return self.width * self.height * 3 // 2


def record_sim(sim: SimSource, seconds: float, path: Path) -> FrameRecording:
    """Records the first seconds of a simulated match."""
    from referee.sim.scene import Where

    labels: list[Label] = []
    options = sim.options
    with sim, path.open("wb") as file:
        for frame in sim:
            if frame.t >= seconds:
                break
            scene = sim.truth(frame.index)
            sliding = [m and w in (Where.BOARD, Where.FALLING) for m, w in zip(scene.moving, scene.where, strict=True)]
            labels.append(Label(bool(scene.hands), int(sum(sliding))))
            _append(file, frame.picture)
    title = f"simulator {options.width}x{options.height}, {options.fps:g} fps"
    return FrameRecording(path, title, options.width, options.height, options.fps, False, tuple(labels))


def record_clip(source: Source, truth: Truth, path: Path) -> FrameRecording:
    """Records a whole clip. Its truth says when pieces move, not how many: they count as one."""
    labels: list[Label] = []
    full_range = False
    with source, path.open("wb") as file:
        for frame in source:
            hand = any(h.t_enter <= frame.t <= h.t_leave for h in truth.hands)
            moving = any(s.t_strike <= frame.t <= s.t_rest for s in truth.strokes)
            labels.append(Label(hand, int(moving)))
            full_range = frame.picture.full_range
            _append(file, frame.picture)
    size = truth.camera.width, truth.camera.height
    return FrameRecording(path, f"clip {truth.name}", *size, truth.fps, full_range, tuple(labels))


def _append(file: BinaryIO, picture: Picture) -> None:
    file.write(i420(picture).data)


class FramePlayer:
    """Plays a recording as a source of frames, forwards and backwards if more `frames` are requested than it has.

    Motion is as continuous backwards as forwards, so it can go on without end.
    """

    live = False

    def __init__(self, recording: FrameRecording, frames: int | None = None, ring: int = RING) -> None:
        self.recording = recording
        self.name, self.fps = recording.title, recording.fps
        self._count = frames if frames is not None else len(recording.labels)
        self._ring: list[U8] = [np.empty((recording.height * 3 // 2, recording.width), np.uint8) for _ in range(ring)]

    def __enter__(self) -> Self:
        self._file = self.recording.path.open("rb", buffering=0)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self._file.close()

    def place(self, index: int) -> int:
        """Returns the recording's frame for frame `index` of the play."""
        length = len(self.recording.labels)
        turn, step = divmod(index, length)
        return length - 1 - step if turn % 2 else step

    def __iter__(self) -> Iterator[Frame]:
        for index, buffer in self.raw():
            yield Frame(picture_of(buffer, self.recording.full_range), index / self.recording.fps, index, 0.0)

    def raw(self) -> Iterator[tuple[int, U8]]:
        """Yields each frame's number and its I420 planes. The buffers are reused after `ring` frames."""
        for first in range(0, self._count, len(self._ring)):
            batch = range(first, min(first + len(self._ring), self._count))
            for index, buffer in zip(batch, self._ring, strict=False):
                self._file.seek(self.place(index) * self.recording.frame_bytes)
                self._file.readinto(buffer.data.cast("B"))
            yield from zip(batch, self._ring, strict=False)
