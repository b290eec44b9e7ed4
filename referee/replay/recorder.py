"""Records video: a thread encodes the camera's frames and holds the last 90 seconds of them for clips."""

from __future__ import annotations

import logging
import math
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import av
from av.video.frame import VideoFrame

from calibration.geometry.picture import Picture
from calibration.profile import Profile
from referee.replay.clip import ClipFormat, frames_between
from referee.replay.encoder import EncodedFrame, Encoder, frame_of
from referee.replay.mask import SurroundingsMask
from referee.replay.pace import TimeLeft, never_ends
from referee.replay.worker import END_POLL_S, JobWorker, lower_priority

logger = logging.getLogger(__name__)

RECORDER_EVERY_S = 0.03
"""Least time between recorded frames while nothing moves, in seconds: 30 a second of a camera that gives 30, 60 or
90."""
RECORDER_AHEAD_S = 0.3
"""Time that a frame waits for news of a stroke, in seconds: a strike is noticed some frames after it."""
REMEMBERED_S, REMEMBERED_BYTES = 90.0, 96 << 20
"""Greatest age (s) and total size (bytes) of the encoded frames held: a stroke is called seconds after its end at
most."""
WAITING_BYTES = 192 << 20
"""Greatest size of all frames that wait to be encoded, in bytes; beyond it the recording loses frames, the vision
none."""

ENCODING_RESERVE_S = 0.7
"""Time left (s) from which no more frames are encoded, so that clips of those before can still be written."""

ClipJob = Callable[[Sequence[EncodedFrame], ClipFormat], None]
"""Function that receives the frames asked for, called in the worker's thread."""


@dataclass(frozen=True, slots=True)
class WaitingFrame:
    """Frame to be encoded."""

    frame: VideoFrame
    t: float
    moving: bool
    profile: Profile


@dataclass(frozen=True, slots=True)
class FrameRequest:
    """Job and the span of time (s) of the frames that it needs."""

    start: float
    end: float
    job: ClipJob
    about: str
    """What the job stores, in words."""


class Recorder:
    """Records frames: call `offer` for each and `ask` for spans of them; use it in a `with`.

    On exit every waiting job gets the frames there are.
    """

    def __init__(self, worker: JobWorker, picture: Picture, *, masked: bool, every_frame: bool = False) -> None:
        """Sets up an encoder for pictures like `picture`.

        While nothing moves, one frame every `RECORDER_EVERY_S` is recorded, or with `every_frame` each.
        Raises EncoderError when nothing on this machine encodes video.
        """
        width, height = picture.width, picture.height
        self._encoder = Encoder(width, height, picture.full_range)
        self.shape = ClipFormat(width, height, self._encoder.name, masked)
        self.trouble: str | None = None
        """FFmpeg's message when the recording has stopped, else None."""
        self.lost = 0
        """Number of frames not recorded because the encoder could not keep up or has stopped."""
        self._worker, self._every_s = worker, 0.0 if every_frame else RECORDER_EVERY_S
        self._frame_bytes = width * height * 3 // 2
        self._waiting: deque[WaitingFrame] = deque()
        self._coded: deque[EncodedFrame] = deque()
        self._bytes = 0
        self._requests: list[FrameRequest] = []
        self._mask: SurroundingsMask | None = None
        self._recorded = float("-inf")
        self._closing = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="recorder", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self.finish()

    def finish(self, time_left: TimeLeft = never_ends) -> tuple[str, ...]:
        """Encodes the frames that wait and gives every job its own; ends the recording.

        Returns what the jobs are about whose frames could not be encoded in time; they are dropped.
        """
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        while self._thread.is_alive() and (left := time_left() - ENCODING_RESERVE_S) > 0:
            self._thread.join(min(left, END_POLL_S))
        with self._changed:
            dropped, self._requests = tuple(request.about for request in self._requests), []
            self._waiting.clear()
        return dropped

    def offer(self, picture: Picture, t: float, profile: Profile, *, moving: bool, patient: bool) -> None:
        """Queues a copy of the frame of time t (s). `moving`: every frame is to be recorded now.

        If the queue is full a `patient` caller waits; the frame of any other is lost.
        """
        full = WAITING_BYTES // self._frame_bytes
        with self._changed:
            if patient:
                self._changed.wait_for(lambda: len(self._waiting) < full or self.trouble)
            if len(self._waiting) >= full or self.trouble:
                self.lost += 1
                return
        waiting = WaitingFrame(frame_of(picture), t, moving, profile)
        with self._changed:
            self._waiting.append(waiting)
            self._changed.notify_all()

    def ask(self, start: float, end: float, job: ClipJob, about: str = "") -> None:
        """Calls `job` with the frames from `start` to `end` (s) once they have all come; `about`: what it stores."""
        with self._changed:
            self._requests.append(FrameRequest(start, end, job, about))

    def _work(self) -> None:
        lower_priority()
        try:
            while (waiting := self._next()) is not None:
                self._record(waiting)
            self._remember(self._encoder.flush())
        except (av.FFmpegError, OSError) as e:
            logger.warning("recording has stopped: %s", e)
            with self._changed:
                self.trouble = str(e)
                self._waiting.clear()
                self._changed.notify_all()
        self._grant(math.inf)

    def _next(self) -> WaitingFrame | None:
        """Returns the next frame to be encoded; None at the end."""
        with self._changed:
            while True:
                self._changed.wait_for(lambda: self._closing or self._is_decided())
                if not self._waiting:
                    return None
                waiting, counts = self._waiting[0], self._counts()
                self._waiting.popleft()
                self._changed.notify_all()
                if counts:
                    return waiting

    def _is_decided(self) -> bool:
        """Tells whether it is known if the oldest frame is to be recorded."""
        if not self._waiting:
            return False
        return self._counts() or self._waiting[-1].t - self._waiting[0].t >= RECORDER_AHEAD_S

    def _counts(self) -> bool:
        """Tells whether the oldest frame is due, within a stroke, or up to RECORDER_AHEAD_S before one is noticed."""
        oldest = self._waiting[0]
        return oldest.t - self._recorded >= self._every_s or any(
            w.moving for w in self._waiting if w.t <= oldest.t + RECORDER_AHEAD_S
        )

    def _record(self, waiting: WaitingFrame) -> None:
        self._recorded = waiting.t
        if self.shape.masked:
            if self._mask is None or self._mask.camera is not waiting.profile.camera:
                self._mask = SurroundingsMask(waiting.profile.camera, waiting.profile.board)
            self._mask.paint(waiting.frame)
        self._remember(self._encoder.encode(waiting.frame, waiting.t))
        if self._coded:
            self._grant(self._coded[-1].t)

    def _remember(self, coded: list[EncodedFrame]) -> None:
        self._coded.extend(coded)
        self._bytes += sum(len(c.data) for c in coded)
        while self._coded and (self._bytes > REMEMBERED_BYTES or self._coded[0].t < self._coded[-1].t - REMEMBERED_S):
            self._bytes -= len(self._coded.popleft().data)

    def _grant(self, until: float) -> None:
        """Sends the jobs whose frames have all come by `until` to the worker."""
        with self._changed:
            ready = [request for request in self._requests if request.end <= until]
        for request in ready:
            chosen = frames_between(self._coded, request.start, request.end)
            with self._changed:
                if request in self._requests:
                    self._requests.remove(request)
                    self._worker.send(_bound_job(request.job, chosen, self.shape), request.about)


def _bound_job(job: ClipJob, coded: list[EncodedFrame], shape: ClipFormat) -> Callable[[], None]:
    return lambda: job(coded, shape)
