"""Measurements that need a process of their own: memory over many frames, and time to the first judged frame.

    python -m referee.bench.child memory RECORDING.json FRAMES
    python -m referee.bench.child start RECORDING.json PROFILE.json

prints one JSON object. The process loads the modules of `analyse`, manages its heap like it, and referees the
recording's raw frames.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from calibration.profile import load_profile
from referee.bench.recording import FramePlayer, FrameRecording, Label
from referee.bench.yardsticks import single_threaded
from referee.pipeline import MatchSettings, referee
from referee.pipeline.frame_referee import FrameReferee
from referee.pipeline.memory import return_freed_memory
from referee.pipeline.run_match import NoAudience

PROGRAM = "referee.commands.analyse"
"""Module that is loaded for its size and loading time, decoder and all, although the frames come from the recording."""
SAMPLES = 200
"""Number of memory samples in a run."""
WARM_SHARE = 0.25
"""Share of a run after which growth is measured. By then every buffer has been filled."""
STARTS = 3
"""Number of processes started to measure the start."""
SMALL_RING = 2
"""Number of frames in memory at a time, as few as a camera holds."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Resident memory of a whole refereeing process, MB."""

    frames: int
    peak_mb: float
    samples_mb: tuple[tuple[int, float], ...]
    """Frame number and memory (MB) of each sample."""

    @property
    def growth_mb(self) -> float:
        """Median of the last quarter of the run minus that of the second, MB."""
        later = [mb for i, mb in self.samples_mb if i >= (1 - WARM_SHARE) * self.frames]
        early = [mb for i, mb in self.samples_mb if WARM_SHARE * self.frames <= i < 2 * WARM_SHARE * self.frames]
        return sorted(later)[len(later) // 2] - sorted(early)[len(early) // 2] if later and early else 0.0


def measure_memory(recording: FrameRecording, frames: int) -> Memory:
    """Measures the memory of a process that referees `frames` frames of a recording, after calibrating itself.

    The recording runs forwards and backwards.
    """
    reported = _run("memory", recording, str(frames))
    return Memory(frames, reported["peak_mb"], tuple((int(i), float(mb)) for i, mb in reported["samples_mb"]))


def measure_start(recording: FrameRecording, profile: Path) -> float:
    """Returns the time (s) from the start of a process to its first judged frame, with a profile: the median of a few.

    The first process may have to read the program from disk.
    """
    return statistics.median(_start(recording, profile) for _ in range(STARTS))


def _start(recording: FrameRecording, profile: Path) -> float:
    began = time.perf_counter()
    return float(_run("start", recording, str(profile))["judged_at"]) - began


def _run(what: str, recording: FrameRecording, extra: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as passing:
        described = Path(passing) / "recording.json"
        described.write_text(json.dumps(asdict(recording) | {"path": str(recording.path)}), encoding="utf-8")
        words = [sys.executable, "-m", "referee.bench.child", what, str(described), extra]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the measured process failed: {done.stderr.strip()[-500:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


class Sampler(NoAudience):
    """Samples the memory at regular intervals."""

    def __init__(self, frames: int) -> None:
        self.samples: list[tuple[int, float]] = []
        self._every, self._count = max(1, frames // SAMPLES), 0

    def on_frame(self, frame_referee: FrameReferee) -> None:
        self._count += 1
        if self._count % self._every == 0:
            self.samples.append((self._count, status_mb("VmRSS")))


def status_mb(field: str) -> float:
    """Returns a field of this process's memory status (Linux), MB."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        name, _, value = line.partition(":")
        if name == field:
            return round(int(value.split()[0]) / 1024, 2)
    raise RuntimeError(f"this system tells no {field}; memory can be measured on Linux only")


def main(words: list[str]) -> dict[str, Any]:
    """Runs the measurement that the parent process requested."""
    what, described, extra = words
    d = json.loads(Path(described).read_text(encoding="utf-8"))
    recording = FrameRecording(**d | {"path": Path(d["path"]), "labels": tuple(Label(**x) for x in d["labels"])})
    import_module(PROGRAM)
    return_freed_memory()
    with single_threaded(), tempfile.TemporaryDirectory() as passing:
        log = Path(passing) / "log.jsonl"
        if what == "start":
            referee(
                FramePlayer(recording, ring=SMALL_RING),
                MatchSettings(profile=load_profile(Path(extra))),
                log,
                "bench",
                stopped=lambda t: True,
            )
            return {"judged_at": time.perf_counter()}
        sampler = Sampler(int(extra))
        referee(FramePlayer(recording, int(extra), SMALL_RING), MatchSettings(), log, "bench", audience=sampler)
        return {"peak_mb": status_mb("VmHWM"), "samples_mb": sampler.samples}


if __name__ == "__main__":
    json.dump(main(sys.argv[1:]), sys.stdout)
