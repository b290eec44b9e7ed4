"""The operator's events, which no stroke says, and their one-line text form."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from models.rulebook import FoulName
from models.terms import MOST_COINS_PER_SIDE
from referee.laws.collect_state import player_number
from referee.laws.notation import NotationError, number
from referee.laws.sides import SIDE_OF, Side
from referee.laws.tokens import StrokeTokens, Token, TokenKind

MOST_POINTS = 99
"""Greatest agreed result. More is a typing error and refused."""
_EXPECTED = (
    "before:NAME, waive WHO [N], grant WHO [N], return WHO [N], return Q, concede WHO, timeout WHO, "
    "result WHO N or replay"
)


class EventKind(StrEnum):
    """Kind of event; the value is its word in the text form."""

    BEFORE = "before"
    """The player to strike committed a foul and has not struck (`before:NAME`)."""
    WAIVE = "waive"
    """Penalty coins of this side are waived: those owed, then those not put back yet."""
    GRANT = "grant"
    """This side owes more penalty coins."""
    RETURN = "return"
    """Coins of this side, or the queen, were put back on the board."""
    CONCEDE = "concede"
    """This side gives the board up: the other wins what is left of its coins, and the queen unless covered by it."""
    TIME_OUT = "timeout"
    """This side asked for a pause; nothing else follows."""
    RESULT = "result"
    """Both agree that this side wins the board by so many points."""
    REPLAY = "replay"
    """The board counts for nobody and is played again."""


COUNTED = frozenset({EventKind.WAIVE, EventKind.GRANT, EventKind.RETURN})


@dataclass(frozen=True, slots=True)
class OperatorEvent:
    """One event of the operator."""

    act: EventKind
    side: Side | None = None
    """The side concerned, or the colour of a coin put back; None for a foul before the stroke, a replay, the queen."""
    count: int | None = None
    """Number of coins or points; None = all that is owed for `waive`, one for `grant` and `return`."""
    foul: FoulName | None = None
    player: int | None = None
    """The player concerned in a collecting game, counted from 0."""

    @property
    def stroke(self) -> StrokeTokens | None:
        """A foul before the stroke as the stroke it replaces; None for every other event."""
        return StrokeTokens((Token(TokenKind.BEFORE, foul=self.foul),)) if self.foul else None

    def __str__(self) -> str:
        if self.act is EventKind.BEFORE:
            return f"before:{self.foul}"
        player = None if self.player is None else f"P{self.player + 1}"
        what = "Q" if self.act is EventKind.RETURN and self.side is None else self.side and self.side.letter
        return " ".join(str(part) for part in (self.act, player, what, self.count) if part is not None)

    @classmethod
    def parse(cls, line: str) -> OperatorEvent:
        """Returns the event that `line` spells. Raises NotationError naming the offending token."""
        words = line.split()
        first = words[0] if words else ""
        if first.startswith("before:"):
            (token,) = StrokeTokens.parse(first).tokens if "," not in first else (None,)
            event = cls(EventKind.BEFORE, foul=token.foul if token else None)
            return _whole(event, words, 1) if event.foul else _refused(1, first, "one infringement after before:")
        if first not in set(EventKind) - {EventKind.BEFORE}:
            return _refused(1, first, _EXPECTED)
        act = EventKind(first)
        return _whole(cls(act), words, 1) if act is EventKind.REPLAY else _about(act, words)


def _about(act: EventKind, words: list[str]) -> OperatorEvent:
    """Returns an event about a player or side, or about a coin put back."""
    player, read = None, 1
    if len(words) > 1 and words[1][:1] == "P":
        player, read = player_number("event", 2, words[1], words[1]), 2
    side = None
    if player is None or act is EventKind.RETURN:
        who = words[read] if len(words) > read else ""
        queen = act is EventKind.RETURN and player is None
        if who not in SIDE_OF and not (queen and who == "Q"):
            expected = "W or B" if player is not None else f"W, B{', Q' if queen else ''} or P1 to P4"
            return _refused(read + 1, who, expected)
        side, read = SIDE_OF.get(who), read + 1
    count = None
    counted = act in COUNTED and (side is not None or player is not None) and len(words) > read
    if act is EventKind.RESULT or counted:
        low, high = (0, MOST_POINTS) if act is EventKind.RESULT else (1, MOST_COINS_PER_SIDE)
        count = number("event", read + 1, words[read] if len(words) > read else "", low, high)
        read += 1
    return _whole(OperatorEvent(act, side, count, player=player), words, read)


def _refused(position: int, token: str, expected: str) -> OperatorEvent:
    raise NotationError("event", position, token, expected)


def _whole(event: OperatorEvent, words: list[str], read: int) -> OperatorEvent:
    if len(words) > read:
        raise NotationError("event", read + 1, words[read], "nothing more")
    return event
