"""The web server's end of the link: connects to the vision process, and reconnects whenever that comes back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

from referee.link.message import PORT_NAME, Body, LinkError, Message, packed, read_message, unix_path

RETRY_S = 0.5
"""Pause before the web server tries to connect again, in seconds."""


class WebEnd:
    """The web server's end: `async for message in link` yields the camera's messages across its restarts.

    Every connection and its loss comes as a message `{"type":"link","connected":bool}`.
    """

    def __init__(self, folder: Path, retry_s: float = RETRY_S) -> None:
        self.folder = folder
        self.retry_s = retry_s
        self._writer: asyncio.StreamWriter | None = None

    @property
    def connected(self) -> bool:
        return self._writer is not None

    async def send(self, body: Body) -> None:
        """Sends a message to the vision process; raises LinkError if it is not connected."""
        if self._writer is None:
            raise LinkError("the referee's vision process is not running; start it and try again")
        self._writer.write(packed(body, b""))
        with suppress(OSError):
            await self._writer.drain()

    async def __aiter__(self) -> AsyncIterator[Message]:
        while True:
            try:
                reader, self._writer = await self._connect()
            except (OSError, ValueError):
                await asyncio.sleep(self.retry_s)
                continue
            try:
                yield _link_message(True)
                while (message := await _read_or_none(reader)) is not None:
                    yield message
            finally:
                writer, self._writer = self._writer, None
                if writer is not None:
                    writer.close()
                    with suppress(OSError):
                        await writer.wait_closed()
            yield _link_message(False)
            await asyncio.sleep(self.retry_s)

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        path = unix_path(self.folder)
        if path is not None:
            return await asyncio.open_unix_connection(path)
        port, token = (self.folder / PORT_NAME).read_text(encoding="ascii").split()
        reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
        writer.write(packed({"type": "hello", "token": token}, b""))
        return reader, writer


def _link_message(connected: bool) -> Message:
    return Message({"type": "link", "connected": connected})


async def _read_or_none(reader: asyncio.StreamReader) -> Message | None:
    """Returns the next message; None if the vision process has gone or sends what is no message."""
    try:
        return await read_message(reader)
    except (OSError, EOFError, LinkError):
        return None
