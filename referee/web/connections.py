"""Limits on open connections: by address, in total, and on the time for a request to arrive."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

AN_ADDRESS, IN_ALL = 128, 512
"""Greatest number of connections of an address, and in total. A browser holds seven; a hall, or a proxy, may share one
address.
"""
HEADER_S = 10.0
"""Longest time for a request's header, s. A phone at the end of the hall needs two seconds."""
BODY_S = 30.0
"""Longest time for a short body, and for each part of an archive, s."""
CONNECTIONS_UPLOADS = "/api/matches"
"""Endings of paths whose body may take longer as a whole."""


class ConnectionPool:
    """The connections of one server, the oldest first."""

    def __init__(self, proxies: Collection[str] = (), an_address: int = AN_ADDRESS, in_all: int = IN_ALL) -> None:
        """`proxies`: addresses that speak for all their visitors, which only the limit in total holds for."""
        self._proxies, self._an_address, self._in_all = proxies, an_address, in_all
        self._held: dict[asyncio.Transport, tuple[str, Limited]] = {}

    def add(self, transport: asyncio.Transport, protocol: Limited) -> None:
        """Adds a connection. Where there are too many, the oldest idle one is closed, else the new one."""
        self._held = {t: held for t, held in self._held.items() if not t.is_closing()}
        address = network_of(str((protocol.client or ("unknown", 0))[0]))
        mine = [t for t, (other, _) in self._held.items() if other == address and other not in self._proxies]
        self._held[transport] = address, protocol
        for held, most in ((mine, self._an_address), (list(self._held), self._in_all)):
            if len(held) >= most:
                (next((t for t in held if t is not transport and self._held[t][1].is_idle), None) or transport).abort()


class Limited(H11Protocol):
    """uvicorn's HTTP protocol with limits; created by `limited`."""

    open: ConnectionPool
    begun: Callable[[asyncio.BaseTransport], None]
    """Called with each connection once its handshake is over."""
    is_idle = True
    """No request is under way."""
    _is_upgraded = False
    """A WebSocket took the connection over; its request arrived whole."""
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.begun(transport)
        self.open.add(transport, self)
        self._wait(HEADER_S)

    def data_received(self, data: bytes) -> None:
        was = self.conn.their_state
        super().data_received(data)
        if self._is_upgraded:
            return
        state = self.conn.their_state
        self.is_idle = state is h11.IDLE
        if state is h11.SEND_BODY:
            if was is not h11.SEND_BODY or self.scope["path"].endswith(CONNECTIONS_UPLOADS):
                self._wait(BODY_S)
        elif state is not h11.IDLE:
            self._wait(None)
        elif self._deadline is None:
            self._wait(HEADER_S)

    def on_response_complete(self) -> None:
        self._wait(None)
        self.is_idle = True
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait(None)
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._wait(None)
        self._is_upgraded, self.is_idle = True, False
        super().handle_websocket_upgrade(event)

    def _wait(self, seconds: float | None) -> None:
        """Closes the connection after `seconds`, unless it is called again before."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self.transport.abort)


def limited(held: ConnectionPool, begun: Callable[[asyncio.BaseTransport], None]) -> type[Limited]:
    """Returns the protocol class of a server whose connections are `held`; `begun` is called with each."""
    return type("Limited", (Limited,), {"open": held, "begun": staticmethod(begun)})


def network_of(address: str) -> str:
    """Returns the identity behind an address: for IPv6 its network, since a phone has as many addresses as it likes."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            return str(ip.ipv4_mapped)
        return str(ipaddress.ip_network((int(ip) >> 64 << 64, 64)))
    return str(ip)


class ViewerCount:
    """Counts the open WebSockets of each address, also of those whose connections are a proxy's."""

    def __init__(self, an_address: int = AN_ADDRESS) -> None:
        self._an_address = an_address
        self._open: Counter[str] = Counter()

    @contextmanager
    def admitted(self, address: str) -> Iterator[bool]:
        """Yields whether one more may be opened, which is counted meanwhile."""
        network = network_of(address)
        if self._open[network] >= self._an_address:
            yield False
            return
        self._open[network] += 1
        try:
            yield True
        finally:
            self._open[network] -= 1
            self._open += Counter()  # forgets addresses without any


class LinePace:
    """Rate limit of log lines caused by one address: ten at once, then one a second."""

    AT_ONCE, IN_ALL = 10, 20
    ADDRESSES = 1000

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._times: dict[str, deque[float]] = {}

    def allows(self, address: str) -> bool:
        """Tells whether another line may be logged for this address, and counts it."""
        if len(self._times) > self.ADDRESSES:
            self._times.clear()
        return all([*self._counted(address, "")])

    def _counted(self, address: str, everybody: str) -> Iterator[bool]:
        now = self._clock()
        for who, most, over_s in ((address, self.AT_ONCE, float(self.AT_ONCE)), (everybody, self.IN_ALL, 1.0)):
            times = self._times.setdefault(who, deque())
            while times and times[0] <= now - over_s:
                times.popleft()
            allowed = len(times) < most
            if allowed:
                times.append(now)
            yield allowed


class LogRateLimit(logging.Filter):
    """Limits a logger to ten lines at once and one a second, so that nonsense requests do not fill the disk."""

    def __init__(self) -> None:
        super().__init__()
        self._pace = LinePace()

    def filter(self, record: logging.LogRecord) -> bool:
        return self._pace.allows(record.name)


def keep_quiet(*names: str) -> None:
    """Adds the filter to these loggers."""
    for name in names:
        logger = logging.getLogger(name)
        if not any(isinstance(each, LogRateLimit) for each in logger.filters):
            logger.addFilter(LogRateLimit())


def escaped(text: Any, most: int = 100) -> str:
    """Returns a client's text for the journal: short, on one line, without control characters."""
    shown = str(text).encode("unicode_escape").decode("ascii")
    return shown if len(shown) <= most else f"{shown[:most]}... ({len(shown)} characters)"
