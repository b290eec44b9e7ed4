"""What goes wrong around a match: lamps, shadows, a camera that hunts for light or focus, is pushed, loses frames."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

COARSE_PX = 8
"""A shadow's border is soft: it is worked out at every eighth pixel."""


@dataclass(frozen=True, slots=True)
class TroubleCourse:
    """A quantity over time: straight between its points, constant before the first and after the last."""

    points: tuple[tuple[float, float], ...]
    """Times (s) and values, in order."""

    @classmethod
    def always(cls, value: float) -> TroubleCourse:
        """One that never changes."""
        return cls(((0.0, value),))

    @classmethod
    def step(cls, before: float, after: float, t: float, takes: float = 0.02) -> TroubleCourse:
        """From one value to another at t, within `takes` seconds."""
        return cls(((t, before), (t + takes, after)))

    def at(self, t: float) -> float:
        """The value at time t."""
        return float(np.interp(t, [p[0] for p in self.points], [p[1] for p in self.points]))


UNCHANGED, TROUBLE_NOTHING = TroubleCourse.always(1.0), TroubleCourse.always(0.0)


@dataclass(frozen=True, slots=True)
class Passer:
    """Somebody whose shadow passes over the board from the picture's left to its right, with soft borders."""

    begins_s: float
    takes_s: float
    depth: float
    """Share of the light that the shadow's middle takes away."""
    width: float
    """Its width as a share of the picture's."""

    def share(self, t: float, width: int, height: int) -> F32 | None:
        """What is left of the light (height, width) at time t; None when the shadow is not in the picture."""
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
    """The camera or the board is pushed aside; the board lies elsewhere in the picture from then on."""

    t: float
    dx_mm: float
    dy_mm: float
    turn_rad: float
    """How far it lies from where it lay at first, and is turned about its middle."""


@dataclass(frozen=True, slots=True)
class PictureTrouble:
    """What changes while pictures are taken."""

    lamp: TroubleCourse = UNCHANGED
    """Factor of the light, or of the camera's exposure."""
    blue: TroubleCourse = TROUBLE_NOTHING
    red: TroubleCourse = TROUBLE_NOTHING
    """What a lamp of another colour, or the camera's white balance, adds to the blue and red difference, levels."""
    focus_px: TroubleCourse = TROUBLE_NOTHING
    """Spread of the blur of a lens that loses its focus."""
    passer: Passer | None = None
    pushes: tuple[Push, ...] = ()
    """In order."""
    lost: tuple[tuple[float, float], ...] = ()
    """Spans of time (s) of which no frames come."""

    def loses(self, t: float) -> bool:
        """Whether a frame taken at time t is lost."""
        return any(start <= t < end for start, end in self.lost)


def swing(t: float, mains_hz: float) -> float:
    """Where a lamp on the mains is in its flicker, -1 to 1."""
    return math.sin(2 * math.tau * mains_hz * t)
