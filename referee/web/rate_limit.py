"""Rate limits on PIN attempts, for each address and for all strangers together, and on requests of one address.

An address that once gave the right PIN is no stranger: whatever others do, it waits half a minute at most.
"""

from __future__ import annotations

import ipaddress
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from referee.web.connections import network_of

MAX_WRONG = 5
"""Wrong PINs in a row from one address before it has to wait. Each further one doubles the wait."""
WAIT_S, LONGEST_WAIT_S = 30.0, 3600.0
"""First and longest wait, s."""
MAX_WRONG_KNOWN = 20
"""Wrong PINs in a row from which a known address counts as a stranger."""
MAX_WRONG_TOGETHER, TOGETHER_S = 60, 3600.0
"""Wrong PINs from all strangers within this time (s) from which all strangers have to wait. In ten thousand hours a PIN
of eight digits is guessed with one chance in a hundred.
"""
FORGOTTEN_S = 6 * 3600.0
"""Time after which wrong PINs are forgotten, s."""
MAX_ADDRESSES = 1000
"""Number of addresses remembered, more than any hall has."""
REQUESTS, PER_S = 40, 10.0
"""Greatest number of changes from one address within this time (s): ten times what a hasty umpire sends."""


class RateLimited(Exception):
    """Too much or too often; the message says how long to wait."""


@dataclass(slots=True)
class _Tries:
    is_known: bool = False
    wrong: int = 0
    last: float = float("-inf")
    closed_until: float = float("-inf")
    times: deque[float] = field(default_factory=deque)


class RateLimit:
    """Counts attempts and requests by address."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tries: dict[str, _Tries] = {}
        self._strangers: deque[float] = deque()
        """Times of strangers' wrong PINs."""
        self._wrong: deque[float] = deque(maxlen=MAX_ADDRESSES)
        """Times of all wrong PINs."""

    @property
    def wrong_within_hour(self) -> int:
        """Number of wrong PINs within the last hour."""
        since = self._clock() - TOGETHER_S
        return sum(t > since for t in self._wrong)

    def know(self, address: str) -> None:
        """Records that this address once gave the right PIN."""
        self._of(address).is_known = True

    def check(self, address: str) -> None:
        """Raises Braked while too many wrong attempts are being waited out."""
        now, tries = self._clock(), self._of(address)
        left = tries.closed_until - now
        if not tries.is_known:
            while self._strangers and self._strangers[0] <= now - TOGETHER_S:
                self._strangers.popleft()
            if len(self._strangers) >= MAX_WRONG_TOGETHER:
                left = max(left, self._strangers[0] + TOGETHER_S - now)
        if left > 0:
            raise RateLimited(f"too many wrong PINs: wait {_reported(left)} and try again")

    def wrong(self, address: str) -> None:
        """Counts a wrong attempt."""
        now, tries = self._clock(), self._of(address)
        if now - tries.last > FORGOTTEN_S:
            tries.wrong = 0
        tries.wrong, tries.last = tries.wrong + 1, now
        self._wrong.append(now)
        if tries.wrong >= MAX_WRONG_KNOWN:
            tries.is_known = False
        if not tries.is_known:
            self._strangers.append(now)
        if tries.wrong >= MAX_WRONG:
            doubled = WAIT_S if tries.is_known else WAIT_S * 2.0 ** min(tries.wrong - MAX_WRONG, 12)
            tries.closed_until = now + min(doubled, LONGEST_WAIT_S)

    def right(self, address: str) -> None:
        """Resets an address after a right PIN."""
        tries = self._of(address)
        tries.wrong, tries.closed_until, tries.is_known = 0, float("-inf"), True

    def pace(self, address: str) -> None:
        """Counts a request. Raises Braked if this address sends too many."""
        times, now = self._of(address).times, self._clock()
        while times and times[0] < now - PER_S:
            times.popleft()
        if len(times) >= REQUESTS:
            raise RateLimited("too many requests: wait ten seconds and try again")
        times.append(now)

    def _of(self, address: str) -> _Tries:
        who = network_of(address)
        if who not in self._tries and len(self._tries) >= MAX_ADDRESSES:
            # Drop strangers before known addresses, those with the oldest attempt first.
            del self._tries[min(self._tries, key=lambda a: (self._tries[a].is_known, self._tries[a].last))]
        if who not in self._tries:
            self._tries[who] = _Tries(is_known=_is_the_box(who))
        return self._tries[who]


def _is_the_box(address: str) -> bool:
    """Tells whether an address is this machine itself, which is no stranger."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _reported(seconds: float) -> str:
    return f"{seconds:.0f} seconds" if seconds < 100 else f"{seconds / 60:.0f} minutes"
