"""Counting what lies on the board: what the laws expect against what was seen, and whose word holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from models.pieces import COINS, Kind
from referee.facts import Returned, Table

KEPT_TABLES = 4
"""Settled boards remembered: a stroke is compared with the last one before it, which may not be the newest."""
SAME_MOMENT_S = 1.0
"""A hand that leaves a coin and the board seen settled are this close when they may be the same moment."""


@dataclass(frozen=True, slots=True)
class Counts:
    """So many coins of each kind; differences may be negative."""

    white: int = 0
    black: int = 0
    queen: int = 0

    @classmethod
    def of(cls, kinds: Iterable[Kind]) -> Counts:
        """Counted from a list of kinds; the striker does not count."""
        found = list(kinds)
        return cls(found.count(Kind.WHITE), found.count(Kind.BLACK), found.count(Kind.QUEEN))

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.white + other.white, self.black + other.black, self.queen + other.queen)

    def __sub__(self, other: Counts) -> Counts:
        return Counts(self.white - other.white, self.black - other.black, self.queen - other.queen)

    def __getitem__(self, kind: Kind) -> int:
        return {Kind.WHITE: self.white, Kind.BLACK: self.black, Kind.QUEEN: self.queen}[kind]

    def kinds(self) -> list[tuple[Kind, int]]:
        """Kinds of which the count is not zero."""
        return [(kind, self[kind]) for kind in COINS if self[kind]]

    def at_least_zero(self) -> Counts:
        return Counts(max(self.white, 0), max(self.black, 0), max(self.queen, 0))


COINS_NONE = Counts()


@dataclass(frozen=True, slots=True)
class Census:
    """What was seen on the board, newest last."""

    tables: tuple[tuple[float, Counts], ...] = ()
    """Time and coins of the last settled boards."""
    returned: tuple[tuple[float, Kind], ...] = ()
    """Coins put back by hand since the oldest of these."""

    def with_table(self, table: Table) -> Census:
        tables = (*self.tables, (table.t, Counts.of(p.kind for p in table.pieces)))[-KEPT_TABLES:]
        return Census(tables, tuple(r for r in self.returned if r[0] >= tables[0][0]))

    def with_returned(self, returned: Returned) -> Census:
        return replace(self, returned=(*self.returned, (returned.t, returned.kind)))

    def put_back(self, after: float, until: float) -> Counts:
        """Coins seen put back between two times."""
        return Counts.of(kind for t, kind in self.returned if after < t <= until)

    def readings(self, after: float, until: float) -> tuple[Counts, ...]:
        """What lay on the board just before `until` if it was seen settled after `after`: nothing when it was not.

        A coin put back at the moment of that settled board may or may not be on it already: then there are two.
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
