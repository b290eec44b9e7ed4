"""The measured process: everything that `referee run` does, on frames from memory delivered as by a camera.

    python -m referee.bench.budget_child RECORDING.json PROFILE.json LOG RECORD

RECORD is off, 30 (a second) or every (frame). It prints what `run` prints, and ends on a signal.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from calibration.profile import load_profile
from referee.bench.recording import FramePlayer, FrameRecording, Label
from referee.bench.yardsticks import picture_of
from referee.commands.run import run
from referee.frames.frame import Frame, Source
from referee.frames.picamera import waiting_frames
from referee.pipeline import MatchSettings
from referee.pipeline.frame_referee import Players, ignore_ruling
from referee.replay.recording_settings import RecordedMedia
from referee.replay.recording_settings import Recording as Choice

RECORDS = {"off": Choice(), "30": Choice(RecordedMedia.VIDEO), "every": Choice(RecordedMedia.VIDEO, every_frame=True)}
"""Recording modes by name."""
WEB = {"port": 0, "host": "127.0.0.1", "pin": None, "no_web": False, "no_pairing": False, "private": False}


class PacedRecording:
    """Delivers a recording as a camera does: at its own pace, and only the newest few frames if nobody reads them.

    The frames lie in memory (a file in the page cache). They run forwards and backwards without end, see `FramePlayer`.
    """

    live = True

    def __init__(self, recording: FrameRecording, clock: Callable[[], float] = time.monotonic,
                 wait: Callable[[float], None] = time.sleep) -> None:  # fmt: skip
        self.name, self.fps = recording.title, recording.fps
        self._recording, self._clock, self._wait = recording, clock, wait
        self._place = FramePlayer(recording).place

    def __enter__(self) -> Self:
        r = self._recording
        self._frames = np.memmap(r.path, np.uint8, "r", shape=(len(r.labels), r.height * 3 // 2, r.width))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        del self._frames

    def __iter__(self) -> Iterator[Frame]:
        period, most, number, index = 1 / self._recording.fps, waiting_frames(self._recording.fps), 0, 0
        began = self._clock()
        while True:
            newest = int((self._clock() - began) / period)
            lost = max(0, newest - most + 1 - number)
            number += lost
            ahead = began + number * period - self._clock()
            if ahead > 0:
                self._wait(ahead)
            picture = picture_of(self._frames[self._place(number)], self._recording.full_range)
            yield Frame(picture, number * period, index, 0.0, lost)
            number, index = number + 1, index + 1


def read_recording(described: Path) -> FrameRecording:
    """Returns the recording that a JSON file describes."""
    d: dict[str, Any] = json.loads(described.read_text(encoding="utf-8"))
    return FrameRecording(**d | {"path": Path(d["path"]), "labels": tuple(Label(**x) for x in d["labels"])})


def main(words: list[str]) -> None:
    """Runs the referee until a signal."""
    described, profile, log, record = words
    recording = read_recording(Path(described))

    def opened() -> tuple[Source, Players]:
        return PacedRecording(recording), ignore_ruling

    run(opened, Path(log), MatchSettings(load_profile(Path(profile)), recording=RECORDS[record]), WEB)


if __name__ == "__main__":
    main(sys.argv[1:])
