"""Power cuts of a real file system: an ext4 on a loop device, see `campaign.disk`.

Meanwhile a match is played, followed as the pages' server follows it, and the settings are written anew by the
installer's own function. After each cut the disk is mounted anew, which replays its journal, and what is left is
judged. The same match then goes on until the next cut.
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
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from campaign.cuts import FOLLOW, PICTURE, Result, check
from campaign.disk import formatted, mounted
from referee.replay.match_folder import MatchFolder

TESTS = Path(__file__).parents[1]
PLAY = """
import sys
from functools import partial
from pathlib import Path
from campaign.cuts import player
player(Path(sys.argv[1]), partial(print, flush=True))
"""
SET = """
set -eu
dry= n=$3
eval "$(sed -n '/^write() {/,/^}/p' "$1")"
while :; do
    n=$((n + 1))
    printf 'pin = "%08d"\\nport = 80\\n' "$n" | write "$2/settings.toml" 600 root:root
    echo "$n"
    sleep 0.02
done
"""
CUTS_A_MATCH = 10
"""Cuts after which another match begins on an empty disk."""
SHARES = (0.0, 0.5, 1.0)
"""Shares of what was not flushed that the disk holds nevertheless."""
BEGIN_S = 60.0
"""Longest wait for the first line that is followed."""

LATER_S = 2.0
"""Time for a page that is opened when the disk is broken, s."""


@dataclass(frozen=True, slots=True)
class Told:
    """What people were told is on the disk."""

    lines: Sequence[dict[str, Any]] = ()
    evidence: Sequence[int] = ()
    settings: int = 0
    """Number of the last settings that the installer said were written; they are numbered from 1."""


class Evening:
    """The processes that write a disk and follow what is written; what they tell goes into files elsewhere."""

    def __init__(self, disk: Path, place: Path, settings: int) -> None:
        self._place, self._log = place, disk / "match.jsonl"
        install = TESTS.parent / "deploy" / "install"
        self.player = self._started("evidence", sys.executable, "-c", PLAY, self._log)
        self._others = [
            self._started("lines", sys.executable, "-c", FOLLOW, self._log),
            self._started("settings", "sh", "-c", SET, "set", install, disk, settings),
        ]

    def wait_for_lines(self) -> None:
        """Returns when the first line is followed, or the player has ended."""
        until = time.monotonic() + BEGIN_S
        while self.player.poll() is None and not self._said("lines") and time.monotonic() < until:
            time.sleep(0.005)

    def follow_anew(self) -> None:
        """Follows the log as a page does that is opened now, a while."""
        self._others.append(self._started("later", sys.executable, "-c", FOLLOW, self._log))
        with suppress(subprocess.TimeoutExpired):
            self._others[-1].wait(LATER_S)

    def end(self) -> Told:
        """Kills all; returns what they told."""
        for process in (self.player, *self._others):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        evidence, settings = self._said("evidence"), self._said("settings")
        lines = max(self._said("lines"), self._said("later"), key=len)
        return Told([json.loads(row) for row in lines], [int(n) for n in evidence], max(map(int, settings), default=0))

    def trouble(self) -> str:
        """Returns the last line that the player said of a fault."""
        return ((self._place / "evidence.err").read_text().splitlines() or [""])[-1]

    def _started(self, name: str, *command: object) -> subprocess.Popen[bytes]:
        path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
        with (self._place / name).open("wb") as out, (self._place / f"{name}.err").open("wb") as err:
            return subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                    env=os.environ | {"PYTHONPATH": path}, start_new_session=True)  # fmt: skip

    def _said(self, name: str) -> list[bytes]:
        path = self._place / name
        return path.read_bytes().split(b"\n")[:-1] if path.exists() else []


def real_cuts(folder: Path, tries: int, flush_ms: int = 0, seed: int = 1, *, failing: bool = False) -> Result:
    """Cuts the power `tries` times. `flush_ms`: time of a flush; a sync makes two. `failing`: one flush fails, and the
    disk is broken from then on. Raises NoDisk where no disk can be mounted.
    """
    rng, result = random.Random(f"{seed} {flush_ms} {failing}"), Result()
    result.figures |= dict.fromkeys(("shown", "ends", "evidence", "settings", "broke"), 0)
    empty = folder / "empty.img"
    formatted(empty)
    image, told = empty, Told()
    for n in range(tries):
        if n % CUTS_A_MATCH == 0:
            image, told = empty, Told()
        place = folder / f"cut{n}"
        place.mkdir()
        with mounted(image, place / "before") as disk:
            disk.slow(flush_ms)
            disk.failing(rng.randint(10, 200) if failing else 0)
            evening = Evening(disk.folder, place, told.settings)
            try:
                evening.wait_for_lines()
                time.sleep(rng.uniform(0.2, 1.0 + flush_ms / 60))
                ended = evening.player.poll() is not None
                if ended:
                    evening.follow_anew()
                disk.cut(place / "cut.img", rng.choice(SHARES), f"{seed}.{n}")
            finally:
                told = evening.end()
        image = place / "cut.img"
        result.tries += 1
        found = len(result.lost)
        if ended and not failing:
            result.lost.append(f"the player ended: {evening.trouble()}")
        result.figures["broke"] += ended
        with mounted(image, place / "after") as disk:
            judge(result, disk.folder, told, n % CUTS_A_MATCH + 1)
        result.lost[found:] = [f"{each} (cut {n} of seed {seed})" for each in result.lost[found:]]
        if n % CUTS_A_MATCH == 0 and n:
            for old in range(n - CUTS_A_MATCH, n):
                shutil.rmtree(folder / f"cut{old}")
    return result


def judge(result: Result, disk: Path, told: Told, cuts: int) -> None:
    """Checks that all that was told is on the disk, after so many cuts."""
    log = disk / "match.jsonl"
    folder = MatchFolder(log)
    for index in folder.path.glob("*.evidence.json"):
        n = int(index.name[:4])
        if index.stat().st_size and not _is_whole(folder, n):
            result.lost.append(f"the index of evidence {n} names a picture that is not whole")
    check(result, log, list(told.lines), cuts)
    missing = [n for n in told.evidence if not _is_whole(folder, n)]
    result.lost += [f"evidence {n} was stored and is gone" for n in missing]
    settings = disk / "settings.toml"
    kept = int(tomllib.loads(settings.read_text())["pin"]) if settings.exists() else 0
    if kept < told.settings:
        result.lost.append(f"settings {told.settings} were written, and {kept} are there")
    result.figures["shown"] += len(told.lines)
    result.figures["ends"] += sum(line.get("state") == "ended" for line in told.lines)
    result.figures["evidence"] += len(told.evidence)
    result.figures["settings"] = result.figures["settings"] + told.settings


def _is_whole(folder: MatchFolder, n: int) -> bool:
    """Tells whether index and picture of a piece of evidence are on the disk as they were written."""
    try:
        named = json.loads(folder.evidence(n).read_text())["pictures"]
        return [(folder.path / each["file"]).read_bytes() for each in named] == [PICTURE]
    except (OSError, ValueError, LookupError):
        return False
