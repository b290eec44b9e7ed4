"""Brakes: guessing is slowed for each address and for all together, and no address may send too much."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

MAX_WRONG = 5
"""Wrong PINs in a row from one address before it has to wait."""
MAX_WRONG_TOGETHER = 30
"""Wrong PINs from all addresses before everybody has to wait: many addresses guess no faster than a few."""
WAIT_S = 30.0
"""How long, seconds."""
MAX_ADDRESSES = 1000
"""Addresses remembered; more than any hall has."""
REQUESTS, PER_S = 40, 10.0
"""So many changes may come from one address in so many seconds: ten times what a hasty umpire sends."""

EVERYBODY = ""


class Braked(Exception):
    """Too much or too often; the message says how long to wait."""


@dataclass(slots=True)
class _Tries:
    wrong: int = 0
    closed_until: float = float("-inf")
    times: deque[float] = field(default_factory=deque)


class Brake:
    """Counts by address."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tries: dict[str, _Tries] = {}

    def check(self, address: str) -> None:
        """Passes in silence; raises Braked while too many wrong tries are being waited out."""
        for who in (address, EVERYBODY):
            left = self._of(who).closed_until - self._clock()
            if left > 0:
                raise Braked(f"too many wrong PINs: wait {left:.0f} seconds and try again")

    def wrong(self, address: str) -> None:
        """Counts a wrong try."""
        for who, most in ((address, MAX_WRONG), (EVERYBODY, MAX_WRONG_TOGETHER)):
            tries = self._of(who)
            tries.wrong += 1
            if tries.wrong >= most:
                tries.wrong, tries.closed_until = 0, self._clock() + WAIT_S

    def right(self, address: str) -> None:
        """A right one lets this address begin anew."""
        self._of(address).wrong = 0

    def pace(self, address: str) -> None:
        """Counts a request; raises Braked when this address sends too many."""
        times, now = self._of(address).times, self._clock()
        while times and times[0] < now - PER_S:
            times.popleft()
        if len(times) >= REQUESTS:
            raise Braked("too many requests: wait ten seconds and try again")
        times.append(now)

    def _of(self, address: str) -> _Tries:
        if address not in self._tries and len(self._tries) >= MAX_ADDRESSES:
            del self._tries[next(a for a in self._tries if a != EVERYBODY)]
        return self._tries.setdefault(address, _Tries())
