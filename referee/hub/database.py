"""The hub's database, PostgreSQL: connections, and the changes that bring it to this program's state."""

from __future__ import annotations

from importlib import resources

import psycopg
from procrastinate.schema import SchemaManager
from psycopg.rows import TupleRow

LOCK = 0x6361_7272
"""Advisory lock held while the database is changed, so that two hubs do not do it at once."""
DATABASE_CONNECT_S = 5
"""Longest wait for a connection, s."""

Database = psycopg.Connection[TupleRow]


class DatabaseError(Exception):
    """The database cannot be used; the message is one sentence that says what to do."""


def connect(address: str) -> Database:
    """Returns a connection, each statement of which is a transaction of its own. Raises psycopg.Error."""
    return psycopg.connect(address, autocommit=True, connect_timeout=DATABASE_CONNECT_S, application_name="carrom-hub")


def opened(address: str) -> Database:
    """Returns a connection to the database, brought to this program's state. Raises DatabaseError."""
    try:
        database = connect(address)
        try:
            migrate(database)
        except (psycopg.Error, DatabaseError):
            database.close()
            raise
        return database
    except psycopg.Error as e:
        why = str(e).strip().splitlines()[0] if str(e).strip() else type(e).__name__
        raise DatabaseError(
            f"the database cannot be used ({why}); start PostgreSQL, or name another with --database"
        ) from None


def migrate(database: Database) -> int:
    """Applies the changes that the database lacks, all or none; returns how many. Raises psycopg.Error or
    DatabaseError.
    """
    scripts = sorted(f.name for f in resources.files("referee.hub.migrations").iterdir() if f.name.endswith(".sql"))
    with database.transaction():
        database.execute("select pg_advisory_xact_lock(%s)", [LOCK])
        database.execute(
            "create table if not exists migration (number int primary key, applied timestamptz default now())"
        )
        applied = {number for (number,) in database.execute("select number from migration")}
        known = {int(name.partition("_")[0]): name for name in scripts}
        if newer := applied - known.keys():
            raise DatabaseError(f"the database was used by a newer program (change {max(newer)}): start that one")
        for number in sorted(known.keys() - applied):
            script = (resources.files("referee.hub.migrations") / known[number]).read_text(encoding="utf-8")
            database.execute(script.encode())
            database.execute("insert into migration (number) values (%s)", [number])
        _make_queue(database)
    return len(known.keys() - applied)


def _make_queue(database: Database) -> None:
    """Makes the tables of the queue of jobs (Procrastinate) if there are none."""
    (known,) = database.execute("select to_regclass('procrastinate_jobs')").fetchone() or (None,)
    if known is None:
        database.execute(SchemaManager.get_schema().encode())
