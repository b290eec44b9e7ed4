"""The vision process's end of the link: publishes to every web server without waiting, and collects what they send."""

from __future__ import annotations

import asyncio
import os
import secrets
import threading
from collections import OrderedDict, deque
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from referee.link.message import PORT_NAME, SOCKET_NAME, Body, LinkError, packed, read_message, unix_path

SUPERSEDED = frozenset({"live", "preview", "board", "match", "health", "setup"})
"""Types of which only the newest message matters: a slow web server misses older ones."""
RETAINED = frozenset({"board", "match", "health", "setup"})
"""Types whose last message is sent at once to every web server that connects."""
QUEUED_LINES = 2000
"""Greatest number of messages waiting for a web server; beyond it that is cut off, reconnects and reads the log
instead."""
MOST_UNPOLLED_EVENTS = 1000
"""Greatest number of received messages that were not polled yet; beyond it the sender is cut off."""
CLOSING_WAIT_S = 0.5
"""Longest wait for the last messages to be sent on closing, in seconds."""
ACCEPT_TURNS = 8
"""Turns of the event loop on closing, after which a connection accepted just before is registered (asyncio needs
four)."""


class VisionEnd:
    """The vision process's end: publishes to every connected web server and collects what they send.

    Use it in a `with`. Nothing here waits for one. Raises LinkError if another referee already runs in this folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._outboxes: dict[asyncio.StreamWriter, _Outbox] = {}
        self._retained: dict[str, bytes] = {}
        self._events: deque[Body] = deque()
        self._server: asyncio.Server | None = None
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._token = ""
        self._loop: asyncio.AbstractEventLoop
        self._thread: threading.Thread

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="camera-link", daemon=True)
        self._thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        except OSError as e:
            self._end_loop()
            if not self.folder.is_dir():
                raise LinkError(f"there is no folder {self.folder}: create it, or choose another") from None
            raise LinkError(f"cannot listen in {self.folder}: {e.strerror}; choose a folder you may write") from None
        except LinkError:
            self._end_loop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        asyncio.run_coroutine_threadsafe(self._farewell(), self._loop).result()
        self._end_loop()
        for name in (SOCKET_NAME, PORT_NAME):
            (self.folder / name).unlink(missing_ok=True)

    @property
    def listeners(self) -> int:
        """Number of connected web servers."""
        return len(self._outboxes)

    def publish(self, body: Body, blob: bytes = b"") -> None:
        """Sends to every web server, returning at once; `body` is encoded now, so it may change afterwards."""
        if not self._outboxes and body["type"] not in RETAINED:
            return
        data = packed(body, blob)
        self._loop.call_soon_threadsafe(self._fan_out, body["type"], data)

    def poll(self) -> list[Body]:
        """Returns the messages of the web servers since the last call, in order."""
        events = []
        while self._events:
            events.append(self._events.popleft())
        return events

    def _fan_out(self, kind: str, data: bytes) -> None:
        if kind in RETAINED:
            self._retained[kind] = data
        for writer, outbox in list(self._outboxes.items()):
            if not outbox.put(kind, data):
                writer.transport.abort()

    async def _listen(self) -> None:
        path = unix_path(self.folder)
        if path is None:
            self._token = secrets.token_hex(16)
            self._server = await asyncio.start_server(self._welcome, "127.0.0.1", 0)
            port = self._server.sockets[0].getsockname()[1]
            _write_private(self.folder / PORT_NAME, f"{port} {self._token}")
            return
        await _remove_stale(path)
        self._server = await asyncio.start_unix_server(self._welcome, path)
        path.chmod(0o600)

    def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = self._loop.create_task(self._serve(reader, writer))
        self._connections[task] = writer
        task.add_done_callback(self._connections.pop)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sender: asyncio.Task[None] | None = None
        try:
            if self._token and (await read_message(reader)).body.get("token") != self._token:
                return
            outbox = self._outboxes[writer] = _Outbox()
            for kind, data in self._retained.items():
                outbox.put(kind, data)
            sender = asyncio.create_task(outbox.send_all(writer))
            await self._receive(reader)
        except (OSError, EOFError, LinkError):
            # This web server has gone or sends nonsense; it may come back, and the others do not notice.
            return
        finally:
            self._outboxes.pop(writer, None)
            if sender is not None:
                sender.cancel()
            await _abort(writer)

    async def _receive(self, reader: asyncio.StreamReader) -> None:
        while len(self._events) < MOST_UNPOLLED_EVENTS:
            self._events.append((await read_message(reader)).body)

    async def _farewell(self) -> None:
        """Waits until queued messages are sent, then closes every connection."""
        for _ in range(ACCEPT_TURNS):
            await asyncio.sleep(0)
        if self._server is not None:
            self._server.close()
        waits = [outbox.emptied() for outbox in self._outboxes.values()]
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.gather(*waits), CLOSING_WAIT_S)
        connections = dict(self._connections)
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        for writer in connections.values():
            await _abort(writer)

    def _end_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class _Outbox:
    """Messages still to be sent to one web server, in order; a newer one of a superseded type replaces the older."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str | int, bytes] = OrderedDict()
        self._serial = 0
        self._filled = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()

    def put(self, kind: str, data: bytes) -> bool:
        """Queues a message; returns False if the web server has not read for so long that it must be cut off."""
        self._serial += 1
        key = kind if kind in SUPERSEDED else self._serial
        self._waiting.pop(key, None)
        self._waiting[key] = data
        self._filled.set()
        self._empty.clear()
        return len(self._waiting) <= QUEUED_LINES

    async def send_all(self, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while True:
                await self._filled.wait()
                while self._waiting:
                    writer.write(self._waiting.popitem(last=False)[1])
                    await writer.drain()
                self._filled.clear()
                self._empty.set()

    async def emptied(self) -> None:
        await self._empty.wait()


async def _abort(writer: asyncio.StreamWriter) -> None:
    """Closes at once; messages that the other end has not read are lost, and it asks anew."""
    writer.transport.abort()
    with suppress(OSError):
        await writer.wait_closed()


async def _remove_stale(path: Path) -> None:
    """Removes the socket of a dead vision process; raises LinkError if it is alive."""
    if not path.exists():
        return
    try:
        _, writer = await asyncio.open_unix_connection(path)
    except OSError:
        path.unlink(missing_ok=True)
        return
    await _abort(writer)
    raise LinkError(f"another referee is already running in {path.parent}; stop it first or use another data folder")


def _write_private(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(fd, "w", encoding="ascii") as file:
        file.write(text)
