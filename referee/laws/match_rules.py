"""From board to board: who breaks and plays which colour, and what wins a game and a match.

A state knows only colours. The breaker plays white and breaks alternate, so a seat's colour changes every board while
its points stay its own: `next_board` swaps the score when the colours change hands.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from models.pieces import Seat
from models.rulebook import Direction, Rules
from models.rules import Book
from models.terms import COINS_PER_SIDE
from referee.laws.sides import Side
from referee.laws.state import State


class GameEnd(StrEnum):
    """Why a game is over."""

    TARGET = "target"
    """A side reached the points (R29a)."""
    BOARDS = "boards"
    """All boards are played and one side leads (R29a)."""
    EXTRA_BOARD = "extra_board"
    """The extra board after a tie decided it (R29b)."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """Who won a game and how."""

    winner: Side
    how: GameEnd


def first_board(coins: int = COINS_PER_SIDE) -> State:
    """Returns the state before the break of a game's first board; white is the breaker (R16)."""
    return State(board=1, breaks=0, strokes=0, coins=coins)


def next_board(ended: State, same_breaker: bool = False) -> State:
    """Returns the state before the next board's break; the score changes sides with the colours unless the breaker
    stays.
    """
    score = ended.score if same_breaker else (ended.score[1], ended.score[0])
    board = None if ended.board is None else ended.board + 1
    return replace(first_board(ended.coins), score=score, board=board)


def opening(score: tuple[int, int], board: int | None, coins: int = COINS_PER_SIDE) -> State:
    """Returns the state before the break of a board in mid-game; `score` is (breaker's, other's)."""
    return replace(first_board(coins), score=score, board=board)


def order_of_play(first: Seat, seats: Collection[Seat], direction: Direction) -> tuple[Seat, ...]:
    """Returns the occupied seats in the order in which they play, `first` leading.

    Two players sit opposite and alternate; three or four play round the board (R22b, row B8).
    """
    every = list(Seat)
    # Seats are listed clockwise seen from above, so a player's right-hand neighbour is the one before.
    way = -1 if direction is Direction.RIGHT else 1
    start = every.index(first)
    return tuple(seat for k in range(len(every)) if (seat := every[(start + way * k) % len(every)]) in seats)


def breaker_of(order: Sequence[Seat], board: int, game: int = 1) -> Seat:
    """Returns who breaks board `board` of game `game`, both from 1; `order` is that of play, led by the first breaker.

    The break moves on like the turn. The first break alternates from game to game (R22).
    """
    return order[((game - 1) % 2 + board - 1) % len(order)]


def needs_toss(state: State, rules: Rules) -> bool:
    """Tells whether the next board is an extra one, for which the break is tossed (R29b)."""
    return game_result(state, rules) is None and _boards_done(state, rules) and state.score[0] == state.score[1]


def game_result(state: State, rules: Rules) -> GameResult | None:
    """Returns who has won the game after the board `state` is over; None while it goes on.

    Without a board number only the target ends a game. If both sides have reached the target, the higher one wins.
    """
    if not state.over:
        return None
    white, black = state.score
    if white == black:
        return None
    leader = Side.WHITE if white > black else Side.BLACK
    target = rules.match.target_points
    if target and max(white, black) >= target:
        return GameResult(leader, GameEnd.TARGET)
    if _boards_done(state, rules):
        extra = state.board is not None and state.board > rules.match.max_boards
        return GameResult(leader, GameEnd.EXTRA_BOARD if extra else GameEnd.BOARDS)
    return None


def _boards_done(state: State, rules: Rules) -> bool:
    most = rules.match.max_boards
    return state.over and bool(most) and state.board is not None and state.board >= most


def match_is_over(games_won: Sequence[int], rules: Book) -> bool:
    """Tells whether one side has won more than half of the games (R30)."""
    return 2 * max(games_won) > rules.match.games


def change_sides(before: State, ended: State, game: int, rules: Rules) -> bool:
    """Tells whether the players change seats after the board `ended`, `before` being the same board at its break
    (R31-R33).

    They do after each game; within the last game once, at half of the boards or at half of the points, whichever is
    first.
    """
    match = rules.match
    if not match.change_sides or not ended.over:
        return False
    if game_result(ended, rules):
        return True
    if game < match.games or ended.board is None:
        return False
    half_board, half_points = match.max_boards // 2, match.target_points // 2 + 1
    if max(before.score) >= half_points or (half_board and ended.board > half_board):
        return False
    return ended.board == half_board or max(ended.score) >= half_points
