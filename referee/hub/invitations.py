"""Invitations of boards: a code that is good once and for two minutes, and only over the hub's own certificate."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from referee.membership.invitation import Invitation

GOOD_S = 120.0
"""Time for which a code is good, s."""
CODE_BYTES = 12
MOST_OPEN = 20
"""Greatest number of codes that are good at a time."""


class Invitations:
    """The codes that are good now."""

    def __init__(self, fingerprint: str, port: int, clock: Callable[[], float] = time.monotonic) -> None:
        """`port`: where boards hand their codes in, over TLS."""
        self._fingerprint, self._port, self._clock = fingerprint, port, clock
        self._open: dict[str, tuple[float, str]] = {}

    def invite(self, host: str, by: str) -> Invitation:
        """Returns a new invitation; `host`: address of the hub as its reader knows it, `by`: who invites."""
        now = self._clock()
        self._open = {code: found for code, found in self._open.items() if found[0] > now}
        while len(self._open) >= MOST_OPEN:
            self._open.pop(next(iter(self._open)))
        code = secrets.token_urlsafe(CODE_BYTES)
        self._open[code] = now + GOOD_S, by
        return Invitation(host, self._port, self._fingerprint, code)

    def accept(self, code: str) -> str | None:
        """Returns who invited, and makes the code void; None if it is not good."""
        until, by = self._open.pop(code, (0.0, ""))
        return by if until > self._clock() else None
