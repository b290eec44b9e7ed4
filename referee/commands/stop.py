"""Ends a running command on Ctrl-C or SIGTERM: it finishes its frame and closes its log, within five seconds.

A blocked camera delays nobody: code that does not notice the signal is interrupted, and finally abandoned.
"""

from __future__ import annotations

import math
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPT_S, ABANDON_S = 2.5, 4.0
"""Times without a frame after which a source counts as blocked: it is interrupted, then abandoned, s. A frame takes a
slow machine a second.
"""
REPLAYS_S = 2.0
"""Time after a request to end within which replays under way may be finished, s. The web process takes the rest."""
BLOCKED = "note: the source does not answer; ended without it, all that was logged is kept\n"


class Stopped(BaseException):
    """The end was requested and nobody noticed; raised wherever the program waits."""


class Stop:
    """A request to end. A plain flag, since a signal handler that takes locks can deadlock with itself."""

    def __init__(self) -> None:
        self._asked = self.noticed = False
        self._end = math.inf

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
        _raise_all_threads()
        self._asked, self._end = True, time.monotonic() + REPLAYS_S

    def leave(self) -> None:
        """Ends the process if the end was asked for and a thread is still at work that nobody waits for.

        Such a thread would come back from native code into an interpreter that is gone, which aborts the program.
        """
        if self._asked and any(thread.daemon and thread.is_alive() for thread in threading.enumerate()):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)


def _raise_all_threads() -> None:
    """Gives every thread the priority of the main one, where the system permits it.

    One that steps back behind all work of a busy machine would hold the interpreter for seconds while the end waits.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            for task in os.listdir("/proc/self/task"):
                os.setpriority(os.PRIO_PROCESS, int(task), os.getpriority(os.PRIO_PROCESS, os.getpid()))


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
    with _watched(lambda: over.wait(ABANDON_S) or stop.noticed):
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
    """Exits the program if a signal to end arrives and nobody `notices` it.

    A library that waits in a system call lets no Python handler run. A thread still reads the byte that the signal's C
    handler writes.
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
        thread.join(ABANDON_S)
        answer.close()
