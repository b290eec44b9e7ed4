"""Asking a running command to end: Ctrl-C and SIGTERM let it finish its frame and close its log.

A camera that blocks keeps nobody waiting: who does not notice the signal is interrupted, and in the end left behind.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPT_S, LEAVE_S = 2.5, 4.0
"""A frame takes a slow machine a second; after these times (s) without one it is a source that blocks."""
BLOCKED = "note: the source does not answer; ended without it, all that was logged is kept\n"


class Stopped(BaseException):
    """The end was asked for and nobody noticed; raised wherever the program waits."""


class Stop:
    """Whether somebody asked for the end. A plain flag: a handler that takes locks can meet itself."""

    def __init__(self) -> None:
        self._asked = self.noticed = False

    @property
    def asked(self) -> bool:
        """Whoever reads it notices."""
        self.noticed = self.noticed or self._asked
        return self._asked

    def ask(self) -> None:
        self._asked = True


@contextmanager
def stopping() -> Iterator[Stop]:
    """The first signal asks; the second acts as it always does. `Stopped` ends the block and goes no further."""
    stop, over = Stop(), threading.Event()
    alarms = [signal.SIGALRM] if sys.platform != "win32" else []
    before = {number: signal.getsignal(number) for number in (*SIGNALS, *alarms)}

    def ask(_number: int, _frame: FrameType | None) -> None:
        stop.ask()
        for number in SIGNALS:
            signal.signal(number, before[number])
        if sys.platform != "win32":
            signal.setitimer(signal.ITIMER_REAL, INTERRUPT_S)

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        if not stop.noticed:
            stop.noticed = True
            raise Stopped

    for number in SIGNALS:
        signal.signal(number, ask)
    for number in alarms:
        signal.signal(number, interrupt)
    with _watched(lambda: over.wait(LEAVE_S) or stop.noticed):
        try:
            yield stop
        except Stopped:
            return
        finally:
            over.set()
            if sys.platform != "win32":
                signal.setitimer(signal.ITIMER_REAL, 0.0)
            for number, handler in before.items():
                signal.signal(number, handler)


@contextmanager
def _watched(notices: Callable[[], bool]) -> Iterator[None]:
    """Leaves the program where a signal to end comes and nobody `notices` it.

    A library that waits in the system's code lets no handler of Python's run; the byte that the system's own handler
    writes is read by a thread all the same.
    """
    answer, tells = socket.socketpair()
    tells.setblocking(False)
    before = signal.set_wakeup_fd(tells.fileno(), warn_on_full_buffer=False)

    def watch() -> None:
        while numbers := answer.recv(16):
            if set(numbers) & set(SIGNALS) and not notices():
                os.write(sys.stderr.fileno(), BLOCKED.encode())
                os._exit(0)

    thread = threading.Thread(target=watch, name="stop-watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        tells.close()
        thread.join(LEAVE_S)
        answer.close()
