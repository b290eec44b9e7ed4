"""Perft of the laws: exhaustive counts of the distinct states that strokes from a fixed alphabet lead to.

`python tests/perft.py > tests/cases/perft.txt` records the counts again. Review what changed before you commit it.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

from models.rules import Rules, load_book, rule_names
from referee.laws import AnyOutcome, AnyState, Reason, StrokeTokens, adapted, apply, parse_state

Reached = tuple[AnyState, int]
"""A state, and the points that its winner may demand."""

RECORDED = Path(__file__).parent / "cases" / "perft.txt"

POSITIONS = {
    "race": {
        "start": ("W0 B0 Q=board due 0/0 score 0:0 mv W board 1 break 0 strokes 0", 3),
        "cover": ("W4 B7 Q=pend:W due 0/1 score 20:22 mv W qpocket NE", 2),
        "ends": ("W8 B7 Q=board due 0/0 score 21:22 mv W board 8", 2),
        "after": ("W7 B8 Q=cov:B due 1/0 score 24:10 mv W strokes 0", 2),
        "owes": ("W4 B2 Q=board due 1/0 score 0:0 mv W", 1),
        "last cover": ("W8 B8 Q=pend:W due 0/0 score 0:0 mv W qpocket NE", 2),
        "even": ("W8 B8 Q=board due 0/0 score 0:0 mv W", 1),
        "behind": ("W5 B8 Q=board due 0/0 score 0:0 mv W", 1),
        "last coins": ("W8 B8 Q=board due 0/0 score 22:22 mv W", 1),
        "mine": ("W8 B8 Q=cov:W due 0/0 score 21:0 mv W", 2),
        "theirs": ("W8 B8 Q=cov:B due 0/0 score 0:0 mv W", 2),
    },
    "collect": {
        "start": ("P1=0 P2=0 left W9 B9 Q=board mv P1 held P1:W0B0 held P2:W0B0 board 1 break 0 strokes 0", 2),
        "cover": ("P1=15 P2=10 left W2 B7 Q=pend:P1 mv P1 held P1:W5B1 held P2:W2B1 board 1", 2),
        "ends": ("P1=18 P2=19 left W1 B1 Q=board mv P1 held P1:W4B4 held P2:W4B4 due P2:1 board 1", 2),
    },
}
"""Positions from which counting starts, and its depth in strokes, for about two seconds a book. Each tests another law:
the break, the queen's cover, last coins, dues and caps."""

HEAD = """\
# Perft: how many different states can be reached in exactly so many strokes from a position, under each rule book.
# Alphabet: 0-2 white coins, 0-2 black ones, the queen or not, the striker or not, each without and with foul:cut_moon
# (72 strokes), before:cut_moon, foul:no_leave, foul:no_break before the break, off:W, off:B, off:Q, off:S. Where a book
# asks for the queen's pocket, all fall into NE or all into SW. Strokes that the laws call impossible are left out; no
# law asks for the order in which pieces fell, which a property test proves.
# A state is its text form, score and strokes of the turn included, with the points that may be demanded; a board that
# is over stays as it is. Columns: book | position | strokes | states | states by first stroke, each count with a
# checksum of the states. Positions and how to record: tests/perft.py.
"""


@cache
def alphabet(pockets: bool) -> tuple[StrokeTokens, ...]:
    """Returns every stroke that is tried, in a fixed order."""
    return tuple(dict.fromkeys(StrokeTokens.parse(line) for line in _lines(pockets)))


def _lines(pockets: bool) -> Iterator[str]:
    for white, black, queen, striker, foul in product(range(3), range(3), range(2), range(2), range(2)):
        for pocket in ("@NE", "@SW") if pockets and (white or black or queen) else ("",):
            coins = [f"W{pocket}"] * white + [f"B{pocket}"] * black + [f"Q{pocket}"] * queen
            yield ",".join(coins + ["S"] * striker + ["foul:cut_moon"] * foul) or "-"
    yield from ("before:cut_moon", "foul:no_leave", "foul:no_break", "off:W", "off:B", "off:Q", "off:S")


def followers(state: AnyState, book: str) -> Iterator[tuple[StrokeTokens, AnyOutcome]]:
    """Yields every possible stroke with its outcome."""
    rules = load_book(book)
    for stroke in alphabet(isinstance(rules, Rules) and rules.queen.other_pocket):
        outcome = apply(state, stroke, rules)
        if not any(d.reason is Reason.IMPOSSIBLE for d in outcome.decisions):
            yield stroke, outcome


def positions(book: str) -> dict[str, tuple[str, int]]:
    """Returns the positions of the book's game with their depths."""
    return POSITIONS["race" if isinstance(load_book(book), Rules) else "collect"]


def divide(book: str, position: str) -> dict[str, str]:
    """Returns the distinct states after each first stroke, and after all of them under `all`, as count/checksum."""
    text, depth = positions(book)[position]
    reached: dict[str, frozenset[Reached]] = {}
    for stroke, outcome in followers(adapted(parse_state(text), load_book(book)), book):
        level = frozenset({_reached(outcome)})
        for _ in range(depth - 1):
            level = frozenset(after for before in level for after in _all_after(before, book))
        reached[str(stroke)] = level
    everything = frozenset[Reached]().union(*reached.values())
    return {"all": _told(everything)} | {stroke: _told(level) for stroke, level in reached.items()}


def _reached(outcome: AnyOutcome) -> Reached:
    return outcome.state, getattr(outcome.result, "on_demand", 0)


@cache
def _all_after(before: Reached, book: str) -> frozenset[Reached]:
    """Returns the states after every stroke. A board that is over stays as it is."""
    if before[0].over:
        return frozenset({before})
    return frozenset(_reached(outcome) for _, outcome in followers(before[0], book))


def _told(states: frozenset[Reached]) -> str:
    lines = sorted(f"{state} +{demand}" for state, demand in states)
    return f"{len(states)}/{zlib.crc32(' '.join(lines).encode()) & 0xFFFF:04x}"


def line(book: str, position: str) -> str:
    """Returns the counts in the form in which they are recorded."""
    counts = divide(book, position)
    total = counts.pop("all")
    return f"{book} | {position} | {positions(book)[position][1]} | {total} | " + " ".join(
        f"{s}={n}" for s, n in counts.items()
    )


def recorded() -> dict[tuple[str, str], dict[str, str]]:
    """Returns the committed counts by book and position."""
    lines = (row for row in RECORDED.read_text(encoding="utf-8").splitlines() if row and row[0] != "#")
    found = {}
    for row in lines:
        book, position, _, total, parts = (cell.strip() for cell in row.split("|"))
        counts = {stroke: n for stroke, _, n in (part.rpartition("=") for part in parts.split())}
        found[book, position] = {"all": total} | counts
    return found


if __name__ == "__main__":
    sys.stdout.write(HEAD)
    for book in rule_names():
        for position in positions(book):
            sys.stdout.write(line(book, position) + "\n")
