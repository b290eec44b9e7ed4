"""One connection to the broker, for asyncio: opened, used, lost. Whoever needs another opens another.

A new client for each connection begins without the old one's queue: what was on its way is sent again from the log,
from where the hub says, and by nobody else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from referee.membership.place import Membership

KEEPALIVE_S = 10
"""Silence after which the broker publishes a last will: 1.5 times this."""
CONNECT_S = 10.0
"""Longest wait for a connection to be accepted, s."""
INFLIGHT = 1000
"""Messages on their way to the broker at a time; couriers bound theirs themselves, by bytes."""


class BrokerError(Exception):
    """The broker cannot be reached, or refuses; the message is one sentence."""


class BrokerRefused(BrokerError):
    """The broker does not know this user."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message from the broker."""

    topic: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class LastWill:
    """Retained message that the broker publishes when a connection is lost."""

    topic: str
    payload: bytes


class Connection:
    """An open connection. `messages` ends when it is lost."""

    def __init__(self, client: paho.Client, queue: asyncio.Queue[Incoming | None]) -> None:
        self._client, self._queue = client, queue

    def publish(self, topic: str, payload: bytes, retain: bool = False, expiry_s: int | None = None) -> None:
        """Sends a message at least once while the connection lasts; returns at once. Callable from every thread."""
        properties = None
        if expiry_s is not None:
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            properties.MessageExpiryInterval = expiry_s
        self._client.publish(topic, payload, qos=1, retain=retain, properties=properties)

    def subscribe(self, topics: Iterable[str]) -> None:
        """Asks for the messages of these topics; retained ones of an earlier call come first."""
        self._client.subscribe([(topic, 1) for topic in topics])

    async def messages(self) -> AsyncIterator[Incoming]:
        """Yields messages until the connection is lost."""
        while (message := await self._queue.get()) is not None:
            yield message


@asynccontextmanager
async def connected(place: Membership, will: LastWill | None = None,
                    hear: Callable[[Incoming], None] | None = None) -> AsyncIterator[Connection]:  # fmt: skip
    """Opens a connection for the block. `hear`: called with each message, in the network's thread, instead of
    `messages`.

    Raises BrokerError or MembershipError.
    """
    loop, queue = asyncio.get_running_loop(), asyncio.Queue[Incoming | None]()
    accepted: asyncio.Future[ReasonCode] = loop.create_future()
    tls = place.tls()
    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5, reconnect_on_failure=False)
    client.username_pw_set(place.user, place.secret)
    client.max_inflight_messages_set(INFLIGHT)
    if tls is not None:
        client.tls_set_context(tls)
    if will is not None:
        client.will_set(will.topic, will.payload, qos=1, retain=True)
    # Callbacks run in the network's thread, which may outlive the loop by a moment.
    said = _Relay(loop)

    def on_connect(_c: paho.Client, _d: Any, _f: paho.ConnectFlags, reason: ReasonCode, _p: object) -> None:
        said(lambda: None if accepted.done() else accepted.set_result(reason))

    def on_message(_c: paho.Client, _d: Any, message: paho.MQTTMessage) -> None:
        incoming = Incoming(message.topic, bytes(message.payload))
        if hear is not None:
            hear(incoming)
        else:
            said(lambda: queue.put_nowait(incoming))

    def on_disconnect(*_: object) -> None:
        said(lambda: queue.put_nowait(None))
        said(lambda: None if accepted.done() else accepted.cancel())

    client.on_connect, client.on_message, client.on_disconnect = on_connect, on_message, on_disconnect
    try:
        try:
            await asyncio.to_thread(client.connect, place.host, place.port, KEEPALIVE_S)
            client.loop_start()
            async with asyncio.timeout(CONNECT_S):
                reason = await asyncio.shield(accepted)
        except (OSError, ValueError, TimeoutError) as e:
            raise BrokerError(
                f"the broker at {place.host}:{place.port} cannot be reached ({e or 'no answer'})"
            ) from None
        except asyncio.CancelledError:
            if not accepted.cancelled():
                raise
            raise BrokerError(f"the broker at {place.host}:{place.port} hung up") from None
        if reason.is_failure:
            raise BrokerRefused(f"the broker at {place.host}:{place.port} refuses {place.user}: {reason}")
        yield Connection(client, queue)
    finally:
        said.close()
        # An orderly end tells the same as a loss: whoever goes is away.
        client.disconnect(ReasonCode(PacketTypes.DISCONNECT, "Disconnect with will message"))
        await asyncio.to_thread(client.loop_stop)


class _Relay:
    """Calls functions in a loop from other threads, until it is closed."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop: asyncio.AbstractEventLoop | None = loop

    def __call__(self, act: Callable[[], object]) -> None:
        if (loop := self._loop) is not None and not loop.is_closed():
            loop.call_soon_threadsafe(act)

    def close(self) -> None:
        self._loop = None
