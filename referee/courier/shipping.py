"""Decides what is sent next: pure, one object for all logs of a board.

The hub's answer to a question says from where to go on. Then rows are sent ahead of the answers, up to a window, and
never twice, until a connection was lost, the hub began anew, a row did not fit, or no answer came for long: then the
courier asks again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

WINDOW_BYTES = 64 << 10
"""Bytes sent and not yet answered, of all logs together, beyond which nothing is sent. With 256 kB and a resend after
3 s, boards sent four times what was needed, and the broker held 195 MB (64 boards)."""
SILENT_S = 15.0
"""Time without an answer, with bytes on their way, after which the courier asks again, s."""


@dataclass(slots=True)
class LogShipment:
    """Progress of one log."""

    size: int = 0
    """Bytes of whole rows that are on the disk."""
    have: int | None = None
    """Bytes that the hub has committed; None: it is to be asked."""
    sent: int = 0
    """Bytes sent, from the file's start."""
    epoch: int = 0
    """Number of times that sending went back."""
    refusal: str = ""
    """Why the hub takes no more of it; "" if it does."""

    @property
    def on_way(self) -> int:
        """Number of bytes sent and not yet committed."""
        return max(0, self.sent - (self.sent if self.have is None else self.have))

    @property
    def is_due(self) -> bool:
        """True if there is something to send."""
        return self.have is not None and not self.refusal and self.sent < self.size

    def restart(self, have: int) -> None:
        """Goes on from what the hub has."""
        self.have, self.sent, self.epoch = have, have, self.epoch + 1


class Shipping:
    """Progress of all logs of a board; times are seconds of any one clock."""

    def __init__(self) -> None:
        self.logs: dict[str, LogShipment] = {}
        """By uid, the one that grew last at the end."""
        self._heard_at = 0.0

    def grow(self, uid: str, size: int) -> bool:
        """Records how many bytes of whole rows a log has on the disk; a log may also have become shorter.

        Returns whether that is news.
        """
        log = self.logs.get(uid)
        if log is not None and log.size == size:
            return False
        log = self.logs.pop(uid, LogShipment())
        if size < log.size:
            log = LogShipment(epoch=log.epoch + 1)
        log.size = size
        self.logs[uid] = log
        return True

    def forget(self, gone: Iterable[str]) -> None:
        """Removes logs that are no longer there."""
        for uid in gone:
            self.logs.pop(uid, None)

    def begin(self, now: float) -> None:
        """Begins anew with every log: the connection or the hub is a new one."""
        self._heard_at = now
        for log in self.logs.values():
            log.have, log.refusal = None, ""

    def unknown(self) -> list[str]:
        """Returns the logs about which the hub is to be asked, the one that grew last first."""
        return [uid for uid, log in reversed(self.logs.items()) if log.have is None]

    def acknowledge(self, uid: str, have: int, now: float, gap: int | None = None, refusal: str = "") -> None:
        """Records the hub's answer. `gap`: epoch of the message that did not fit."""
        self._heard_at = now
        log = self.logs.get(uid)
        if log is None:
            return
        log.refusal = refusal
        if log.have is None or have < log.have or gap == log.epoch:
            log.restart(have)
        elif gap is None:
            log.have, log.sent = have, max(have, log.sent)

    def next(self) -> str | None:
        """Returns the uid of the log of which rows are to be sent now; None while nothing is due or may be sent."""
        if sum(log.on_way for log in self.logs.values()) >= WINDOW_BYTES:
            return None
        return next((uid for uid, log in reversed(self.logs.items()) if log.is_due), None)

    def send(self, uid: str, end: int, now: float) -> None:
        """Records that a log was sent up to `end`."""
        if not any(log.on_way for log in self.logs.values()):
            self._heard_at = now
        self.logs[uid].sent = end

    def is_silent(self, now: float) -> bool:
        """Tells whether an answer is overdue, so that the courier begins anew."""
        waits = any(log.on_way or log.have is None for log in self.logs.values())
        return waits and now - self._heard_at > SILENT_S

    @property
    def refused(self) -> dict[str, str]:
        """Why the hub takes no more, by uid."""
        return {uid: log.refusal for uid, log in self.logs.items() if log.refusal}

    @property
    def behind(self) -> int:
        """Number of bytes on the disk that the hub does not have, as far as known."""
        return sum(max(0, log.size - (log.have or 0)) for log in self.logs.values())
