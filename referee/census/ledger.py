"""The ledger: what has happened on the board since the last stroke, and which coins have left it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from models.pieces import COINS, Kind, Piece
from referee.census.between_strokes import HandDisplacement
from referee.census.reconcile import has_moved
from referee.outcome.readings import Claim, How

LEDGER_AT_ONCE_S = 0.1
"""Time after the report of a stroke within which nobody can put a coin down undetected, s."""
UNLIT_S = 0.3
"""Time after a change of light within which an apparent impact may be the light alone, s."""
REBUILDING, LEDGER_BUILT = 3, 6
"""Numbers of coins moved or taken, and put down, by hand since the last stroke from which the board is being cleared or
set up anew. Coins put down then do not count as returned.
"""


@dataclass(slots=True)
class Ledger:
    """History of the pieces between strokes."""

    strokes: int = 0
    """Number of strokes reported so far."""
    last_called: float = -math.inf
    """Time of the last report, s."""
    out: Counter[Kind] = field(default_factory=Counter)
    """Coins of each kind that have left the board and not come back. One that reappears without a hand was
    overlooked.
    """
    unseen: Counter[Kind] = field(default_factory=Counter)
    """Those of `out` whose departure was not seen: they may still lie on the board, undetected. Never the striker,
    which is placed again after each stroke.
    """
    spent: tuple[Piece, ...] = ()
    """The striker where the last stroke left it."""
    shifts: list[HandDisplacement] = field(default_factory=list)
    """Pieces moved by hand since the last stroke."""
    lost: list[tuple[float, Piece]] = field(default_factory=list)
    """Pieces found missing since the last stroke, each with the time, s."""
    disturbed: int = 0
    """Number of coins moved or taken by hand since the last stroke."""
    built: int = 0
    """Number of coins put down by hand since the last stroke."""
    cleared: bool = False
    """Hands have left no coin on the board."""
    unlit: float = -math.inf
    """Last change of light, s."""
    formed: bool = False
    """The opening formation stands and has been reported."""

    @property
    def rebuilding(self) -> bool:
        """Tells whether hands are clearing the board or setting it up anew."""
        return self.disturbed >= REBUILDING or self.built >= LEDGER_BUILT or self.cleared

    @property
    def surely_out(self) -> Counter[Kind]:
        """Coins of each kind that were seen to leave the board and have not come back."""
        return self.out - self.unseen

    def leave(self, claims: Sequence[Claim]) -> None:
        """Records the coins that a stroke sent off the board."""
        self.out.update(m.kind for m in claims if m.left)
        self.unseen.update(m.kind for m in claims if m.left and m.how is How.UNSEEN and m.kind in COINS)

    def comes_back(self, kind: Kind) -> None:
        """Records that a coin of this kind lies on the board again, or had never left it."""
        self.out[kind] -= 1
        self.unseen[kind] -= self.unseen[kind] > 0

    def handle(self, lifted: int, put_down: int, lying: int) -> None:
        """Records numbers of coins that hands moved or took and put down, and the number now `lying`."""
        self.disturbed += lifted
        self.built += put_down
        self.cleared |= self.disturbed > 0 and not lying

    def begin(self) -> None:
        """Records that all coins lie on the board."""
        self.out.clear()
        self.unseen.clear()

    def call(self, t: float) -> None:
        """Records that a stroke is reported at time t."""
        self.strokes, self.last_called = self.strokes + 1, t

    def is_unlit(self, t: float) -> bool:
        """Tells whether the light has changed since `UNLIT_S` before t."""
        return self.unlit > t - UNLIT_S

    def lay_there(self, since: float) -> bool:
        """Tells whether a coin that has lain at its place `since` then was overlooked when the last stroke was
        reported.
        """
        return 0.0 <= since - self.last_called < LEDGER_AT_ONCE_S

    def close(self) -> None:
        """Ends a stroke and clears what led to it."""
        self.disturbed, self.built, self.cleared, self.formed = 0, 0, False, False
        self.forget()

    def forget(self) -> None:
        """Clears the pieces moved and lost so far, which are explained."""
        self.shifts.clear()
        self.lost.clear()

    def never_away(self, piece: Piece) -> bool:
        """Tells whether a coin lies where one of its kind was found missing since the last stroke. It was covered, not
        gone.
        """
        if piece.kind is Kind.STRIKER:
            return False
        at, alike = piece.place, (p for _, p in self.lost if p.kind is piece.kind)
        return any(not has_moved(at, p.place) for p in alike)

    def stirred(self, since: float) -> list[Piece]:
        """Returns the coins, at their old places, that were found moved or missing after `since`."""
        return _coins([(shift.t, shift.was) for shift in self.shifts], since) + self.gone(since)

    def unexplained(self, since: float, met: bool) -> int:
        """Returns the number of moved or missing coins after `since` that a weak stroke does not explain.

        Missing coins always count. Moved ones count unless the striker `met` a coin: if so, it may have moved others
        too.
        """
        return len(self.gone(since) if met else self.stirred(since))

    def gone(self, since: float) -> list[Piece]:
        """Returns the coins, at their old places, that were found missing after `since`."""
        return _coins(self.lost, since)


def _coins(pieces: Sequence[tuple[float, Piece]], since: float) -> list[Piece]:
    return [p for t, p in pieces if t > since and p.kind is not Kind.STRIKER]
