"""Judges a stored match again and compares the rulings with those logged, stroke by stroke."""

from __future__ import annotations

from dataclasses import dataclass

from referee.log.line import Line
from referee.log.stored_match import StoredMatch
from referee.match import ruling_line

REJUDGE_COMPARED = ("turn", "state", "board_over", "returned")
"""Fields in which two rulings must agree to be the same; sentences and law numbers differ from book to book."""


@dataclass(frozen=True, slots=True)
class RulingDifference:
    """A stroke's logged ruling and its new one."""

    stroke: int
    before: Line | None
    """Ruling as logged; None if the stroke was never ruled."""
    now: Line

    @property
    def differs(self) -> bool:
        """True if none was logged or the two differ in a field of REJUDGE_COMPARED."""
        before = self.before
        return before is None or any(before.get(field) != self.now.get(field) for field in REJUDGE_COMPARED)


def rejudged(stored: StoredMatch) -> list[RulingDifference]:
    """Returns every stroke's ruling as logged and as judged now."""
    logged = stored.rulings
    return [RulingDifference(n, logged.get(n), ruling_line(ruling)) for n, ruling in stored.match.rulings.items()]
