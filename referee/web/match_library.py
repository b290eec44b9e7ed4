"""The library of stored matches: finds them, opens each once for many readers, and names them for addresses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock

from referee.log import LogError, sync_log
from referee.log.index import MatchRow
from referee.replay.match_folder import MatchFolder
from referee.replay.store import Library, Replay
from referee.replay.story import Story, story
from referee.replay.stroke_figures import StrokeFigures, figures, players_of

MOST_OPEN_MATCHES = 4
"""Number of matches held open: the current one, and those that a few people read."""
MOST_CACHED_STROKES = 5000
"""Number of strokes whose figures are cached, some 4 kB each."""
LIBRARY_SUFFIX, FOLDER_SEPARATOR = ".jsonl", "~"
"""Suffix of a log, which addresses omit, and the sign that separates folders in addresses."""

FileState = tuple[int, int, int]
"""Size and time of a log and time of its folder of replays. While they stay, cached results are valid."""


class OpenMatch:
    """A stored match at one moment, with cached results."""

    def __init__(self, replay: Replay, state: FileState) -> None:
        self.replay, self.state = replay, state
        self.players = players_of(replay)
        """Players' names by stroke, as far as they are known."""
        self._figures: tuple[StrokeFigures, ...] | None = None
        self._stories: dict[int | None, Story] = {}

    @property
    def figures(self) -> tuple[StrokeFigures, ...]:
        """Figures from which statistics are computed."""
        if self._figures is None:
            self._figures = figures(self.replay)
        return self._figures

    def story(self, number: int | None) -> Story:
        """The match `number` of the log, None for the last one."""
        if number not in self._stories:
            self._stories[number] = story(self.replay, self.figures, number)
        return self._stories[number]


class MatchLibrary:
    """The matches of a data folder; thread-safe."""

    def __init__(self, folder: Path, running: Callable[[], Path | None]) -> None:
        """`running` returns the log of the match that the web server follows."""
        self.folder = folder
        self._library, self._running = Library(folder), running
        self._open: dict[str, OpenMatch] = {}
        self._figures: dict[str, tuple[FileState, tuple[StrokeFigures, ...]]] = {}
        self._lock = Lock()

    def find(self, player: str | None, since: float | None, until: float | None) -> tuple[list[MatchRow], list[str]]:
        """Returns matches, the latest first, and a sentence for each that cannot be read. Raises LogError."""
        with self._lock:
            rows = self._library.find(player or None, since, until)
            return rows, [*self._library.problems]

    def log(self, name: str) -> Path:
        """Returns the log of the match of that name. Raises LogError."""
        for path in (name, name.replace(FOLDER_SEPARATOR, "/")):
            if path.isprintable() and (self.folder / f"{path}{LIBRARY_SUFFIX}").is_file():
                return self._library.log(f"{path}{LIBRARY_SUFFIX}")
        raise LogError(f"there is no match {name!r}; look it up in the list of matches")

    def open(self, name: str) -> OpenMatch:
        """Returns the match as it is now. Raises LogError."""
        log = self.log(name)
        with self._lock:
            state = _state(log)
            known = self._open.pop(name, None)
            if known is None or known.state != state:
                if self.is_running(log):
                    sync_log(log)
                known = OpenMatch(Replay(log), state)
            self._open[name] = known
            while len(self._open) > MOST_OPEN_MATCHES:
                self._open.pop(next(iter(self._open)))
            return known

    def figures(self, name: str) -> tuple[StrokeFigures, ...]:
        """Returns a match's figures for statistics, computed anew only after a change. Raises LogError."""
        state = _state(self.log(name))
        known = self._figures.get(name)
        if known is not None and known[0] == state:
            return known[1]
        found = self.open(name).figures
        with self._lock:
            self._figures.pop(name, None)
            self._figures[name] = state, found
            while len(self._figures) > 1 and sum(len(f) for _, f in self._figures.values()) > MOST_CACHED_STROKES:
                self._figures.pop(next(iter(self._figures)))
        return found

    def is_running(self, log: Path) -> bool:
        """Tells whether this match is the one on the scoreboard."""
        running = self._running()
        return running is not None and running.resolve() == log

    def delete(self, name: str) -> None:
        """Deletes a match with all its files, unless it is on the scoreboard. Raises LogError."""
        log = self.log(name)
        with self._lock:
            self._library.delete(str(log.relative_to(self.folder.resolve())), self._running())
            self._open.pop(name, None)
            self._figures.pop(name, None)

    def name_of(self, log: Path) -> str | None:
        """Returns the name in addresses of the match of this log; None for a log elsewhere."""
        resolved, folder = log.resolve(), self.folder.resolve()
        return name_of(str(resolved.relative_to(folder))) if resolved.is_relative_to(folder) else None


def name_of(path: str) -> str:
    """Returns the name in addresses of the match of a row's `path`."""
    return path.removesuffix(LIBRARY_SUFFIX).replace("/", FOLDER_SEPARATOR)


def _state(log: Path) -> FileState:
    """Returns the state of a log. Raises LogError if it has just been deleted."""
    try:
        status, folder = log.stat(), MatchFolder(log).path
        return status.st_size, status.st_mtime_ns, folder.stat().st_mtime_ns if folder.is_dir() else 0
    except FileNotFoundError:
        raise LogError(f"the match {log.stem} has just been deleted") from None
