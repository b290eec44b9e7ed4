"""The timeline: a source's own clock -> seconds since its first frame, and how many frames are missing."""

from __future__ import annotations

import logging
from collections import deque
from fractions import Fraction
from statistics import median

logger = logging.getLogger(__name__)

TIMELINE_WINDOW = 31
"""Intervals remembered (frames): half a second at 60 per second, so that a new rate is soon believed."""

TIMELINE_ENOUGH = 8
"""Intervals seen before the nominal one is no longer believed."""

TIMELINE_LATE = 1.5
"""A step longer than this many intervals has lost frames in it."""

JITTER = 0.25
"""Steps within this share of the usual one count as regular; phones jitter by a tenth, clocks of 1 ms by less."""

REGULAR = 0.8
"""Share of regular steps at which a rate is called constant; below it gaps say nothing about lost frames."""

BACK_S = 0.2
"""A step back of at most so much (s) is jitter; phones and webcams jitter by 40 ms."""

TIMELINE_ALIKE = 2
"""After so many stamps that repeat one the clock stands still."""

FALLBACK_S = 1 / 30
"""Interval (s) assumed for a frame without a time when nothing else is known."""


class Timeline:
    """Places frames on one ever increasing clock that begins at 0.

    Looks only backwards, so that a recording reads exactly as it would have live.
    """

    def __init__(self, interval_s: float | None = None) -> None:
        """`interval_s` is the nominal time between frames, None when unknown."""
        self._nominal = interval_s
        self._steps: deque[float] = deque(maxlen=TIMELINE_WINDOW)
        self._lately: deque[float] = deque(maxlen=TIMELINE_ENOUGH)
        """The last steps as they were, lost frames not taken out."""
        self._origin: Fraction | None = None
        self._last: float | None = None
        self._stamp: Fraction | None = None
        self._alike = 0
        """Stamps before the last that were the same as it."""
        self._has_warned = False

    def place(self, clock: Fraction | None) -> tuple[float, int]:
        """Time (s) of a frame stamped `clock` (s; None = no stamp) and the number of frames lost before it."""
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
        if self._origin is not None and last - t <= BACK_S and alike < TIMELINE_ALIKE:
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
