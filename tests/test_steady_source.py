"""Sources that fail, block or tell nonsense of time: a sentence, an end within five seconds, a clock that goes on."""

from __future__ import annotations

import logging
import math
import os
import signal
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from subprocess import Popen
from threading import Event, Thread, get_native_id
from types import TracebackType
from typing import Self

import cv2
import numpy as np
import pytest
from test_run import running
from web_stage import until

from calibration.geometry.picture import Picture
from referee.commands.stop import stopping
from referee.frames.frame import Frame, SourceError
from referee.frames.guarded import opened
from referee.frames.paced import PacedSource
from referee.frames.timeline import Timeline
from referee.log import read_log
from referee.replay.match_folder import MatchFolder
from referee.replay.pace import OutOfTime, Pace
from referee.replay.worker import JobWorker, lower_priority

ENDS_S = 20.0
"""Alone the program ends within 1 s, and niced within 4 s; the tests beside it may take the rest."""
FAULTS = [OSError(5, "Input/output error"), ValueError("bad planes"), RuntimeError("driver\nis gone"), IndexError(),
          cv2.error("decode"), MemoryError(), ZeroDivisionError("rate")]  # fmt: skip


def picture() -> Picture:
    planes = (np.zeros(shape, np.uint8) for shape in ((8, 8), (4, 4), (4, 4)))
    return Picture(*planes)


class Fragile:
    """Gives frames of these times and then fails."""

    name, fps, live = "a fragile camera", 30.0, True

    def __init__(self, times: list[float], fault: Exception | None = None, at_once: bool = False) -> None:
        self._times, self._fault, self._at_once = times, fault, at_once
        self.is_closed = False

    def __enter__(self) -> Self:
        if self._at_once and self._fault:
            raise self._fault
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self.is_closed = True

    def __iter__(self) -> Iterator[Frame]:
        for index, t in enumerate(self._times):
            yield Frame(picture(), t, index, None)
        if self._fault:
            raise self._fault


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize("at_once", [False, True])
def test_any_fault_of_a_source_is_one_sentence_after_its_last_good_frame(
    fault: Exception, at_once: bool, caplog: pytest.LogCaptureFixture
) -> None:
    source, seen = Fragile([0.0, 0.1], fault, at_once), []
    with pytest.raises(SourceError, match="a fragile camera cannot") as told, opened(source) as frames:
        seen.extend(frame.t for frame in frames)
    assert "\n" not in str(told.value)
    (logged,) = caplog.records
    assert (logged.exc_info, "\n" in logged.getMessage()) == (None, False), "it is no traceback in the journal"
    assert type(fault).__name__ in logged.getMessage() or isinstance(fault, cv2.error)
    assert (seen, source.is_closed) == (([], False) if at_once else ([0.0, 0.1], True))


def test_a_fault_in_the_middle_of_a_match_is_an_alert_in_its_log(clip: Path, tmp_path: Path) -> None:
    from referee.frames.open import open_source
    from referee.frames.source_wrapper import ForwardingSource
    from referee.pipeline import MatchSettings, referee

    class Breaks(ForwardingSource):
        def __iter__(self) -> Iterator[Frame]:
            for frame in self._source:
                if frame.t > 1.0:
                    raise KeyError("a driver of the future")
                yield frame

    with pytest.raises(SourceError, match="driver of the future"):
        referee(Breaks(open_source(str(clip))), MatchSettings(), tmp_path / "a.jsonl", "a")
    assert read_log(tmp_path / "a.jsonl").lines[-1]["kind"] == "source_failed"


def test_a_jump_of_stamps_is_not_slept_through() -> None:
    waits: list[float] = []
    now = [0.0]

    def wait(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    source = Fragile([0.0, 0.5, 3600.0, 3600.5])
    assert [f.t for f in PacedSource(source, clock=lambda: now[0], wait=wait)] == [0.0, 0.5, 3600.0, 3600.5]
    assert waits == [0.5, 0.5]


def test_stamps_that_jitter_do_not_stretch_the_clock() -> None:
    rng = np.random.default_rng(1)
    timeline, last = Timeline(), -1.0
    for i in range(3000):
        stamp = i / 60 + float(rng.uniform(-0.04, 0.04))
        t, _ = timeline.place(Fraction(stamp))
        assert t > last
        last = t
    assert last == pytest.approx(3000 / 60, abs=0.15)


def test_stamps_all_alike_are_told_once_and_the_clock_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    timeline = Timeline(1 / 30)
    with caplog.at_level(logging.WARNING):
        times = [timeline.place(Fraction(7))[0] for _ in range(300)]
    assert len(caplog.records) == 1
    assert times[-1] == pytest.approx(299 / 30, abs=0.2)
    assert all(b > a for a, b in pairwise(times))


def test_sigterm_is_obeyed_while_a_source_blocks(tmp_path: Path) -> None:
    pipe = tmp_path / "camera.mp4"
    os.mkfifo(pipe)
    with running("run", pipe, "--no-web", "--log", tmp_path / "a.jsonl") as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        assert process.wait(ENDS_S) == 0


def test_sigterm_is_obeyed_while_an_open_source_gives_nothing(tmp_path: Path, clip: Path) -> None:
    """The beginning of a recording through a pipe that nobody closes: FFmpeg waits in the system for the rest."""
    pipe = tmp_path / "camera.mp4"
    os.mkfifo(pipe)
    with running("run", pipe, "--no-web", "--log", tmp_path / "a.jsonl") as process:
        assert process.stdout is not None
        process.stdout.readline()
        writer = os.open(pipe, os.O_RDWR)
        os.write(writer, clip.read_bytes()[:30_000])
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        assert process.wait(ENDS_S) == 0
        os.close(writer)


def test_sigterm_is_obeyed_while_the_disk_takes_no_replay(clip: Path, profile_file: Path, tmp_path: Path) -> None:
    """Nobody reads the pipe that stands where the tracks are written: their job never ends, and others wait."""
    log = tmp_path / "a.jsonl"
    words = ("run", clip, "--profile", profile_file, "--log", log, "--no-web", "--stay", "--record", "video")
    with running(*words) as process:
        folder = MatchFolder(log)
        until(lambda: folder.profile.is_file(), "what is left of an earlier start is tidied")
        os.mkfifo(f"{folder.tracks(1)}.part")
        until(lambda: b'"type":"stroke"' in log.read_bytes())
        process.send_signal(signal.SIGTERM)
        assert process.wait(ENDS_S) == 0
    last = read_log(log).lines[-1]
    assert last["kind"] == "recording_stopped"
    for what in ("tracks", "pictures", "clip"):
        assert f"the {what} of stroke 1" in last["text"]
    assert not [path for path in folder.path.glob("0001*") if path.suffix != ".part"]


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no nice value of their own")
def test_one_that_its_user_niced_ends_on_a_busy_machine(clip: Path, profile_file: Path, tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    with running("run", clip, "--profile", profile_file, "--log", log, "--no-web", "--record", "video") as process:
        until(lambda: log.is_file() and b'"type":"formation"' in log.read_bytes())
        for task in os.listdir(f"/proc/{process.pid}/task"):
            os.setpriority(os.PRIO_PROCESS, int(task), 19)
        busy = [Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1))]
        try:
            time.sleep(1.0)
            process.send_signal(signal.SIGTERM)
            assert process.wait(2 * ENDS_S) == 0
        finally:
            for each in busy:
                each.kill()
                each.wait()
    assert read_log(log).problems == ()


def test_measuring_rests_beside_the_vision_and_no_more_when_the_end_is_asked() -> None:
    left = [math.inf]
    resting = Pace(1e6, lambda: left[0])
    thread = Thread(target=lambda: resting.pause(1.0), daemon=True)
    thread.start()
    thread.join(0.2)
    assert thread.is_alive()
    resting.hurry()
    thread.join(20)
    assert not thread.is_alive()
    left[0] = 2.0
    Pace(1e6, lambda: left[0]).pause(1.0)
    left[0] = 1.0
    with pytest.raises(OutOfTime):
        resting.pause(1.0)


def test_the_end_waits_for_replays_no_longer_than_it_may() -> None:
    left, never, done = [math.inf], Event(), []
    with JobWorker("test", lambda: left[0]) as worker:
        worker.send(lambda: done.append("first"), "the first")
        worker.leave()
        for name in ("second", "third"):
            worker.send(lambda: never.wait() and None, f"the {name}")
        worker.send(never.wait)
        left[0] = 0.0
        worker.leave()
        assert worker.finish() == ("the second", "the third")
        never.set()
    assert done == ["first"]


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root may raise a priority anywhere")
def test_who_stepped_back_for_the_vision_hurries_when_the_end_is_asked() -> None:
    """Behind the work of a busy machine it would hold the interpreter for seconds."""
    begun, over, number = Event(), Event(), []

    def stepped_back() -> None:
        lower_priority()
        number.append(get_native_id())
        begun.set()
        over.wait()

    thread = Thread(target=stepped_back)
    thread.start()
    begun.wait()
    mine = os.getpriority(os.PRIO_PROCESS, os.getpid())
    with stopping() as stop:
        before = os.getpriority(os.PRIO_PROCESS, number[0])
        signal.raise_signal(signal.SIGTERM)
        assert stop.time_left() < 5.0
        after = os.getpriority(os.PRIO_PROCESS, number[0])
    over.set()
    thread.join()
    for task in os.listdir("/proc/self/task"):
        os.setpriority(os.PRIO_PROCESS, int(task), mine)
    assert before > 0
    assert after == min(mine, 0)
