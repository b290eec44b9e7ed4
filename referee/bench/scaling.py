"""How the cost of a frame grows with its pixels and with the number of pieces that move."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from referee.bench.recording import Show, record_sim
from referee.bench.speed import measure_speed
from referee.bench.yardsticks import Cost, Yardstick
from referee.sim.script import Manner
from referee.sim.source import SimSource

SCALING_SIZES = ((480, 360), (728, 544), (1024, 768), (1456, 1088), (2028, 1520))
SCALING_SECONDS, SCALING_FPS, SCALING_TEMPO = 6.0, 30.0, 0.4
"""A short, brisk recording: the first stroke and the striker's being taken away."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The cost of frames of one size."""

    width: int
    height: int
    shows: dict[Show, Cost]
    remap: Cost

    @property
    def pixels(self) -> int:
        return self.width * self.height


def by_pixels(sizes: Iterable[tuple[int, int]] = SCALING_SIZES, seed: int = 0) -> list[Scale]:
    """The same stroke through cameras of several resolutions."""
    out = []
    for width, height in sizes:
        with tempfile.TemporaryDirectory() as passing:
            sim = SimSource(width=width, height=height, fps=SCALING_FPS, seed=seed, manner=Manner(tempo=SCALING_TEMPO),
                            keep_scenes=True)  # fmt: skip
            speed = measure_speed(record_sim(sim, SCALING_SECONDS, Path(passing) / "raw"))
        out.append(Scale(width, height, speed.shows, speed.yardsticks[Yardstick.REMAP]))
    return out


def exponent(costs: Mapping[int, float]) -> float | None:
    """The power with which costs grow with their keys (least squares of logarithms); None with less than two keys."""
    if len(costs) < 2:
        return None
    x, y = (np.log(np.array(list(v), np.float64)) for v in (costs.keys(), costs.values()))
    return float(np.polyfit(x, y, 1)[0])


def slope(by_moving: Mapping[int, Cost]) -> tuple[float, float] | None:
    """Seconds at rest and seconds for each moving piece, as a straight line through the medians; None without two."""
    if len(by_moving) < 2:
        return None
    weights = np.sqrt([c.frames for c in by_moving.values()])
    each, rest = np.polyfit(list(by_moving), [c.median for c in by_moving.values()], 1, w=weights)
    return float(rest), float(each)
