"""A match as scorecards of tournaments show it: coins and queen of each board, the result, and whether it stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from models.rules import CollectRules
from referee.laws import Side, State
from referee.laws.state import QueenStatus
from referee.log.running import Running
from referee.match import Match, Ruling

SIDES = 2


@dataclass(frozen=True, slots=True)
class CardBoard:
    """A board that is over; sides are 0 and 1, in the order of the match's sides."""

    coins: tuple[int, int]
    """Coins of the other side that lay on the board at its end, for the side that won it; 0 for the other."""
    queen: int | None
    """Side that pocketed and covered the queen; None if nobody did, or it is not known."""


@dataclass(frozen=True, slots=True)
class Scorecard:
    """A match of two sides."""

    names: tuple[tuple[str, ...], tuple[str, ...]]
    boards: tuple[CardBoard, ...]
    score: tuple[int, int]
    over: bool
    """The match is won."""
    stands: bool
    """The players have said that the result stands, or the umpire has ended the match."""


def scorecard(match: Match, running: Running) -> Scorecard | None:
    """Returns the card of a log's present match; None for games of more or other sides."""
    view = match.view()
    sides = view["sides"]
    if len(sides) != SIDES or isinstance(match.book, CollectRules):
        return None
    return Scorecard(
        (tuple(sides[0]["players"]), tuple(sides[1]["players"])), tuple(_boards(match)),
        (sides[0]["score"], sides[1]["score"]), bool(view["match_over"]), running is Running.ENDED,
    )  # fmt: skip


def _boards(match: Match) -> Iterator[CardBoard]:
    """Yields the boards that are over, in their order."""
    number = len(match.position.finished) + 1
    ends: dict[int, Ruling] = {}
    index = -1
    was_over = True
    for ruling in match.rulings.values():
        if ruling.match != number or ruling.after_end:
            continue
        index += was_over
        was_over = ruling.board_over
        if ruling.board_over:
            ends[index] = ruling
    for i, board in enumerate(match.position.boards):
        winner = 0 if board.points[0] > board.points[1] else 1
        end = ends.get(i)
        yield _card_board(board.points[winner], winner, end.state if end else None)


def _card_board(points: int, winner: int, state: object) -> CardBoard:
    """Returns a board as cards state it. Without a state, as after an umpire's own result, points count as coins."""
    if not isinstance(state, State):
        return CardBoard(_coins(winner, points), None)
    left = {side: state.left(side) for side in Side}
    won = next((side for side in Side if left[side] == 0), None)
    coins = points if won is None else left[won.other]
    is_covered = state.queen is QueenStatus.COVERED and state.queen_side is not None
    queen = None if won is None or not is_covered else winner if state.queen_side is won else 1 - winner
    return CardBoard(_coins(winner, coins), queen)


def _coins(winner: int, coins: int) -> tuple[int, int]:
    most = min(max(coins, 0), 9)
    return (most, 0) if winner == 0 else (0, most)
