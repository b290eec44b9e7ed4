"""The camera's newest picture for the pages, requested from the vision process only while somebody watches."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

PICTURE_ASK_EVERY_S = 1.0
"""Interval of requests to the vision process while somebody watches, s. It stops sending when they stop."""
PATIENCE_S = 1.5
"""Longest wait of a page's request for a newer picture or state before the page is told that there is none, s. Shorter
than the server takes to close."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture, rectified to the board."""

    reach_mm: float
    """The picture shows the board from -reach to +reach in both directions."""
    detections: Mapping[str, Any]
    """Detections in this very frame, as in the live section."""
    jpeg: bytes

    @property
    def t(self) -> float:
        """Time of the frame on the frames' clock, s."""
        return float(self.detections["t"])


class CameraPicture:
    """Holds the newest picture for all viewers. Lives in one event loop."""

    def __init__(self, ask: Callable[[Mapping[str, Any]], Awaitable[bool]],
                 clock: Callable[[], float] | None = None) -> None:  # fmt: skip
        """`ask` sends a message to the vision process."""
        self._ask = ask
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        self._shot: Shot | None = None
        self._taken_at = float("-inf")
        self._news = asyncio.Event()
        self._asked_at = float("-inf")

    def add(self, shot: Shot) -> None:
        """Stores a picture from the vision process."""
        self._shot, self._taken_at = shot, self._clock()
        self._news.set()
        self._news = asyncio.Event()

    async def newer_than(self, t: float) -> Shot | None:
        """Returns the first picture other than the one of time `t`; None if none comes."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    await self._remind()
                    if self._shot is not None and self._shot.t != t and self._is_fresh():
                        return self._shot
                    await self._next()
        except TimeoutError:
            return None

    def _is_fresh(self) -> bool:
        """Tells whether the picture is recent. An older one must not pass for a live one."""
        return self._taken_at > self._clock() - PATIENCE_S

    async def _remind(self) -> None:
        if self._clock() >= self._asked_at + PICTURE_ASK_EVERY_S:
            self._asked_at = self._clock()
            await self._ask({"type": "preview_wanted"})

    async def _next(self) -> None:
        """Waits for a picture, or until the next request is due."""
        try:
            async with asyncio.timeout(PICTURE_ASK_EVERY_S):
                await self._news.wait()
        except TimeoutError:
            return
