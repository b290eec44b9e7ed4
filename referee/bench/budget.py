"""Resource budget of a running referee on this machine: vision, log, pages, viewers and recording, in real time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from referee.bench.budget_viewers import Viewers
from referee.bench.recording import FrameRecording
from referee.replay.retention import MEGABYTE
from referee.replay.worker import NICENESS

VIEWERS = 5
READY_S = 60.0
"""Longest wait for the first judged frame, s."""
BUDGET_SETTLE_S = 3.0
"""Time after it that is not measured, s: caches fill, viewers connect, the recording's encoder is chosen."""
ANSWER_S = 5.0


class BudgetError(Exception):
    """The measured process failed; the message is its output."""


@dataclass(frozen=True, slots=True)
class ProcessorTime:
    """Processor time by consumer, s."""

    vision: float
    """Main thread of the vision process: frames in, rulings out."""
    recording: float
    """Threads of the vision process with lowered priority: encoding, and writing stored media."""
    rest: float
    """Other threads of the vision process: link, pictures for viewers, syncing the log to disk."""
    house: float
    """The web server."""

    @property
    def total(self) -> float:
        return self.vision + self.recording + self.rest + self.house

    def minus(self, earlier: ProcessorTime) -> ProcessorTime:
        """Returns the time spent since `earlier`."""
        mine, theirs = asdict(self), asdict(earlier)
        return ProcessorTime(**{name: mine[name] - theirs[name] for name in mine})


@dataclass(frozen=True, slots=True)
class Budget:
    """Result of one run."""

    title: str
    fps: float
    record: str
    """Recording mode, see `budget_child.RECORDS`."""
    seconds: float
    spent: ProcessorTime
    """Processor time within `seconds`."""
    processors: int
    others: float
    """Share of the machine used by everything else, viewers included."""
    lost: int
    """Frames lost by the vision."""
    unrecorded: int
    """Frames lost by the recording."""
    memory_mb: float
    """Memory of both processes without the frames fed, MB. Shared libraries count in proportion."""
    updates: float
    """Messages sent to a viewer, per second, median."""
    pictures: float
    """Camera pictures sent to a viewer, per second, median."""

    @property
    def per_minute(self) -> float:
        """Processor seconds per minute of play."""
        return self.spent.total / self.seconds * 60

    @property
    def share(self) -> float:
        """Share of all processors of this machine."""
        return self.spent.total / self.seconds / self.processors


def measure_budget(recording: FrameRecording, profile: Path, record: str, seconds: float) -> Budget:
    """Runs everything on a recording's frames, at the recording's rate, and measures for `seconds`. Raises
    BudgetError.
    """
    with tempfile.TemporaryDirectory() as passing, _running(recording, profile, record, Path(passing)) as (pid, url):
        _until_judging(url)
        with Viewers(url, VIEWERS) as viewers:
            time.sleep(BUDGET_SETTLE_S)
            before, began = _state(pid, url, viewers), time.monotonic()
            time.sleep(seconds)
            after, took = _state(pid, url, viewers), time.monotonic() - began
            memory = sum(_memory_mb(each, recording.path) for each in _family(pid))
    spent = after.spent.minus(before.spent)
    processors = os.cpu_count() or 1
    middle = VIEWERS // 2
    return Budget(
        recording.title, recording.fps, record, took, spent, processors,
        max(0.0, after.busy - before.busy - spent.total) / took / processors,
        after.lost - before.lost, after.unrecorded - before.unrecorded, round(memory, 1),
        sorted(a - b for a, b in zip(after.updates, before.updates, strict=True))[middle] / took,
        sorted(a - b for a, b in zip(after.pictures, before.pictures, strict=True))[middle] / took,
    )  # fmt: skip


@contextmanager
def _running(recording: FrameRecording, profile: Path, record: str, folder: Path) -> Iterator[tuple[int, str]]:
    """Runs the measured process; yields its id and the scoreboard's address."""
    described = folder / "recording.json"
    described.write_text(json.dumps(asdict(recording) | {"path": str(recording.path)}), encoding="utf-8")
    words = [sys.executable, "-m", "referee.bench.budget_child", described, profile, folder / "log.jsonl", record]
    said = (folder / "said.txt").open("w+")
    with said, subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE, stderr=said, text=True) as process:
        try:
            assert process.stdout is not None
            url = next((line.split()[1] for line in process.stdout if line.startswith("Scoreboard: ")), None)
            if url is None:
                said.seek(0)
                raise BudgetError(f"the measured process did not start: {said.read()[-500:]}")
            yield process.pid, url
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()


def _until_judging(url: str) -> None:
    end = time.monotonic() + READY_S
    while (_get(url, "api/health").get("eyes") or {}).get("camera") != "judging":
        if time.monotonic() > end:
            raise BudgetError(f"no frame was judged within {READY_S:.0f} s")
        time.sleep(0.2)


@dataclass(frozen=True, slots=True)
class _State:
    """Counters at one moment."""

    spent: ProcessorTime
    busy: float
    """Processor seconds of the whole machine."""
    lost: int
    unrecorded: int
    updates: tuple[int, ...]
    pictures: tuple[int, ...]


def _state(pid: int, url: str, viewers: Viewers) -> _State:
    live = _get(url, "api/state")["sections"].get("live") or {}
    unrecorded = (_get(url, "api/health").get("eyes") or {}).get("unrecorded") or 0
    return _State(_spent(pid), _busy(), live.get("dropped", 0), unrecorded, tuple(viewers.updates),
                  tuple(viewers.pictures))  # fmt: skip


def _get(url: str, what: str) -> dict[str, Any]:
    try:
        with urlopen(f"{url}{what}", timeout=ANSWER_S) as answer:
            figures: dict[str, Any] = json.loads(answer.read())
            return figures
    except (URLError, OSError) as e:
        raise BudgetError(f"the measured process does not answer: {e}") from None


def _spent(pid: int) -> ProcessorTime:
    _, *servers = _family(pid)
    threads = {int(task.name): _stat(task / "stat") for task in Path(f"/proc/{pid}/task").iterdir()}
    whole = _seconds(_stat(Path(f"/proc/{pid}/stat")))
    vision = _seconds(threads[pid])
    recording = sum(_seconds(stat) for stat in threads.values() if int(stat[16]) == NICENESS)
    web = sum(_seconds(_stat(Path(f"/proc/{each}/stat"))) for each in servers)
    return ProcessorTime(vision, recording, whole - vision - recording, web)


def _family(pid: int) -> list[int]:
    """Returns a process and its children."""
    stats = [path for path in Path("/proc").glob("[0-9]*/stat") if path.exists()]
    return [pid, *(int(path.parent.name) for path in stats if (stat := _stat(path)) and int(stat[1]) == pid)]


def _stat(path: Path) -> list[str]:
    """Returns the fields of a process or thread from its state on (Linux, proc(5)); empty if it is gone."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _seconds(stat: list[str]) -> float:
    """Returns user and system processor time, s."""
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK") if stat else 0.0


def _busy() -> float:
    user, nice, system, _, _, *more = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:9]
    return sum(int(word) for word in (user, nice, system, *more)) / os.sysconf("SC_CLK_TCK")


def _memory_mb(pid: int, fed: Path) -> float:
    """Returns a process's proportional set size (Linux' Pss), MB, without the pages of the file of frames."""
    kilobytes, ours = 0, True
    for line in Path(f"/proc/{pid}/smaps").read_text(encoding="utf-8", errors="replace").splitlines():
        name, *words = line.split()
        if not name.endswith(":"):
            ours = not line.endswith(str(fed))
        elif name == "Pss:" and ours:
            kilobytes += int(words[0])
    return kilobytes * 1024 / MEGABYTE
