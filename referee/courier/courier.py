"""The courier's process: ships logs, tells the board's state, and hands the hub's words to the vision process."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from referee.courier.chunk import pack
from referee.courier.match_follower import MatchFollower
from referee.courier.mqtt import BrokerError, BrokerRefused, Connection, Incoming, LastWill, connected
from referee.courier.outbox import LogOutbox
from referee.courier.shipping import Shipping
from referee.courier.topics import HUB, TO_BOARD, Topic, address_of, topic_of
from referee.courier.upload import upload_all
from referee.link import LinkError, Message, WebEnd
from referee.log.identity import Station
from referee.membership.place import Membership

logger = logging.getLogger(__name__)

LOG_POLL_S = 0.25
"""Interval at which the running match's log is checked without a message that it has grown, s."""
SCAN_S = 5.0
"""Interval at which the folder is searched for other logs, s."""
STATE_S = 0.5
"""Shortest time between two states, s."""
FIRST_RETRY_S, LONGEST_RETRY_S = 1.0, 10.0
"""Pause before the broker is tried again, s: doubled each time up to the longest."""
MOST_ASKED = 300
"""Greatest number of uids in one question."""
WORD_TYPES = frozenset({"correction", "running", "new_match"})
"""Types of messages that the hub may send to the vision process."""
ON_WAY_S = 30.0
"""Time for which a word counts as on its way to the vision process, s; the broker drops it after as long."""


class _Lost(Exception):
    """The connection is lost."""


class Courier:
    """Serves one board; `run` never returns."""

    def __init__(self, folder: Path, station: Station, place: Membership, said: Callable[[str], None]) -> None:
        """`folder`: the board's data folder. `said`: hears a sentence on each change of the connection."""
        self._station, self._place, self._said = station, place, said
        self._link, self._outbox = WebEnd(folder), LogOutbox(folder)
        self.shipping = Shipping()
        self._view = MatchFollower()
        self._connection: Connection | None = None
        self._hub: tuple[object, object] | None = None
        """Boot and session of the hub; None while it is away."""
        self._asked: set[str] = set()
        self._news, self._changed = asyncio.Event(), asyncio.Event()
        self._health: dict[str, Any] | None = None
        self._on_way: dict[str, float] = {}
        self._uploads: set[asyncio.Task[None]] = set()
        self._scan_at = 0.0
        self._published: dict[Topic, bytes] = {}

    async def run(self) -> None:
        """Runs until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._hear_vision(), name="hear the vision process")
            tasks.create_task(self._keep_connected(), name="keep connected")

    # ---- the board's side

    async def _hear_vision(self) -> None:
        async for message in self._link:
            self._from_vision(message)

    def _from_vision(self, message: Message) -> None:
        body = message.body
        match message.type:
            case "line":
                if self._view.log is None:
                    self._scan_at = 0.0
                self._news.set()
            case "match":
                self._view.follow(Path(body["log"]))
                self._scan_at = 0.0
                self._news.set()
            case "health" | "link":
                self._health = body if message.type == "health" else None
                self._changed.set()
            case "refused":
                self._answer({"id": body.get("id"), "refused": body.get("texts")})

    # ---- the hub's side

    async def _keep_connected(self) -> None:
        pause, trouble = FIRST_RETRY_S, ""
        will = LastWill(self._topic(Topic.UP), json.dumps({"up": False}).encode())
        while True:
            try:
                async with connected(self._place, will) as connection:
                    self._said(f"connected to {self._place.host}:{self._place.port}")
                    pause, trouble = FIRST_RETRY_S, ""
                    await self._serve(connection)
            except* _Lost:
                self._said("the connection is lost; the board goes on, and what it writes is sent later")
            except* BrokerError as e:
                said = str(e.exceptions[0])
                refused = e.subgroup(BrokerRefused) is not None
                if said != trouble:
                    self._said(f"{said}{': pair this board anew' if refused else ''}")
                pause, trouble = LONGEST_RETRY_S if refused else pause, said
            self._connection, self._hub = None, None
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_RETRY_S)

    async def _serve(self, connection: Connection) -> None:
        self._connection = connection
        self._published.clear()
        connection.subscribe(self._topic(topic) for topic in TO_BOARD)
        connection.subscribe([HUB])
        up = {"up": True, "station": {"id": self._station.id, "name": self._station.name},
              "program": version("carrom-referee")}  # fmt: skip
        self._publish(Topic.UP, up)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._hear_hub(connection), name="hear the hub")
            tasks.create_task(self._ship(connection), name="ship the logs")
            tasks.create_task(self._report_state(), name="tell the state")

    async def _hear_hub(self, connection: Connection) -> None:
        async for message in connection.messages():
            try:
                await self._from_hub(message)
            except (ValueError, KeyError, TypeError, AttributeError) as e:
                logger.warning("a message of the hub is not understood: %r", e)
        raise _Lost

    async def _from_hub(self, message: Incoming) -> None:
        said = json.loads(message.payload or b"{}")
        address = address_of(message.topic)
        if message.topic == HUB:
            self._hub_is(None if said.get("boot") is None else (said["boot"], said.get("session")))
        elif address is None or address.station != self._station.id:
            return
        elif address.topic is Topic.HAVE:
            gap, refusal = said.get("gap"), str(said.get("refused") or "")
            self.shipping.acknowledge(str(said["uid"]), int(said["have"]), time.monotonic(), gap, refusal)
            self._changed.set()
            self._news.set()
        elif address.topic is Topic.WORD:
            await self._hand_in(said)
        elif address.topic is Topic.WANT:
            self._upload(str(said["uid"]), int(said["stroke"]))

    def _hub_is(self, hub: tuple[object, object] | None) -> None:
        if hub is not None and hub != self._hub:
            self._begin()
        self._hub = hub
        self._news.set()

    def _begin(self) -> None:
        self.shipping.begin(time.monotonic())
        self._asked.clear()

    # ---- logs

    async def _ship(self, connection: Connection) -> None:
        while True:
            self._news.clear()
            await self._scan()
            if self._hub is not None:
                await self._send_due(connection)
            await _woken(self._news, LOG_POLL_S)

    async def _scan(self) -> None:
        now = time.monotonic()
        if now >= self._scan_at:
            self._scan_at = now + SCAN_S
            sizes = await asyncio.to_thread(self._outbox.scan)
            self.shipping.forget(self.shipping.logs.keys() - sizes.keys())
            for uid, size in sizes.items():
                self.shipping.grow(uid, size)
        if self._view.log is not None:
            found = await asyncio.to_thread(self._outbox.measure, self._view.log)
            if found is not None and self.shipping.grow(*found):
                self._changed.set()

    async def _send_due(self, connection: Connection) -> None:
        now = time.monotonic()
        if self.shipping.is_silent(now):
            self._begin()
        if new := [uid for uid in self.shipping.unknown() if uid not in self._asked]:
            self._asked.update(new)
            for i in range(0, len(new), MOST_ASKED):
                connection.publish(self._topic(Topic.ASK), json.dumps(new[i : i + MOST_ASKED]).encode())
        while (uid := self.shipping.next()) is not None:
            log = self.shipping.logs[uid]
            chunk = await asyncio.to_thread(self._outbox.read, uid, log.sent, log.epoch)
            if chunk is None:
                # The file changed under our hands: the next scan tells how.
                self._scan_at = 0.0
                return
            if self.shipping.logs.get(uid) is log and log.epoch == chunk.epoch and log.sent == chunk.offset:
                connection.publish(self._topic(Topic.LOG, uid), pack(chunk))
                self.shipping.send(uid, chunk.end, time.monotonic())

    # ---- state

    async def _report_state(self) -> None:
        while True:
            self._changed.clear()
            await asyncio.to_thread(self._view.refresh)
            done = [word for word in self._on_way if word in self._view.words]
            for word in done:
                del self._on_way[word]
            self._publish(Topic.STATE, self._view.state(self._link.connected))
            self._publish(Topic.HEALTH, {"eyes": self._health, "refused": self.shipping.refused})
            await asyncio.sleep(STATE_S)
            await self._changed.wait()

    def _publish(self, topic: Topic, value: dict[str, Any]) -> None:
        """Publishes a retained value, if it changed."""
        payload = json.dumps(value, separators=(",", ":")).encode()
        if self._connection is not None and self._published.get(topic) != payload:
            self._published[topic] = payload
            self._connection.publish(self._topic(topic), payload, retain=True)

    # ---- words

    async def _hand_in(self, word: dict[str, Any]) -> None:
        """Hands a word to the vision process, unless it is done or on its way."""
        name, now = str(word["id"]), time.monotonic()
        self._on_way = {known: at for known, at in self._on_way.items() if now - at < ON_WAY_S}
        if word.get("type") not in WORD_TYPES or name in self._on_way:
            return
        await asyncio.to_thread(self._view.refresh)
        if name in self._view.words:
            self._answer({"id": name, "done": True})
            return
        self._on_way[name] = now
        try:
            await self._link.send(word)
        except LinkError as e:
            del self._on_way[name]
            self._answer({"id": name, "refused": {"en": str(e)}})

    def _answer(self, answer: dict[str, Any]) -> None:
        self._on_way.pop(str(answer.get("id")), None)
        if self._connection is not None:
            self._connection.publish(self._topic(Topic.ANSWER), json.dumps(answer).encode())

    def _upload(self, uid: str, stroke: int) -> None:
        log = self._outbox.path(uid)
        if log is not None and self._place.hub:
            task = asyncio.create_task(self._upload_and_say(uid, log, stroke))
            self._uploads.add(task)
            task.add_done_callback(self._uploads.discard)

    async def _upload_and_say(self, uid: str, log: Path, stroke: int) -> None:
        count = await asyncio.to_thread(upload_all, self._place, uid, log, stroke)
        self._answer({"uid": uid, "stroke": stroke, "files": count})

    def _topic(self, topic: Topic, uid: str = "") -> str:
        return topic_of(self._station.id, topic, uid)


async def _woken(event: asyncio.Event, longest_s: float) -> None:
    """Waits for the event, or so long at most."""
    try:
        async with asyncio.timeout(longest_s):
            await event.wait()
    except TimeoutError:
        return
