"""Makes the tables for players and search from the logs. They hold nothing of their own and may be dropped."""

from __future__ import annotations

import logging
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from models.pieces import Seat
from referee.facts import PlacementReason
from referee.hub.database import Database, connect
from referee.hub.mirror import Mirror
from referee.log import LogError
from referee.log.index import rows_of
from referee.log.stored_match import STORED_MATCH_UNREADABLE
from referee.replay.standings import standings
from referee.replay.store import Replay
from referee.replay.stroke_figures import StrokeFigures, figures

logger = logging.getLogger(__name__)

PROJECTION = 1
"""Version of these tables' contents; matches of another are projected again."""
QUIET_S, LONGEST_S = 20.0, 300.0
"""A match is projected once it has not grown for so long, and a running one this often, s. It takes some milliseconds a
stroke, and 64 boards share a machine."""
PROJECTION_POLL_S = 2.0
MOST_AT_ONCE = 20
SEATS = frozenset(seat.value for seat in Seat)
"""What stands for players without a name."""
LIMITS = {
    "front_line": PlacementReason.NOT_TOUCHING_FRONT_LINE,
    "rear_line": PlacementReason.NOT_TOUCHING_REAR_LINE,
    "moon": PlacementReason.CUTTING_MOON,
    "arrow": PlacementReason.TOUCHING_ARROW,
    "ends": PlacementReason.OUTSIDE_BASELINE,
}
"""Reason for which a placement would miss each limit."""


def project_match(database: Database, mirror: Mirror, station: str, uid: str) -> int:
    """Makes a match's rows anew and returns the number of strokes. Raises OSError, psycopg.Error.

    A log that makes no match has none.
    """
    log = mirror.restore(database, station, uid)
    size = log.stat().st_size if log.exists() else 0
    strokes, results, header = _rows(uid, log)
    with database.transaction():
        database.execute("delete from stroke where match = %s", [uid])
        database.execute("delete from result where match = %s", [uid])
        with database.cursor() as cursor:
            if strokes:
                cursor.executemany(f"insert into stroke values ({', '.join(['%s'] * len(strokes[0]))})", strokes)
            if results:
                cursor.executemany("insert into result values (%s, %s, %s, %s, %s, %s, %s, %s)", results)
        database.execute(
            "update match set projected = %s, projection = %s, began = %s, rules = %s, event = %s where uid = %s",
            [size, PROJECTION, _time(header.get("wall")), header.get("rules"),
             Jsonb(header["event"]) if header.get("event") else None, uid],
        )  # fmt: skip
    return len(strokes)


def due(database: Database, is_all: bool = False) -> list[tuple[str, str]]:
    """Returns station and uid of the matches to project now: those that grew and are quiet, or all that differ."""
    quiet = "" if is_all else f"and grown_at < now() - interval '{QUIET_S} s'"
    limit = "" if is_all else f"limit {MOST_AT_ONCE}"
    query = f"select station, uid::text from match where (projected <> have or projection <> {PROJECTION}) {quiet} " \
            f"order by grown_at {limit}"  # fmt: skip
    return [(str(station), str(uid)) for station, uid in database.execute(query.encode())]


def growing(database: Database) -> list[tuple[str, str]]:
    """Returns station and uid of the matches that differ and still grow."""
    query = (
        f"select station, uid::text from match where projected <> have and grown_at >= now() - interval '{QUIET_S} s'"
    )
    return [(str(station), str(uid)) for station, uid in database.execute(query.encode())]


class ProjectionThread:
    """Projects matches as they become quiet; use it in a `with`."""

    def __init__(self, address: str, mirror: Mirror) -> None:
        self._address, self._mirror = address, mirror
        self._ending = threading.Event()
        self._done: dict[str, float] = {}
        self._thread = threading.Thread(target=self._run, name="projection", daemon=True)

    def __enter__(self) -> ProjectionThread:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ending.wait(PROJECTION_POLL_S):
            try:
                with connect(self._address) as database:
                    while not self._ending.wait(PROJECTION_POLL_S):
                        self._project_due(database)
            except psycopg.Error as e:
                logger.info("projections wait for the database (%s)", e)

    def _project_due(self, database: Database) -> None:
        now = time.monotonic()
        self._done = {uid: at for uid, at in self._done.items() if now - at < LONGEST_S}
        running = [match for match in growing(database) if match[1] not in self._done]
        # One running match at a time: they are never urgent.
        for station, uid in [*due(database), *running[:1]]:
            if self._ending.is_set():
                return
            project_safely(database, self._mirror, station, uid)
            self._done[uid] = now


def project_safely(database: Database, mirror: Mirror, station: str, uid: str) -> None:
    """Projects a match; one that cannot be projected is marked as done and reported. Raises psycopg.Error."""
    try:
        project_match(database, mirror, station, uid)
    except OSError as e:
        logger.warning("match %s cannot be projected: %s", uid, e)
        database.execute("update match set projected = have, projection = %s where uid = %s", [PROJECTION, uid])


def rebuild(database: Database, mirror: Mirror) -> int:
    """Drops everything that is made from the logs and makes it anew; returns the number of matches."""
    mirror.clear()
    database.execute("truncate stroke, result")
    database.execute("update match set projected = -1")
    found = due(database, is_all=True)
    for station, uid in found:
        project_safely(database, mirror, station, uid)
    return len(found)


def _rows(uid: str, log: Path) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]], dict[str, Any]]:
    """Returns rows of strokes and of results, and the first header; nothing of a log that makes no match."""
    try:
        replay = Replay(log)
        header = dict(replay.stored.contents.headers[0]) if replay.stored.contents.headers else {}
        people = header.get("people") or {}
        ids = {p["name"]: p["id"] for p in people.values() if p.get("name")}
        strokes = [_stroke(uid, replay, f, ids) for f in figures(replay)]
        rows = list(rows_of(uid, replay.stored, 0, 0))
    except (LogError, *STORED_MATCH_UNREADABLE) as e:
        logger.warning("match %s cannot be judged: %s", uid, e)
        return [], [], {}
    results = [
        (uid, row.number, s.player, list(m.against), m.won, *m.score, _time(m.started))
        for row in rows for s in standings([row]) for m in s.form
    ]  # fmt: skip
    return strokes, results, header


def _stroke(uid: str, replay: Replay, f: StrokeFigures, ids: dict[str, str]) -> tuple[Any, ...]:
    record = replay.strokes[f.stroke]
    place = record.line["placement"] or {}
    named = f.player if f.player in ids or f.player not in SEATS else ""
    return (uid, f.stroke, f.board, f.seat.value, ids.get(f.player, ""), named, _time(record.wall), f.coins, f.own,
            f.queen, list(f.fouls), f.certain, bool(record.umpire), f.speed_mm_s, f.time_s, place.get("legal"),
            _limit(place), place.get("margin_mm"), place.get("sigma_mm"))  # fmt: skip


def _limit(place: dict[str, Any]) -> str | None:
    """Returns the limit that a placement missed, or came nearest to."""
    if place.get("reason"):
        return str(place["reason"])
    known = {
        LIMITS[name]: mm for name, mm in place.get("clearance_mm", {}).items() if mm is not None and name in LIMITS
    }
    return min(known, key=lambda name: known[name]).value if known else None


def _time(seconds: float | None) -> datetime | None:
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None
