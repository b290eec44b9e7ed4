"""Speed of the rule books: strokes judged per second on one core."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import cycle, islice

from models.rules import Book, CollectRules, load_book, rule_names
from referee.laws import AnyState, CollectState, StrokeTokens, adapted, apply

GOAL_PER_S = 20_000
STROKES = 2_000
"""Strokes judged in one run: some hundredths of a second, long enough to time, short enough to find a quiet moment."""
BENCH_RUNS = 3
"""Number of runs, of which the fastest counts. Anything slower was another program in the processor's cache."""

LawCase = tuple[AnyState, StrokeTokens]


def measure_laws(cases: Sequence[LawCase]) -> dict[str, int]:
    """Returns strokes per second by rule book, over the cases of its kind of game, without their sentences."""
    return {name: _per_second(name, cases) for name in rule_names()}


def laws_lines(per_second: dict[str, int]) -> Iterable[str]:
    """Yields the figures as text, the slowest book first."""
    for name, judged in sorted(per_second.items(), key=lambda item: item[1]):
        yield f"laws {name:15} {judged:7} strokes a second (goal {GOAL_PER_S})"


def _per_second(name: str, cases: Sequence[LawCase]) -> int:
    book = load_book(name)
    collecting = isinstance(book, CollectRules)
    own = [(adapted(state, book), stroke) for state, stroke in cases if isinstance(state, CollectState) is collecting]
    strokes = list(islice(cycle(own), STROKES))
    return round(STROKES / min(_seconds(strokes, book) for _ in range(BENCH_RUNS)))


def _seconds(strokes: Sequence[LawCase], book: Book) -> float:
    """Processor time, which other programs do not lengthen as they do the clock's."""
    start = time.process_time()
    for state, stroke in strokes:
        apply(state, stroke, book)
    return time.process_time() - start
