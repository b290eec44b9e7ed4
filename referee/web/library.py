"""The shelf of stored matches: found, opened once for many readers, and by names that addresses can hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock

from referee.log import LogError, forced
from referee.log.index import MatchRow
from referee.replay.match_folder import MatchFolder
from referee.replay.store import Library, Replay
from referee.replay.story import Story, story
from referee.replay.stroke_figures import StrokeFigures, figures, players_of

OPEN = 4
"""So many matches are kept open: the one being played, and what a few people look at."""
REMEMBERED = 5000
"""Figures of so many strokes are remembered, some 4 kB each."""
LIBRARY_SUFFIX, BELOW = ".jsonl", "~"
"""An address names a log without its ending, and its folders parted by a sign that addresses leave alone."""

State = tuple[int, int, int]
"""Size and time of a log and time of its folder of replays: while they stay, so does everything that is told."""


class OpenMatch:
    """A stored match as it was at one moment, with what takes long to work out."""

    def __init__(self, replay: Replay, state: State) -> None:
        self.replay, self.state = replay, state
        self.players = players_of(replay)
        """Names by stroke, as far as they were told."""
        self._figures: tuple[StrokeFigures, ...] | None = None
        self._stories: dict[int | None, Story] = {}

    @property
    def figures(self) -> tuple[StrokeFigures, ...]:
        """What statistics are made of."""
        if self._figures is None:
            self._figures = figures(self.replay)
        return self._figures

    def story(self, number: int | None) -> Story:
        """The match `number` of the log, None for the last one."""
        if number not in self._stories:
            self._stories[number] = story(self.replay, self.figures, number)
        return self._stories[number]


class Shelf:
    """The matches of a data folder; may be used by several threads."""

    def __init__(self, folder: Path, running: Callable[[], Path | None]) -> None:
        """`running` tells the log of the match that the house follows."""
        self.folder = folder
        self._library, self._running = Library(folder), running
        self._open: dict[str, OpenMatch] = {}
        self._figures: dict[str, tuple[State, tuple[StrokeFigures, ...]]] = {}
        self._lock = Lock()

    def find(self, player: str | None, since: float | None, until: float | None) -> tuple[list[MatchRow], list[str]]:
        """Matches, the latest first, and a sentence for each that cannot be read. Raises LogError."""
        with self._lock:
            rows = self._library.find(player or None, since, until)
            return rows, [*self._library.problems]

    def log(self, name: str) -> Path:
        """The log of the match of that name; raises LogError."""
        for path in (name, name.replace(BELOW, "/")):
            if path.isprintable() and (self.folder / f"{path}{LIBRARY_SUFFIX}").is_file():
                return self._library.log(f"{path}{LIBRARY_SUFFIX}")
        raise LogError(f"there is no match {name!r}; look it up in the list of matches")

    def open(self, name: str) -> OpenMatch:
        """The match as it is now; raises LogError."""
        log = self.log(name)
        with self._lock:
            state = _state(log)
            known = self._open.pop(name, None)
            if known is None or known.state != state:
                if self.is_running(log):
                    forced(log)
                known = OpenMatch(Replay(log), state)
            self._open[name] = known
            while len(self._open) > OPEN:
                self._open.pop(next(iter(self._open)))
            return known

    def figures(self, name: str) -> tuple[StrokeFigures, ...]:
        """What a match adds to the statistics, worked out anew only when it has changed. Raises LogError."""
        state = _state(self.log(name))
        known = self._figures.get(name)
        if known is not None and known[0] == state:
            return known[1]
        found = self.open(name).figures
        with self._lock:
            self._figures.pop(name, None)
            self._figures[name] = state, found
            while len(self._figures) > 1 and sum(len(f) for _, f in self._figures.values()) > REMEMBERED:
                self._figures.pop(next(iter(self._figures)))
        return found

    def is_running(self, log: Path) -> bool:
        """Whether this match is the one on the scoreboard."""
        running = self._running()
        return running is not None and running.resolve() == log

    def delete(self, name: str) -> None:
        """Deletes a match with all that was kept of it, not the one on the scoreboard. Raises LogError."""
        log = self.log(name)
        with self._lock:
            self._library.delete(str(log.relative_to(self.folder.resolve())), self._running())
            self._open.pop(name, None)
            self._figures.pop(name, None)

    def name_of(self, log: Path) -> str | None:
        """What addresses call the match of this log; None for a log elsewhere."""
        resolved, folder = log.resolve(), self.folder.resolve()
        return name_of(str(resolved.relative_to(folder))) if resolved.is_relative_to(folder) else None


def name_of(path: str) -> str:
    """What addresses call the match of a row's `path`."""
    return path.removesuffix(LIBRARY_SUFFIX).replace("/", BELOW)


def _state(log: Path) -> State:
    """Raises LogError when the log has just been deleted."""
    try:
        status, folder = log.stat(), MatchFolder(log).path
        return status.st_size, status.st_mtime_ns, folder.stat().st_mtime_ns if folder.is_dir() else 0
    except FileNotFoundError:
        raise LogError(f"the match {log.stem} has just been deleted") from None
