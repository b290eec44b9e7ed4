"""Where a match stands between two events; everything the next ruling needs, nothing that can be derived."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from models.pieces import Seat
from referee.laws import AnyState, Side
from referee.match.coins import COINS_NONE, EMPTY, Census, Counts
from referee.match.doubts import MatchDoubt
from referee.match.policy import Policy
from referee.match.results import BoardScore, MatchResult
from referee.match.seating import Points, Seating

NEVER_S = float("-inf")


class Open(StrEnum):
    """What an uncertain stroke leaves unproved until later events agree with the ruling."""

    COINS = "coins"
    """Proved when the board, seen at rest, holds what the ruling says."""
    TURN = "turn"
    """Proved when the player plays to whom the ruling gave the stroke; another one is a doubt of its own."""
    DUES = "dues"
    """Penalties cannot be seen; open until the board ends."""
    SCORE = "score"
    """The result of a board stays open until the umpire has confirmed the stroke."""


@dataclass(frozen=True, slots=True)
class Position:
    """The match after some event."""

    seating: Seating | None = None
    policy: Policy = field(default_factory=Policy)
    """What becomes of infringements that the camera sees from now on."""
    first: Seat | None = None
    """Who broke, or would have broken, the first board of the first game; None while nobody knows."""
    game: int = 1
    games: Points = (0, 0)
    """Games won."""
    points: Points = (0, 0)
    """Points of this game before the present board, by side."""
    state: AnyState | None = None
    """The present board; None before anything is known of it."""
    played: bool = False
    """A stroke of the present board has been judged."""
    waiting: bool = False
    """The formation stands and nobody has broken yet."""
    to_change: bool = False
    """By the book the players change seats before the next board (R31-R33)."""
    before_change: tuple[Seating, Seat] | None = None
    """Who sat where and who had broken first before seats were changed; None once the board is played."""
    game_over: bool = False
    match_over: bool = False
    winner: int | None = None
    """Index of the side that won the match."""
    boards: tuple[BoardScore, ...] = ()
    """The boards of this match that are over."""
    finished: tuple[MatchResult, ...] = ()
    """Matches that were won before this one, in the same log."""
    ended_by_word: bool = False
    """The umpire's word ended the board: no stroke that follows brings it back."""
    breaker_told: bool = False
    """The umpire said who breaks this board, and nobody has broken yet."""
    census: Census = EMPTY
    census_since: float = NEVER_S
    """Settled boards count only when seen after this time: the last strike."""
    unseen: bool = False
    """The coins of this board have not been seen at rest yet."""
    to_return: Counts = COINS_NONE
    """Coins that rulings put back and nobody has seen put back."""
    penalties: Counts = COINS_NONE
    """Of these, what the last ruling took as penalty."""
    offset: Counts = COINS_NONE
    """Coins on the board by the umpire's word, less those that the camera counts."""
    declared: bool = False
    """The umpire told the state since the coins were last compared with it."""
    points_unknown: bool = False
    """A collecting game was joined in the middle: what each player had then, nobody told."""
    queen_was: Side | int | None = None
    """Who last had the queen: a colour, or a player of a collecting game."""
    payer: int | None = None
    """Who played last in a collecting game: the coin that a ruling put back is of his choice."""
    cover_missed: bool = False
    """The queen was ruled back because it was not covered, not for another reason."""
    before_end: AnyState | None = None
    """The state before the stroke that ended the board, in case the board was not over."""
    turn: Seat | None = None
    """Who plays next by the last ruling."""
    open: frozenset[Open] = frozenset()
    open_stroke: int | None = None
    """The stroke that left something open."""
    disagreements: int = 0
    """How often in this board somebody else played than the ruling said."""
    news: tuple[MatchDoubt, ...] = ()
    """Doubts to be told with the next ruling."""

    @property
    def number(self) -> int:
        """Number of this match in its log, from 1."""
        return len(self.finished) + 1

    @property
    def result(self) -> MatchResult | None:
        """What the match came to; None while it goes on."""
        if self.winner is None or self.seating is None:
            return None
        score = self.boards[-1].score if self.boards else self.points
        return MatchResult(self.winner, self.seating, self.games, score, self.boards)

    @property
    def results(self) -> tuple[MatchResult, ...]:
        """Every match of the log that was won."""
        return self.finished if self.result is None else (*self.finished, self.result)

    @property
    def board(self) -> int:
        """Number of the present board in the game, 0 when nobody knows."""
        return (self.state.board or 0) if self.state else 0

    @property
    def breaker(self) -> Seat | None:
        """Who breaks, or broke, the present board by turn."""
        if self.first is None or self.seating is None or not self.board:
            return None
        return self.seating.breaker(self.first, self.board, self.game)
