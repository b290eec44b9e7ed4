"""How boards follow each other: the formation and its breaker begin one, its last ruling ends it."""

from __future__ import annotations

from dataclasses import replace

from models.pieces import Seat
from models.rules import Rules
from referee.laws import Side, State
from referee.laws.match_rules import breaker_of, game_result, match_is_over, needs_toss, opening
from referee.match.coins import FULL, NONE, Counts, expected
from referee.match.doubts import Doubt, Why
from referee.match.events import Correction, Start
from referee.match.position import Open, Position
from referee.match.seating import Seating, seating_from


def first_position(start: Start) -> Position:
    """Before anything was seen. Raises ValueError when the seats told cannot be."""
    seating = seating_from(start.seats)
    position = Position(seating=seating, first=seating.seat_to_play(Side.WHITE) if seating else None)
    return position if start.state is None else told_state(position, start.state)


def told_state(position: Position, state: State) -> Position:
    """The board stands as somebody told; the score is by colour, so it needs the seats to mean anything."""
    seating = position.seating
    points = seating.by_side(state.score) if seating else state.score
    position = replace(
        position, state=state, points=points, played=False, waiting=False, game_over=False, match_over=False,
        winner=None, unseen=False, to_return=NONE, before_end=None, open=frozenset(), open_stroke=None, disagreements=0,
    )  # fmt: skip
    breaker = seating.seat_to_play(Side.WHITE) if seating else None
    first = rebased(breaker, state.board or 1, position.game) if breaker else position.first
    turn = seating.seat_to_play(state.mover) if seating else None
    return replace(position, first=first, turn=turn)


def declared(position: Position, word: Correction) -> Position:
    """The umpire's declaration taken in; raises ValueError when the seats told cannot be."""
    if word.seats:
        position = _reseated(position, seating_from(word.seats))
    if word.breaker:
        position = begun(replace(position, waiting=True), word.breaker)
        position = replace(position, news=())
    if word.state:
        position = replace(told_state(position, word.state), declared=True, offset=NONE)
    return replace(position, news=())


def _reseated(position: Position, seating: Seating | None) -> Position:
    """Other colours or seats; points stay with the seats that they belong to."""
    old = position.seating
    if seating and old and set(seating.seats) == set(old.seats):
        white = seating.seat_to_play(Side.WHITE)
        seating = old.with_white(white) if white else old
    if seating is None:
        return position
    state = position.state
    if state and not state.over:
        state = replace(state, score=seating.by_colour(position.points))
        if state.mover is None and position.turn:
            state = replace(state, mover=seating.colour_of(position.turn))
    return replace(position, seating=seating, state=state, disagreements=0)


def rebased(breaker: Seat, board: int, game: int) -> Seat:
    """Who would have broken first if `breaker` breaks this board and breaks alternate."""
    return breaker_of(breaker, board, game)


def next_breaker(position: Position, rules: Rules) -> Seat | None:
    """Who breaks the next board by turn; None when nobody knows, a toss decides or the match is over."""
    state = position.state
    if position.first is None or position.match_over or state is None or state.board is None:
        return None
    if state.over and needs_toss(state, rules):
        return None
    game, board = (position.game + 1, 1) if position.game_over else (position.game, state.board + int(state.over))
    return breaker_of(position.first, board, game)


def formation_stands(position: Position, breaker: Seat | None, rules: Rules) -> Position:
    """The opening formation is seen, with the seat that placed the striker first or nobody yet.

    While nothing has left the board since the break it tells nothing new: a break may leave the coins where they were.
    """
    state = position.state
    if state and position.played and not state.over and expected(state) == FULL:
        return position
    return begun(position, breaker, rules) if breaker else replace(position, waiting=True)


def begun(position: Position, breaker: Seat, rules: Rules | None = None) -> Position:
    """The board that `breaker` breaks: he plays white. `rules` None: somebody told so, nothing is in doubt."""
    news = list(position.news)
    seating = position.seating or Seating.of(breaker)
    by_turn = _due_to_break(position, rules)
    if seating.side_of(breaker) is None:
        turn = by_turn or seating.seats[0]
        news.append(Doubt(Why.FOREIGN_SEAT, seat=breaker, turn=turn))
        breaker = turn
    elif rules and by_turn and by_turn is not breaker:
        news.append(Doubt(Why.BREAKER_DIFFERS, seat=breaker, turn=by_turn))
    if position.state and position.played and not position.state.over:
        news.append(Doubt(Why.BOARD_ABANDONED))
    position = _counted_on(position)
    seating, board = seating.with_white(breaker), (position.state.board if position.state else 1) or 1
    score = seating.by_colour(position.points)
    return replace(
        position, seating=seating, state=opening(score, board), first=rebased(breaker, board, position.game),
        played=False, waiting=False, unseen=False, to_return=NONE, offset=NONE, declared=False, queen_was=None,
        before_end=None, turn=breaker, open=position.open & {Open.SCORE}, disagreements=0, news=tuple(news),
    )  # fmt: skip


def _due_to_break(position: Position, rules: Rules | None) -> Seat | None:
    if position.state is None or rules is None:
        return position.first
    return next_breaker(position, rules)


def _counted_on(position: Position) -> Position:
    """Board, game and match numbered on when the one before is over; a board abandoned is played again."""
    state = position.state
    if state is None or not state.over:
        return position
    if position.match_over:
        return replace(position, state=None, game=1, games=(0, 0), points=(0, 0), game_over=False, match_over=False,
                       winner=None)  # fmt: skip
    if position.game_over:
        return replace(position, state=None, game=position.game + 1, points=(0, 0), game_over=False)
    return replace(position, state=replace(state, board=None if state.board is None else state.board + 1))


def ended(position: Position, before: State, rules: Rules) -> Position:
    """The board is over, `position.state` holds its result: points, games and the match are brought forward."""
    state, seating = position.state, position.seating
    if state is None or seating is None or seating.white is None:
        return replace(position, before_end=before, to_return=NONE)
    points = seating.by_side(state.score)
    position = replace(position, points=points, before_end=before, to_return=NONE, turn=None)
    result = game_result(state, rules)
    if result is None:
        return position
    side = seating.side_playing(result.winner)
    games = (position.games[0] + (side == 0), position.games[1] + (side == 1))
    over = match_is_over(games, rules)
    return replace(position, games=games, game_over=True, match_over=over, winner=side if over else None)


def may_go_on(position: Position, seen: Counts) -> bool:
    """A board that was called over holds coins of both sides, and none more than before its last stroke."""
    if position.before_end is None:
        return False
    before = expected(position.before_end)
    return 0 < seen.white <= before.white and 0 < seen.black <= before.black


def revived(position: Position) -> Position:
    """The board as before the stroke that seemed to end it, with what that had brought taken back."""
    before, seating = position.before_end, position.seating
    if before is None:
        return position
    points = seating.by_side(before.score) if seating else before.score
    games = position.games
    if position.game_over and position.state and seating:
        white, black = position.state.score
        side = seating.side_playing(Side.WHITE if white > black else Side.BLACK)
        games = (games[0] - (side == 0), games[1] - (side == 1))
    return replace(position, state=before, points=points, games=games, game_over=False, match_over=False, winner=None,
                   before_end=None)  # fmt: skip
