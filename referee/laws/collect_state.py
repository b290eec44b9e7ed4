"""One board of a collecting game, where every coin counts for whoever pockets it, and its one-line text form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from models.collecting import CollectRules
from models.terms import COINS_PER_SIDE, MOST_COINS_PER_SIDE
from referee.laws.notation import NotationError, number
from referee.laws.state import QUEEN_WORDS, Pair, QueenStatus

FEWEST_PLAYERS = 2
MOST_PLAYERS = 4
PARTNERS = 2
"""Number of players of a side where partners play."""
_EXPECTED = "P<n>=<points>, left, Q=, mv, partners, held, due, board, noleave, break, strokes or coins"


@dataclass(frozen=True, slots=True)
class CollectState:
    """Everything that the laws need to judge the next stroke. Players are counted from 0, written from P1."""

    points: tuple[int, ...] = (0, 0)
    """Points of each player in this game; with partners, of each side: P1 and P3, P2 and P4."""
    left: Pair = (COINS_PER_SIDE, COINS_PER_SIDE)
    """White and black coins on the board."""
    queen: QueenStatus = QueenStatus.BOARD
    queen_player: int | None = None
    """Who pocketed the queen; None while it is on the board or if unknown."""
    dues: tuple[int, ...] = (0, 0)
    """Penalty coins that each player still owes."""
    held: tuple[Pair, ...] | None = None
    """White and black coins that each player has collected on this board; None if unknown."""
    mover: int | None = 0
    """The player to play; None when the board is over."""
    over: bool = False
    board: int | None = None
    """Number of this board in the game, from 1; None if not counted."""
    noleave: int = 0
    """Strokes in a row that stayed on the base lines; counted only where the book has a limit."""
    breaks: int | None = None
    """Break attempts used while the formation is unbroken; None once broken."""
    strokes: int | None = None
    """Strokes of this turn so far; None = more than 0."""
    coins: int = COINS_PER_SIDE
    """Number of coins of each colour in the game."""
    partners: bool = False
    """Four play, and opposite ones share points, coins and penalties, which are given for P1 and P2."""

    @property
    def players(self) -> int:
        """Number of players who take turns."""
        return PARTNERS * len(self.points) if self.partners else len(self.points)

    def side_of(self, player: int) -> int:
        """Returns whose points a player's are: his own, or his side's."""
        return player % len(self.points)

    def __str__(self) -> str:
        parts = [f"P{n}={points}" for n, points in enumerate(self.points, 1)]
        parts += [f"left W{self.left[0]} B{self.left[1]}", f"Q={self._queen_text()}"]
        parts.append("mv end" if self.mover is None else f"mv P{self.mover + 1}")
        parts += ["partners"] if self.partners else []
        for n, coins in enumerate(self.held or (), 1):
            parts.append(f"held P{n}:W{coins[0]}B{coins[1]}")
        parts += [f"due P{n}:{due}" for n, due in enumerate(self.dues, 1) if due]
        optional = (("board", self.board), ("noleave", self.noleave or None), ("break", self.breaks))
        parts += [f"{name} {value}" for name, value in (*optional, ("strokes", self.strokes)) if value is not None]
        parts += [f"coins {self.coins}"] if self.coins != COINS_PER_SIDE else []
        return " ".join(parts)

    def _queen_text(self) -> str:
        word = next((word for word, status in QUEEN_WORDS.items() if status is self.queen), "board")
        return word if self.queen_player is None else f"{word}:P{self.queen_player + 1}"

    @classmethod
    def parse(cls, line: str) -> CollectState:
        """Returns the state that `line` spells. Raises NotationError naming the offending token."""
        return _Reader(line).state()


def fresh_board(rules: CollectRules, points: tuple[int, ...], board: int | None, mover: int = 0) -> CollectState:
    """Returns a board of a collecting game before its break; `points` of each side."""
    none, coins = (0,) * len(points), rules.coins
    return CollectState(points=points, left=(coins, coins), dues=none, held=((0, 0),) * len(none), mover=mover,
                        board=board, breaks=0, strokes=0, coins=coins, partners=rules.seating.partners)  # fmt: skip


class _Reader:
    """Reads the words of one line; each field may come once, `held` and `due` once a player."""

    def __init__(self, line: str) -> None:
        self._words: list[str] = line.split()
        self._points: dict[int, int] = {}
        self._held: dict[int, Pair] = {}
        self._dues: dict[int, int] = {}
        self._read: dict[str, object] = {}
        self._named: list[tuple[int, int]] = []
        """Players named besides their points, with the position of the word."""
        self._last = ""
        """The word that a player's value without a word of its own belongs to: `held P1:W1B2 P2:W0B1`."""

    def state(self) -> CollectState:
        words = iter(enumerate(self._words, 1))
        for position, token in words:
            self._token(position, token, words)
        end, players = len(self._words) + 1, len(self._points)
        if players < FEWEST_PLAYERS or {"left", "queen", "over"} - self._read.keys():
            raise NotationError("state", end, "", "all of P1=<points> P2=<points>, left W<n> B<n>, Q= and mv")
        if set(self._points) != set(range(players)):
            raise NotationError("state", 1, self._words[0], "players counted from P1 on, none left out")
        self._check_named(players)
        self._check_left()
        held = tuple(self._held.get(n, (0, 0)) for n in range(players)) if self._held else None
        self._check_held(held or ())
        return CollectState(
            points=tuple(self._points[n] for n in range(players)),
            dues=tuple(self._dues.get(n, 0) for n in range(players)),
            held=held,
            **self._read,  # type: ignore[arg-type]
        )

    @property
    def _coins(self) -> int:
        coins = self._read.get("coins", COINS_PER_SIDE)
        return coins if isinstance(coins, int) else COINS_PER_SIDE

    def _check_left(self) -> None:
        """Refuses more coins on the board than there are."""
        at = self._words.index("left")
        for token in self._words[at + 1 : at + 3]:
            if int(token[1:]) > self._coins:
                position = self._words.index(token) + 1
                raise NotationError("state", position, token, f"a whole number from 0 to {self._coins}")

    def _check_named(self, sides: int) -> None:
        """Refuses players beyond the sides: with partners only the mover and the queen's player are one of four."""
        partners = self._read.get("partners", False)
        if partners and sides != FEWEST_PLAYERS:
            at = self._words.index("partners")
            raise NotationError("state", at + 1, "partners", "points of P1 and P2 alone, the two sides")
        for position, player in self._named:
            word = self._words[position - 1]
            one_of_four = partners and (word.startswith("Q=") or self._words[position - 2] == "mv")
            most = PARTNERS * sides if one_of_four else sides
            if player >= most:
                raise NotationError("state", position, word, f"no player beyond P{most}, the last with points")

    def _check_held(self, held: tuple[Pair, ...]) -> None:
        """Refuses collected coins that still lie on the board."""
        left, coins = self._read["left"], self._coins
        for slot, letter in enumerate("WB"):
            gone = coins - left[slot] if isinstance(left, tuple) else 0
            if sum(pair[slot] for pair in held) > gone:
                at = self._words.index("held")
                raise NotationError("state", at + 1, "held", f"no more than the {gone} {letter} that left the board")

    def _token(self, position: int, token: str, words: Iterator[tuple[int, str]]) -> None:
        name, equals, points = token.partition("=")
        if equals and name[:1] == "P":
            player = _player(position, name)
            self._new(position, token, self._points, player)
            self._points[player] = number("state", position, points, -999, None, token)
        elif equals and name == "Q":
            queen = _queen(position, token, points)
            if isinstance(queen["queen_player"], int):
                self._named.append((position, queen["queen_player"]))
            self._once(position, token, **queen)
        elif token.startswith("P") and self._last:
            self._of_player(position, self._last, token)
        else:
            self._word(position, token, words)

    def _word(self, position: int, word: str, words: Iterator[tuple[int, str]]) -> None:
        if word not in {"left", "mv", "held", "due", "partners", "board", "noleave", "break", "strokes", "coins"}:
            raise NotationError("state", position, word, _EXPECTED)
        if word == "partners":
            self._once(position, word, partners=True)
            self._last = ""
            return
        at, value = next(words, (position + 1, ""))
        self._last = word if word in ("held", "due") else ""
        if word == "left":
            black_at, black = next(words, (at + 1, ""))
            self._once(position, word, left=(_coins(at, value, "W"), _coins(black_at, black, "B")))
        elif word == "mv":
            over = value == "end"
            self._once(position, word, mover=None if over else self._player(at, value), over=over)
        elif self._last:
            self._of_player(at, word, value)
        else:
            low = 1 if word in ("board", "coins") else 0
            high = MOST_COINS_PER_SIDE if word == "coins" else None
            name = "breaks" if word == "break" else word
            self._once(position, word, **{name: number("state", at, value, low, high)})

    def _of_player(self, position: int, word: str, text: str) -> None:
        """Reads one or more values such as `P1:W1B2,P2:W0B1` after `held`, or `P1:2` after `due`."""
        for part in text.split(","):
            name, colon, value = part.partition(":")
            if not colon:
                raise NotationError("state", position, text, "P1:W1B2" if word == "held" else "P1:1")
            player = self._player(position, name or text)
            if word == "held":
                self._new(position, text, self._held, player)
                self._held[player] = _parsed_pair(position, value)
            else:
                self._new(position, text, self._dues, player)
                self._dues[player] = number("state", position, value, 0, None, text)

    def _player(self, position: int, token: str) -> int:
        player = _player(position, token)
        self._named.append((position, player))
        return player

    def _once(self, position: int, token: str, **values: object) -> None:
        if values.keys() & self._read.keys():
            raise NotationError("state", position, token, "each field once")
        self._read.update(values)

    def _new(self, position: int, token: str, table: dict[int, int] | dict[int, Pair], player: int) -> None:
        if player in table:
            raise NotationError("state", position, token, "each player once")


def _player(position: int, token: str, within: str = "") -> int:
    if token[:1] != "P":
        raise NotationError("state", position, token, f"P1 to P{MOST_PLAYERS}, or end after mv")
    return player_number("state", position, token, within or token)


def player_number(what: str, position: int, token: str, within: str) -> int:
    """Returns the player named by `P1` to `P4`, a part of `within`, counted from 0. Raises NotationError."""
    return number(what, position, token[1:], 1, MOST_PLAYERS, within) - 1


def _coins(position: int, token: str, letter: str) -> int:
    if token[:1] != letter:
        raise NotationError("state", position, token, f"{letter}<n>, coins left on the board")
    return number("state", position, token[1:], 0, MOST_COINS_PER_SIDE, token)


def _parsed_pair(position: int, text: str) -> Pair:
    """Reads `W1B2`; a colour of which nothing is held may be left out."""
    white, _, black = text.removeprefix("W").partition("B") if text[:1] == "W" else ("0", "", text.removeprefix("B"))
    low, high = 0, MOST_COINS_PER_SIDE
    return number("state", position, white, low, high, text), number("state", position, black or "0", low, high, text)


def _queen(position: int, token: str, text: str) -> dict[str, object]:
    word, colon, player = text.partition(":")
    if text == "board":
        return {"queen": QueenStatus.BOARD, "queen_player": None}
    if word not in ("pend", "cov") or (word == "pend" and not colon):
        raise NotationError("state", position, token, "Q=board, Q=pend:P1, Q=cov:P1 or Q=cov")
    return {"queen": QUEEN_WORDS[word], "queen_player": _player(position, player or token, token) if colon else None}
