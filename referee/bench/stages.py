"""A frame's time by stage, from Python's own profiler: the measured code carries no clocks.

Time in libraries counts for our module that called them. The profiler slows the code down, so it gives shares;
milliseconds come from a run without it.
"""

from __future__ import annotations

import cProfile
import pstats
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import calibration
import models
import referee

PACKAGES = (calibration, models, referee)
BUILT_IN = "~"
"""The profiler's file name of functions written in C."""
BENCH = "referee.bench"

Key = tuple[str, int, str]


class Profiles:
    """One profiler for each kind of frame."""

    def __init__(self) -> None:
        self._profiles: dict[str, cProfile.Profile] = {}

    def of(self, name: str) -> cProfile.Profile:
        """Returns the profiler for one kind of frame; use it with `with`."""
        return self._profiles.setdefault(name, cProfile.Profile())

    def shares(self) -> dict[str, dict[str, float]]:
        """Returns each module's share of the time by kind of frame, the largest first."""
        return {name: shares(profile) for name, profile in self._profiles.items()}


def shares(profile: cProfile.Profile) -> dict[str, float]:
    """Returns each of our modules' share of the time, the largest first, without those that take none."""
    stats: dict[Key, Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    spent: defaultdict[str, float] = defaultdict(float)
    for function, (_, _, own, _, callers) in stats.items():
        module = module_of(function[0])
        if module is not None:
            spent[module] += own
            continue
        for caller, (_, _, own_here, with_callees) in callers.items():
            ours = module_of(caller[0])
            if ours is not None:
                # Functions in C may call back into our code, whose time is already counted.
                spent[ours] += own_here if function[0] == BUILT_IN else with_callees
    ours_alone = {m: s for m, s in spent.items() if s > 0 and not m.startswith(BENCH)}
    return _ranked({m: s / sum(ours_alone.values()) for m, s in ours_alone.items()})


def module_of(file: str) -> str | None:
    """Returns our module in `file`, None for others'."""
    path = Path(file)
    for package in PACKAGES:
        root = Path(next(iter(package.__path__)))
        if path.is_relative_to(root):
            return ".".join([package.__name__, *path.relative_to(root).with_suffix("").parts]).removesuffix(".__init__")
    return None


def by_stage(parts: dict[str, float], depth: int = 3) -> dict[str, float]:
    """Returns the modules' shares, summed by the first `depth` parts of their names, the largest first."""
    gathered: defaultdict[str, float] = defaultdict(float)
    for module, share in parts.items():
        gathered[".".join(module.split(".")[:depth])] += share
    return _ranked(gathered)


def _ranked(parts: Mapping[str, float]) -> dict[str, float]:
    """Returns the shares, the largest first."""
    return dict(sorted(parts.items(), key=lambda part: -part[1]))
