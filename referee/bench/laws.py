"""How many strokes a second each rule book judges on one core."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import cycle, islice

from models.rules import Book, CollectRules, load_book, rule_names
from referee.laws import AnyState, CollectState, StrokeTokens, apply, fitted

GOAL_PER_S = 20_000
STROKES = 5_000
"""Judged in one go: some tenths of a second, long enough to time and short enough to find a quiet moment."""
GOES = 3
"""The best of these counts: anything slower was another program in the processor's cache."""

Case = tuple[AnyState, StrokeTokens]


def measure_laws(cases: Sequence[Case]) -> dict[str, int]:
    """Strokes a second by rule book, over the cases of its own kind of game, without their sentences."""
    return {name: _per_second(name, cases) for name in rule_names()}


def laws_lines(per_second: dict[str, int]) -> Iterable[str]:
    """The figures as a person reads them, the slowest book first."""
    for name, judged in sorted(per_second.items(), key=lambda item: item[1]):
        yield f"laws {name:15} {judged:7} strokes a second (goal {GOAL_PER_S})"


def _per_second(name: str, cases: Sequence[Case]) -> int:
    book = load_book(name)
    collecting = isinstance(book, CollectRules)
    own = [(fitted(state, book), stroke) for state, stroke in cases if isinstance(state, CollectState) is collecting]
    strokes = list(islice(cycle(own), STROKES))
    return round(STROKES / min(_seconds(strokes, book) for _ in range(GOES)))


def _seconds(strokes: Sequence[Case], book: Book) -> float:
    """Processor time, which other programs do not lengthen as they do the clock's."""
    start = time.process_time()
    for state, stroke in strokes:
        apply(state, stroke, book)
    return time.process_time() - start
