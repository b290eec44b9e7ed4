"""What players and search ask of the database, as documents for pages and programs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from psycopg.rows import dict_row

from referee.hub.database import Database

Document = dict[str, Any]

MOST_FOUND = 200
"""Greatest number of strokes found at once."""
NEAREST = 20
"""Number of nearest misses of a player."""

PLAYER = """
select max(s.player) as player, count(*) as strokes, sum(s.coins)::int as coins, sum(s.own)::int as own,
    sum(s.queen::int)::int as queens, sum((s.coins > 0)::int)::int as pocketing,
    sum((cardinality(s.fouls) > 0)::int)::int as fouls, count(distinct s.match) as logs,
    percentile_cont(0.5) within group (order by s.time_s) as time_s, max(s.played) as last
from stroke s where s.player <> '' {also} group by lower(s.player) order by {order}
"""
WON_AND_LOST = """
select lower(player) as player, sum(won::int)::int as won, sum((not won)::int)::int as lost from result group by 1
"""
STROKE = """
select s.match::text as uid, m.station, s.n as stroke, s.board, s.seat, s.player, s.played, s.coins, s.fouls, s.certain,
    s.corrected, s.legal, s.limit_name as limit, s.margin_mm, s.sigma_mm
from stroke s join match m on m.uid = s.match
"""


@dataclass(frozen=True, slots=True)
class Search:
    """What strokes are looked for; everything that is given must hold."""

    limit: str | None = None
    """Limit of the base lines, as `cutting_moon`."""
    within_mm: float | None = None
    """Greatest distance from the limit, on both sides, mm."""
    missed: bool | None = None
    """Whether the limit was missed, as far as it could be told."""
    foul: str | None = None
    player: str | None = None
    """Part of a player's name."""
    certain: bool | None = None
    since: float | None = None
    """Unix seconds."""


def players(database: Database) -> list[Document]:
    """Returns all players with their figures, those who played last first. Raises psycopg.Error."""
    results = {row["player"]: row for row in _rows(database, WON_AND_LOST)}
    found = _rows(database, PLAYER.format(also="", order="max(s.played) desc nulls last, 1"))
    return [_player(row, results) for row in found]


def player(database: Database, name: str) -> Document | None:
    """Returns a player with head to head and nearest misses; None if nobody has that name. Raises psycopg.Error."""
    found = _rows(database, PLAYER.format(also="and lower(s.player) = lower(%s)", order="1"), [name])
    if not found:
        return None
    results = {row["player"]: row for row in _rows(database, WON_AND_LOST)}
    against = _rows(
        database,
        "select array_to_string(against, ' & ') as name, sum(won::int)::int as won, sum((not won)::int)::int as lost, "
        "max(played) as last from result where lower(player) = lower(%s) group by 1 order by count(*) desc, 1", [name],
    )  # fmt: skip
    near = _rows(
        database,
        STROKE + "where lower(s.player) = lower(%s) and s.limit_name is not null and s.margin_mm is not null "
        "order by abs(s.margin_mm), s.played desc limit %s", [name, NEAREST],
    )  # fmt: skip
    return _player(found[0], results) | {
        "against": [_plain(row) for row in against],
        "nearest": [_plain(row) for row in near],
    }


def search_strokes(database: Database, asked: Search, most: int = MOST_FOUND) -> list[Document]:
    """Returns strokes, the nearest to the limit first, else the newest. Raises psycopg.Error."""
    wheres: list[tuple[str, Any]] = []
    if asked.limit is not None:
        wheres.append(("s.limit_name = %s", asked.limit))
    if asked.within_mm is not None:
        wheres.append(("s.limit_name is not null and abs(s.margin_mm) <= %s", asked.within_mm))
    if asked.missed is not None:
        wheres.append(("s.margin_mm < %s" if asked.missed else "s.margin_mm >= %s", 0))
    if asked.foul is not None:
        wheres.append(("%s = any(s.fouls)", asked.foul))
    if asked.player:
        wheres.append(("position(lower(%s) in lower(s.player)) > 0", asked.player))
    if asked.certain is not None:
        wheres.append(("s.certain = %s", asked.certain))
    if asked.since is not None:
        wheres.append(("s.played >= %s", datetime.fromtimestamp(asked.since, UTC)))
    near = asked.limit is not None or asked.within_mm is not None
    order = "abs(s.margin_mm), s.played desc" if near else "s.played desc nulls last, s.n desc"
    where = "where " + " and ".join(f"({text})" for text, _ in wheres) if wheres else ""
    found = _rows(
        database, f"{STROKE} {where} order by {order} limit %s", [*(v for _, v in wheres), min(most, MOST_FOUND)]
    )
    return [_plain(row) for row in found]


def _player(row: Document, results: dict[str, Document]) -> Document:
    won = results.get(row["player"].lower(), {"won": 0, "lost": 0})
    return _plain(row) | {"won": won["won"], "lost": won["lost"]}


def _rows(database: Database, query: str, values: list[Any] | None = None) -> list[Document]:
    with database.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query.encode(), values).fetchall()


def _plain(row: Document) -> Document:
    """Returns a row with times as Unix seconds and margins in hundredths of a millimetre."""

    def value(name: str, v: Any) -> Any:
        if isinstance(v, datetime):
            return v.timestamp()
        return round(v, 2) if isinstance(v, float) else v

    return {name: value(name, v) for name, v in row.items()}
