"""A stage for tests of the hall: couriers and other ends of the broker in threads of the test's process."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.request import Request, urlopen
from uuid import uuid4

from engines import Broker, Database
from web_stage import Eyes, Stage, until

from referee.courier.courier import Courier
from referee.courier.mqtt import BrokerError, Connection, Incoming, LastWill, connected
from referee.hub.broker_files import HUB_USER, WALL_USER, hashed
from referee.hub.database import connect
from referee.log.identity import Station, match_uid
from referee.membership.place import Membership


@contextmanager
def looping(work: Coroutine[Any, Any, Any]) -> Iterator[None]:
    """Runs a coroutine in a thread while the block lasts."""
    loop = asyncio.new_event_loop()
    task = loop.create_task(work)

    def run() -> None:
        loop.run_until_complete(asyncio.wait([task]))
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
        assert not task.done(), task.result()
    finally:
        if not task.done():
            loop.call_soon_threadsafe(task.cancel)
        thread.join()


@contextmanager
def courier(folder: Path, place: Membership) -> Iterator[Courier]:
    """Runs a board's courier; the user's name is the station's id."""
    runs = Courier(folder, Station(place.user, "7"), place, lambda said: None)
    with looping(runs.run()):
        yield runs


@contextmanager
def worker(address: str, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Runs a worker in a process of its own."""
    command = [sys.executable, "-c", "from referee.cli import main; main()", "worker", "--database", address, *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield process
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


class End:
    """A user of the broker, who connects again and again, and notes what comes."""

    def __init__(self, place: Membership, *topics: str, will: LastWill | None = None) -> None:
        self._place, self._topics, self._will = place, topics, will
        self.connection: Connection | None = None
        self.refusal = ""
        self.heard: list[Incoming] = []

    def hear(self, message: Incoming) -> None:
        """Called with each message; may be replaced."""

    async def run(self) -> None:
        while True:
            try:
                async with connected(self._place, self._will) as connection:
                    connection.subscribe(self._topics)
                    self.connection = connection
                    self.connected()
                    async for message in connection.messages():
                        self.heard.append(message)
                        self.hear(message)
            except BrokerError as e:
                self.refusal = str(e)
            self.connection = None
            await asyncio.sleep(0.1)

    def connected(self) -> None:
        """Called with each new connection; may be replaced."""

    @contextmanager
    def running(self) -> Iterator[None]:
        with looping(self.run()):
            until(lambda: self.connection is not None or self.refusal)
            yield


class Club:
    """A hall for tests: a hub process at the real engines, and boards whose vision processes the test plays."""

    def __init__(self, folder: Path, broker: Broker, database: Database) -> None:
        self.folder, self.broker = folder, broker
        self.address = database.new()
        self.data = folder / "hub"
        self.url = ""
        self.process: subprocess.Popen[str]

    @contextmanager
    def hub(self, *options: str) -> Iterator[Self]:
        """Runs the hub in a process of its own, with the broker's present users."""
        self.start(*options)
        try:
            yield self
        finally:
            self.stop()

    def start(self, *options: str, port: int = 0) -> None:
        self.data.mkdir(exist_ok=True)
        if self.broker.secrets:
            secrets = {user: self.broker.secrets[user] for user in (HUB_USER, WALL_USER)}
            (self.data / "hub.json").write_text(json.dumps(secrets))
        words = {"database": self.address, "data": self.data, "broker-port": self.broker.port, "host": "127.0.0.1",
                 "port": port, "pair-port": 0, "tls-port": self.broker.tls_port}  # fmt: skip
        given = [word for name, value in words.items() for word in (f"--{name}", str(value))]
        command = [sys.executable, "-c", "from referee.cli import main; main()", "hub", *given, *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().split()[-1]

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    @contextmanager
    def board(self, name: str, **start: Any) -> Iterator[HallEyes]:
        """A board with its courier; its match has begun."""
        station = str(uuid4())
        self.broker.add(station)
        with connect(self.address) as database:
            database.execute(
                "insert into station (id, name, hashed) values (%s, %s, %s)",
                [station, name, hashed(self.broker.secrets[station])],
            )
        folder = self.folder / f"board-{name}"
        folder.mkdir(exist_ok=True)
        with self._board(station, name, Stage(folder), **start) as board:
            yield board

    @contextmanager
    def again(self, board: HallEyes) -> Iterator[HallEyes]:
        """The same board after its end: its referee goes on with the match, and another courier comes."""
        with self._board(board.station, board.name, Stage(board.stage.folder)) as back:
            yield back

    @contextmanager
    def _board(self, station: str, name: str, stage: Stage, **start: Any) -> Iterator[HallEyes]:
        place = self.broker.place(station, hub=self.url)
        runs = Courier(stage.folder, Station(station, name), place, lambda said: None)
        with stage.eyes(**start) as eyes, looping(runs.run()):
            eyes.link.publish({"type": "match", "log": str(stage.log.resolve())})
            yield HallEyes(station, name, stage, eyes, runs)

    def get(self, path: str) -> Any:
        with urlopen(f"{self.url}{path}", timeout=60) as answer:
            return json.loads(answer.read())

    def post(self, path: str, body: dict[str, Any]) -> Any:
        data, headers = json.dumps(body).encode(), {"content-type": "application/json"}
        with urlopen(Request(f"{self.url}{path}", data, headers), timeout=60) as answer:
            return json.loads(answer.read())

    @property
    def port(self) -> int:
        return int(self.url.rstrip("/").rpartition(":")[2])

    def tile(self, name: str) -> dict[str, Any]:
        """A board as the wall shows it; empty if it does not."""
        return next((tile for tile in self.get("api/hall/boards") if tile["name"] == name), {})


@dataclass
class HallEyes:
    """A board of the hall."""

    station: str
    name: str
    stage: Stage
    eyes: Eyes
    courier: Courier

    @property
    def log(self) -> Path:
        return self.stage.log

    @property
    def uid(self) -> str:
        return match_uid(self.log)
