"""Viewers during the budget measurement: each has the live board and the camera's picture open."""

from __future__ import annotations

import asyncio
import threading
from types import TracebackType
from typing import Self
from urllib.error import URLError
from urllib.request import urlopen

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

BUDGET_VIEWERS_ASK_S = 5.0
"""Longest wait for a picture, s."""


class Viewers:
    """Opens `count` pages of the server at `url`; use it in a `with`. Their work is done in this process."""

    def __init__(self, url: str, count: int) -> None:
        self.updates = [0] * count
        """Messages received by each."""
        self.pictures = [0] * count
        """Camera pictures received by each."""
        self._url = url
        self._ending = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._watch()), name="viewers")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self._ending.set()
        self._thread.join()

    async def _watch(self) -> None:
        pages = range(len(self.updates))
        await asyncio.gather(*(self._board(i) for i in pages), *(self._camera(i) for i in pages))

    async def _board(self, page: int) -> None:
        try:
            async with connect(f"{self._url.replace('http', 'ws', 1)}ws", max_size=None) as socket:
                while not self._ending.is_set():
                    await socket.recv()
                    self.updates[page] += 1
        except (OSError, WebSocketException):
            return

    async def _camera(self, page: int) -> None:
        after = "-1"
        while not self._ending.is_set():
            viewers = await asyncio.to_thread(self._picture, after)
            if viewers is None:
                await asyncio.sleep(0.5)
            else:
                after = viewers
                self.pictures[page] += 1

    def _picture(self, after: str) -> str | None:
        """Fetches the next picture; returns its time as the server reports it, None if none came."""
        try:
            with urlopen(f"{self._url}api/camera.jpg?after={after}", timeout=BUDGET_VIEWERS_ASK_S) as answer:
                answer.read()
                return str(answer.headers["x-time"]) if answer.status == 200 else None
        except (URLError, OSError):
            return None
