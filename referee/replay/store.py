"""Access to stored matches: a list to search, and every stroke of one match with its replay files."""

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
from referee.replay.key_frames import KeyFrame, stored_pictures
from referee.replay.match_folder import MATCH_FOLDER_SUFFIX, MatchFolder
from referee.replay.retention import delete_match, disputed, protect_clip
from referee.replay.tracks import Tracks, load_tracks


class MomentKind(StrEnum):
    """Kind of event at a moment of a stroke."""

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
    """Moment of a stroke to which a viewer can jump."""

    t: float
    """Seconds on the log's clock of this start."""
    what: MomentKind
    kind: str | None = None
    """Piece that it is about, if any."""
    pocket: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class StrokeRecord:
    """One stroke with everything logged and stored of it."""

    n: int
    start: int
    """Number, from 0, of the referee's start in which it was played; times count from each start anew."""
    wall: float | None
    """Unix seconds of the strike."""
    line: Line
    """The facts, as logged."""
    ruling: Ruling | None
    """Ruling as it holds now, the umpire's corrections included; None if it could not be judged."""
    first_ruling: Line | None
    """Ruling as first given, before any correction."""
    umpire: tuple[Line, ...]
    """Corrections that name this stroke, in their order."""
    moments: tuple[StoredMoment, ...]
    """In order of time."""
    pictures: tuple[KeyFrame, ...]
    """Evidence; `Replay.picture` returns their files."""
    clip: ClipTimes | None
    """None if no video was recorded, or it was deleted to make room."""
    has_tracks: bool


@dataclass(frozen=True, slots=True)
class BoardRecord:
    """Board (round) of the match: the strokes between two formations."""

    number: int
    """Number within the match, from 1."""
    strokes: tuple[int, ...]
    match: int = 1
    """Number of the match in the log."""


@dataclass(frozen=True, slots=True)
class StoredEvidence:
    """Evidence for a call."""

    stroke: int
    placement: Mapping[str, Any] | None
    """Placement of the striker: place, clearance of each limit, `margin_mm`, `sigma_mm`, `legal`, `reason`."""
    pictures: tuple[KeyFrame, ...]
    ruling: Ruling | None
    """Decisions with the number and text of each law, doubts, proposals."""
    rules: str
    """Name of the rule book applied."""
    program: str | None
    """Version of the program that observed it; None if the log does not state it."""
    confidence: float
    """Probability that the pieces reported as off the board are exactly right."""
    foul_confidence: Mapping[str, float]
    umpire: tuple[Line, ...]


class Replay:
    """Stored match, as its log stood when it was opened; open it anew when the log has grown."""

    def __init__(self, log: Path) -> None:
        """Raises LogError with a sentence if the log cannot be read, is no match log, or is of another version."""
        self.log, self.folder = log, MatchFolder(log)
        self.stored: StoredMatch = stored_match(log)

    @property
    def problems(self) -> tuple[str, ...]:
        """Sentences on what could not be read."""
        return self.stored.problems

    @cached_property
    def strokes(self) -> Mapping[int, StrokeRecord]:
        """Strokes by number, in the order of play."""
        sorted_lines = _SortedLines(self.stored.contents.lines)
        return {n: self._record(n, line, sorted_lines) for n, line in self.stored.strokes.items()}

    @cached_property
    def boards(self) -> tuple[BoardRecord, ...]:
        """Boards with their strokes, as the rulings count them."""
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
        counts: dict[int, int] = {}
        records = []
        for match, strokes in boards:
            counts[match] = counts.get(match, 0) + 1
            records.append(BoardRecord(counts[match], tuple(strokes), match))
        return tuple(records)

    def header(self, stroke: int) -> Line:
        """Returns the header of the start in which a stroke was played: `board` geometry, `calibration`.

        Raises KeyError.
        """
        headers = self.stored.contents.headers
        return headers[min(self.strokes[stroke].start, len(headers) - 1)] if headers else {}

    def tracks(self, stroke: int) -> Tracks:
        """Returns a stroke's tracks; raises TracksError with a sentence if they were not stored or are damaged."""
        return load_tracks(self.folder.tracks(stroke))

    def picture(self, picture: KeyFrame) -> Path:
        """Returns the file (JPEG) of a stroke's picture."""
        return self.folder.path / picture.file

    def evidence(self, stroke: int) -> StoredEvidence:
        """Returns the evidence for a stroke's call; raises KeyError for an unknown number."""
        record = self.strokes[stroke]
        line, program = record.line, self.header(stroke).get("program")
        return StoredEvidence(stroke, line["placement"], record.pictures, record.ruling, self.stored.match.start.rules,
                        program, line["confidence"], line["foul_confidence"], record.umpire)  # fmt: skip

    def keep(self, stroke: int) -> None:
        """Protects the stroke's clip from retention. Raises OSError."""
        if self.folder.clip(stroke).is_file():
            protect_clip(self.folder, stroke)

    def _record(self, n: int, line: Line, sorted_lines: _SortedLines) -> StrokeRecord:
        start, wall = sorted_lines.when(n, line)
        return StrokeRecord(
            n=n, start=start, wall=wall, line=line, ruling=self.stored.match.rulings.get(n),
            first_ruling=sorted_lines.first_rulings.get(n), umpire=tuple(sorted_lines.umpire.get(n, ())),
            moments=tuple(sorted([*_moments(line), *sorted_lines.after.get(n, ())], key=lambda m: m.t)),
            pictures=stored_pictures(self.folder, n), clip=clip_times(self.folder, n),
            has_tracks=self.folder.tracks(n).is_file(),
        )  # fmt: skip


class Library:
    """Matches of a data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._index = MatchIndex(folder)
        self.problems: list[str] = []
        """Sentences on the logs that could not be read at the last `find`, and on replay folders without a log."""

    def find(self, player: str | None = None, since: float | None = None, until: float | None = None) -> list[MatchRow]:
        """Returns matches, latest first: with `player` in a player's name, begun within since <= t < until (Unix s).

        Raises LogError when the folder cannot be used.
        """
        self.problems = self._index.refresh() + [
            f"{folder.name} holds replays, but its match log {folder.stem}.jsonl is missing: put it back beside it"
            for folder in sorted(self.folder.glob(f"*{MATCH_FOLDER_SUFFIX}"))
            if folder.is_dir() and not folder.with_suffix(".jsonl").is_file()
        ]
        return self._index.find(player, since, until)

    def log(self, path: str) -> Path:
        """Returns the log that a row's `path` names; raises LogError if that is no log within the folder."""
        log = (self.folder / path).resolve()
        if log.suffix != ".jsonl" or not log.is_relative_to(self.folder.resolve()) or not log.is_file():
            raise LogError(f"there is no match {path}; look it up in the list of matches")
        return log

    def open(self, path: str) -> Replay:
        """Opens the match of a row's `path`; raises LogError."""
        return Replay(self.log(path))

    def disputed(self, path: str) -> frozenset[int]:
        """Returns the strokes of a match that the umpire corrected or decided."""
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
    """Lines of a log, sorted by the stroke to which they belong."""

    def __init__(self, lines: tuple[Line, ...]) -> None:
        self.first_rulings: dict[int, Line] = {}
        self.umpire: dict[int, list[Line]] = {}
        self.after: dict[int, list[StoredMoment]] = {}
        """Events after a stroke's call and before the next, by stroke."""
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
                    moment = StoredMoment(line["t"], MomentKind.FELL, line["kind"], line["pocket"])
                    self.after.setdefault(last, []).append(moment)
                case "returned":
                    self.after.setdefault(last, []).append(StoredMoment(line["t"], MomentKind.RETURNED, line["kind"]))

    def when(self, n: int, line: Line) -> tuple[int, float | None]:
        """Returns the number of the start in which a stroke was played, and Unix seconds of its strike."""
        wall = self._walls.get(n)
        return self._starts.get(n, 0), None if wall is None else wall + line["t_strike"]


def _moments(line: Line) -> list[StoredMoment]:
    placed = [] if line["t_placed"] is None else [StoredMoment(line["t_placed"], MomentKind.PLACED)]
    fell = [StoredMoment(p["t"], MomentKind.POCKETED, p["kind"], p["pocket"]) for p in line["pocketed"]]
    off = [StoredMoment(o["t"], MomentKind.OFF_BOARD, o["kind"]) for o in line["off_board"]]
    ends = [StoredMoment(line["t_rest"], MomentKind.RESTED), StoredMoment(line["t_called"], MomentKind.CALLED)]
    return [*placed, StoredMoment(line["t_strike"], MomentKind.STRUCK), *fell, *off, *ends]
