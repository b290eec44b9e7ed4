"""Rows on their way into the real database: whatever happens in between, the hub's copy ends as the board's file."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from engines import Database
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.courier.chunk import Chunk, pack, row_hash, unpack
from referee.courier.outbox import LogOutbox
from referee.courier.shipping import Shipping
from referee.hub import database as hub_database
from referee.hub.database import DatabaseError, connect, migrate
from referee.hub.ingest import Arrival, Ingest, log_bytes
from referee.hub.mirror import Mirror
from referee.log import LogWriter
from referee.log.identity import match_uid
from referee.log.uid import uuid7

EXAMPLES = int(os.environ.get("CARROM_SCHEDULES", "40"))
"""Schedules tried; more by CARROM_SCHEDULES=5000."""
STATION = "11111111-1111-4111-8111-111111111111"
STEPS = st.sampled_from(
    ["append", "ship", "arrive", "answer"] * 3
    + ["torn", "power", "double", "swap", "drop", "lose", "hub", "silence", "restore", "reconnect"]
)
"""What may happen, the usual more often."""


@pytest.fixture(scope="module")
def hall(database: Database) -> Iterator[hub_database.Database]:
    """A database brought to the program's state."""
    with connect(database.new()) as opened:
        assert migrate(opened) == 3
        assert migrate(opened) == 0
        yield opened


class Board:
    """A board's log with its courier, the network, and a hub, all stepped by hand."""

    def __init__(self, database: hub_database.Database, folder: Path) -> None:
        self.database, self.outbox, self.shipping = database, LogOutbox(folder), Shipping()
        self.log, self.uid, self.now, self.lines = folder / "m.jsonl", uuid7(), 0.0, 0
        self.ingest = Ingest(database)
        self.sent: list[bytes] = []
        self.answers: list[tuple[int, int | None, str]] = []
        self.asked = False
        self.append()

    def append(self) -> None:
        """The vision process starts, writes, and ends: a torn row is ended first."""
        with LogWriter(self.log) as log:
            log.header(1.0, uid=self.uid) if not self.lines else None
            for _ in range(3):
                self.lines += 1
                log.write({"type": "note", "n": self.lines, "text": "x" * (self.lines * 2311 % 7000)})

    def torn(self) -> None:
        """Power is lost within a row."""
        with self.log.open("ab") as file:
            file.write(b'{"type":"no')

    def power(self) -> None:
        """Power is lost before the last rows were synced: they were never sent."""
        size = self.shipping.logs[self.uid].size if self.shipping.logs else 0
        os.truncate(self.log, max(size, self.log.read_bytes().find(b"\n") + 1))

    def ship(self) -> None:
        for uid, size in self.outbox.scan().items():
            self.shipping.grow(uid, size)
        if self.shipping.is_silent(self.now):
            self.reconnect()
        if self.shipping.unknown() and not self.asked:
            self.asked = True
            self.answers.append((self.ingest.have([self.uid])[self.uid], None, ""))
        while (uid := self.shipping.next()) is not None:
            log = self.shipping.logs[uid]
            chunk = self.outbox.read(uid, log.sent, log.epoch)
            assert chunk is not None
            self.sent.append(pack(chunk))
            self.shipping.send(uid, chunk.end, self.now)
            assert log.on_way <= (64 << 10) + len(chunk.rows)

    def arrive(self, count: int = 1) -> None:
        batch, self.sent = self.sent[:count], self.sent[count:]
        arrivals = [Arrival(STATION, self.uid, unpack(payload)) for payload in batch]
        self.answers += [(c.have, c.gap, c.refusal) for c in self.ingest.add(arrivals)]

    def answer(self) -> None:
        if self.answers:
            have, gap, refusal = self.answers.pop(0)
            assert not refusal
            self.shipping.acknowledge(self.uid, have, self.now, gap)

    def double(self) -> None:
        self.sent[:1] = self.sent[:1] * 2

    def swap(self) -> None:
        self.sent[:2] = self.sent[:2][::-1]

    def drop(self) -> None:
        del self.sent[:1]

    def lose(self) -> None:
        del self.answers[:1]

    def hub(self) -> None:
        """The hub begins anew; what was on its way to it may be lost, and boards ask."""
        self.ingest = Ingest(self.database)
        self.reconnect()

    def reconnect(self) -> None:
        self.answers.clear()
        self.asked = False
        self.shipping.begin(self.now)

    def silence(self) -> None:
        """Nothing was heard for so long that the courier asks again."""
        self.now += 16.0

    def restore(self) -> None:
        """The database is the one of an earlier moment, and its hub begins anew."""
        pieces = [o for (o,) in self.database.execute("select o from chunk where match = %s order by o", [self.uid])]
        if pieces:
            cut = pieces[len(pieces) // 2]
            kept = b"".join(log_bytes(self.database, self.uid))[:cut]
            tail = row_hash(kept.splitlines(keepends=True)[-1]) if kept else ""
            self.database.execute("delete from chunk where match = %s and o >= %s", [self.uid, cut])
            self.database.execute("update match set have = %s, tail = %s where uid = %s", [cut, tail, self.uid])
        self.hub()

    def settle(self) -> None:
        """Nothing bad happens any more."""
        self.append()
        for _ in range(200):
            self.ship()
            self.arrive(5)
            while self.answers:
                self.answer()
            if self.shipping.behind == 0 and not self.sent:
                return
            self.now += 1.0
        raise AssertionError("it never ends")


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(schedule=st.lists(STEPS, max_size=60))
def test_whatever_happens_the_copy_is_the_file(hall: hub_database.Database, schedule: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        board = Board(hall, Path(folder))
        for step in schedule:
            getattr(board, step)()
            stored = b"".join(log_bytes(hall, board.uid))
            assert board.log.read_bytes().startswith(stored)
        board.settle()
        assert b"".join(log_bytes(hall, board.uid)) == board.log.read_bytes()


def chunks(text: str, size: int = 2) -> list[Chunk]:
    """Rows of letters, some in a chunk."""
    rows = [f"{letter}\n".encode() for letter in text]
    return [
        Chunk(2 * i, row_hash(rows[i - 1]) if i else "", 1, b"".join(rows[i : i + size]))
        for i in range(0, len(rows), size)
    ]


def test_two_hubs_at_one_database_add_every_row_once(hall: hub_database.Database) -> None:
    uid = uuid7()
    with connect(hall.info.dsn) as other:
        first, second = Ingest(hall), Ingest(other)
        for i, chunk in enumerate(chunks("abcdefgh")):
            for hub in (first, second) if i % 2 else (second, first):
                (done,) = hub.add([Arrival(STATION, uid, chunk)])
                assert (done.have, done.refusal) == (chunk.end, "")
    assert b"".join(log_bytes(hall, uid)) == b"a\nb\nc\nd\ne\nf\ng\nh\n"
    assert b"".join(log_bytes(hall, uid, 6)) == b"d\ne\nf\ng\nh\n"


def test_rows_of_another_history_are_refused_and_change_nothing(hall: hub_database.Database) -> None:
    uid, ingest = uuid7(), Ingest(hall)
    first, second, _ = chunks("abcdef")
    ingest.add([Arrival(STATION, uid, first), Arrival(STATION, uid, second)])
    other = chunks("abxyef")
    for chunk in (other[1], Chunk(0, "", 1, b"a\nb\nc\nz\ne\n"), Chunk(8, row_hash(b"y\n"), 1, b"e\n")):
        (done,) = ingest.add([Arrival("another station", uid, chunk)])
        assert (done.have, done.rows) == (8, b"")
        assert "the hub has other rows of this match" in done.refusal
    (gap,) = ingest.add([Arrival(STATION, uid, Chunk(12, "", 7, b"g\n"))])
    assert (gap.have, gap.gap) == (8, 7)
    overlapping = Chunk(2, row_hash(b"a\n"), 1, b"b\nc\nd\ne\nf\n")
    (done,) = ingest.add([Arrival(STATION, uid, overlapping)])
    assert (done.have, done.rows, done.offset) == (12, b"e\nf\n", 8)
    assert b"".join(log_bytes(hall, uid)) == b"a\nb\nc\nd\ne\nf\n"


def test_a_batch_that_the_database_refuses_changes_nothing(hall: hub_database.Database) -> None:
    uid, ingest = uuid7(), Ingest(hall)
    (first, second) = chunks("abcd")
    ingest.add([Arrival(STATION, uid, first)])
    with pytest.raises(psycopg.Error):
        ingest.add([Arrival(STATION, uid, second), Arrival(STATION, "no-uid", first)])
    (done,) = ingest.add([Arrival(STATION, uid, second)])
    assert (done.have, done.offset) == (8, 4)


def test_the_mirror_is_made_anew_where_it_differs(hall: hub_database.Database, tmp_path: Path) -> None:
    uid, ingest, mirror = uuid7(), Ingest(hall), Mirror(tmp_path)
    first, second, third = chunks("abcdef")
    (done,) = ingest.add([Arrival(STATION, uid, first)])
    mirror.add(hall, done)
    path = mirror.log(STATION, uid)
    ingest.add([Arrival(STATION, uid, second)])  # its hub died before it wrote the file
    (done,) = ingest.add([Arrival(STATION, uid, third)])
    mirror.add(hall, done)
    assert path.read_bytes() == b"a\nb\nc\nd\ne\nf\n"
    path.write_bytes(path.read_bytes() + b"longer\n")
    assert mirror.restore(hall, STATION, uid).read_bytes() == b"a\nb\nc\nd\ne\nf\n"
    mirror.clear()
    assert not path.exists()


def test_copies_are_whole_however_many_make_them(hall: hub_database.Database, tmp_path: Path) -> None:
    """The ingest thread adds while the projection restores: a copy had been cut to what the other had read before."""
    uid, ingest, mirror = uuid7(), Ingest(hall), Mirror(tmp_path)
    ending = threading.Event()

    def restore() -> None:
        with connect(hall.info.dsn) as database:
            while not ending.is_set():
                mirror.restore(database, STATION, uid)

    thread = threading.Thread(target=restore)
    thread.start()
    try:
        for chunk in chunks("abcdefghijklmnopqrstuvwxyz" * 6, 1):
            (done,) = ingest.add([Arrival(STATION, uid, chunk)])
            mirror.add(hall, done)
            assert mirror.log(STATION, uid).stat().st_size == chunk.end
    finally:
        ending.set()
        thread.join()
    assert mirror.log(STATION, uid).read_bytes() == b"".join(log_bytes(hall, uid))


def test_a_database_of_a_newer_program_is_left_alone(database: Database) -> None:
    with connect(database.new()) as opened:
        migrate(opened)
        opened.execute("insert into migration (number) values (999)")
        with pytest.raises(DatabaseError, match="a newer program"):
            migrate(opened)


def test_a_merged_folder_ships_the_longer_of_two_files(tmp_path: Path) -> None:
    for name, count in (("a.jsonl", 2), ("b.jsonl", 4)):
        with LogWriter(tmp_path / name) as log:
            log.header(1.0, uid="0190a5d0-0000-7000-8000-000000000001")
            for i in range(count):
                log.write({"type": "note", "n": i})
    outbox = LogOutbox(tmp_path)
    assert outbox.scan() == {match_uid(tmp_path / "b.jsonl"): (tmp_path / "b.jsonl").stat().st_size}
