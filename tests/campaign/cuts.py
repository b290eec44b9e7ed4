"""Kills and modelled power cuts during a match: everything that a page showed as booked must be there afterwards.

The model needs no rights: names reach the disk at once, but of the bytes only those that were synced. Cuts of a real
file system are in `campaign.power`.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from match_play import Play

from models.pieces import Seat
from referee.atomic_files import written
from referee.facts import Table
from referee.log import LogTail, LogWriter, read_log
from referee.log.session import Session
from referee.log.stored_match import stored_match
from referee.match import Start
from referee.replay.match_folder import MatchFolder, tidy_match
from referee.replay.worker import JobWorker

SHIM = Path(__file__).with_name("power.c")
STROKES = [("south", "W,W"), ("south", "W"), ("south", "-"), ("north", "B"), ("north", "-"), ("south", "-"),
           ("north", "B,B"), ("north", "-"), ("south", "W"), ("south", "-"), ("north", "-")]  # fmt: skip
PAUSE_S = 0.004
"""Interval between two facts of the played match."""
PICTURE = b"jpeg" * 500
MOST_WAITING = 4
"""Most pieces of evidence that wait for the disk."""


@dataclass(slots=True)
class Result:
    """Result of a part of the campaign."""

    tries: int = 0
    lost: list[str] = field(default_factory=list)
    """Faults, in a sentence each."""
    figures: dict[str, float] = field(default_factory=dict)


def facts() -> list[object]:
    play = Play(Start("m1", players=((Seat.SOUTH, "Asha"), (Seat.NORTH, "Ravi"))))
    play.formation("south")
    for seat, text in STROKES:
        play.stroke(seat, text)
    return list(play.match.events)


def player(log: Path, tell: Callable[[int], None] = abs) -> None:
    """Plays the vision process: it plays endlessly and stores evidence, while people end matches and resume them.

    Evidence is stored by a worker, as the program does, which leaves out what a slow disk cannot take. `tell` is called
    with the number of each that is on the disk.
    """
    told, folder = facts(), MatchFolder(log)
    number = last = max((int(path.name[:4]) for path in folder.path.glob("*.evidence.json")), default=0)
    with LogWriter(log) as writer, JobWorker("evidence") as worker:
        session = Session(writer, Start("m1", players=((Seat.SOUTH, "Asha"), (Seat.NORTH, "Ravi"))))
        session.begin(time.time())
        table = Table(0.0, ())

        def keep(n: int) -> None:
            nonlocal last
            evidence(folder, n)
            tell(n)
            last = n

        while True:
            for fact in told:
                session.add(fact)
                if hasattr(fact, "n") and number - last < MOST_WAITING:
                    number += 1
                    worker.send(partial(keep, number))
                time.sleep(PAUSE_S)
            for state in ("ended", "playing"):
                session.run({"state": state, "by": "Mira", "id": f"{time.time()}"}, table)
                time.sleep(PAUSE_S)


def evidence(folder: MatchFolder, n: int) -> None:
    """Stores a picture and then the index that names it."""
    with written(folder.picture(n, "after")) as part:
        part.write_bytes(PICTURE)
    with written(folder.evidence(n)) as part:
        part.write_text(json.dumps({"pictures": [{"file": folder.picture(n, "after").name}]}))


def started(log: Path, **environment: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", "import sys; from pathlib import Path; from campaign.cuts import player; "
               "player(Path(sys.argv[1]))", str(log)]  # fmt: skip
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(command, env=os.environ | {"PYTHONPATH": path} | environment, stderr=subprocess.PIPE)


def compiled(folder: Path) -> Path | None:
    """Returns the compiled shim; None without a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    library = folder / "power.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, SHIM, "-ldl"], check=True, capture_output=True)
    return library


def kills(folder: Path, tries: int, seed: int = 1) -> Result:
    """Kills the process `tries` times at random moments; the match continues in the same log."""
    rng, result = random.Random(seed), Result()
    log = folder / "killed.jsonl"
    for _ in range(tries):
        pid = os.fork()
        if pid == 0:
            try:
                player(log)
            finally:
                os._exit(1)
        tail, shown, until = LogTail(log), [], time.monotonic() + rng.uniform(0.02, 0.2)
        while time.monotonic() < until:
            shown += tail.new_lines()
            time.sleep(0.002)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        result.tries += 1
        check(result, log, shown)
        result.figures["shown"] = result.figures.get("shown", 0) + len(shown)
        if log.exists() and log.stat().st_size > 400_000:
            log.unlink()
            shutil.rmtree(MatchFolder(log).path, ignore_errors=True)
    return result


def check(result: Result, log: Path, shown: list[dict], most_lost: int | None = None) -> None:
    """Checks that everything that was shown is in the log, whole and in its order, and that the match can be
    rebuilt. `most_lost`: how many rows may be torn, by default as many as there were tries.
    """
    contents = read_log(log) if log.exists() and log.stat().st_size else None
    lines = list(contents.lines) if contents else []
    if lines[: len(shown)] != shown:
        result.lost.append(f"{len(shown)} lines were shown, and the log does not begin with them")
    if (
        contents
        and any(not p.torn for p in contents.problems)
        and contents.lost > (result.tries if most_lost is None else most_lost)
    ):
        result.lost.append(f"{contents.problems[0].text}")
    if lines:
        stored_match(log)
    folder = MatchFolder(log)
    if folder.path.is_dir():
        tidy_match(folder)
        empty = [p.name for p in folder.path.iterdir() if p.stat().st_size == 0]
        result.lost += [f"{name} has no bytes" for name in empty]


def power_cuts(folder: Path, tries: int, delay_ms: int = 0, fails: int = 0, seed: int = 1) -> Result:
    """Cuts the power `tries` times: every name has reached the disk, but of the bytes only those that were synced."""
    rng, result = random.Random(seed), Result()
    library = compiled(folder)
    if library is None:
        return result
    for n in range(tries):
        place, disk = folder / f"cut{n}", folder / f"disk{n}"
        place.mkdir()
        disk.mkdir()
        log = place / "match.jsonl"
        wishes = {"LD_PRELOAD": str(library), "CAMPAIGN_DISK": str(disk), "CAMPAIGN_DELAY_MS": str(delay_ms),
                  "CAMPAIGN_FAILS": str(fails)}  # fmt: skip
        process = started(log, **wishes)
        while not log.exists() and process.poll() is None:
            time.sleep(0.002)
        shown = followed(log, process, rng.uniform(0.2, 1.0 + delay_ms / 250), wishes)
        process.kill()
        process.communicate()
        cut(place, disk)
        result.tries += 1
        seen = len(result.lost)
        check(result, log, shown)
        if len(result.lost) > seen:
            result.lost[-1] += f" (cut {n}, delay {delay_ms} ms, one in {fails} fails)"
        result.figures["shown"] = result.figures.get("shown", 0) + len(shown)
        shutil.rmtree(place)
        shutil.rmtree(disk)
    return result


FOLLOW = """
import json, sys, time
from pathlib import Path
from referee.log import LogError, LogTail
tail = LogTail(Path(sys.argv[1]))
while True:
    try:
        for line in tail.new_lines():
            print(json.dumps(line), flush=True)
    except LogError:
        break
    time.sleep(0.002)
"""


def followed(log: Path, process: subprocess.Popen[bytes], seconds: float, wishes: dict[str, str]) -> list[dict]:
    """Returns what the web server shows, which syncs on the same slow disk."""
    follower = subprocess.Popen([sys.executable, "-c", FOLLOW, str(log)], stdout=subprocess.PIPE,
                                env=os.environ | wishes)  # fmt: skip
    assert follower.stdout is not None
    first = follower.stdout.readline()
    time.sleep(seconds)
    process.kill()
    follower.kill()
    rest = [row for row in (first + follower.communicate()[0]).split(b"\n")[:-1] if row]
    return [json.loads(row) for row in rest]


def cut(place: Path, disk: Path) -> None:
    """Writes the state of the disk after the cut: names as they were, bytes only as they were synced."""
    for path in sorted(place.rglob("*")):
        if path.is_file():
            synced = disk / str(path.stat().st_ino)
            path.write_bytes(synced.read_bytes() if synced.exists() else b"")
