"""Copies of the logs as files, so that replays, figures and pages work on them as at a board. They may be deleted.

Each station has a folder, each match a file in it named by its uid; what a board uploads of a stroke lies beside.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from referee.hub.database import Database
from referee.hub.ingest import Committed, log_bytes
from referee.replay.match_folder import MatchFolder

LOG_SUFFIX = ".jsonl"
LOCK_NAME = ".lock"


class Mirror:
    """The files of one hub."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def station(self, station: str) -> Path:
        """Returns a station's folder."""
        return self.folder / station

    def log(self, station: str, uid: str) -> Path:
        """Returns the file of a match."""
        return self.station(station) / f"{uid}{LOG_SUFFIX}"

    def uploads(self, station: str, uid: str) -> MatchFolder:
        """Returns the folder of what was uploaded of a match."""
        return MatchFolder(self.log(station, uid))

    def add(self, database: Database, committed: Committed) -> None:
        """Adds committed rows; a file of another length is made anew. Raises OSError, psycopg.Error."""
        path = self.log(committed.station, committed.uid)
        with self._locked():
            if not path.exists() or path.stat().st_size != committed.offset:
                self._restore(database, path, committed.uid)
                return
            with path.open("ab") as file:
                file.write(committed.rows)

    def restore(self, database: Database, station: str, uid: str) -> Path:
        """Makes the file of a match equal to the database, and returns it. Raises OSError, psycopg.Error."""
        path = self.log(station, uid)
        with self._locked():
            self._restore(database, path, uid)
        return path

    def _restore(self, database: Database, path: Path, uid: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        size = path.stat().st_size if path.exists() else 0
        (have,) = database.execute("select coalesce(max(have), 0) from match where uid = %s", [uid]).fetchone() or (0,)
        if size == have:
            return
        if size > have:
            # The database was restored to an earlier moment.
            path.unlink()
            size = 0
        with path.open("ab") as file:
            for rows in log_bytes(database, uid, size):
                file.write(rows)

    def clear(self) -> None:
        """Deletes all copies of logs; what was uploaded stays."""
        with self._locked():
            for path in self.folder.glob(f"*/*{LOG_SUFFIX}"):
                path.unlink()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keeps other threads and processes from changing the copies: each reads first how long a file should be."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / LOCK_NAME).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
