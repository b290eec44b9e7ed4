"""Counts of the coins on the board, as detected at rest and put back by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from models.pieces import COINS, Kind
from referee.facts import Returned, Table

RETAINED_TABLES = 4
"""Number of settled boards retained: a stroke is compared with the last one before it, which may not be the newest."""
SAME_MOMENT_S = 1.0
"""Greatest time between a coin put back by hand and a settled board that may already show it, in seconds."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Number of coins of each kind; negative in differences."""

    white: int = 0
    black: int = 0
    queen: int = 0

    @classmethod
    def of(cls, kinds: Iterable[Kind]) -> Counts:
        """Counts kinds; the striker is not counted."""
        found = list(kinds)
        return cls(found.count(Kind.WHITE), found.count(Kind.BLACK), found.count(Kind.QUEEN))

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.white + other.white, self.black + other.black, self.queen + other.queen)

    def __sub__(self, other: Counts) -> Counts:
        return Counts(self.white - other.white, self.black - other.black, self.queen - other.queen)

    def __getitem__(self, kind: Kind) -> int:
        return {Kind.WHITE: self.white, Kind.BLACK: self.black, Kind.QUEEN: self.queen}[kind]

    def kinds(self) -> list[tuple[Kind, int]]:
        """Returns the kinds whose count is not zero, with their counts."""
        return [(kind, self[kind]) for kind in COINS if self[kind]]

    def at_least_zero(self) -> Counts:
        return Counts(max(self.white, 0), max(self.black, 0), max(self.queen, 0))


COINS_NONE = Counts()


@dataclass(frozen=True, slots=True)
class Census:
    """Coins detected on the board, newest last."""

    tables: tuple[tuple[float, Counts], ...] = ()
    """Time and coins of the last settled boards."""
    returned: tuple[tuple[float, Kind], ...] = ()
    """Time and kind of coins put back by hand since the oldest of these."""

    def with_table(self, table: Table) -> Census:
        tables = (*self.tables, (table.t, Counts.of(p.kind for p in table.pieces)))[-RETAINED_TABLES:]
        return Census(tables, tuple(r for r in self.returned if r[0] >= tables[0][0]))

    def with_returned(self, returned: Returned) -> Census:
        return replace(self, returned=(*self.returned, (returned.t, returned.kind)))

    def put_back(self, after: float, until: float) -> Counts:
        """Returns the coins put back by hand between two times (s)."""
        return Counts.of(kind for t, kind in self.returned if after < t <= until)

    def readings(self, after: float, until: float) -> tuple[Counts, ...]:
        """Returns the possible counts on the board just before `until` (s).

        It is empty if the board was not detected at rest after `after`. A coin put back at about the time of that
        settled board may or may not be on it already: then there are two.
        """
        table = next(((t, counts) for t, counts in reversed(self.tables) if after < t <= until), None)
        if table is None:
            return ()
        later = table[1] + self.put_back(table[0], until)
        surely = table[1] + self.put_back(table[0] + SAME_MOMENT_S, until)
        return (later, surely) if later != surely else (later,)

    @property
    def latest(self) -> Counts | None:
        return self.tables[-1][1] if self.tables else None


EMPTY = Census()
