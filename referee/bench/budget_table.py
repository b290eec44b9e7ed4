"""The budget as text for the terminal and as figures, with what it predicts for a Raspberry Pi."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from referee.bench.budget import Budget

GOAL_SHARE = 0.5
"""Of this machine at 60 frames a second, everything included."""
DOUBT = 2.0
"""A Pi may take so much longer than its published figure says: that one counts primes, which needs neither memory nor
vectors, and a Pi's vectors are half as wide (128 bit), its caches and its memory several times smaller and slower."""


@dataclass(frozen=True, slots=True)
class Pi:
    """A Raspberry Pi as published: sysbench 1.0.20, `sysbench cpu --threads=1 run`, 64 bit.

    Source: leoncode.co.uk, Raspberry Pi CPU Benchmarks.
    """

    name: str
    events: float
    """Events a second of one core."""
    cores: int = 4


PIS = (Pi("Pi 4 (4 x Cortex-A72)", 1477.83), Pi("Pi 5 (4 x Cortex-A76)", 2737.49))


def prediction(budget: Budget, pi: Pi, events: float) -> tuple[float, float]:
    """Cores of a Pi kept busy by the vision's own thread at least and at most: beyond one, frames are lost.

    `events`: what sysbench tells of this machine for each second of a core's time.
    """
    least = budget.spent.vision / budget.seconds * events / pi.events
    return least, least * DOUBT


def budget_lines(budgets: Sequence[Budget], events: float | None) -> Iterator[str]:
    """A line for each run, and what that means for a Pi."""
    yield ("frames/s  recorded  CPU s/min  of machine  vision  recording  rest  house   lost  unrecorded  memory   "
           "viewers: updates, pictures/s   others' load")  # fmt: skip
    for b in budgets:
        minute = 60 / b.seconds
        yield (f"{b.fps:8g}  {b.record:>8}  {b.per_minute:9.1f}  {100 * b.share:8.1f} %"
               f"  {minute * b.spent.vision:6.1f}  {minute * b.spent.recording:9.1f}  {minute * b.spent.rest:4.1f}"
               f"  {minute * b.spent.house:5.1f}  {b.lost:5}  {b.unrecorded:10}  {b.memory_mb:4.0f} MB"
               f"  {b.updates:17.1f}, {b.pictures:.1f}  {100 * b.others:18.0f} %")  # fmt: skip
    yield (f"goal: at 60 a second less than {100 * GOAL_SHARE:.0f} % of this machine "
           f"({budgets[0].processors} processors), at 120 no frame lost")  # fmt: skip
    if events is None:
        yield "for a Raspberry Pi's share say what `sysbench cpu --threads=1 run` tells here: --sysbench EVENTS"
        return
    for b in budgets:
        for pi in PIS:
            least, most = prediction(b, pi, events)
            whole = least * b.spent.total / b.spent.vision
            yield (f"{pi.name} at {b.fps:g}, recorded {b.record}: vision {100 * least:.0f} to {100 * most:.0f} % of a "
                   f"core, everything {whole:.2f} to {whole * DOUBT:.2f} of {pi.cores} cores")  # fmt: skip


def budget_json(budgets: Sequence[Budget]) -> dict[str, Any]:
    """All figures."""
    return {"budgets": [asdict(b) | {"per_minute": b.per_minute, "share": b.share} for b in budgets]}
