"""The hub's side of the broker: rows and questions go to the ingest thread, everything else to the hall."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from referee.courier.chunk import ChunkError, unpack
from referee.courier.mqtt import BrokerError, Connection, Incoming, LastWill, connected
from referee.courier.topics import FROM_BOARD, HUB, ROOT, Address, Topic, address_of, topic_of
from referee.hub.ingest import Arrival
from referee.hub.ingest_thread import Question
from referee.log.uid import is_uuid, uuid7
from referee.membership.place import Membership

logger = logging.getLogger(__name__)

BROKER_RETRY_S = 0.5
"""Pause before the broker is tried again, s."""
WORD_EXPIRY_S = 30
"""Time after which a word that did not reach its board is dropped, s."""
MOST_ASKED_UIDS = 1000
"""Greatest number of uids in one question."""

TopicListener = Callable[[Address, Any], None]


class BrokerSide:
    """Keeps the connection to the broker; `run` never returns."""

    def __init__(self, place: Membership, put: Callable[[Arrival | Question], None], heard: TopicListener) -> None:
        """`put` is called in the network's thread, `heard` in the loop, with a station's message."""
        self._place, self._put, self._heard = place, put, heard
        self._boot, self._session = uuid7(), 0
        self._connection: Connection | None = None
        self.trouble = "not connected yet"
        """Why the broker cannot be reached; "" while it can."""

    async def run(self) -> None:
        """Connects again and again until cancelled."""
        loop = asyncio.get_running_loop()
        will = LastWill(HUB, json.dumps({"boot": None}).encode())
        while True:
            try:
                async with connected(self._place, will, lambda m: self._sort(m, loop)) as connection:
                    self._connection, self.trouble = connection, ""
                    connection.subscribe(
                        f"{ROOT}/+/{topic}" + ("/+" if topic is Topic.LOG else "") for topic in FROM_BOARD
                    )
                    self._session += 1
                    here = {"boot": self._boot, "session": self._session, "program": version("carrom-referee")}
                    connection.publish(HUB, json.dumps(here).encode(), retain=True)
                    async for _ in connection.messages():
                        continue
            except BrokerError as e:
                if not self.trouble:
                    logger.warning("%s", e)
                self.trouble = str(e)
            else:
                self.trouble = "the connection to the broker was lost"
            self._connection = None
            await asyncio.sleep(BROKER_RETRY_S)

    def publish(self, topic: str, payload: bytes) -> None:
        """Sends a message if the broker is there; callable from every thread. Boards ask again for what is lost."""
        if (connection := self._connection) is not None:
            connection.publish(topic, payload)

    def send(self, station: str, topic: Topic, message: dict[str, Any]) -> bool:
        """Sends a word or a wish to a board, which has half a minute to take it; False if the broker is away."""
        if (connection := self._connection) is None:
            return False
        connection.publish(topic_of(station, topic), json.dumps(message).encode(), expiry_s=WORD_EXPIRY_S)
        return True

    def _sort(self, message: Incoming, loop: asyncio.AbstractEventLoop) -> None:
        """Handles a message in the network's thread; one that makes no sense is left out."""
        address = address_of(message.topic)
        if address is None:
            return
        try:
            if address.topic is Topic.LOG and is_uuid(address.uid):
                self._put(Arrival(address.station, address.uid, unpack(message.payload)))
                return
            said = json.loads(message.payload or b"null")
        except (ChunkError, ValueError) as e:
            logger.warning("a message of station %s is not understood: %s", address.station, e)
            return
        if address.topic is Topic.ASK and isinstance(said, list):
            uids = tuple(uid for uid in said[:MOST_ASKED_UIDS] if is_uuid(uid))
            self._put(Question(address.station, uids))
        elif isinstance(said, dict) and not loop.is_closed():
            loop.call_soon_threadsafe(self._heard, address, said)
