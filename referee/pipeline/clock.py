"""The time of day during a match: a Raspberry Pi has no clock of its own and learns the time some while after start."""

from __future__ import annotations

import time
from collections.abc import Callable

from referee.log.session import Session

SET_BY_S = 2.0
"""A clock that gains or loses this much (s) against the steady one was set; drift and leap seconds stay below."""


class WallClock:
    """Notices that the machine's clock has been set, and says so in the log."""

    def __init__(self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._wall, self._steady = wall, steady
        self._offset = wall() - steady()

    def check(self, session: Session, t: float) -> None:
        """Logs the time of day of the frame at `t` when it is another than the header and earlier lines make it."""
        now = self._wall()
        offset = now - self._steady()
        if abs(offset - self._offset) >= SET_BY_S:
            self._offset = offset
            session.write({"type": "clock", "t": round(t, 4), "wall": round(now, 3)})
