"""Disturbances of a recording: lamps, shadows, exposure and focus hunting, a pushed camera, lost frames."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.sim.light import COARSE_PX

F32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TroubleCourse:
    """A quantity over time: linear between its points, constant before the first and after the last."""

    points: tuple[tuple[float, float], ...]
    """Times (s) and values, in order."""

    @classmethod
    def always(cls, value: float) -> TroubleCourse:
        """Returns a constant course."""
        return cls(((0.0, value),))

    @classmethod
    def step(cls, before: float, after: float, t: float, takes: float = 0.02) -> TroubleCourse:
        """Returns a course from one value to another at t, within `takes` seconds."""
        return cls(((t, before), (t + takes, after)))

    def at(self, t: float) -> float:
        """Returns the value at time t."""
        return float(np.interp(t, [p[0] for p in self.points], [p[1] for p in self.points]))


UNCHANGED, TROUBLE_NOTHING = TroubleCourse.always(1.0), TroubleCourse.always(0.0)


@dataclass(frozen=True, slots=True)
class PassingShadow:
    """A person whose shadow passes over the board from the picture's left to its right, with soft borders."""

    begins_s: float
    takes_s: float
    depth: float
    """Share of the light that the shadow's middle removes."""
    width: float
    """Width of the shadow as a share of the picture's."""

    def share(self, t: float, width: int, height: int) -> F32 | None:
        """Returns the share of light left (height, width) at time t; None while the shadow is outside the picture."""
        part = (t - self.begins_s) / self.takes_s
        if not 0.0 < part < 1.0:
            return None
        columns = (np.arange(-(-width // COARSE_PX)) + 0.5) * COARSE_PX / width
        middle = -self.width + part * (1.0 + 2.0 * self.width)
        left = 1.0 - self.depth * np.exp(-np.square((columns - middle) / (0.5 * self.width)))
        row = cv2.resize(left[None].astype(np.float32), (width, 1), interpolation=cv2.INTER_LINEAR)
        return np.asarray(np.broadcast_to(row, (height, width)), np.float32)


@dataclass(frozen=True, slots=True)
class Push:
    """A push of the camera or the board: from then on the board lies elsewhere in the picture."""

    t: float
    dx_mm: float
    dy_mm: float
    turn_rad: float
    """Displacement from the first place, mm, and rotation about the board's middle, radians."""


@dataclass(frozen=True, slots=True)
class PictureTrouble:
    """Changes while pictures are recorded."""

    lamp: TroubleCourse = UNCHANGED
    """Factor on the light, or on the camera's exposure."""
    blue: TroubleCourse = TROUBLE_NOTHING
    red: TroubleCourse = TROUBLE_NOTHING
    """Levels that a lamp of another colour, or the white balance, adds to the blue and red difference."""
    focus_px: TroubleCourse = TROUBLE_NOTHING
    """Standard deviation of the blur of a lens out of focus, px."""
    passer: PassingShadow | None = None
    pushes: tuple[Push, ...] = ()
    """Pushes in order of time."""
    lost: tuple[tuple[float, float], ...] = ()
    """Time spans without frames, s."""

    def loses(self, t: float) -> bool:
        """Tells whether a frame at time t is lost."""
        return any(start <= t < end for start, end in self.lost)


def swing(t: float, mains_hz: float) -> float:
    """Returns the phase of a mains lamp's flicker, -1 to 1."""
    return math.sin(2 * math.tau * mains_hz * t)
