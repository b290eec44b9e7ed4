"""The courier on a real broker; the hub is played by its contract, and the vision process by the stage."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from click.testing import CliRunner
from engines import Broker, free_port
from hall_stage import End, courier
from web_stage import Stage, until

from referee.cli import main
from referee.courier.chunk import Chunk, ChunkError, pack, unpack
from referee.courier.mqtt import Incoming
from referee.courier.outbox import LogOutbox
from referee.courier.topics import FROM_BOARD, HUB, TO_BOARD, Topic, address_of, topic_of
from referee.hub.broker_files import HUB_USER, PID_NAME, WALL_USER, Account, BrokerFiles
from referee.log.identity import match_uid
from referee.membership.place import Membership, keep_membership, leave


class Copies(End):
    """The hub's side of the contract: keeps what fits, and answers what it has."""

    def __init__(self, place: Membership) -> None:
        super().__init__(place, "carrom/1/+/+", "carrom/1/+/log/+")
        self.logs: dict[str, bytes] = {}
        self.sessions = 0
        self.received = 0

    def connected(self) -> None:
        self.sessions += 1
        self.send(HUB, {"boot": "b", "session": self.sessions}, retain=True)

    def send(self, topic: str, value: Any, retain: bool = False) -> None:
        assert self.connection is not None
        self.connection.publish(topic, json.dumps(value).encode(), retain, None if retain else 30)

    def hear(self, message: Incoming) -> None:
        address = address_of(message.topic)
        assert address is not None
        have = topic_of(address.station, Topic.HAVE)
        if address.topic is Topic.ASK:
            for uid in json.loads(message.payload):
                self.send(have, {"uid": uid, "have": len(self.logs.get(uid, b""))})
        elif address.topic is Topic.LOG:
            chunk, known = unpack(message.payload), self.logs.get(address.uid, b"")
            self.received += len(chunk.rows)
            gap = {"gap": chunk.epoch} if chunk.offset > len(known) else {}
            if not gap:
                self.logs[address.uid] = known + chunk.rows[len(known) - chunk.offset :]
            self.send(have, {"uid": address.uid, "have": len(self.logs.get(address.uid, b""))} | gap)

    def last(self, station: str, topic: Topic) -> Any:
        """The last message of a topic, None before the first."""
        found = [m.payload for m in self.heard if m.topic == topic_of(station, topic)]
        return json.loads(found[-1]) if found else None


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """The vision side of a board of its own for each test."""
    return Stage(tmp_path)


@contextmanager
def hall(stage: Stage, broker: Broker) -> Iterator[tuple[Copies, str]]:
    """A hub and the courier of the stage's board."""
    station = str(uuid4())
    broker.add(station)
    hub = Copies(broker.place(HUB_USER))
    with hub.running(), courier(stage.folder, broker.place(station, tls=True)):
        yield hub, station


def test_every_line_comes_to_the_hub_also_over_a_broker_that_dies(stage: Stage, broker: Broker) -> None:
    with stage.eyes() as eyes, hall(stage, broker) as (hub, _):
        eyes.link.publish({"type": "match", "log": str(stage.log)})
        eyes.play("south W,W", "south -")
        uid = match_uid(stage.log)
        until(lambda: hub.logs.get(uid) == stage.log.read_bytes())
        assert hub.received == len(hub.logs[uid])
        broker.kill()
        eyes.stroke("north", "B")
        broker.start()
        eyes.stroke("north", "-")
        until(lambda: hub.logs.get(uid) == stage.log.read_bytes())
        hub.logs[uid] = b""  # as from an older backup, while the hub was away
        hub.connected()
        until(lambda: hub.logs.get(uid) == stage.log.read_bytes())


def test_a_board_without_its_vision_process_ships_what_it_has_and_says_that_it_is_away(
    stage: Stage, broker: Broker
) -> None:
    with stage.eyes() as eyes:
        eyes.play("south W,W", "south -")
    with hall(stage, broker) as (hub, station):
        until(lambda: hub.logs.get(match_uid(stage.log)) == stage.log.read_bytes())
        until(lambda: hub.last(station, Topic.STATE) is not None)
        assert hub.last(station, Topic.STATE)["eyes"] is False
        assert hub.last(station, Topic.UP)["station"] == {"id": station, "name": "7"}
        with stage.eyes() as eyes:
            eyes.link.publish({"type": "match", "log": str(stage.log)})
            until(lambda: hub.last(station, Topic.STATE)["eyes"])
            until(lambda: (hub.last(station, Topic.STATE)["view"] or {}).get("strokes") == 2)
    until(lambda: not broker_says_up(broker, station))


def broker_says_up(broker: Broker, station: str) -> bool:
    """What somebody who comes now hears of a board."""
    wall = End(broker.place(WALL_USER), topic_of(station, Topic.UP))
    with wall.running():
        until(lambda: bool(wall.heard))
    return bool(json.loads(wall.heard[-1].payload)["up"])


def test_a_word_is_done_once_however_often_it_comes_and_a_refusal_comes_back(stage: Stage, broker: Broker) -> None:
    with stage.eyes() as eyes, hall(stage, broker) as (hub, station):
        eyes.link.publish({"type": "match", "log": str(stage.log)})
        eyes.play("south W,W", "south -")
        until(lambda: (hub.last(station, Topic.STATE) or {}).get("view"))
        topic = topic_of(station, Topic.WORD)
        word = {"type": "correction", "action": "correct", "stroke": 1, "stroke_text": "W", "by": "Mira", "wall": 1.0}
        for _ in range(5):
            hub.send(topic, word | {"id": "chiefs-word-1", "seen": 0})
        assert eyes.obey()["by"] == "Mira"
        until(lambda: [r["stroke_text"] for r in hub.last(station, Topic.STATE)["view"]["rulings"]][:1] == ["W"])
        hub.send(topic, word | {"id": "chiefs-word-1", "seen": 0})
        until(lambda: hub.last(station, Topic.ANSWER) == {"id": "chiefs-word-1", "done": True})
        hub.send(topic, {"type": "preview_wanted", "id": "no-word-of-a-chief"})
        hub.send(topic, word | {"id": "chiefs-word-2", "seen": 0})
        assert eyes.obey()["id"] == "chiefs-word-2"
        until(lambda: hub.last(station, Topic.ANSWER)["id"] == "chiefs-word-2")
        refusal = hub.last(station, Topic.ANSWER)["refused"]
        assert "somebody else has decided about stroke 1" in refusal["en"]
        assert "inzwischen" in refusal["de"]
        assert eyes.heard() == []
    assert stage.log.read_bytes().count(b"chiefs-word") == 1


def test_words_to_a_board_whose_vision_process_is_off_come_back(stage: Stage, broker: Broker) -> None:
    with hall(stage, broker) as (hub, station):
        until(lambda: hub.last(station, Topic.UP))
        hub.send(topic_of(station, Topic.WORD), {"type": "correction", "action": "undo", "id": "to-nobody"})
        until(lambda: hub.last(station, Topic.ANSWER))
        assert "not running" in hub.last(station, Topic.ANSWER)["refused"]["en"]


def test_who_may_publish_and_read_what(broker: Broker) -> None:
    """Every pair of user and topic: the hub hears what is let through, since it may read all."""
    ours, other = (f"station-{name}" for name in ("a", "b"))
    broker.add(ours, other)
    topics = [HUB, "carrom/1/other", "$SYS/broker/uptime",
              *(topic_of(s, t, "u" if t is Topic.LOG else "") for s in (ours, other) for t in Topic)]  # fmt: skip
    users = (HUB_USER, WALL_USER, ours)
    ends = {user: End(broker.place(user), *topics) for user in users}

    def heard_by(user: str, topic: str) -> bool:
        """Tells whether a user hears a topic, of which the hub sends a word: it may not have subscribed yet."""
        ends[HUB_USER].connection.publish(topic, b"begin")  # type: ignore[union-attr]
        return bool(ends[user].heard)

    with ends[HUB_USER].running(), ends[WALL_USER].running(), ends[ours].running():
        until(lambda: heard_by(WALL_USER, topic_of(ours, Topic.STATE)))
        until(lambda: heard_by(ours, HUB))
        for user, topic in product(users, topics[:2] + topics[3:]):
            connection = ends[user].connection
            assert connection is not None
            connection.publish(topic, f"{user} {topic}".encode())
        hub = ends[HUB_USER].connection
        assert hub is not None
        for user in users:
            ends[user].connection.publish(f"carrom/1/{ours}/up", b"last")  # type: ignore[union-attr]
        until(lambda: [m.payload for m in ends[HUB_USER].heard].count(b"last") == 2)  # the wall's is dropped
        hub.publish(HUB, b"end")
        until(lambda: ends[ours].heard and ends[ours].heard[-1].payload == b"end")
    came = [m.payload.decode().split() for m in ends[HUB_USER].heard]
    published = {user: {words[1] for words in came if words[0] == user} for user in users}
    assert published[HUB_USER] == {*topics} - {"$SYS/broker/uptime"}
    assert published[WALL_USER] == set()
    assert published[ours] == {topic_of(ours, t, "u" if t is Topic.LOG else "") for t in FROM_BOARD}
    assert {m.topic for m in ends[ours].heard} == {HUB, *(topic_of(ours, t) for t in TO_BOARD)}
    reads = (Topic.UP, Topic.STATE, Topic.HEALTH)
    assert {m.topic for m in ends[WALL_USER].heard} == {topic_of(s, t) for s in (ours, other) for t in reads}


# paho leaves the socket of a refused certificate to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_nobody_comes_in_with_another_secret_or_to_another_certificate(broker: Broker, tmp_path: Path) -> None:
    station = str(uuid4())
    broker.add(station)
    place = broker.place(station, tls=True)
    wrong = End(Membership(place.host, place.port, station, "another", place.certificate), HUB)
    with wrong.running():
        assert "refuses" in wrong.refusal
    foreign = Broker(tmp_path).certificate
    astray = End(Membership(place.host, place.port, station, place.secret, foreign), HUB)
    with astray.running():
        assert "CERTIFICATE_VERIFY_FAILED" in astray.refusal
    with End(place, HUB).running():
        pass


def test_rows_travel_whole_and_nothing_else_is_taken_for_rows(stage: Stage) -> None:
    with stage.eyes() as eyes:
        eyes.play(*["south W", "south -", "north B", "north -"] * 8)
        data, outbox = stage.log.read_bytes(), LogOutbox(stage.folder)
        ((uid, size),) = outbox.scan().items()
        assert size == len(data)
        with stage.log.open("ab") as file:
            file.write(b'{"type":"torn')
        assert outbox.scan() == {uid: size}
    sent, chunks = b"", []
    while len(sent) < size:
        chunk = outbox.read(uid, len(sent), 3)
        assert chunk is not None
        assert unpack(pack(chunk)) == chunk
        chunks.append(chunk)
        sent += chunk.rows
    assert sent == data
    assert len(chunks) > 2
    assert max(len(pack(chunk)) for chunk in chunks) < (16 << 10) + 200
    payload, random_bytes = pack(chunks[1]), random.Random(54)
    for _ in range(300):
        cut = random_bytes.randrange(len(payload) - 1)
        with pytest.raises(ChunkError):
            unpack(payload[:cut])
    with pytest.raises(ChunkError):
        unpack(pack(Chunk(-1, "", 0, b"{}\n")))


def test_a_board_in_no_hall_says_what_to_do(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["courier", "--data", str(tmp_path)])
    assert (done.exit_code, done.output) == (
        1,
        f"Error: the board of {tmp_path} is in no hall: pair it with a hub first\n",
    )
    keep_membership(tmp_path, Membership("192.0.2.1", 1883, "s", "x"))
    done = CliRunner().invoke(main, ["courier", "--data", str(tmp_path)])
    assert "192.0.2.1 is another machine, and there is no certificate" in done.output
    (tmp_path / "hall.json").write_text("{")
    done = CliRunner().invoke(main, ["courier", "--data", str(tmp_path)])
    assert "is damaged: delete it, and pair this board anew" in done.output


def test_a_courier_ends_when_its_board_leaves_the_hall(tmp_path: Path) -> None:
    keep_membership(tmp_path, Membership("127.0.0.1", free_port(), "s", "x"))

    def away() -> None:
        until((tmp_path / "station.json").exists)
        leave(tmp_path)

    with ThreadPoolExecutor() as threads:
        left = threads.submit(away)
        done = CliRunner().invoke(main, ["courier", "--data", str(tmp_path)])
        left.result()
    assert (done.exit_code, "has left its hall" in done.output) == (0, True)


def test_a_stale_number_of_a_broker_signals_no_other_program(tmp_path: Path) -> None:
    """After a power cut the number in the broker's file may be another program's."""
    files = BrokerFiles(tmp_path)
    heard = []
    before = signal.signal(signal.SIGHUP, lambda *_: heard.append(1))
    try:
        for process in (os.getpid(), 2**22 + 1):
            (tmp_path / PID_NAME).write_text(str(process))
            files.write_accounts(Account("hub", "x"), Account("wall", "x"), [])
    finally:
        signal.signal(signal.SIGHUP, before)
    assert heard == []
