"""A stage for tests of the hall: couriers and other ends of the broker in threads of the test's process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from web_stage import until

from referee.courier.courier import Courier
from referee.courier.membership import Membership
from referee.courier.mqtt import BrokerError, Connection, Incoming, LastWill, connected
from referee.log.identity import Station


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
                async with connected(self._place, self._will) as self.connection:
                    self.connection.subscribe(self._topics)
                    self.connected()
                    async for message in self.connection.messages():
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
