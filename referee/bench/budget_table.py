"""The budget as text for the terminal and as JSON, with a prediction for a Raspberry Pi."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from referee.bench.budget import Budget

GOAL_SHARE = 0.5
"""Greatest share of this machine at 60 frames a second, everything included."""
RATES = ((55.0, 70.0), (110.0, 130.0))
"""Ranges of frame rates that count as 60 and as 120 a second."""
OTHER_LOAD = 0.25
"""Share of the machine used by others above which the vision may have had to wait. Five viewers take a tenth of two
processors.
"""
PI_UNCERTAINTY = 2.0
"""Factor by which a Pi may be slower than its published figure. That one counts primes, which needs neither memory nor
vectors. A Pi's vectors are half as wide (128 bit), its caches and its memory several times smaller and slower.
"""


@dataclass(frozen=True, slots=True)
class Pi:
    """A Raspberry Pi with its published figure: sysbench 1.0.20, `sysbench cpu --threads=1 run`, 64 bit.

    Source: leoncode.co.uk, Raspberry Pi CPU Benchmarks.
    """

    name: str
    events: float
    """Events per second of one core."""
    cores: int = 4


PIS = (Pi("Pi 4 (4 x Cortex-A72)", 1477.83), Pi("Pi 5 (4 x Cortex-A76)", 2737.49))


def prediction(budget: Budget, pi: Pi, events: float) -> tuple[float, float]:
    """Returns the least and greatest load of a Pi's core by the vision's main thread; above 1, frames are lost.

    `events`: sysbench's events per second of one core of this machine.
    """
    least = budget.spent.vision / budget.seconds * events / pi.events
    return least, least * PI_UNCERTAINTY


def budget_lines(budgets: Sequence[Budget], events: float | None) -> Iterator[str]:
    """Yields a line for each run, and its prediction for a Pi."""
    yield ("frames/s  recorded  CPU s/min  of machine  vision  recording  rest  house   lost  unrecorded  memory   "
           "viewers: updates, pictures/s   others' load")  # fmt: skip
    for b in budgets:
        minute = 60 / b.seconds
        yield (f"{b.fps:8g}  {b.record:>8}  {b.per_minute:9.1f}  {100 * b.share:8.1f} %"
               f"  {minute * b.spent.vision:6.1f}  {minute * b.spent.recording:9.1f}  {minute * b.spent.rest:4.1f}"
               f"  {minute * b.spent.house:5.1f}  {b.lost:5}  {b.unrecorded:10}  {b.memory_mb:4.0f} MB"
               f"  {b.updates:17.1f}, {b.pictures:.1f}  {100 * b.others:18.0f} %")  # fmt: skip
    yield from _goals(budgets)
    if events is None:
        yield "for a Raspberry Pi's share say what `sysbench cpu --threads=1 run` tells here: --sysbench EVENTS"
        return
    for b in budgets:
        for pi in PIS:
            least, most = prediction(b, pi, events)
            whole = least * b.spent.total / b.spent.vision
            yield (f"{pi.name} at {b.fps:g}, recorded {b.record}: vision {100 * least:.0f} to {100 * most:.0f} % of a "
                   f"core, everything {whole:.2f} to {whole * PI_UNCERTAINTY:.2f} of {pi.cores} cores")  # fmt: skip


def _goals(budgets: Sequence[Budget]) -> Iterator[str]:
    """Yields whether the goals are met at the measured rates."""
    slow, fast = ([b for b in budgets if low <= b.fps < high] for low, high in RATES)
    if slow:
        most = max(b.share for b in slow)
        yield (f"goal at 60 a second, less than {100 * GOAL_SHARE:.0f} % of this machine's {slow[0].processors} "
               f"processors: {_verdict(most < GOAL_SHARE)}, {100 * most:.0f} % at most")  # fmt: skip
    if fast:
        lost, unrecorded = sum(b.lost for b in fast), sum(b.unrecorded for b in fast)
        yield (f"goal at 120 a second, no frame lost: {_verdict(not lost + unrecorded)}, vision {lost}, "
               f"recording {unrecorded}")  # fmt: skip
    if max(b.others for b in budgets) > OTHER_LOAD:
        yield "other work took much of this machine meanwhile: measure again when it has nothing else to do"


def _verdict(met: bool) -> str:
    return "met" if met else "missed"


def budget_json(budgets: Sequence[Budget]) -> dict[str, Any]:
    """Returns all figures."""
    return {"budgets": [asdict(b) | {"per_minute": b.per_minute, "share": b.share} for b in budgets]}
