"""Position of a match between two events: everything that the next ruling needs, nothing that can be derived."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from models.pieces import Seat
from referee.laws import AnyState, Side
from referee.match.coins import COINS_NONE, EMPTY, Census, Counts
from referee.match.doubts import MatchDoubt
from referee.match.policy import Policy
from referee.match.results import BoardScore, MatchResult
from referee.match.seating import Seating, SidePoints

NEVER_S = float("-inf")


class OpenQuestion(StrEnum):
    """Parts of an uncertain ruling that stay open until later events confirm them."""

    COINS = "coins"
    """Confirmed when the board, detected at rest, holds the coins of the ruling."""
    TURN = "turn"
    """Confirmed when the player plays to whom the ruling gave the stroke; another player is a doubt of its own."""
    DUES = "dues"
    """Penalties cannot be detected; open until the board ends."""
    SCORE = "score"
    """Result of a board; open until the umpire has confirmed the stroke."""


@dataclass(frozen=True, slots=True)
class Position:
    """Position of the match after an event."""

    seating: Seating | None = None
    policy: Policy = field(default_factory=Policy)
    """Treatment of infringements that the camera reports from now on."""
    first: Seat | None = None
    """Seat that broke, or would have broken, the first board of the first game; None while unknown."""
    game: int = 1
    games: SidePoints = (0, 0)
    """Games won, by side."""
    points: SidePoints = (0, 0)
    """Points of this game before the present board, by side."""
    state: AnyState | None = None
    """State of the present board; None before anything is known of it."""
    played: bool = False
    """True once a stroke of the present board has been judged."""
    waiting: bool = False
    """True while the formation stands and the board has not been broken."""
    to_change: bool = False
    """True if by the rule book the players change seats before the next board (R31-R33)."""
    before_change: tuple[Seating, Seat] | None = None
    """Seating and `first` before the change of seats; None once the board is played."""
    game_over: bool = False
    match_over: bool = False
    winner: int | None = None
    """Index of the side that won the match."""
    boards: tuple[BoardScore, ...] = ()
    """Boards of this match that are over."""
    finished: tuple[MatchResult, ...] = ()
    """Matches that were won before this one, in the same log."""
    ended_by_word: bool = False
    """True if the umpire ended the board: no later stroke revives it."""
    breaker_announced: bool = False
    """True if the umpire declared who breaks this board, and it has not been broken."""
    census: Census = EMPTY
    census_since: float = NEVER_S
    """Time (s) of the last strike; settled boards count only if detected after it."""
    unseen: bool = False
    """True if the coins of this board have not been detected at rest yet."""
    to_return: Counts = COINS_NONE
    """Coins that rulings put back and that were not detected being put back."""
    penalties: Counts = COINS_NONE
    """Penalty coins among these, by the last ruling."""
    offset: Counts = COINS_NONE
    """Coins on the board by the umpire's account, less those that the camera counts."""
    declared: bool = False
    """True if the umpire declared the state since the coins were last compared with it."""
    points_unknown: bool = False
    """True if the referee joined a collecting game in the middle, so that the players' points then are unknown."""
    queen_was: Side | int | None = None
    """Last owner of the queen: a colour, or a player of a collecting game."""
    payer: int | None = None
    """Player of the last stroke in a collecting game: he chooses the coin that a ruling puts back."""
    cover_missed: bool = False
    """True if the queen was put back because it was not covered, not for another reason."""
    before_end: AnyState | None = None
    """State before the stroke that ended the board, in case the board was not over."""
    turn: Seat | None = None
    """Seat that plays next by the last ruling."""
    open: frozenset[OpenQuestion] = frozenset()
    open_stroke: int | None = None
    """Stroke that left something open."""
    disagreements: int = 0
    """Number of strokes in this board by another side than ruled."""
    news: tuple[MatchDoubt, ...] = ()
    """Doubts to be stated with the next ruling."""

    @property
    def number(self) -> int:
        """Number of this match in its log, from 1."""
        return len(self.finished) + 1

    @property
    def result(self) -> MatchResult | None:
        """Result of the match; None while it goes on."""
        if self.winner is None or self.seating is None:
            return None
        score = self.boards[-1].score if self.boards else self.points
        return MatchResult(self.winner, self.seating, self.games, score, self.boards)

    @property
    def results(self) -> tuple[MatchResult, ...]:
        """Results of every match of the log that was won."""
        return self.finished if self.result is None else (*self.finished, self.result)

    @property
    def board(self) -> int:
        """Number of the present board in the game, 0 if unknown."""
        return (self.state.board or 0) if self.state else 0

    @property
    def breaker(self) -> Seat | None:
        """Seat that breaks, or broke, the present board by turn."""
        if self.first is None or self.seating is None or not self.board:
            return None
        return self.seating.breaker(self.first, self.board, self.game)
