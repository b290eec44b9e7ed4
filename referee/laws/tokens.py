"""A stroke as the laws read it: what fell, what flew off, which infringements; and its one-line text form."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from models.pieces import Kind, Pocket
from models.rulebook import FoulName
from referee.laws.notation import NotationError

TOKENS_LETTERS = {"W": Kind.WHITE, "B": Kind.BLACK, "Q": Kind.QUEEN, "S": Kind.STRIKER}
LETTER_OF = {kind: letter for letter, kind in TOKENS_LETTERS.items()}


class TokenKind(StrEnum):
    """Subject of a token; the value is its prefix in the text form."""

    POCKETED = ""
    OFF = "off"
    FOUL = "foul"
    BEFORE = "before"
    """An infringement noticed before the striker was struck."""
    CHOICE = "choice"
    """The player's choice where the book offers one."""


class Choice(StrEnum):
    """Options of a player."""

    FIRST = "first"
    """The book's first option, which the ruling proposes."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Token:
    """One thing that happened."""

    kind: TokenKind
    piece: Kind | None = None
    """What fell or flew off; None for an infringement."""
    pocket: Pocket | None = None
    """Where it fell; None if unseen."""
    foul: FoulName | None = None
    """Which infringement; None for a piece."""
    choice: Choice | None = None

    def __str__(self) -> str:
        if self.foul is not None or self.choice is not None:
            return f"{self.kind}:{self.foul or self.choice}"
        letter = LETTER_OF[self.piece] if self.piece else ""
        if self.kind is TokenKind.OFF:
            return f"off:{letter}"
        return f"{letter}@{self.pocket}" if self.pocket else letter


@dataclass(frozen=True, slots=True)
class StrokeTokens:
    """The tokens of one stroke in the order they happened."""

    tokens: tuple[Token, ...] = ()

    @classmethod
    def parse(cls, line: str) -> StrokeTokens:
        """Returns the stroke that `line` spells, `-` or nothing for an empty one. Raises NotationError naming the
        token.
        """
        if line.strip() in ("", "-"):
            return cls()
        return cls(tuple(_token(at, word.strip()) for at, word in enumerate(line.split(","), 1)))

    def __str__(self) -> str:
        return ",".join(map(str, self.tokens)) or "-"

    def fell(self, kind: Kind) -> int:
        """Returns the number of pocketed pieces of `kind`."""
        return sum(t.kind is TokenKind.POCKETED and t.piece is kind for t in self.tokens)

    def off(self, kind: Kind) -> int:
        """Returns the number of pieces of `kind` off the board."""
        return sum(t.kind is TokenKind.OFF and t.piece is kind for t in self.tokens)

    def fouls(self, kind: TokenKind = TokenKind.FOUL) -> tuple[FoulName, ...]:
        """Returns the infringements during the stroke, or before it."""
        return tuple(t.foul for t in self.tokens if t.kind is kind and t.foul is not None)

    def pocket_of(self, kind: Kind) -> Pocket | None:
        """Returns where the first piece of `kind` fell."""
        return next((t.pocket for t in self.tokens if t.kind is TokenKind.POCKETED and t.piece is kind), None)

    @property
    def choice(self) -> Choice | None:
        """The player's choice; the last token counts."""
        return next((t.choice for t in reversed(self.tokens) if t.choice), None)

    def chosen(self, choice: Choice) -> StrokeTokens:
        """Returns the same stroke with the player's choice."""
        rest = tuple(t for t in self.tokens if t.kind is not TokenKind.CHOICE)
        return StrokeTokens((*rest, Token(TokenKind.CHOICE, choice=choice)))

    def with_foul(self, foul: FoulName) -> StrokeTokens:
        """Returns the same stroke with one more infringement."""
        return StrokeTokens((*self.tokens, Token(TokenKind.FOUL, foul=foul)))


def _token(position: int, word: str) -> Token:
    prefix, colon, rest = word.partition(":")
    if colon and prefix in (TokenKind.FOUL, TokenKind.BEFORE):
        if rest not in set(FoulName):
            raise NotationError("stroke", position, word, f"one of {', '.join(FoulName)} after {prefix}:")
        return Token(TokenKind(prefix), foul=FoulName(rest))
    if colon and prefix == TokenKind.CHOICE and rest in set(Choice):
        return Token(TokenKind.CHOICE, choice=Choice(rest))
    if colon and prefix == TokenKind.OFF and rest in TOKENS_LETTERS:
        return Token(TokenKind.OFF, TOKENS_LETTERS[rest])
    letter, at, pocket = word.partition("@")
    if letter not in TOKENS_LETTERS or (at and pocket not in set(Pocket)):
        expected = "W, B, Q or S (with @SW, @SE, @NE or @NW), off:PIECE, foul:NAME, before:NAME or choice:first"
        raise NotationError("stroke", position, word, expected)
    return Token(TokenKind.POCKETED, TOKENS_LETTERS[letter], Pocket(pocket) if at else None)
