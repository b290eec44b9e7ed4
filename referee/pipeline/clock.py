"""Logs when the machine's clock is set during a match.

A Raspberry Pi has no clock of its own and gets the time after start.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from referee.log.session import Session

SET_BY_S = 2.0
"""Change of the wall clock against the monotonic one, in seconds, from which it was set; drift and leap seconds stay
below."""


class WallClock:
    """Detects that the machine's clock was set, and logs it."""

    def __init__(self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._wall, self._steady = wall, steady
        self._offset = wall() - steady()

    def check(self, session: Session, t: float) -> None:
        """Logs the time of day of the frame at `t` if it differs from that by the header and earlier lines."""
        now = self._wall()
        offset = now - self._steady()
        if abs(offset - self._offset) >= SET_BY_S:
            self._offset = offset
            session.write({"type": "clock", "t": round(t, 4), "wall": round(now, 3)})
