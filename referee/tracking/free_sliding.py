"""Free sliding: whether a disc slows as friction alone slows one. Hands and their blobs do not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from calibration.geometry.camera import F64
from referee.tracking.tracker import Sighting, Track

SLIDE_FAR_MM, SLIDE_LONG_S, OFTEN = 100.0, 0.2, 5
"""Least path, time and number of sightings from which a deceleration is measured."""
FRICTION_MM_S2 = 300.0, 3000.0
"""Range of deceleration by friction: 800 to 1500 mm/s2 on powdered boards, more on damp ones. Hands brake harder."""
GATHERED, IDLE, SLIDE_STEPS = 0.75, 0.15, 2
"""A track sped up if, in `SLIDE_STEPS` steps before, its speed lay between the second and the first of these shares."""
SLIDE_STRAIGHT = 0.95
"""Cosine of the least turn at a cushion or a coin."""
AWRY_MM = 4.0
"""Greatest residual (root mean square) about a straight line with constant deceleration."""


def coasts(track: Track) -> bool:
    """Tells whether a track ends in a straight glide of constant deceleration that did not speed up first, as a carried
    disc does.
    """
    seen = list(track.sightings)
    start = _start(seen)
    if start is None:
        return False
    run = seen[start:]
    if max(math.dist(a, b) for (_, a), (_, b) in pairwise(run)) > SLIDE_FAR_MM / 2:
        return False
    times = np.array([t for t, _ in run]) - run[0][0]
    places = np.array([place for _, place in run]) - run[0][1]
    ahead = places[-1] / np.hypot(*places[-1])
    along, across = places @ ahead, places @ (-ahead[1], ahead[0])
    square, speed, far = np.polyfit(times, along, 2)
    off = along - np.polyval((square, speed, far), times)
    least, most = FRICTION_MM_S2
    slows = least < -2 * square < most and speed + 2 * square * times[-1] > 0
    even = max(np.std(off), np.std(across)) < AWRY_MM
    return bool(slows and even) and not _gathered(seen[: start + 1], ahead, float(speed))


def _start(seen: Sequence[Sighting]) -> int | None:
    """Returns the index of the latest start whose sightings suffice; None without one."""
    t, place = seen[-1]
    enough = (i for i in range(len(seen) - OFTEN, -1, -1)
              if t - seen[i][0] >= SLIDE_LONG_S and math.dist(seen[i][1], place) >= SLIDE_FAR_MM)  # fmt: skip
    return next(enough, None)


def _gathered(before: Sequence[Sighting], ahead: F64, speed: float) -> bool:
    """Tells whether sightings lead up to `speed` (mm/s) along `ahead` in several steps."""
    steps = 0
    for (s, a), (t, b) in pairwise(reversed(before)):
        travel = np.subtract(a, b)
        then = float(travel @ ahead) / (s - t)
        if then < IDLE * speed or travel @ ahead < SLIDE_STRAIGHT * np.hypot(*travel):
            break
        steps += then < GATHERED * speed
    return steps >= SLIDE_STEPS
