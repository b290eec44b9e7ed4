"""A simple reading of the rules by the simulated players themselves, for when no referee answers them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from models.pieces import FULL_SET, Kind, Seat
from referee.sim.scene import TrueStroke


@dataclass(frozen=True, slots=True)
class Announcement:
    """What players need to know before they continue."""

    turn: Seat | None
    """Seat that strikes next; None = not announced, the players decide."""
    returns: tuple[Kind, ...] = ()
    """Coins to put back on the board, one entry for each."""
    board_over: bool = False


class Judge:
    """Judges one board for two players by the ICF laws' main lines (R45-R48, R65-R70). Fine points are left out.

    It counts only when the referee is silent, so it is no second rule book.
    """

    def __init__(self, white: Seat) -> None:
        self._colour = {white: Kind.WHITE, white.opposite: Kind.BLACK}
        self._due = {Kind.WHITE: 0, Kind.BLACK: 0}
        self._pending = False

    def colour(self, seat: Seat) -> Kind:
        """Returns the kind of coin that the seat plays."""
        return self._colour[seat]

    def read(self, stroke: TrueStroke, netted: Sequence[Kind]) -> Announcement:
        """Judges a stroke; `netted` are all coins in the nets after it."""
        own_kind = self._colour[stroke.seat]
        fell = [p.kind for p in stroke.pocketed]
        own, queen, striker = fell.count(own_kind), Kind.QUEEN in fell, Kind.STRIKER in fell
        # A referee who read it otherwise may have had her put back already.
        self._pending = self._pending and Kind.QUEEN in netted
        had_own = netted.count(own_kind) - own > 0
        back: list[Kind] = []
        goes_on = own > 0
        if striker:
            back += [own_kind] * own
            self._due[own_kind] += 1
        if queen and (striker or not (had_own or own >= 2)):
            back.append(Kind.QUEEN)
            goes_on = goes_on or (striker and had_own)
        elif queen:
            self._pending = own == 0
            goes_on = True
        elif self._pending and not (striker and own):
            self._pending = False
            if not own:
                back.append(Kind.QUEEN)
        left = list(netted)
        for kind in back:
            left.remove(kind)
        back += self._pay(left)
        turn = stroke.seat if goes_on else stroke.seat.opposite
        return Announcement(turn, tuple(back), is_board_over(left))

    def _pay(self, netted: list[Kind]) -> list[Kind]:
        """Returns the dues that can be paid now, and removes them from `netted`."""
        paid: list[Kind] = []
        for kind in (Kind.WHITE, Kind.BLACK):
            while self._due[kind] and kind in netted:
                self._due[kind] -= 1
                netted.remove(kind)
                paid.append(kind)
        return paid


def is_board_over(netted: Sequence[Kind]) -> bool:
    """Tells whether a side has no coin left on the board."""
    return any(netted.count(kind) >= FULL_SET[kind] for kind in (Kind.WHITE, Kind.BLACK))
