"""Batches of matches to be judged again: asked for, followed, and their differences and failures listed."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from psycopg.rows import dict_row

from referee.hub.database import Database
from referee.hub.job_queue import put_in

Document = dict[str, Any]

MOST_LISTED = 1000
"""Greatest number of differences, and of failures, listed at once."""
MOST_BATCHES = 50
PUT_IN_AT_ONCE = 1000


class BatchSource(StrEnum):
    """What is judged: facts as logged, or seen again in what boards keep of each stroke."""

    STROKES = "strokes"
    TRACKS = "tracks"
    VIDEO = "video"


@dataclass(frozen=True, slots=True)
class BatchWish:
    """What is asked for."""

    source: BatchSource
    program: str
    """Version of the program that judges."""
    rules: str | None = None
    """Rule book; None: each match's own."""
    book: str | None = None
    """Its text if it is the club's own."""
    since: float | None = None
    """Unix seconds: matches that began then or later."""
    player: str | None = None
    """Part of a player's name: matches that he or she played; of clips and tracks only his or her strokes."""
    asked_by: str = ""


@dataclass(frozen=True, slots=True)
class BatchPart:
    """What one job judges."""

    batch: int
    match: str
    n: int
    """Stroke; 0: the whole match."""


BATCH_QUERY = """
select b.id, b.source, b.program, b.rules, b.player, b.asked_by, extract(epoch from b.since)::float8 as since,
    extract(epoch from b.asked_at)::float8 as asked_at, count(p.job)::int as parts,
    count(p.done_at)::int as done, count(*) filter (where j.status = 'failed')::int as failed,
    count(*) filter (where j.status = 'doing')::int as running,
    coalesce(sum(p.strokes), 0)::int as strokes, coalesce(sum(p.differ), 0)::int as differ,
    coalesce(sum(p.unseen), 0)::int as unseen
from batch b left join part p on p.batch = b.id left join procrastinate_jobs j on j.id = p.job
"""
WHERE_SINCE = "(%(since)s::timestamptz is null or coalesce(m.began, m.grown_at) >= %(since)s)"
PLAYED_BY = "position(lower(%(player)s) in lower(s.player)) > 0"
BATCH_MATCHES = f"""
select m.uid::text, 0, m.have from match m where m.have > 0 and {WHERE_SINCE}
    and (%(player)s::text is null or exists (select 1 from stroke s where s.match = m.uid and {PLAYED_BY}))
order by 1
"""
BATCH_STROKES = f"""
select m.uid::text, s.n, m.have from match m join stroke s on s.match = m.uid where {WHERE_SINCE}
    and (%(player)s::text is null or {PLAYED_BY})
order by 1, 2
"""


def ask(database: Database, wish: BatchWish) -> int:
    """Stores a batch and queues its jobs, all or nothing; returns its number. Raises psycopg.Error.

    Matches and strokes are those that players and search know.
    """
    since = None if wish.since is None else datetime.fromtimestamp(wish.since, UTC)
    chosen = BATCH_MATCHES if wish.source is BatchSource.STROKES else BATCH_STROKES
    with database.transaction():
        (batch,) = database.execute(
            "insert into batch (source, program, rules, book, since, player, key, asked_by) "
            "values (%s, %s, %s, %s, %s, %s, %s, %s) returning id",
            [wish.source, wish.program, wish.rules, wish.book, since, wish.player, secrets.token_urlsafe(24),
             wish.asked_by],
        ).fetchone() or (0,)  # fmt: skip
        found = database.execute(chosen.encode(), {"since": since, "player": wish.player or None}).fetchall()
        for i in range(0, len(found), PUT_IN_AT_ONCE):
            some = found[i : i + PUT_IN_AT_ONCE]
            jobs = put_in(database, wish.program, [{"batch": batch, "match": uid, "n": n} for uid, n, _ in some])
            with database.cursor() as cursor:
                cursor.executemany(
                    "insert into part (batch, match, n, bytes, job) values (%s, %s, %s, %s, %s)",
                    [(batch, uid, n, size, job) for (uid, n, size), job in zip(some, jobs, strict=True)],
                )
    return int(batch)


def batches(database: Database) -> list[Document]:
    """Returns the last batches with their progress, the newest first. Raises psycopg.Error."""
    return _rows(database, BATCH_QUERY + "group by b.id order by b.id desc limit %s", [MOST_BATCHES])


def batch(database: Database, number: int) -> Document | None:
    """Returns a batch with its differences and failures; None if there is none. Raises psycopg.Error."""
    found = _rows(database, BATCH_QUERY + "where b.id = %s group by b.id", [number])
    if not found:
        return None
    differences = _rows(
        database, "select a.match::text as uid, m.station, a.n as stroke, a.result, s.player, s.seat, "
        "extract(epoch from s.played)::float8 as played from again a join match m on m.uid = a.match "
        "left join stroke s on s.match = a.match and s.n = a.n where a.batch = %s "
        "order by m.began nulls last, a.match, a.n limit %s", [number, MOST_LISTED],
    )  # fmt: skip
    failures = _rows(
        database, "select p.match::text as uid, m.station, p.n as stroke, p.problem, j.attempts from part p "
        "join match m on m.uid = p.match join procrastinate_jobs j on j.id = p.job "
        "where p.batch = %s and j.status = 'failed' order by p.match, p.n limit %s", [number, MOST_LISTED],
    )  # fmt: skip
    return found[0] | {
        "differences": [{k: v for k, v in row.items() if k != "result"} | json.loads(row["result"])
                        for row in differences],
        "failures": failures,
    }  # fmt: skip


def try_again(database: Database, number: int) -> int:
    """Queues a batch's failed jobs anew, with three attempts each; returns how many. Raises psycopg.Error."""
    return database.execute(
        "update procrastinate_jobs set status = 'todo', attempts = 0, scheduled_at = null where status = 'failed' "
        "and id in (select job from part where batch = %s)", [number],
    ).rowcount  # fmt: skip


def _rows(database: Database, query: str, values: list[Any]) -> list[Document]:
    with database.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query.encode(), values).fetchall()
