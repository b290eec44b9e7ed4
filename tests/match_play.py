"""Plays matches for tests: strokes as text, with the settled boards and hands that belong to them."""

from __future__ import annotations

from dataclasses import replace

from models.pieces import Kind, Piece, Pocket, Seat, opening_formation
from referee.facts import Formation, Foul, OffBoard, Pocketed, Returned, Stroke, Table
from referee.laws import StrokeTokens, TokenKind
from referee.match import Match, Ruling, Start

STROKE_S = 10.0
"""Seconds from one strike to the next."""
SEEN = {"push": Foul.PUSH, "hand_over_diagonal": Foul.HAND_OVER_DIAGONAL, "touch": Foul.TOUCHED_COIN,
        "no_leave": Foul.NO_LEAVE}  # fmt: skip
FORMATION = opening_formation(31.0)


def stroke(n: int, seat: str, text: str, t: float, **changes) -> Stroke:
    """Returns the fact of a stroke with the result `text` in the notation."""
    tokens = StrokeTokens.parse(text).tokens
    pocketed = [Pocketed(x.piece, x.pocket or Pocket.NE, t + 1) for x in tokens if x.kind is TokenKind.POCKETED]
    off = [OffBoard(x.piece, t + 1) for x in tokens if x.kind is TokenKind.OFF]
    fouls = [SEEN[x.foul] for x in tokens if x.foul]
    fact = Stroke(n, Seat(seat), t - 1, t, t + 2, t + 2.2, None, Kind.WHITE, tuple(pocketed), tuple(off), tuple(fouls))
    return replace(fact, **changes)


def table(t: float, white: int, black: int, queen: int) -> Table:
    """Returns a settled board with so many coins."""
    kinds = [Kind.WHITE] * white + [Kind.BLACK] * black + [Kind.QUEEN] * queen
    return Table(t, tuple(Piece(kind, 40.0 * i, 0.0) for i, kind in enumerate(kinds)))


class Play:
    """Plays a match with real positions of coins: a pocketed coin is gone, a coin put back is there."""

    def __init__(self, start: Start | None = None) -> None:
        self.match = Match(start or Start("m1"))
        self.coins = {Kind.WHITE: 9, Kind.BLACK: 9, Kind.QUEEN: 1}
        self.n = 0
        self.t = 0.0

    def formation(self, breaker: str | None = None) -> None:
        self.t += STROKE_S
        self.coins = {Kind.WHITE: 9, Kind.BLACK: 9, Kind.QUEEN: 1}
        self.match.add(Formation(self.t, FORMATION, Seat(breaker) if breaker else None))
        self.settle()

    def stroke(self, seat: str, text: str, really: str | None = None, obey: bool = True, **changes) -> Ruling:
        """Plays a stroke detected as `text` whose true result is `really`. With `obey` the players put back what the
        ruling says.
        """
        self.t += STROKE_S
        self.n += 1
        (ruling,) = self.match.add(stroke(self.n, seat, text, self.t, **changes))
        for token in StrokeTokens.parse(really or text).tokens:
            if token.piece in self.coins:
                self.coins[token.piece] -= 1
        self.settle()
        if obey:
            for kind, count in ruling.to_return:
                for _ in range(count):
                    self.put_back(kind)
        return ruling

    def put_back(self, kind: str) -> None:
        self.coins[Kind(kind)] += 1
        self.t += 0.1
        self.match.add(Returned(self.t, Kind(kind), 0.0, 0.0, None))
        self.settle()

    def settle(self) -> None:
        self.t += 3.0
        self.match.add(table(self.t, self.coins[Kind.WHITE], self.coins[Kind.BLACK], self.coins[Kind.QUEEN]))
