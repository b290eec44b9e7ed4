"""Index of matches: a table made from the logs in the data folder. It holds nothing else, so it may be deleted."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from referee.log.line import LogError
from referee.log.stored_match import STORED_MATCH_UNREADABLE, StoredMatch, stored_match

logger = logging.getLogger(__name__)

INDEX_NAME = "index.sqlite"
HIDDEN_PREFIX = "."
"""First character of paths that are left out: temporary folders, such as that of an import."""
INDEX_VERSION = 3
"""Version of the table, stored in the file; a table of another version is made anew."""


@dataclass(frozen=True, slots=True)
class MatchRow:
    """One match in the index."""

    path: str
    """Path of its log, relative to the data folder."""
    number: int
    """Number of the match in its log, from 1."""
    started: float | None
    """Unix seconds of its first header, or of the first strike of a match that follows another in its log."""
    players: dict[str, str]
    """Names by seat, as far as they were given."""
    rules: str
    score: dict[str, int]
    """Points of the last game by seat."""
    games: dict[str, int]
    """Games won by seat."""
    winner: list[str]
    """Seats of the side that won; empty until the match is won."""
    boards: int
    """Number of boards played to their end."""
    boards_won: dict[str, int]
    """Number of these, by seat, in which its side made the most points."""
    strokes: int
    certain: float | None
    """Share of rulings that were certain, 0-1; None without rulings."""
    size: int
    """Size of the log in bytes when it was read."""
    mtime_ns: int
    """Time of the log's last change when it was read, in nanoseconds."""


class MatchIndex:
    """Index of the matches whose logs (`*.jsonl`) lie in a data folder and below it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / INDEX_NAME

    def refresh(self) -> list[str]:
        """Brings the table up to date with the logs; returns a sentence for each log that cannot be read.

        Only logs that changed are read. Raises LogError when the folder cannot be written.
        """
        problems = []
        found = {path: log for log in sorted(self.folder.rglob("*.jsonl"))
                 if not (path := str(log.relative_to(self.folder))).startswith(HIDDEN_PREFIX)}  # fmt: skip
        with self._table() as table:
            known = {
                path: (size, mtime) for path, size, mtime in table.execute("SELECT path, size, mtime_ns FROM matches")
            }
            table.executemany("DELETE FROM matches WHERE path = ?", [(p,) for p in known.keys() - found.keys()])
            for name, log in found.items():
                try:
                    stat = log.stat()
                except OSError as e:
                    problems.append(f"{name} cannot be read: {e.strerror}")
                    continue
                if known.get(name) == (stat.st_size, stat.st_mtime_ns):
                    continue
                try:
                    rows = list(rows_of(name, stored_match(log), stat.st_size, stat.st_mtime_ns))
                    table.execute("DELETE FROM matches WHERE path = ?", (name,))
                    for row in rows:
                        _store(table, row)
                except (LogError, *STORED_MATCH_UNREADABLE, OSError) as e:
                    problems.append(str(e) if isinstance(e, LogError) else f"{name} cannot be shown: {_fault(e)}")
                    table.execute("DELETE FROM matches WHERE path = ?", (name,))
        return problems

    def find(self, player: str | None = None, since: float | None = None, until: float | None = None) -> list[MatchRow]:
        """Returns matches, latest first.

        `player` is part of a player's name (any case); they started within `since` <= t < `until` (Unix seconds).
        """
        with self._table() as table:
            rows = [
                _read(row)
                for row in table.execute("SELECT * FROM matches ORDER BY started DESC, path DESC, number DESC")
            ]
        return [row for row in rows if _within(row, since, until) and _plays(row, player)]

    @contextmanager
    def _table(self) -> Iterator[sqlite3.Connection]:
        """Opens the table for one transaction; a file that is no index, or of another version, is made anew."""
        try:
            with closing(self._open()) as connection, connection:
                yield connection
        except sqlite3.Error as e:
            raise LogError(f"the index {self.path} cannot be used ({e}); delete it and try again") from None

    def _open(self) -> sqlite3.Connection:
        try:
            return _prepared(self.path)
        except sqlite3.DatabaseError as e:
            if isinstance(e, sqlite3.OperationalError):
                raise
            logger.warning("the index %s was damaged and is made anew from the logs", self.path)
            self.path.unlink(missing_ok=True)
            return _prepared(self.path)


def _fault(error: Exception) -> str:
    return f"{type(error).__name__} {str(error)[:80]}"


def _prepared(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != INDEX_VERSION:
            columns = ", ".join(f.name for f in fields(MatchRow))
            connection.execute("DROP TABLE IF EXISTS matches")
            connection.execute(f"CREATE TABLE matches ({columns}, PRIMARY KEY (path, number)) WITHOUT ROWID")
            connection.execute(f"PRAGMA user_version = {INDEX_VERSION}")
            connection.commit()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def rows_of(name: str, stored: StoredMatch, size: int, mtime_ns: int) -> Iterator[MatchRow]:
    """Yields a row for each match of the log; a match that follows a won one gets its row with its first stroke.

    `name`: path of the log.
    """
    view, begun, finished = stored.match.view(), _begin_times(stored), stored.match.view()["finished"]
    said = [(won["sides"], won["boards"], won["winner"]) for won in finished]
    for number, (sides, boards, winner) in enumerate([*said, (view["sides"], view["boards"], view["winner"])], 1):
        rulings = [r for r in stored.match.rulings.values() if r.match == number]
        if number > 1 and not rulings:
            continue
        counted = [r for r in rulings if not r.annulled]
        seats = [
            (side, seat, player) for side in sides for seat, player in zip(side["seats"], side["players"], strict=True)
        ]
        yield MatchRow(
            path=name,
            number=number,
            started=begun.get(rulings[0].stroke) if number > 1 else begun.get(0),
            players={seat: player for _, seat, player in seats if player},
            rules=view["rules"],
            score={seat: side["score"] for side, seat, _ in seats},
            games={seat: side["games"] for side, seat, _ in seats},
            winner=next((list(side["seats"]) for side in sides if winner in side["seats"]), []),
            boards=len(boards),
            boards_won={
                seat: sum(_is_best(board["points"], i) for board in boards)
                for i, side in enumerate(sides)
                for seat in side["seats"]
            },
            strokes=len(counted),
            certain=sum(r.certain for r in counted) / len(counted) if counted else None,
            size=size,
            mtime_ns=mtime_ns,
        )


def _is_best(points: list[int], side: int) -> bool:
    """Tells whether this side made more points than every other."""
    return all(points[side] > other for i, other in enumerate(points) if i != side)


def _begin_times(stored: StoredMatch) -> dict[int, float]:
    """Returns Unix seconds of the strike by stroke number, and under 0 of the log's first frame, as far as known."""
    begun: dict[int, float] = {}
    wall: float | None = None
    for line in stored.contents.lines:
        said = line.get("wall")
        if line["type"] == "header":
            wall = float(said) if isinstance(said, int | float) else None
            if wall is not None and not begun:
                begun[0] = wall
        elif line["type"] == "stroke" and wall is not None and isinstance(line.get("t_strike"), int | float):
            begun[line["n"]] = wall + line["t_strike"]
    return begun


def _store(table: sqlite3.Connection, row: MatchRow) -> None:
    values = [json.dumps(v) if isinstance(v, dict | list) else v for v in astuple(row)]
    table.execute(f"INSERT OR REPLACE INTO matches VALUES ({', '.join('?' * len(values))})", values)


def _read(values: tuple[object, ...]) -> MatchRow:
    named = dict(zip((f.name for f in fields(MatchRow)), values, strict=True))
    for name in ("players", "score", "games", "winner", "boards_won"):
        named[name] = json.loads(str(named[name]))
    return MatchRow(**named)  # type: ignore[arg-type]


def _within(row: MatchRow, since: float | None, until: float | None) -> bool:
    if since is None and until is None:
        return True
    return row.started is not None and (since or float("-inf")) <= row.started < (until or float("inf"))


def _plays(row: MatchRow, player: str | None) -> bool:
    return player is None or any(player.casefold() in name.casefold() for name in row.players.values())
