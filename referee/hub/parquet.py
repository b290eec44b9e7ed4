"""Writes what players and search read as Parquet files, for statistics over years with DuckDB and others.

DuckDB itself writes them: one dependency of 25 MB, with wheels for a Pi, that reads them as well.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb

from referee.atomic_files import written
from referee.hub.database import Database

TABLES = {
    "stroke.parquet": (
        "select s.match::text, m.station, s.n, s.board, s.seat, s.person, s.player, "
        "extract(epoch from s.played)::float8 as played, s.coins, s.own, s.queen, "
        "array_to_string(s.fouls, ' ') as fouls, s.certain, s.corrected, s.speed_mm_s, s.time_s, s.legal, "
        "s.limit_name, s.margin_mm, s.sigma_mm from stroke s join match m on m.uid = s.match order by s.match, s.n",
        {"match": "VARCHAR", "station": "VARCHAR", "n": "INTEGER", "board": "INTEGER", "seat": "VARCHAR",
         "person": "VARCHAR", "player": "VARCHAR", "played": "DOUBLE", "coins": "INTEGER", "own": "INTEGER",
         "queen": "BOOLEAN", "fouls": "VARCHAR", "certain": "BOOLEAN", "corrected": "BOOLEAN", "speed_mm_s": "FLOAT",
         "time_s": "FLOAT", "legal": "BOOLEAN", "limit_name": "VARCHAR", "margin_mm": "FLOAT", "sigma_mm": "FLOAT"},
        "* replace (to_timestamp(played) as played, "
        "list_filter(string_split(fouls, ' '), lambda each: each <> '') as fouls)",
    ),
    "result.parquet": (
        "select match::text, number, player, array_to_string(against, '\\t') as against, won, points, other_points, "
        "extract(epoch from played)::float8 as played from result order by match, number, player",
        {"match": "VARCHAR", "number": "INTEGER", "player": "VARCHAR", "against": "VARCHAR", "won": "BOOLEAN",
         "points": "INTEGER", "other_points": "INTEGER", "played": "DOUBLE"},
        "* replace (to_timestamp(played) as played, string_split(against, chr(9)) as against)",
    ),
    "match.parquet": (
        "select uid::text as match, station, extract(epoch from began)::float8 as began, rules, event->>'tourney' as "
        "tourney, event->>'round' as round, event->>'board' as board, have as bytes from match order by uid",
        {"match": "VARCHAR", "station": "VARCHAR", "began": "DOUBLE", "rules": "VARCHAR", "tourney": "VARCHAR",
         "round": "VARCHAR", "board": "VARCHAR", "bytes": "BIGINT"},
        "* replace (to_timestamp(began) as began)",
    ),
}  # fmt: skip
"""Query, types of the columns as PostgreSQL writes them, and the columns as they shall be, by file."""


def write_parquet(database: Database, folder: Path) -> dict[str, int]:
    """Writes all files into a folder, and returns the number of rows of each. Raises OSError, psycopg.Error.

    All are of one moment.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = {}
    with tempfile.TemporaryDirectory(dir=folder, prefix=".part-") as place, duckdb.connect() as engine, \
            database.transaction():  # fmt: skip
        database.execute("set transaction isolation level repeatable read read only")
        for name, (query, types, columns) in TABLES.items():
            text = Path(place) / "rows.csv"
            _copy(database, query, text)
            with written(folder / name) as part:
                (rows[name],) = engine.execute(
                    f"copy (select {columns} from read_csv($rows, header = true, columns = $types, quote = '\"', "
                    "escape = '\"', nullstr = '\\N', strict_mode = false, null_padding = false)) "
                    "to $file (format parquet, compression zstd)",
                    {"rows": str(text), "types": types, "file": str(part)},
                ).fetchone() or (0,)
    return rows


def _copy(database: Database, query: str, file: Path) -> None:
    with file.open("wb") as out, database.cursor() as cursor, cursor.copy(
        f"copy ({query}) to stdout (format csv, header, null '\\N')".encode()
    ) as rows:  # fmt: skip
        for piece in rows:
            out.write(piece)
