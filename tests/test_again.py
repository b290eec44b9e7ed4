"""What a hall judges again: batches over the real queue, workers that are killed, and logs that are poison."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import duckdb
import pytest
from click.testing import CliRunner, Result
from engines import Broker, Database
from hall_stage import Club, worker
from match_logs import played, write
from web_stage import until

from models.pieces import Seat
from referee.cli import main
from referee.courier.chunk import Chunk
from referee.hub.batches import BatchSource, BatchWish, ask, batch
from referee.hub.database import connect, opened
from referee.hub.ingest import Arrival, Ingest
from referee.hub.mirror import Mirror
from referee.hub.projection import project_match
from referee.log.uid import uuid7

STATION = "0190a5d0-7d6e-7000-8000-000000000001"


@pytest.fixture(scope="module")
def club(broker: Broker, database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    with Club(tmp_path_factory.mktemp("club"), broker, database).hub("--pin", "off") as club:
        yield club


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("log") / "match.jsonl"
    write(path, played())
    return path.read_bytes()


def referee(address: str, *words: str) -> Result:
    done = CliRunner().invoke(main, [words[0], "--database", address, *words[1:]])
    assert done.exit_code == 0, done.output
    return done


def add(address: str, folder: Path, log: bytes, uid: str | None = None) -> str:
    """Stores a log as if a board had sent it."""
    uid = uid or uuid7()
    with opened(address) as database:
        Ingest(database).add([Arrival(STATION, uid, Chunk(0, "", 0, log))])
        project_match(database, Mirror(folder), STATION, uid)
    return uid


def digests(address: str, number: int) -> list[Any]:
    with connect(address) as database:
        return [
            database.execute(query, [number]).fetchall()
            for query in ("select match::text, n, digest from part where batch = %s order by 1, 2",
                          "select match::text, n, result from again where batch = %s order by 1, 2")
        ]  # fmt: skip


def test_another_rule_book_is_judged_by_workers_and_differs_by_stroke(club: Club) -> None:
    with club.board("7", players=((Seat.SOUTH, "Ravi"), (Seat.NORTH, "Asha Rao"))) as board:
        board.eyes.play("south W,W", "south -", "north B,S")
        until(lambda: (club.tile("7").get("match") or {}).get("strokes") == 3)
    referee(club.address, "hub", "--data", str(club.data), "rebuild")
    listed = club.get("api/hall/again")
    assert {"icf", "masters"} <= set(listed["books"])
    numbers = [club.post("api/hall/again", {"rules": "masters", "player": "asha"})["batch"] for _ in range(2)]
    nobody = club.post("api/hall/again", {"rules": "masters", "player": "nobody"})["batch"]
    later = club.post("api/hall/again", {"rules": "masters", "since": 4e9})["batch"]
    assert [club.get(f"api/hall/again/{n}")["parts"] for n in (*numbers, nobody, later)] == [1, 1, 0, 0]
    referee(club.address, "worker", "--once")
    shown = [club.get(f"api/hall/again/{n}") for n in numbers]
    assert [(s["done"], s["strokes"], s["failed"]) for s in shown] == [(1, 3, 0)] * 2
    assert digests(club.address, numbers[0]) == digests(club.address, numbers[1])
    (first, *_) = shown[0]["differences"]
    assert shown[0]["differ"] == len(shown[0]["differences"])
    assert first["now"] != first["before"]
    assert first["stroke"] == 3
    assert (first["player"], first["href"]) == ("Asha Rao", f"/b/7/matches/{board.uid}#stroke={first['stroke']}")
    said = referee(club.address, "again", "--show", str(numbers[0]), "--hub", club.url).stdout
    assert f"{club.url}match/{board.uid}#stroke={first['stroke']}" in said
    with urlopen(f"{club.url}match/{board.uid}") as answer:
        assert answer.url.endswith(f"/b/7/matches/{board.uid}")
    with pytest.raises(HTTPError, match="422"):
        club.post("api/hall/again", {"rules": "/etc/passwd"})


def test_a_poison_log_fails_alone_after_three_attempts_and_can_be_tried_again(
    database: Database, tmp_path: Path, log: bytes
) -> None:
    address = database.new()
    good = [add(address, tmp_path, log) for _ in range(3)]
    poison = add(address, tmp_path, b'{"type":"header","version":1,"rules":"no such book"}\n')
    number = int(referee(address, "again", "--rules", "icf").stdout.split()[1])
    referee(address, "worker", "--once")
    with connect(address) as connection:
        shown = batch(connection, number)
        assert shown is not None
        assert (shown["done"], shown["failed"], shown["running"]) == (len(good), 1, 0)
        assert [(f["uid"], f["stroke"], f["attempts"]) for f in shown["failures"]] == [(poison, 0, 3)]
    said = referee(address, "again", "--show", str(number)).stdout
    assert f"/match/{poison}  failed after 3 attempts: " in said
    assert "1 jobs are queued anew" in referee(address, "again", "--retry", str(number)).stdout
    referee(address, "worker", "--once")
    assert "failed after 3 attempts" in referee(address, "again", "--show", str(number)).stdout


def test_a_killed_worker_loses_nothing(database: Database, tmp_path: Path, log: bytes) -> None:
    """Another takes its job once it counts as dead."""
    address = database.new()
    add(address, tmp_path, log)

    def status(number: int) -> tuple[Any, ...]:
        with connect(address) as connection:
            return connection.execute(
                "select j.status::text, j.attempts from procrastinate_jobs j join part p on p.job = j.id "
                "where p.batch = %s", [number]).fetchone() or ()  # fmt: skip

    with worker(address) as first:
        with connect(address) as holder, holder.transaction():
            # It cannot store its results while the table is held, and is killed before it is let go.
            holder.execute("lock table again in access exclusive mode")
            with connect(address) as asking:
                number = ask(asking, BatchWish(BatchSource.STROKES, version("carrom-referee"), "masters"))
            until(lambda: status(number)[0] == "doing")
            first.kill()
            first.wait()
        assert status(number) == ("doing", 0)
        with worker(address):
            until(lambda: status(number)[0] == "succeeded")
    assert status(number) == ("succeeded", 2)
    again = int(referee(address, "again", "--rules", "masters").stdout.split()[1])
    referee(address, "worker", "--once")
    assert digests(address, again) == digests(address, number)


def test_years_are_written_as_parquet_and_read_with_duckdb(database: Database, tmp_path: Path, log: bytes) -> None:
    address = database.new()
    uids = [add(address, tmp_path / "hub", log) for _ in range(2)]
    with connect(address) as connection:
        odd = "update stroke set player = %s, limit_name = 'cutting_moon' where match = %s and n = 1"
        connection.execute("update stroke set fouls = '{push,touch}' where n in (2, 3)")
        connection.execute(odd, ['Odd, "quoted"\nÅsa \\N', uids[0]])
    said = referee(address, "hub", "export", str(tmp_path / "years")).stdout
    assert "stroke.parquet: 10 rows" in said
    with duckdb.connect() as engine:
        strokes = f"from '{tmp_path / 'years' / 'stroke.parquet'}'"
        asked = f"select match, player, fouls, typeof(fouls), typeof(played) {strokes} where limit_name is not null"
        assert engine.execute(asked).fetchall() == [
            (uids[0], 'Odd, "quoted"\nÅsa \\N', [], "VARCHAR[]", "TIMESTAMP WITH TIME ZONE")
        ]
        fouls = f"select unnest(fouls) as foul, count(*) {strokes} group by 1 order by 1"
        assert engine.execute(fouls).fetchall() == [("push", 4), ("touch", 4)]
    first = (tmp_path / "years" / "stroke.parquet").read_bytes()
    referee(address, "hub", "export", str(tmp_path / "years"))
    assert (tmp_path / "years" / "stroke.parquet").read_bytes() == first
    assert sorted(path.name for path in (tmp_path / "years").iterdir()) == [
        "match.parquet", "result.parquet", "stroke.parquet"]  # fmt: skip
