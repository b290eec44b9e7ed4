"""The camera's newest picture on its way to the pages that show it, asked of the eyes only while somebody looks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

PICTURE_ASK_EVERY_S = 1.0
"""The eyes are reminded this often that somebody looks; they stop by themselves when reminders stop."""
PATIENCE_S = 1.5
"""Longest wait for a new picture before the page is told that there is none; shorter than the house takes to close."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture, squared up to the board."""

    reach_mm: float
    """The picture shows the board from -reach to +reach in both directions."""
    seen: Mapping[str, Any]
    """What the eyes made of this very frame, as in the live section."""
    jpeg: bytes

    @property
    def t(self) -> float:
        """When it was taken, seconds on the frames' clock."""
        return float(self.seen["t"])


class CameraPicture:
    """Keeps the newest shot; many lookers share it. Lives in one event loop."""

    def __init__(self, ask: Callable[[Mapping[str, Any]], Awaitable[bool]],
                 clock: Callable[[], float] | None = None) -> None:  # fmt: skip
        """`ask` sends a message to the eyes."""
        self._ask = ask
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        self._shot: Shot | None = None
        self._taken_at = float("-inf")
        self._news = asyncio.Event()
        self._asked_at = float("-inf")

    def add(self, shot: Shot) -> None:
        """The eyes sent a picture."""
        self._shot, self._taken_at = shot, self._clock()
        self._news.set()
        self._news = asyncio.Event()

    async def newer_than(self, t: float) -> Shot | None:
        """The first picture that is not the one taken at `t`; None when none comes."""
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
        """A picture from before anybody looked is not shown as if it were now."""
        return self._taken_at > self._clock() - PATIENCE_S

    async def _remind(self) -> None:
        if self._clock() >= self._asked_at + PICTURE_ASK_EVERY_S:
            self._asked_at = self._clock()
            await self._ask({"type": "preview_wanted"})

    async def _next(self) -> None:
        """Waits for news, or for the next reminder."""
        try:
            async with asyncio.timeout(PICTURE_ASK_EVERY_S):
                await self._news.wait()
        except TimeoutError:
            return
