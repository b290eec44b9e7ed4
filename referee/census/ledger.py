"""The ledger: what has happened on the board since the last stroke, and what has left it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from models.pieces import COINS, Kind, Piece
from referee.census.between_strokes import Shift
from referee.census.reconcile import RECONCILE_NUDGED_MM
from referee.outcome.fates import CensusFate, Missing

LEDGER_AT_ONCE_S = 0.1
"""Nobody puts a coin down so soon after a stroke has been told without being seen at it."""
UNLIT_S = 0.3
"""What seems to be struck so shortly after the light changed may be nothing but light."""
REBUILDING, LEDGER_BUILT = 3, 6
"""Hands that have moved or put down so many coins since the last stroke clear the board or build it anew: what they put
down is no return.
"""


@dataclass(slots=True)
class Ledger:
    """Kept from stroke to stroke."""

    strokes: int = 0
    """Strokes told so far."""
    last_called: float = -math.inf
    """When the last one was."""
    out: Counter[Kind] = field(default_factory=Counter)
    """How many coins of a kind have left the board and not come back; one that nobody put down was overlooked."""
    unseen: Counter[Kind] = field(default_factory=Counter)
    """How many of these coins nobody saw go: they may lie where nobody sees them; a striker is placed again anyway."""
    spent: tuple[Piece, ...] = ()
    """The striker where the last stroke left it."""
    shifts: list[Shift] = field(default_factory=list)
    """Pieces moved by hands since the last stroke."""
    lost: list[tuple[float, Piece]] = field(default_factory=list)
    """Pieces found gone since the last stroke, each with when it was."""
    disturbed: int = 0
    """How many coins hands have moved or taken since then."""
    built: int = 0
    """How many coins hands have put down since then."""
    cleared: bool = False
    """Whether hands have left no coin on the board."""
    unlit: float = -math.inf
    """When the light was last seen to change."""
    formed: bool = False
    """Whether the opening formation stands and has been told."""

    @property
    def rebuilding(self) -> bool:
        """Whether hands clear the board or build it anew."""
        return self.disturbed >= REBUILDING or self.built >= LEDGER_BUILT or self.cleared

    @property
    def surely_out(self) -> Counter[Kind]:
        """How many coins of a kind were seen to leave the board and not to come back."""
        return self.out - self.unseen

    def knows_all(self, full_set: Mapping[Kind, int], lay: Sequence[Piece]) -> bool:
        """Whether each coin of the set was known to be one of those that `lay` there, or to be out."""
        return all(all_known(kind, full_set, lay, self.surely_out) for kind in COINS)

    def leave(self, missing: Sequence[Missing]) -> None:
        """Takes those that a stroke sent off the board for out."""
        gone = [m for m in missing if m.fate in (CensusFate.POCKETED, CensusFate.OFF_BOARD)]
        self.out.update(m.piece.kind for m in gone)
        self.unseen.update(m.piece.kind for m in gone if not m.seen and m.piece.kind in COINS)

    def comes_back(self, kind: Kind) -> None:
        """A coin of this kind lies on the board again, or still."""
        self.out[kind] -= 1
        self.unseen[kind] -= self.unseen[kind] > 0

    def handle(self, lifted: int, put_down: int, lying: int) -> None:
        """Hands have moved or taken, and put down, so many coins, and leave so many `lying`."""
        self.disturbed += lifted
        self.built += put_down
        self.cleared |= self.disturbed > 0 and not lying

    def begin(self) -> None:
        """All coins lie on the board."""
        self.out.clear()
        self.unseen.clear()

    def call(self, t: float) -> None:
        """A stroke is told at t."""
        self.strokes, self.last_called = self.strokes + 1, t

    def is_unlit(self, t: float) -> bool:
        """Whether the light has changed shortly before t or since."""
        return self.unlit > t - UNLIT_S

    def lay_there(self, since: float) -> bool:
        """Whether a coin that has lain where it does `since` then was overlooked when the last stroke was told."""
        return 0.0 <= since - self.last_called < LEDGER_AT_ONCE_S

    def close(self) -> None:
        """A stroke is over; what led to it is history."""
        self.disturbed, self.built, self.cleared, self.formed = 0, 0, False, False
        self.forget()

    def forget(self) -> None:
        """What was moved or taken so far is explained."""
        self.shifts.clear()
        self.lost.clear()

    def never_away(self, piece: Piece) -> bool:
        """Whether a coin that is found now lies where one of its kind was found gone since the last stroke: something
        lay over it.
        """
        if piece.kind is Kind.STRIKER:
            return False
        at, alike = (piece.x_mm, piece.y_mm), (p for _, p in self.lost if p.kind is piece.kind)
        return any(math.dist(at, (p.x_mm, p.y_mm)) < RECONCILE_NUDGED_MM for p in alike)

    def stirred(self, since: float) -> list[Piece]:
        """The coins, where they lay, that were found elsewhere or gone since then."""
        return _coins([(shift.t, shift.was) for shift in self.shifts], since) + self.gone(since)

    def unexplained(self, since: float, met: bool) -> int:
        """How many coins that were stirred since then a weak stroke does not explain: those gone, and where the striker
        `met` none, those found elsewhere, which a hand moved; it strikes one against others.
        """
        return len(self.gone(since) if met else self.stirred(since))

    def gone(self, since: float) -> list[Piece]:
        """The coins, where they lay, that were found gone since then."""
        return _coins(self.lost, since)


def all_known(kind: Kind, full_set: Mapping[Kind, int], lay: Sequence[Piece], out: Counter[Kind]) -> bool:
    """Whether all pieces of a kind were known to lie or to be out, so that none was overlooked."""
    return sum(p.kind is kind for p in lay) + out[kind] >= full_set.get(kind, 1)


def _coins(pieces: Sequence[tuple[float, Piece]], since: float) -> list[Piece]:
    return [p for t, p in pieces if t > since and p.kind is not Kind.STRIKER]
