"""Connections whose TLS handshake is under way: they are no protocol's yet, so the listening socket counts them."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress

from referee.web.connections import AN_ADDRESS, HEADER_S, IN_ALL, network_of


class Handshakes:
    """Accepted connections that no protocol was told of yet, the oldest first.

    Where an address, or all together, have too many the oldest goes; each has as long as a request's header.
    """

    def __init__(self, an_address: int = AN_ADDRESS, in_all: int = IN_ALL, seconds: float = HEADER_S) -> None:
        self._an_address, self._in_all, self._seconds = an_address, in_all, seconds
        self._held: dict[socket.socket, str] = {}

    def begin(self, connection: socket.socket, address: str) -> None:
        """Takes a connection that was just accepted. Call it in the event loop."""
        self._held = {sock: other for sock, other in self._held.items() if sock.fileno() >= 0}
        self._held[connection] = address
        mine = [sock for sock, other in self._held.items() if other == address]
        for held, most in ((mine, self._an_address), (list(self._held), self._in_all)):
            if len(held) > most:
                self._close(held[0])
        asyncio.get_running_loop().call_later(self._seconds, self._close, connection)

    def end(self, transport: asyncio.BaseTransport) -> None:
        """The handshake is done: a protocol has the connection from now on."""
        fd = transport.get_extra_info("socket").fileno()
        self._held = {sock: address for sock, address in self._held.items() if sock.fileno() != fd}

    def _close(self, connection: socket.socket) -> None:
        """The loop hears the end of what is shut down, and closes it."""
        if self._held.pop(connection, None) is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class Listener(socket.socket):
    """A listening socket that tells `handshakes` whom it accepted."""

    def __init__(self, family: int) -> None:
        super().__init__(family, socket.SOCK_STREAM)
        self.handshakes = Handshakes()

    def accept(self) -> tuple[socket.socket, tuple[str, int]]:
        connection, address = super().accept()
        self.handshakes.begin(connection, network_of(str(address[0])))
        return connection, address
