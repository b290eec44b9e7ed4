"""One board's state with the score of the match, and its one-line text form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from models.pieces import Pocket
from models.terms import COINS_PER_SIDE, MOST_COINS_PER_SIDE
from referee.laws.notation import NotationError, number
from referee.laws.sides import SIDE_OF, Side

Pair = tuple[int, int]
"""A number for white and one for black."""


class QueenStatus(StrEnum):
    """State of the queen; the values are those of the match log."""

    BOARD = "board"
    PENDING = "pending"
    """Pocketed, still to be covered."""
    VOID = "void"
    """Pocketed before it was allowed; goes back when the turn ends."""
    COVERED = "covered"
    UNKNOWN = "unknown"
    """Not on the board, and its fate is unknown (a referee who started in mid-board)."""


QUEEN_WORDS = {"pend": QueenStatus.PENDING, "void": QueenStatus.VOID, "cov": QueenStatus.COVERED}


@dataclass(frozen=True, slots=True)
class State:
    """Everything that the laws need to judge the next stroke. Pairs are (white, black)."""

    pocketed: Pair = (0, 0)
    """Coins of each colour that lie in pockets."""
    queen: QueenStatus = QueenStatus.BOARD
    queen_side: Side | None = None
    """Who pocketed the queen; None while it is on the board or unknown."""
    dues: Pair = (0, 0)
    """Penalty coins that each side still owes."""
    score: Pair = (0, 0)
    """Match points; they include the board's result once it is over. Books that deduct can go below 0."""
    mover: Side | None = Side.WHITE
    """The side to play; None when the board is over or the colour of the player is not known."""
    over: bool = False
    """The board has ended."""
    board: int | None = None
    """Number of this board in the game, from 1; None if not counted."""
    noleave: int = 0
    """Strokes in a row that stayed on the base lines; counted only where the book has a limit."""
    breaks: int | None = None
    """Break attempts used while the formation is unbroken; None once broken."""
    qpocket: Pocket | None = None
    """Pocket of the pending queen; None if unseen, or if none is pending."""
    had_own: tuple[Side, ...] = ()
    """Sides known to have pocketed an own coin although none may lie in a pocket now; white first."""
    strokes: int | None = None
    """Strokes of this turn so far; None = more than 0."""
    coins: int = COINS_PER_SIDE
    """Number of coins of each colour in the game."""

    def left(self, side: Side) -> int:
        """Returns the number of coins of `side` on the board."""
        return self.coins - self.pocketed[side.slot]

    @property
    def known(self) -> bool:
        """Tells whether nothing is missing that a ruling may need."""
        return (self.over or self.mover is not None) and self.queen is not QueenStatus.UNKNOWN

    def __str__(self) -> str:
        parts = [
            f"W{self.pocketed[0]} B{self.pocketed[1]} Q={self._queen_text()}",
            f"due {self.dues[0]}/{self.dues[1]}",
        ]
        parts += [f"score {self.score[0]}:{self.score[1]}", f"mv {self._mover_text()}"]
        optional = (("board", self.board), ("noleave", self.noleave or None), ("break", self.breaks))
        parts += [f"{name} {value}" for name, value in (*optional, ("qpocket", self.qpocket)) if value is not None]
        parts += [f"hadown {side.letter}" for side in self.had_own]
        if self.strokes is not None:
            parts.append(f"strokes {self.strokes}")
        if self.coins != COINS_PER_SIDE:
            parts.append(f"coins {self.coins}")
        return " ".join(parts)

    def _queen_text(self) -> str:
        if self.queen is QueenStatus.UNKNOWN:
            return "?"
        word = next((word for word, status in QUEEN_WORDS.items() if status is self.queen), "board")
        return f"{word}:{self.queen_side.letter}" if self.queen_side else word

    def _mover_text(self) -> str:
        return "end" if self.over else self.mover.letter if self.mover else "?"

    @classmethod
    def parse(cls, line: str) -> State:
        """Returns the state that `line` spells. Raises NotationError naming the offending token.

        `Q=?` and `mv ?` are ours: the queen's fate, or who is to play, is unknown.
        """
        reader = _Reader(line)
        for position, token in reader:
            reader.read(position, token)
        return reader.state()


class _Reader:
    """Reads the tokens of one line; each may come once, `hadown` once a side."""

    def __init__(self, line: str) -> None:
        words = line.split()
        self._tokens = words
        self._words: Iterator[tuple[int, str]] = enumerate(words, 1)
        self._end = len(words) + 1
        self._read: dict[str, object] = {}
        self._white: int | None = None
        self._black: int | None = None
        self._had_own: set[Side] = set()

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return self._words

    def read(self, position: int, token: str) -> None:
        """Reads one token and the value behind it."""
        if token[0] in "WB" and token[1:].isdigit():
            self._count(position, token)
        elif token.startswith("Q="):
            queen, side = _queen(position, token)
            self._once(position, token, queen=queen, queen_side=side)
        else:
            self._pair(position, token)

    def state(self) -> State:
        """Returns the state once every word is read. Raises NotationError for what is missing."""
        if self._white is None or self._black is None or "queen" not in self._read or "over" not in self._read:
            raise NotationError("state", self._end, "", "all of W<n>, B<n>, Q= and mv, in any order")
        self._check_counts(self._white, self._black)
        had_own = tuple(side for side in Side if side in self._had_own)
        return State(pocketed=(self._white, self._black), had_own=had_own, **self._read)  # type: ignore[arg-type]

    def _check_counts(self, white: int, black: int) -> None:
        """Refuses more coins in pockets than there are."""
        coins = self._read.get("coins", COINS_PER_SIDE)
        if max(white, black) > coins:  # type: ignore[operator]
            token = next(t for t in self._tokens if t[1:].isdigit() and int(t[1:]) > coins)  # type: ignore[operator]
            raise NotationError("state", self._tokens.index(token) + 1, token, f"a whole number from 0 to {coins}")

    def _count(self, position: int, token: str) -> None:
        value = number("state", position, token[1:], 0, MOST_COINS_PER_SIDE, token)
        if token[0] == "W" and self._white is None:
            self._white = value
        elif token[0] == "B" and self._black is None:
            self._black = value
        else:
            raise NotationError("state", position, token, "each colour once")

    def _once(self, position: int, token: str, **values: object) -> None:
        if values.keys() & self._read.keys():
            raise NotationError("state", position, token, "each field once")
        self._read.update(values)

    def _pair(self, position: int, word: str) -> None:
        if word not in {"due", "score", "mv", "board", "noleave", "break", "qpocket", "hadown", "strokes", "coins"}:
            expected = "W<n>, B<n>, Q=, due, score, mv, board, noleave, break, qpocket, hadown, strokes or coins"
            raise NotationError("state", position, word, expected)
        at, value = next(self._words, (position + 1, ""))
        if word == "due":
            self._once(position, word, dues=_two(at, value, "/", 0))
        elif word == "score":
            self._once(position, word, score=_two(at, value, ":", None))
        elif word == "mv":
            mover, over = _mover(at, value)
            self._once(position, word, mover=mover, over=over)
        elif word == "qpocket":
            self._once(position, word, qpocket=_pocket(at, value))
        elif word == "hadown":
            self._had_own |= _sides(at, value)
        else:
            low = 1 if word in ("board", "coins") else 0
            high = MOST_COINS_PER_SIDE if word == "coins" else None
            name = "breaks" if word == "break" else word
            self._once(position, word, **{name: number("state", at, value, low, high)})


def _queen(position: int, token: str) -> tuple[QueenStatus, Side | None]:
    word, colon, letter = token[2:].partition(":")
    if token == "Q=board":
        return QueenStatus.BOARD, None
    if token == "Q=?":
        return QueenStatus.UNKNOWN, None
    if word not in QUEEN_WORDS or not colon or letter not in SIDE_OF:
        raise NotationError("state", position, token, "Q=board, or Q=pend, Q=void, Q=cov with :W or :B")
    return QUEEN_WORDS[word], SIDE_OF[letter]


def _two(position: int, token: str, mark: str, low: int | None) -> Pair:
    first, found, second = token.partition(mark)
    if not found:
        raise NotationError("state", position, token, f"two numbers with {mark!r} between")
    least = -999 if low is None else low
    return number("state", position, first, least, None, token), number("state", position, second, least, None, token)


def _mover(position: int, token: str) -> tuple[Side | None, bool]:
    if token in SIDE_OF:
        return SIDE_OF[token], False
    if token in ("end", "?"):
        return None, token == "end"
    raise NotationError("state", position, token, "W, B, end or ?")


def _pocket(position: int, token: str) -> Pocket:
    if token not in set(Pocket):
        raise NotationError("state", position, token, "SW, SE, NE or NW")
    return Pocket(token)


def _sides(position: int, token: str) -> set[Side]:
    if not token or set(token) - SIDE_OF.keys():
        raise NotationError("state", position, token, "W or B")
    return {SIDE_OF[letter] for letter in token}
