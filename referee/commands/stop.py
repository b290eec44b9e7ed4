"""Ends a running command on Ctrl-C or SIGTERM: it finishes its frame and closes its log, within five seconds.

A blocked camera delays nobody: code that does not notice the signal is interrupted, and finally abandoned. So is work
that takes too long, as on a machine that leaves no time for it: every line of the log is on the disk already.
"""

from __future__ import annotations

import math
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from referee.process_priority import NORMAL, priority_of, raise_priority, raise_thread

SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPT_S, ABANDON_S = 2.5, 4.0
"""Times without a frame after which a source counts as blocked: it is interrupted, then abandoned, s. A frame takes a
slow machine a second.
"""
REPLAYS_S = 2.0
"""Time after a request to end within which replays under way may be finished, s. The web server takes the rest."""
LATEST_S = (4.4, 2.0, 0.5)
"""Time after which the process ends whatever is left to do, s: usually, if it had a low priority, and if that cannot be
raised. On a busy machine the signal then reaches it seconds late, and the system takes seconds to clear it away.
"""
STOP_POLL_S = 0.2
"""Interval at which commands that wait for nothing else check for a request to end, s."""
BLOCKED = "note: the source does not answer; ended without it, all that was logged is kept\n"
LATE = "note: the machine leaves no time to end in good order; all that was logged is kept\n"


class Stopped(BaseException):
    """The end was requested and nobody noticed; raised wherever the program waits."""


class Stop:
    """A request to end. A plain flag, since a signal handler that takes locks can deadlock with itself."""

    def __init__(self) -> None:
        self._asked = self.noticed = False
        self._end = math.inf
        self._nice = NORMAL

    @property
    def asked(self) -> bool:
        """Tells whether the end was requested; reading it counts as noticing."""
        self.noticed = self.noticed or self._asked
        return self._asked

    def time_left(self) -> float:
        """Returns the time for replays under way, s; infinite while nobody asks for the end.

        Reading it counts as noticing, except in threads beside the one that must end.
        """
        if threading.current_thread() is threading.main_thread():
            self.noticed = self.noticed or self._asked
        return self._end - time.monotonic()

    def ask(self) -> None:
        self.hurry()
        self._asked, self._end = True, time.monotonic() + (REPLAYS_S if self._nice == NORMAL else 0.0)

    def hurry(self) -> None:
        """Steps back behind nobody: on a busy machine a thread of low priority holds the interpreter for seconds."""
        self._nice = max(self._nice, priority_of(os.getpid()))
        raise_priority(os.getpid())

    @property
    def latest_s(self) -> float:
        """Time within which the process must end, s; known once it has hurried."""
        return LATEST_S[(self._nice > NORMAL) + (priority_of(os.getpid()) > NORMAL)]

    def leave(self) -> None:
        """Ends the process at once if the end was asked for.

        A thread that nobody waits for would come back from native code into an interpreter that is gone, which aborts
        the program; and clearing everything away takes seconds on a busy machine.
        """
        if self._asked:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)


@contextmanager
def stopping() -> Iterator[Stop]:
    """Turns the first signal into a request; the second has its usual effect. `Stopped` ends the block and goes no
    further.
    """
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
    with _watched(stop, over):
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
def _watched(stop: Stop, over: threading.Event) -> Iterator[None]:
    """Exits the program if a signal to end arrives and it is not `over` in time.

    A library that waits in a system call lets no Python handler run. A thread still reads the byte that the signal's C
    handler writes.
    """
    answer, tells = socket.socketpair()
    tells.setblocking(False)
    before = signal.set_wakeup_fd(tells.fileno(), warn_on_full_buffer=False)

    def watch() -> None:
        raise_thread(threading.get_native_id(), NORMAL)
        while numbers := answer.recv(16):
            if set(numbers) & set(SIGNALS):
                _enforce(stop, over)

    thread = threading.Thread(target=watch, name="stop-watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        tells.close()
        thread.join(ABANDON_S)
        answer.close()


def _enforce(stop: Stop, over: threading.Event) -> None:
    """Returns when the program is over, or exits it when its time is."""
    stop.hurry()
    latest = stop.latest_s
    if over.wait(min(ABANDON_S, latest)) or (stop.noticed and over.wait(max(0.0, latest - ABANDON_S))):
        return
    is_late = stop.noticed or latest < ABANDON_S
    os.write(sys.stderr.fileno(), (LATE if is_late else BLOCKED).encode())
    os._exit(0)
