"""Coasting: whether a disc slows down as friction alone slows one; neither hands nor patches of them move so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from calibration.geometry.camera import F64
from referee.tracking.tracker import Sighting, Track

FAR_MM, LONG_S, OFTEN = 100.0, 0.2, 5
"""Over so long a way, for so long and in so many sightings the slowing is told from their noise."""
FRICTION_MM_S2 = 300.0, 3000.0
"""Discs slow by 800 to 1500 mm/s2 on powdered boards, on damp ones by more; hands by several times as much."""
GATHERED, IDLE, STEPS = 0.75, 0.15, 2
"""What had less than the first share of its speed before, but more than the second, in so many steps gathered it."""
STRAIGHT = 0.95
"""Cosine of the least turn that a cushion or a coin makes."""
AWRY_MM = 4.0
"""Sightings lie so far (root mean square) from where a disc that slows evenly on a straight line was."""


def coasts(track: Track) -> bool:
    """Whether a track ends on a straight way on which its disc slowed evenly, as one does that nothing touches, and had
    not gathered speed by and by, as one does that is carried.
    """
    seen = list(track.sightings)
    start = _start(seen)
    if start is None:
        return False
    run = seen[start:]
    if max(math.dist(a, b) for (_, a), (_, b) in pairwise(run)) > FAR_MM / 2:
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
    """Where the last sightings begin that suffice, as few as do; None where all do not."""
    t, place = seen[-1]
    enough = (i for i in range(len(seen) - OFTEN, -1, -1)
              if t - seen[i][0] >= LONG_S and math.dist(seen[i][1], place) >= FAR_MM)  # fmt: skip
    return next(enough, None)


def _gathered(before: Sequence[Sighting], ahead: F64, speed: float) -> bool:
    """Whether sightings lead up to a `speed` (mm/s) in the direction `ahead` in several steps."""
    steps = 0
    for (s, a), (t, b) in pairwise(reversed(before)):
        way = np.subtract(a, b)
        then = float(way @ ahead) / (s - t)
        if then < IDLE * speed or way @ ahead < STRAIGHT * np.hypot(*way):
            break
        steps += then < GATHERED * speed
    return steps >= STEPS
