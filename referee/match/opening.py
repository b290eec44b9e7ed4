"""Compares the coins at the start of a board with the opening layout.

Reports each difference once, while it can be mended.
"""

from __future__ import annotations

from models.pieces import Seat
from models.rules import Book
from referee.facts import Alert, AlertKind, Fact, Stroke, Table
from referee.laws.opening_layout import LayoutDifference, difference_text, opening_layout_of
from referee.match.boards import next_breaker
from referee.match.doubts import phrases
from referee.match.position import Position

MOST_LAYOUT_DIFFERENCES = 4
"""Greatest number of differences reported: with more, the coins are no opening layout or their colours are misread."""
LAYOUT_PLACES = 19
"""Number of places in the layout; once all are filled it is no longer being built."""


class OpeningWatch:
    """Watches every fact with the match's position before it; remembers the differences reported of this board."""

    def __init__(self) -> None:
        self._table: Table | None = None
        self._alerted: set[tuple[str | None, ...]] = set()

    def check(self, fact: Fact, before: Position, rules: Book) -> Alert | None:
        """Returns an alert on new differences from the opening layout, or None.

        It comes at once when every place is filled; missing or misplaced coins are reported when the break is played.
        """
        if not _at_start(before):
            self._table = None
            self._alerted.clear()
            return None
        if isinstance(fact, Table):
            self._table = fact
            return self._alert(fact.t, next_breaker(before, rules), rules, least_filled=LAYOUT_PLACES)
        if isinstance(fact, Stroke):
            return self._alert(fact.t_called, fact.seat, rules, least_filled=0)
        return None

    def _alert(self, t: float, breaker: Seat | None, rules: Book, least_filled: int) -> Alert | None:
        wanted = breaker if rules.opening.arm_to_breaker else None
        layout = opening_layout_of(self._table.pieces, wanted) if self._table else None
        if layout is None or layout.filled < least_filled or len(layout.differences) > MOST_LAYOUT_DIFFERENCES:
            return None
        new = [d for d in layout.differences if _name(d) not in self._alerted]
        self._alerted.update(map(_name, new))
        faults = " ".join(map(difference_text, new))
        return Alert(t, AlertKind.LAYOUT_DIFFERS, phrases("en")["layout"].format(faults=faults)) if new else None


def _at_start(position: Position) -> bool:
    """Tells whether no stroke of the next board has been judged yet."""
    return position.state is None or position.state.over or position.waiting or not position.played


def _name(difference: LayoutDifference) -> tuple[str | None, ...]:
    """Returns the fields by which two differences are the same although the coins were measured twice."""
    return difference.fault, difference.ring, difference.expected, difference.found
