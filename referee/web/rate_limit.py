"""Brakes: guessing is slowed for each address and for all strangers together, and no address may send too much.

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
"""Wrong PINs in a row from one address before it has to wait; each one more waits twice as long."""
WAIT_S, LONGEST_WAIT_S = 30.0, 3600.0
"""How long the first time, and at most, seconds."""
MAX_WRONG_KNOWN = 20
"""After so many in a row an address that was right once counts as a stranger's."""
MAX_WRONG_TOGETHER, TOGETHER_S = 60, 3600.0
"""Wrong PINs from all strangers within an hour before all strangers have to wait. Ten thousand hours guess a PIN of
eight digits with one chance in a hundred."""
FORGOTTEN_S = 6 * 3600.0
"""Wrong PINs are forgotten after so long, seconds."""
MAX_ADDRESSES = 1000
"""Addresses remembered; more than any hall has."""
REQUESTS, PER_S = 40, 10.0
"""So many changes may come from one address in so many seconds: ten times what a hasty umpire sends."""


class Braked(Exception):
    """Too much or too often; the message says how long to wait."""


@dataclass(slots=True)
class _Tries:
    is_known: bool = False
    wrong: int = 0
    last: float = float("-inf")
    closed_until: float = float("-inf")
    times: deque[float] = field(default_factory=deque)


class Brake:
    """Counts by address."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tries: dict[str, _Tries] = {}
        self._strangers: deque[float] = deque()
        """Times of strangers' wrong PINs."""
        self._wrong: deque[float] = deque(maxlen=MAX_ADDRESSES)
        """Times of all."""

    @property
    def wrong_within_hour(self) -> int:
        """How many wrong PINs were given."""
        since = self._clock() - TOGETHER_S
        return sum(t > since for t in self._wrong)

    def know(self, address: str) -> None:
        """This address gave the right PIN once."""
        self._of(address).is_known = True

    def check(self, address: str) -> None:
        """Passes in silence; raises Braked while too many wrong tries are being waited out."""
        now, tries = self._clock(), self._of(address)
        left = tries.closed_until - now
        if not tries.is_known:
            while self._strangers and self._strangers[0] <= now - TOGETHER_S:
                self._strangers.popleft()
            if len(self._strangers) >= MAX_WRONG_TOGETHER:
                left = max(left, self._strangers[0] + TOGETHER_S - now)
        if left > 0:
            raise Braked(f"too many wrong PINs: wait {_reported(left)} and try again")

    def wrong(self, address: str) -> None:
        """Counts a wrong try."""
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
        """A right one lets this address begin anew."""
        tries = self._of(address)
        tries.wrong, tries.closed_until, tries.is_known = 0, float("-inf"), True

    def pace(self, address: str) -> None:
        """Counts a request; raises Braked when this address sends too many."""
        times, now = self._of(address).times, self._clock()
        while times and times[0] < now - PER_S:
            times.popleft()
        if len(times) >= REQUESTS:
            raise Braked("too many requests: wait ten seconds and try again")
        times.append(now)

    def _of(self, address: str) -> _Tries:
        who = network_of(address)
        if who not in self._tries and len(self._tries) >= MAX_ADDRESSES:
            # Strangers go before those who were right once, whoever was quiet for longest first.
            del self._tries[min(self._tries, key=lambda a: (self._tries[a].is_known, self._tries[a].last))]
        if who not in self._tries:
            self._tries[who] = _Tries(is_known=_is_the_box(who))
        return self._tries[who]


def _is_the_box(address: str) -> bool:
    """Whoever sits at the machine itself is no stranger."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _reported(seconds: float) -> str:
    return f"{seconds:.0f} seconds" if seconds < 100 else f"{seconds / 60:.0f} minutes"
