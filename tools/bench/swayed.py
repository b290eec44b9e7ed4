"""Clips from a shaking camera: as a trembling arm and a lens that hunts for focus would have recorded them.

Truth in millimetres stays true. Each clip has its own motion, the same for the same seed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.picture import Picture, SimilarityTransform
from referee.frames.frame import Frame, Source
from referee.frames.source_wrapper import ForwardingSource
from tools.bench.warped import warped

SWINGS_PX, WIDTH = (0.15, 0.7), 1456
"""Range of the amplitude of the slow motion, px, in a picture of this width. The fast motion has a third of it."""
SLOW_HZ, FAST_HZ = (1.0, 4.0), (4.0, 8.0)
TURN_RAD = 5e-4
"""Greatest amplitude of rotation, radians."""
ZOOM, ZOOM_HZ = 3e-3, (0.1, 0.4)
"""Greatest amplitude of the magnification, as a share, and its frequencies, Hz: a lens that hunts for focus."""


@dataclass(frozen=True, slots=True)
class Wave:
    """A sine of time."""

    most: float
    hz: float
    phase: float

    def at(self, t: float) -> float:
        return self.most * math.sin(math.tau * self.hz * t + self.phase)


@dataclass(frozen=True, slots=True)
class Swaying:
    """Motion of a camera; right and down in pixels of a picture of `WIDTH`."""

    right: tuple[Wave, Wave]
    down: tuple[Wave, Wave]
    turn: Wave
    zoom: Wave

    def at(self, t: float, width: int, height: int) -> SimilarityTransform:
        """Returns the displacement of a picture of this size at time t."""
        right, down = (width / WIDTH * sum(w.at(t) for w in waves) for waves in (self.right, self.down))
        return SimilarityTransform(right, down, self.turn.at(t), self.zoom.at(t), ((width - 1) / 2, (height - 1) / 2))


def swaying(seed: int, name: str) -> Swaying:
    """Returns the motion for the clip of this name."""
    rng = np.random.default_rng([seed, *name.encode()])

    def wave(most: tuple[float, float], hz: tuple[float, float]) -> Wave:
        return Wave(rng.uniform(*most), rng.uniform(*hz), rng.uniform(0.0, math.tau))

    third = SWINGS_PX[0] / 3, SWINGS_PX[1] / 3
    right, down = ((wave(SWINGS_PX, SLOW_HZ), wave(third, FAST_HZ)) for _ in range(2))
    return Swaying(right, down, wave((0.0, TURN_RAD), SLOW_HZ), wave((0.0, ZOOM), ZOOM_HZ))


class Swayed(ForwardingSource):
    """Passes on a source's frames as from a shaking camera."""

    def __init__(self, source: Source, how: Swaying) -> None:
        super().__init__(source)
        self._how = how

    def __iter__(self) -> Iterator[Frame]:
        for frame in self._source:
            picture = frame.picture
            sway = self._how.at(frame.t, picture.width, picture.height)
            yield replace(frame, picture=swayed(picture, sway), lasts=True)


def swayed(picture: Picture, sway: SimilarityTransform) -> Picture:
    """Returns a still camera's picture displaced by `sway`."""
    return warped(picture, _way(sway), picture.width, picture.height)


def _way(sway: SimilarityTransform) -> NDArray[np.float64]:
    """Returns the affine map (2, 3) from pixels of the still picture to the displaced ones."""
    grown = 1.0 + sway.zoom
    return np.column_stack([[grown, sway.turn], [-sway.turn, grown], sway.moved(np.zeros(2))])
