"""Clips from a camera that sways: as an arm that trembles and a lens that hunts for its focus would have shown them.

Truth in millimetres stays true. Each clip's sway is its own, the same for the same seed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.picture import Picture, SimilarityTransform
from referee.frames.frame import Frame, Source
from referee.frames.source_wrapper import Passed
from tools.bench.warped import warped

SWINGS_PX, WIDTH = (0.15, 0.7), 1456
"""How far a picture so wide swings to each side; a third as far by a faster motion."""
SLOW_HZ, FAST_HZ = (1.0, 4.0), (4.0, 8.0)
TURN_RAD = 5e-4
"""The picture turns by up to so much with it."""
ZOOM, ZOOM_HZ = 3e-3, (0.1, 0.4)
"""A lens that hunts for its focus shows everything by up to so much larger and smaller."""


@dataclass(frozen=True, slots=True)
class Wave:
    """A motion to and fro."""

    most: float
    hz: float
    phase: float

    def at(self, t: float) -> float:
        return self.most * math.sin(math.tau * self.hz * t + self.phase)


@dataclass(frozen=True, slots=True)
class Swaying:
    """How a camera sways; across and down in pixels of a picture of `WIDTH`."""

    right: tuple[Wave, Wave]
    down: tuple[Wave, Wave]
    turn: Wave
    zoom: Wave

    def at(self, t: float, width: int, height: int) -> SimilarityTransform:
        """How far a picture of so many pixels is swayed at time t."""
        right, down = (width / WIDTH * sum(w.at(t) for w in waves) for waves in (self.right, self.down))
        return SimilarityTransform(right, down, self.turn.at(t), self.zoom.at(t), ((width - 1) / 2, (height - 1) / 2))


def swaying(seed: int, name: str) -> Swaying:
    """How the camera of the clip of this name sways."""
    rng = np.random.default_rng([seed, *name.encode()])

    def wave(most: tuple[float, float], hz: tuple[float, float]) -> Wave:
        return Wave(rng.uniform(*most), rng.uniform(*hz), rng.uniform(0.0, math.tau))

    third = SWINGS_PX[0] / 3, SWINGS_PX[1] / 3
    right, down = ((wave(SWINGS_PX, SLOW_HZ), wave(third, FAST_HZ)) for _ in range(2))
    return Swaying(right, down, wave((0.0, TURN_RAD), SLOW_HZ), wave((0.0, ZOOM), ZOOM_HZ))


class Swayed(Passed):
    """Passes a source's frames on as a swaying camera shows them."""

    def __init__(self, source: Source, how: Swaying) -> None:
        super().__init__(source)
        self._how = how

    def __iter__(self) -> Iterator[Frame]:
        for frame in self._source:
            picture = frame.picture
            sway = self._how.at(frame.t, picture.width, picture.height)
            yield replace(frame, picture=swayed(picture, sway), lasts=True)


def swayed(picture: Picture, sway: SimilarityTransform) -> Picture:
    """A picture of a still camera as one swayed so shows it, pixel by pixel."""
    return warped(picture, _way(sway), picture.width, picture.height)


def _way(sway: SimilarityTransform) -> NDArray[np.float64]:
    """Where (2, 3) a pixel of the still picture is shown."""
    grown = 1.0 + sway.zoom
    return np.column_stack([[grown, sway.turn], [-sway.turn, grown], sway.moved(np.zeros(2))])
