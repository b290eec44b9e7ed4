"""Asking a running command to end: Ctrl-C and SIGTERM let it finish its frame and close its log."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stop:
    """Whether somebody asked for the end. A plain flag: a handler that takes locks can meet itself."""

    def __init__(self) -> None:
        self.asked = False


@contextmanager
def stopping() -> Iterator[Stop]:
    """The first signal asks; the second acts as it always does."""
    stop = Stop()
    before = {number: signal.getsignal(number) for number in SIGNALS}

    def back() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def ask(_number: int, _frame: FrameType | None) -> None:
        stop.asked = True
        back()

    for number in SIGNALS:
        signal.signal(number, ask)
    try:
        yield stop
    finally:
        back()
