"""Reports to systemd that the service is ready, what it does, and that frames are really judged (sd_notify(3))."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

from referee.frames.frame import Source
from referee.log import Line
from referee.pipeline.frame_referee import FrameReferee

logger = logging.getLogger(__name__)

BEATS = 3
"""Number of watchdog messages within the manager's timeout: one may come late."""


class Service:
    """Reports to the service manager, as an audience of a match; does nothing without a manager."""

    def __init__(self, address: str | None = None, patience_s: float | None = None,
                 clock: Callable[[], float] = time.monotonic) -> None:  # fmt: skip
        """`address`: the manager's datagram socket.

        `patience_s`: watchdog timeout (s) after which it restarts the service.
        """
        self._address, self._clock = address, clock
        self._every_s = patience_s / BEATS if patience_s else None
        self._next = float("-inf")
        self._status = ""

    @classmethod
    def of(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Returns the service by the manager's environment variables; ignores a watchdog meant for another process."""
        ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        microseconds = environment.get("WATCHDOG_USEC", "") if ours else ""
        return cls(environment.get("NOTIFY_SOCKET"), int(microseconds) * 1e-6 if microseconds.isdigit() else None)

    def ready(self, status: str) -> None:
        """Reports that the scoreboard can be opened."""
        self._send(f"READY=1\nSTATUS={status}")

    def status(self, text: str) -> None:
        """Reports the present activity, for `systemctl status`."""
        if text != self._status:
            self._status = text
            self._send(f"STATUS={text}")

    def alive(self) -> None:
        """Reports that a frame was judged, or that the program waits for a camera in good order.

        It is cheap enough for every frame.
        """
        now = self._clock()
        if self._every_s is not None and now >= self._next:
            self._next = now + self._every_s
            self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """Reports that the log is being closed."""
        self._send("STOPPING=1")

    def began(self, source: Source, frame_referee: FrameReferee, log: Path) -> None:
        self.status(f"judging {source.name}, log {log}")

    def on_line(self, line: Line) -> None:
        return

    def on_frame(self, frame_referee: FrameReferee) -> None:
        self.alive()

    def ended(self, frame_referee: FrameReferee, whole: bool) -> None:
        return

    def _send(self, message: str) -> None:
        if not self._address:
            return
        # A leading @ stands for the null byte of a socket without a file.
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sock:
                sock.sendto(message.encode(), address)
        except OSError as e:
            logger.warning("the service manager does not listen at %s: %s", self._address, e.strerror)
