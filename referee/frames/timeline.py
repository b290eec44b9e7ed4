"""Converts a source's own clock to seconds since its first frame, and counts the frames that are missing."""

from __future__ import annotations

import logging
from collections import deque
from fractions import Fraction
from statistics import median

logger = logging.getLogger(__name__)

TIMELINE_WINDOW = 31
"""Number of frame intervals retained: half a second at 60 per second, so that a new rate is soon recognised."""

TIMELINE_ENOUGH = 8
"""Number of measured intervals from which their median replaces the nominal interval."""

TIMELINE_LATE = 1.5
"""Length of a step between frames, in usual intervals, beyond which frames were lost in it."""

JITTER = 0.25
"""Deviation from the usual step, as a share of it, up to which a step is regular; phones jitter by a tenth, clocks with
a resolution of 1 ms by less."""

REGULAR = 0.8
"""Least share of regular steps at a constant rate; below it gaps say nothing about lost frames."""

MOST_BACK_JITTER_S = 0.2
"""Greatest step back (s) that is jitter; phones and webcams jitter by 40 ms."""

TIMELINE_ALIKE = 2
"""Number of repeats of a time stamp after which the clock stands still."""

FALLBACK_S = 1 / 30
"""Interval (s) assumed for a frame without a time stamp when nothing else is known."""


class Timeline:
    """Places frames on one strictly increasing clock that begins at 0.

    Uses earlier frames only, so that a recording is timed exactly as it would have been live.
    """

    def __init__(self, interval_s: float | None = None) -> None:
        """`interval_s`: nominal time between frames, None if unknown."""
        self._nominal = interval_s
        self._steps: deque[float] = deque(maxlen=TIMELINE_WINDOW)
        self._lately: deque[float] = deque(maxlen=TIMELINE_ENOUGH)
        """The last steps as they were, lost frames not taken out."""
        self._origin: Fraction | None = None
        self._last: float | None = None
        self._stamp: Fraction | None = None
        self._alike = 0
        """Number of earlier time stamps that are the same as the last."""
        self._has_warned = False

    def place(self, clock: Fraction | None) -> tuple[float, int]:
        """Returns the time (s) of a frame and the number of frames lost before it.

        `clock`: its time stamp in seconds, None if it has none.
        """
        if self._last is None:
            self._origin, self._last, self._stamp = clock, 0.0, clock
            return 0.0, 0
        t = self._time(clock, self._last)
        step = t - self._last
        self._lately.append(step)
        self._believe_slower()
        lost = self._lost(step)
        self._steps.append(step / (lost + 1))
        self._last = t
        return t, lost

    def _time(self, clock: Fraction | None, last: float) -> float:
        usual = self._interval() or FALLBACK_S
        if clock is None:
            return last + usual
        alike, self._alike = self._alike, self._alike + 1 if clock == self._stamp else 0
        self._stamp = clock
        t = last if self._origin is None else float(clock - self._origin)
        if t > last:
            return t
        if self._origin is not None and last - t <= MOST_BACK_JITTER_S and alike < TIMELINE_ALIKE:
            # It jitters: the origin stays, so that the clock is not stretched by each such frame.
            return last + usual / 8
        if self._origin is not None and not self._has_warned:
            self._has_warned = True
            logger.warning("the source's clock went back or stood still at %.3f s; counting on from there", last)
        self._origin = clock - Fraction(last + usual)
        return last + usual

    def _interval(self) -> float | None:
        return median(self._steps) if len(self._steps) >= TIMELINE_ENOUGH else self._nominal

    def _believe_slower(self) -> None:
        """A camera of which no frame comes at the rate it states has another one: it is dark, or it states anything."""
        usual = self._interval()
        if usual is not None and len(self._lately) == TIMELINE_ENOUGH and min(self._lately) > TIMELINE_LATE * usual:
            self._steps.clear()
            self._steps.extend(self._lately)

    def _lost(self, step: float) -> int:
        usual = self._interval()
        if usual is None or step <= TIMELINE_LATE * usual or not self._is_constant(usual):
            return 0
        return round(step / usual) - 1

    def _is_constant(self, usual: float) -> bool:
        if len(self._steps) < TIMELINE_ENOUGH:
            return True
        regular = sum(abs(step - usual) <= JITTER * usual for step in self._steps)
        return regular >= REGULAR * len(self._steps)
