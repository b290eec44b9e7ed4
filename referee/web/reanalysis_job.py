"""A stored match seen again from its clips, in a process of its own: the house holds neither codec nor vision."""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread

from referee.replay.reanalyse import Again

JOB_SEEN = "import os; os.nice(10); from referee.cli import main; main()"
"""What the process runs: it steps back behind a match that is being played."""


@dataclass(slots=True)
class Watch:
    """One match being seen again, or seen."""

    match: str
    of: int
    """Strokes to be seen."""
    seen: list[Again] = field(default_factory=list)
    runs: bool = True
    problem: str | None = None
    """Why it could not be seen, in a sentence."""


class Rewatching:
    """Sees one match at a time; what was seen of the last is remembered. May be used by several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._watch: Watch | None = None
        self._process: subprocess.Popen[str] | None = None

    def start(self, match: str, log: Path, strokes: int) -> bool:
        """Begins to look; False while another match is being looked at."""
        with self._lock:
            if self._watch is not None and self._watch.runs:
                return self._watch.match == match
            command = [sys.executable, "-c", JOB_SEEN, "replay", str(log), "--from", "video", "--json"]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self._process, self._watch = process, Watch(match, strokes)
            atexit.register(process.terminate)
            Thread(target=self._read, args=(process, self._watch), name="rewatching", daemon=True).start()
            return True

    def watch(self, match: str) -> Watch | None:
        """How far it has come; None for a match that was not looked at."""
        watch = self._watch
        return watch if watch is not None and watch.match == match else None

    def stop(self) -> None:
        """Ends what is under way and forgets what was seen."""
        with self._lock:
            process, self._process, self._watch = self._process, None, None
        if process is not None:
            process.terminate()

    @staticmethod
    def _read(process: subprocess.Popen[str], watch: Watch) -> None:
        """Takes each stroke as it is told."""
        with process:
            assert process.stdout is not None
            assert process.stderr is not None
            for text in process.stdout:
                result = json.loads(text)
                watch.seen.append(Again(result["stroke"], result["seen"], result["why"]))
            said = process.stderr.read().strip().splitlines()
        atexit.unregister(process.terminate)
        if process.returncode:
            watch.problem = said[-1].removeprefix("Error: ") if said else "the videos could not be looked at"
        watch.runs = False
