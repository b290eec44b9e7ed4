"""Analyses a stored match again from its clips, in a process of its own: the web server has neither codec nor
vision.
"""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread

from referee.replay.reanalyse import ReanalysedStroke

JOB_SEEN = "import os; os.nice(10); from referee.cli import main; main()"
"""Program of the process. It yields to a match that is being played."""


@dataclass(slots=True)
class Reanalysis:
    """Reanalysis of one match, running or finished."""

    match: str
    of: int
    """Number of strokes to analyse."""
    strokes: list[ReanalysedStroke] = field(default_factory=list)
    runs: bool = True
    problem: str | None = None
    """Why it failed, in a sentence."""


class Reanalyser:
    """Analyses one match at a time and holds the last results; thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._watch: Reanalysis | None = None
        self._process: subprocess.Popen[str] | None = None

    def start(self, match: str, log: Path, strokes: int) -> bool:
        """Starts a reanalysis; False while another match is being analysed."""
        with self._lock:
            if self._watch is not None and self._watch.runs:
                return self._watch.match == match
            command = [sys.executable, "-c", JOB_SEEN, "replay", str(log), "--from", "video", "--json"]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self._process, self._watch = process, Reanalysis(match, strokes)
            atexit.register(process.terminate)
            Thread(target=self._read, args=(process, self._watch), name="rewatching", daemon=True).start()
            return True

    def watch(self, match: str) -> Reanalysis | None:
        """Returns the progress; None for a match that was not analysed."""
        watch = self._watch
        return watch if watch is not None and watch.match == match else None

    def stop(self) -> None:
        """Ends the current reanalysis and forgets its results."""
        with self._lock:
            process, self._process, self._watch = self._process, None, None
        if process is not None:
            process.terminate()

    @staticmethod
    def _read(process: subprocess.Popen[str], watch: Reanalysis) -> None:
        """Reads each stroke's result as it arrives."""
        with process:
            assert process.stdout is not None
            assert process.stderr is not None
            for text in process.stdout:
                result = json.loads(text)
                watch.strokes.append(ReanalysedStroke(result["stroke"], result["seen"], result["why"]))
            said = process.stderr.read().strip().splitlines()
        atexit.unregister(process.terminate)
        if process.returncode:
            watch.problem = said[-1].removeprefix("Error: ") if said else "the videos could not be looked at"
        watch.runs = False
