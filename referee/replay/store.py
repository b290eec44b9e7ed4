"""Stored matches as people look for them: a list to search, and of one match every stroke with all that was kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

from referee.log import Line, LogError
from referee.log.index import MatchIndex, MatchRow
from referee.log.stored_match import StoredMatch, stored_match
from referee.match import Ruling
from referee.replay.cliptimes import ClipTimes, clip_times
from referee.replay.key_frames import Decisive, kept_pictures
from referee.replay.match_folder import MATCH_FOLDER_SUFFIX, MatchFolder
from referee.replay.retention import delete_match, disputed, keep_clip
from referee.replay.tracks import Tracks, load_tracks


class Happening(StrEnum):
    """What a moment of a stroke is."""

    PLACED = "placed"
    STRUCK = "struck"
    POCKETED = "pocketed"
    OFF_BOARD = "off_board"
    FELL = "fell"
    """A coin fell from a pocket's lip after the call."""
    RETURNED = "returned"
    RESTED = "rested"
    CALLED = "called"


@dataclass(frozen=True, slots=True)
class StoredMoment:
    """A time to jump to."""

    t: float
    """Seconds on the log's clock of this start."""
    what: Happening
    kind: str | None = None
    """The piece, if it is about one."""
    pocket: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class StrokeRecord:
    """One stroke with everything that is known and kept of it."""

    n: int
    start: int
    """Which start of the referee saw it, from 0; times count from each start anew."""
    wall: float | None
    """Unix seconds of the strike."""
    line: Line
    """The facts, as logged."""
    ruling: Ruling | None
    """As it holds now, the umpire's word included; None when it could not be judged."""
    first_ruling: Line | None
    """As it was given before anybody corrected it."""
    umpire: tuple[Line, ...]
    """The corrections that name this stroke, in their order."""
    moments: tuple[StoredMoment, ...]
    """In the order of their times."""
    pictures: tuple[Decisive, ...]
    """The evidence; `Replay.picture` has their files."""
    clip: ClipTimes | None
    """None when no video was kept, or it was deleted to make room."""
    has_tracks: bool


@dataclass(frozen=True, slots=True)
class BoardRecord:
    """A board of the match: the strokes between two formations."""

    number: int
    """From 1 in the whole match."""
    strokes: tuple[int, ...]
    match: int = 1
    """Number of the match in the log."""


@dataclass(frozen=True, slots=True)
class StoredEvidence:
    """What a call rests on."""

    stroke: int
    placement: Mapping[str, Any] | None
    """Where the striker stood: place, clearance of each limit, `margin_mm`, `sigma_mm`, `legal`, `reason`."""
    pictures: tuple[Decisive, ...]
    ruling: Ruling | None
    """Decisions with the number and the words of each law, doubts, proposals."""
    rules: str
    """The rule book that judged."""
    program: str | None
    """Version of the program that saw it; None where the log does not tell."""
    confidence: float
    """That what left the board is exactly right."""
    foul_confidence: Mapping[str, float]
    umpire: tuple[Line, ...]


class Replay:
    """A stored match, as its log said when it was opened; open it anew when the log has grown."""

    def __init__(self, log: Path) -> None:
        """Raises LogError with a sentence when the log cannot be read, is none, or is of another version."""
        self.log, self.folder = log, MatchFolder(log)
        self.stored: StoredMatch = stored_match(log)

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be read, in sentences."""
        return self.stored.problems

    @cached_property
    def strokes(self) -> Mapping[int, StrokeRecord]:
        """Every stroke by its number, in the order of play."""
        sorted_lines = _SortedLines(self.stored.contents.lines)
        return {n: self._record(n, line, sorted_lines) for n, line in self.stored.strokes.items()}

    @cached_property
    def boards(self) -> tuple[BoardRecord, ...]:
        """The boards with their strokes, as the rulings count them."""
        boards: list[tuple[int, list[int]]] = []
        present: tuple[int, int] | None = None
        is_over, match = True, 1
        for n in self.strokes:
            ruling = self.stored.match.rulings.get(n)
            match = ruling.match if ruling else match
            stays = ruling is not None and ruling.after_end and bool(boards)
            follows = ruling is not None and (ruling.match, ruling.board) != present
            if (is_over or follows) and not stays:
                boards.append((match, []))
            boards[-1][1].append(n)
            if ruling and not ruling.after_end:
                present, is_over = (ruling.match, ruling.board), ruling.board_over
        seen: dict[int, int] = {}
        records = []
        for match, strokes in boards:
            seen[match] = seen.get(match, 0) + 1
            records.append(BoardRecord(seen[match], tuple(strokes), match))
        return tuple(records)

    def header(self, stroke: int) -> Line:
        """The header of the start that saw a stroke: its `board` geometry and `calibration`. Raises KeyError."""
        headers = self.stored.contents.headers
        return headers[min(self.strokes[stroke].start, len(headers) - 1)] if headers else {}

    def tracks(self, stroke: int) -> Tracks:
        """What moved; raises TracksError with a sentence when that was not kept or is damaged."""
        return load_tracks(self.folder.tracks(stroke))

    def picture(self, picture: Decisive) -> Path:
        """The file (JPEG) of a stroke's picture."""
        return self.folder.path / picture.file

    def evidence(self, stroke: int) -> StoredEvidence:
        """What the call on a stroke rests on; raises KeyError for a number that is none."""
        record = self.strokes[stroke]
        line, program = record.line, self.header(stroke).get("program")
        return StoredEvidence(stroke, line["placement"], record.pictures, record.ruling, self.stored.match.start.rules,
                        program, line["confidence"], line["foul_confidence"], record.umpire)  # fmt: skip

    def keep(self, stroke: int) -> None:
        """The stroke's clip is never deleted by age or size from now on. Raises OSError."""
        if self.folder.clip(stroke).is_file():
            keep_clip(self.folder, stroke)

    def _record(self, n: int, line: Line, sorted_lines: _SortedLines) -> StrokeRecord:
        start, wall = sorted_lines.when(n, line)
        return StrokeRecord(
            n=n, start=start, wall=wall, line=line, ruling=self.stored.match.rulings.get(n),
            first_ruling=sorted_lines.first_rulings.get(n), umpire=tuple(sorted_lines.umpire.get(n, ())),
            moments=tuple(sorted([*_moments(line), *sorted_lines.after.get(n, ())], key=lambda m: m.t)),
            pictures=kept_pictures(self.folder, n), clip=clip_times(self.folder, n),
            has_tracks=self.folder.tracks(n).is_file(),
        )  # fmt: skip


class Library:
    """The matches of a data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._index = MatchIndex(folder)
        self.problems: list[str] = []
        """A sentence for each log that could not be read at the last `find`, and for each folder without its log."""

    def find(self, player: str | None = None, since: float | None = None, until: float | None = None) -> list[MatchRow]:
        """Matches, the latest first: with a player whose name holds `player`, begun within since <= t < until (Unix s).

        Raises LogError when the folder cannot be used.
        """
        self.problems = self._index.refresh() + [
            f"{folder.name} holds replays, but its match log {folder.stem}.jsonl is missing: put it back beside it"
            for folder in sorted(self.folder.glob(f"*{MATCH_FOLDER_SUFFIX}"))
            if folder.is_dir() and not folder.with_suffix(".jsonl").is_file()
        ]
        return self._index.find(player, since, until)

    def log(self, path: str) -> Path:
        """The log that a row's `path` names; raises LogError for anything that is no log within the folder."""
        log = (self.folder / path).resolve()
        if log.suffix != ".jsonl" or not log.is_relative_to(self.folder.resolve()) or not log.is_file():
            raise LogError(f"there is no match {path}; look it up in the list of matches")
        return log

    def open(self, path: str) -> Replay:
        """The match of a row's `path`; raises LogError."""
        return Replay(self.log(path))

    def disputed(self, path: str) -> frozenset[int]:
        """The strokes of a match that the umpire had a word on."""
        return disputed(self.log(path))

    def delete(self, path: str, running: Path | None) -> None:
        """Deletes a match with its videos, pictures and tracks; not the `running` one. Raises LogError."""
        log = self.log(path)
        if running is not None and log == running.resolve():
            raise LogError("this match is being played: end it before it is deleted")
        try:
            delete_match(log)
        except OSError as e:
            raise LogError(
                f"the match {path} cannot be deleted wholly: {e.strerror}; delete the rest by hand"
            ) from None


class _SortedLines:
    """What the lines of a log say around its strokes."""

    def __init__(self, lines: tuple[Line, ...]) -> None:
        self.first_rulings: dict[int, Line] = {}
        self.umpire: dict[int, list[Line]] = {}
        self.after: dict[int, list[StoredMoment]] = {}
        """What happened after a stroke's call and before the next."""
        self._starts: dict[int, int] = {}
        self._walls: dict[int, float | None] = {}
        start, wall, last = -1, None, 0
        for line in lines:
            match line["type"]:
                case "header":
                    start, wall = start + 1, line.get("wall")
                case "clock":
                    wall = line["wall"] - line["t"]
                case "stroke":
                    last = line["n"]
                    self._starts[last], self._walls[last] = max(start, 0), wall
                case "ruling":
                    self.first_rulings.setdefault(line["stroke"], line)
                case "correction" if isinstance(line.get("stroke"), int):
                    self.umpire.setdefault(line["stroke"], []).append(line)
                case "fell":
                    moment = StoredMoment(line["t"], Happening.FELL, line["kind"], line["pocket"])
                    self.after.setdefault(last, []).append(moment)
                case "returned":
                    self.after.setdefault(last, []).append(StoredMoment(line["t"], Happening.RETURNED, line["kind"]))

    def when(self, n: int, line: Line) -> tuple[int, float | None]:
        """Which start saw a stroke, and Unix seconds of its strike."""
        wall = self._walls.get(n)
        return self._starts.get(n, 0), None if wall is None else wall + line["t_strike"]


def _moments(line: Line) -> list[StoredMoment]:
    placed = [] if line["t_placed"] is None else [StoredMoment(line["t_placed"], Happening.PLACED)]
    fell = [StoredMoment(p["t"], Happening.POCKETED, p["kind"], p["pocket"]) for p in line["pocketed"]]
    off = [StoredMoment(o["t"], Happening.OFF_BOARD, o["kind"]) for o in line["off_board"]]
    ends = [StoredMoment(line["t_rest"], Happening.RESTED), StoredMoment(line["t_called"], Happening.CALLED)]
    return [*placed, StoredMoment(line["t_strike"], Happening.STRUCK), *fell, *off, *ends]
