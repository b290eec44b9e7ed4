"""Scaling of a frame's cost with its pixels and with the number of moving pieces."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from referee.bench.recording import FrameContent, record_sim
from referee.bench.speed import measure_speed
from referee.bench.yardsticks import Cost, Yardstick
from referee.sim.script import MatchConditions
from referee.sim.source import SimSource

SCALING_SIZES = ((480, 360), (728, 544), (1024, 768), (1456, 1088), (2028, 1520))
SCALING_SECONDS, SCALING_FPS, SCALING_TEMPO = 6.0, 30.0, 0.4
"""Length (s), frame rate and tempo of a short recording: the first stroke and the removal of the striker."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Cost of frames of one size."""

    width: int
    height: int
    shows: dict[FrameContent, Cost]
    remap: Cost

    @property
    def pixels(self) -> int:
        return self.width * self.height


def by_pixels(sizes: Iterable[tuple[int, int]] = SCALING_SIZES, seed: int = 0) -> list[Scale]:
    """Measures the same stroke at several resolutions."""
    out = []
    for width, height in sizes:
        with tempfile.TemporaryDirectory() as passing:
            sim = SimSource(
                width=width,
                height=height,
                fps=SCALING_FPS,
                seed=seed,
                manner=MatchConditions(tempo=SCALING_TEMPO),
                keep_scenes=True,
            )
            speed = measure_speed(record_sim(sim, SCALING_SECONDS, Path(passing) / "raw"))
        out.append(Scale(width, height, speed.shows, speed.yardsticks[Yardstick.REMAP]))
    return out


def exponent(costs: Mapping[int, float]) -> float | None:
    """Returns the exponent with which costs grow with their keys (least squares of logarithms); None with fewer than
    two.
    """
    if len(costs) < 2:
        return None
    x, y = (np.log(np.array(list(v), np.float64)) for v in (costs.keys(), costs.values()))
    return float(np.polyfit(x, y, 1)[0])


def slope(by_moving: Mapping[int, Cost]) -> tuple[float, float] | None:
    """Returns the cost at rest and per moving piece, s, by a weighted line through the medians; None with fewer than
    two.
    """
    if len(by_moving) < 2:
        return None
    weights = np.sqrt([c.frames for c in by_moving.values()])
    each, rest = np.polyfit(list(by_moving), [c.median for c in by_moving.values()], 1, w=weights)
    return float(rest), float(each)
