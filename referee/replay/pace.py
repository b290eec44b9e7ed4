"""How fast replays are made: slowly beside the vision, at once when it ends, and not at all without time for them."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable

TimeLeft = Callable[[], float]
"""Returns the time (s) until the program must not work on replays any more; infinite unless its end was requested."""

MEASURING_RESERVE_S = 1.2
"""Time left (s) from which nothing is measured any more, so that what was recorded can still be written."""


class OutOfTime(Exception):
    """The program ends before the work can be finished."""


def never_ends() -> float:
    """Returns infinity: nobody requests the end."""
    return math.inf


class Pace:
    """Pauses slow work between its steps, because the vision needs the interpreter too."""

    def __init__(self, rest: float = 0.0, time_left: TimeLeft = never_ends) -> None:
        """`rest`: pause in multiples of the working time."""
        self._rest, self._time_left = rest, time_left
        self._hurries = threading.Event()

    def hurry(self) -> None:
        """Ends the present pause; none follows."""
        self._hurries.set()

    def pause(self, worked_s: float) -> None:
        """Call after each step of `worked_s` seconds. Raises OutOfTime if the work cannot be finished any more."""
        left = self._time_left()
        if left <= MEASURING_RESERVE_S:
            raise OutOfTime
        if self._rest and math.isinf(left):
            self._hurries.wait(self._rest * worked_s)
