"""Takes rows of logs into the database: a batch is one transaction, and what is answered is what is committed.

The number of bytes is compared before it is changed, so two hubs at one database do no harm. Rows that the hub has are
cut off and compared; rows that do not follow are refused; a gap is answered with what the hub has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import psycopg

from referee.courier.chunk import Chunk, row_hash, split_rows
from referee.hub.database import Database

COPIED = (
    "the hub has other rows of this match: two boards write it, or the board's card was restored; "
    "delete station.json on a copied card, and pair that board anew"
)
MOST_KNOWN = 10_000
"""Greatest number of matches whose state is held in memory."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Rows that a station sent."""

    station: str
    uid: str
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class Committed:
    """What became of an arrival."""

    station: str
    uid: str
    have: int
    """Bytes of the log in the database."""
    rows: bytes = b""
    """Rows that were added, which end at `have` of this arrival."""
    offset: int = 0
    """Place of the first of them."""
    gap: int | None = None
    """Epoch of the rows that did not follow on what the hub has."""
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class _Log:
    """State of a log in the database."""

    have: int = 0
    tail: str = ""


class _Overtaken(Exception):
    """Another hub changed a log meanwhile."""


class Ingest:
    """The writer of one hub; lives in one thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[str, _Log] = {}

    def add(self, batch: Sequence[Arrival]) -> list[Committed]:
        """Commits a batch and returns what became of each arrival. Raises psycopg.Error; nothing is changed then."""
        while True:
            try:
                return self._add(batch)
            except _Overtaken:
                self._known.clear()
            except psycopg.Error:
                self._known.clear()
                raise

    def have(self, uids: Iterable[str]) -> dict[str, int]:
        """Returns how many bytes of each log are committed. Raises psycopg.Error."""
        logs = self._states(list(uids))
        return {uid: log.have for uid, log in logs.items()}

    def _add(self, batch: Sequence[Arrival]) -> list[Committed]:
        with self._database.transaction():
            stations = {arrival.uid: arrival.station for arrival in batch}
            before = self._states(list(stations))
            now, added = dict(before), list[tuple[str, int, bytes]]()
            outcomes = [self._take_in(arrival, now, added) for arrival in batch]
            self._write(stations, before, now, added)
        self._known.update(now)
        return outcomes

    def _states(self, uids: list[str]) -> dict[str, _Log]:
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
        unknown = [uid for uid in uids if uid not in self._known]
        if unknown:
            found = self._database.execute(
                "select uid::text, have, tail from match where uid = any(%s::uuid[])", [unknown]
            )
            self._known |= {uid: _Log(have, tail) for uid, have, tail in found}
        return {uid: self._known.get(uid, _Log()) for uid in uids}

    def _take_in(self, arrival: Arrival, now: dict[str, _Log], added: list[tuple[str, int, bytes]]) -> Committed:
        """Adds an arrival to the logs as they will be; nothing is written yet."""
        uid, chunk, log = arrival.uid, arrival.chunk, now[arrival.uid]
        if chunk.offset > log.have:
            return Committed(arrival.station, uid, log.have, gap=chunk.epoch)
        known = min(log.have, chunk.end) - chunk.offset
        if known and self._stored(uid, chunk.offset, chunk.offset + known, added) != chunk.rows[:known]:
            return Committed(arrival.station, uid, log.have, refusal=COPIED)
        if not known and chunk.before != log.tail:
            return Committed(arrival.station, uid, log.have, refusal=COPIED)
        rows = chunk.rows[known:]
        if not rows:
            return Committed(arrival.station, uid, log.have)
        added.append((uid, log.have, rows))
        now[uid] = _Log(chunk.end, row_hash(split_rows(rows)[-1]))
        return Committed(arrival.station, uid, chunk.end, rows, log.have)

    def _stored(self, uid: str, start: int, end: int, added: list[tuple[str, int, bytes]]) -> bytes:
        """Returns bytes that were stored, or will be by this batch."""
        found = self._database.execute(
            "select o, rows from chunk where match = %s and o < %s and o + length(rows) > %s", [uid, end, start]
        )
        pieces = [*found, *((o, rows) for match, o, rows in added if match == uid and o < end)]
        whole, begin = b"", start
        for offset, rows in sorted(pieces):
            if offset + len(rows) > begin >= offset:
                whole += bytes(rows[begin - offset : end - offset])
                begin = start + len(whole)
        return whole

    def _write(self, stations: dict[str, str], before: dict[str, _Log], now: dict[str, _Log],
               added: list[tuple[str, int, bytes]]) -> None:  # fmt: skip
        changed = sorted(uid for uid in now if now[uid] != before[uid])
        if not changed:
            return
        self._database.execute(
            "insert into match (uid, station) select * from unnest(%s::uuid[], %s::text[]) on conflict do nothing",
            [changed, [stations[uid] for uid in changed]],
        )
        done = self._database.execute(
            "update match set have = v.have, tail = v.tail, grown_at = now() from "
            "unnest(%s::uuid[], %s::bigint[], %s::bigint[], %s::text[]) as v (uid, old, have, tail) "
            "where match.uid = v.uid and match.have = v.old",
            [changed, [before[uid].have for uid in changed], [now[uid].have for uid in changed],
             [now[uid].tail for uid in changed]],
        )  # fmt: skip
        if done.rowcount != len(changed):
            raise _Overtaken
        self._database.execute(
            "insert into chunk (match, o, rows) select * from unnest(%s::uuid[], %s::bigint[], %s::bytea[])",
            [[uid for uid, _, _ in added], [offset for _, offset, _ in added], [rows for _, _, rows in added]],
        )


def log_bytes(database: Database, uid: str, start: int = 0) -> Iterable[bytes]:
    """Yields a log's bytes from a place on that begins a stored piece or lies in one. Raises psycopg.Error."""
    with database.transaction(), database.cursor(name="log") as cursor:
        cursor.execute("select o, rows from chunk where match = %s and o + length(rows) > %s order by o", [uid, start])
        for offset, rows in cursor:
            yield bytes(rows[max(0, start - offset) :])
