"""Sequence of boards: the formation and its breaker begin one, its last ruling ends it."""

from __future__ import annotations

from dataclasses import replace

from models.pieces import Seat
from models.rules import Book, CollectRules, Rules
from referee.laws import AnyState, Side, State
from referee.laws.match_rules import match_is_over
from referee.match.coins import COINS_NONE, Counts
from referee.match.corrections import Correction
from referee.match.doubts import DoubtReason, MatchDoubt
from referee.match.events import Start
from referee.match.games import (
    expected_coins,
    names_of,
    opening_of,
    played_by,
    player_of,
    points_carried_over,
    points_of,
    seats_change,
    tossed,
    with_points,
    won_game,
    wrong_game,
)
from referee.match.position import OpenQuestion, Position
from referee.match.refusals import MatchError
from referee.match.results import BoardScore
from referee.match.seating import Seating, SidePoints, seating_from


def first_position(start: Start, book: Book) -> Position:
    """Returns the position before any fact. Raises MatchError if the declared seats or state are impossible."""
    seating, none = seating_from(start.seats, book), (0,) * len(names_of(book))
    if seating is None and book.seating.players == 3:
        seating = Seating.of(Seat.SOUTH, book)
    position = Position(seating, start.policy, _leader(seating, book), games=none, points=none)
    return position if start.state is None else with_declared_state(position, start.state, book)


def _leader(seating: Seating | None, book: Book) -> Seat | None:
    """Returns the seat that plays first as declared: white's first seat, in collecting games the first one named."""
    if seating is None:
        return None
    return seating.order[0] if isinstance(book, CollectRules) else seating.seat_to_play(Side.WHITE)


def with_declared_state(position: Position, state: AnyState, book: Book) -> Position:
    """Returns the position with a declared state of the board.

    A race game's score is by colour, so it needs the seats.
    """
    why = wrong_game(state, book)
    if why:
        raise MatchError(why)
    seating, turn = position.seating, None
    position = replace(
        position, state=state, points=points_of(state, seating), played=False, waiting=False, game_over=False,
        match_over=False, winner=None, unseen=False, points_unknown=False, to_change=False, to_return=COINS_NONE,
        before_end=None, open=frozenset(), open_stroke=None, disagreements=0, ended_by_word=False,
        breaker_announced=False,
        boards=tuple(b for b in position.boards if (b.game, b.board) != (position.game, state.board)),
    )  # fmt: skip
    if seating:
        turn = player_of(state, seating, after=position.turn)
        position = _first_by(position, _announced_breaker(seating, state, turn), state.board or 1)
    return replace(position, turn=turn)


def _announced_breaker(seating: Seating, state: AnyState, turn: Seat | None) -> Seat | None:
    """Returns the seat that broke, or is to break, a declared board."""
    if isinstance(state, State):
        return seating.seat_to_play(Side.WHITE, turn)
    return turn if state.breaks is not None else seating.order[0]


def _first_by(position: Position, breaker: Seat | None, board: int) -> Position:
    """Returns the position with the seat that broke the first board if `breaker` breaks this one."""
    if breaker is None or position.seating is None:
        return position
    return replace(position, first=position.seating.first_breaker(breaker, board, position.game))


def declared(position: Position, word: Correction, book: Book) -> Position:
    """Applies the umpire's declaration; raises MatchError if the declared seats or state are impossible."""
    if word.seats:
        position = _reseated(position, seating_from(word.seats, book))
    if word.rematch:
        position = replace(next_match(position), waiting=True, news=())
    if word.breaker:
        position = begin_board(replace(position, waiting=True), word.breaker, book)
        position = replace(position, news=(), breaker_announced=True)
    if word.policy:
        position = replace(position, policy=position.policy.changed(word.policy))
    if not (word.seats or word.breaker or word.state or word.rematch):
        return position
    if word.state:
        position = replace(with_declared_state(position, word.state, book), declared=True, offset=COINS_NONE,
                           ended_by_word=word.state.over)  # fmt: skip
    return replace(position, news=())


def _reseated(position: Position, seating: Seating | None) -> Position:
    """Changes colours or seats; points stay with the seats to which they belong."""
    old = position.seating
    if seating and old and set(seating.order) == set(old.order):
        white = seating.seat_to_play(Side.WHITE)
        seating = old.with_white(white) if white else old
    if seating is None:
        return position
    state = position.state
    if state and not state.over:
        state = with_points(state, seating, position.points)
        if state.mover is None and position.turn:
            state = played_by(state, seating, position.turn)
    return replace(position, seating=seating, state=state, disagreements=0)


def next_breaker(position: Position, book: Book) -> Seat | None:
    """Returns the seat that breaks the next board by turn; None if unknown, decided by a toss, or the match is over."""
    state = position.state
    if position.first is None or position.match_over or state is None or state.board is None:
        return None
    seating = position.seating or Seating.of(position.first, book)
    if state.over and tossed(state, book):
        return None
    game, board = (position.game + 1, 1) if position.game_over else (position.game, state.board + int(state.over))
    breaker = seating.breaker(position.first, board, game)
    if not position.to_change:
        return breaker
    return breaker.turned(seating.quarters_to_change)


def formation_stands(position: Position, breaker: Seat | None, book: Book) -> Position:
    """Applies the detection of the opening formation, with the seat that placed the striker first, or None.

    It is ignored while nothing has left the board since the break: a break may leave the coins where they were.
    """
    state = position.state
    if state and position.played and not state.over and expected_coins(state) == Counts(book.coins, book.coins, 1):
        return position
    if position.breaker_announced:
        # The umpire has declared who breaks; a strike by another seat is reported as a stroke out of turn.
        return position
    return begin_board(position, breaker, book, observed=True) if breaker else replace(position, waiting=True)


def begin_board(position: Position, breaker: Seat, book: Book, observed: bool = False) -> Position:
    """Begins the board that `breaker` breaks, in a race game with white.

    `observed` False: it was declared, so nothing is in doubt.
    """
    if position.before_change and not position.played:
        # Another seat breaks than first assumed: the change of seats is derived anew.
        news_left = tuple(
            doubt for doubt in position.news if doubt.why not in (DoubtReason.SEATS_KEPT, DoubtReason.SEATS_MOVED)
        )
        position = replace(position, to_change=True, seating=position.before_change[0],
                           first=position.before_change[1], news=news_left)  # fmt: skip
    if position.to_change:
        position = _seats_changed(position, breaker, book, observed)
    news = list(position.news)
    seating = position.seating or Seating.of(breaker, book)
    by_turn = _due_to_break(position, book) if observed else position.first
    if seating.side_of(breaker) is None:
        turn = by_turn or seating.order[0]
        news.append(MatchDoubt(DoubtReason.FOREIGN_SEAT, seat=breaker, turn=turn))
        breaker = turn
    elif observed and by_turn and by_turn is not breaker:
        why = DoubtReason.BREAKER_DIFFERS if isinstance(book, Rules) else DoubtReason.FIRST_DIFFERS
        news.append(MatchDoubt(why, seat=breaker, turn=by_turn))
    if position.state and position.played and not position.state.over:
        news.append(MatchDoubt(DoubtReason.BOARD_ABANDONED))
    position = _next_numbers(position)
    seating = seating.with_white(breaker) if isinstance(book, Rules) else seating
    board = (position.state.board if position.state else 1) or 1
    position = replace(
        position,
        seating=seating,
        state=opening_of(book, seating, breaker, position.points, board),
        played=False,
        waiting=False,
        unseen=False,
        to_return=COINS_NONE,
        offset=COINS_NONE,
        declared=False,
        queen_was=None,
        ended_by_word=False,
        breaker_announced=False,
        before_end=None,
        turn=breaker,
        open=position.open & {OpenQuestion.SCORE},
        disagreements=0,
        news=tuple(news),
    )
    return _first_by(position, breaker, board)


def _seats_changed(position: Position, breaker: Seat, book: Book, observed: bool) -> Position:
    """Derives from the breaker whether and how the players have changed seats; names and points go with them."""
    position = replace(position, to_change=False)
    seating, by_turn = position.seating, next_breaker(position, book)
    if seating is None or by_turn is None or position.first is None:
        return position
    quarters = (breaker.quarter_turns - by_turn.quarter_turns) % 4
    singles = len(seating.order) == 2
    if singles and quarters % 2:
        return position
    why = DoubtReason.SEATS_MOVED if quarters else DoubtReason.SEATS_KEPT
    news = (MatchDoubt(why, seat=breaker),) if observed and quarters != seating.quarters_to_change else ()
    return replace(position, seating=seating.turned(quarters), first=position.first.turned(quarters),
                   before_change=(seating, position.first), news=(*position.news, *news))  # fmt: skip


def _due_to_break(position: Position, book: Book) -> Seat | None:
    return position.first if position.state is None else next_breaker(position, book)


def _next_numbers(position: Position) -> Position:
    """Increments board, game or match number if the one before is over; an abandoned board is played again."""
    state, none = position.state, (0,) * len(position.points)
    if state is None or not state.over:
        return position
    if position.match_over:
        return next_match(position)
    if position.game_over:
        return replace(position, state=None, game=position.game + 1, points=none, game_over=False, points_unknown=False)
    return replace(position, state=replace(state, board=None if state.board is None else state.board + 1))


def next_match(position: Position) -> Position:
    """Returns the position before the next match's first board, with the same players.

    This match's result is stored.
    """
    none = (0,) * len(position.points)
    return replace(position, state=None, game=1, games=none, points=none, game_over=False, match_over=False,
                   winner=None, points_unknown=False, boards=(), finished=position.results, first=None, turn=None,
                   to_change=False, before_end=None, ended_by_word=False, open=frozenset(), open_stroke=None,
                   played=False)  # fmt: skip


def ended(position: Position, before: AnyState, book: Book) -> Position:
    """Ends the board whose result is in `position.state`: updates points, games and the match.

    `before`: the state before it.
    """
    state, seating = position.state, position.seating
    if state is None or seating is None or (isinstance(book, Rules) and seating.white is None):
        return replace(position, before_end=before, to_return=COINS_NONE)
    to_change = seats_change(state, position.points, position.game, seating, book)
    score = points_of(state, seating)
    won_by = tuple(now - was for now, was in zip(score, position.points, strict=True))
    result = BoardScore(position.game, state.board or 0, won_by, score)
    position = replace(
        position,
        points=points_carried_over(state, seating, book),
        boards=(*position.boards, result),
        before_end=before,
        to_return=COINS_NONE,
        turn=None,
        to_change=to_change,
    )
    won = won_game(state, seating, book)
    if won is None:
        return position
    games = _plus(position.games, won.side, 1)
    over = match_is_over(games, book)
    position = replace(position, to_change=to_change and not over)
    return replace(position, games=games, game_over=True, match_over=over, winner=won.side if over else None)


def _plus(games: SidePoints, side: int, more: int) -> SidePoints:
    return tuple(n + more * (i == side) for i, n in enumerate(games))


def may_go_on(position: Position, present: Counts) -> bool:
    """Tells whether a board that was called over holds coins of both sides, and no more than before its last stroke."""
    if position.before_end is None:
        return False
    before = expected_coins(position.before_end)
    return 0 < present.white <= before.white and 0 < present.black <= before.black


def is_left_over(position: Position, present: Counts) -> bool:
    """Tells whether the board holds nothing that was not on it when it ended, so that no new one was laid out."""
    if position.before_end is None or position.state is None:
        return False
    before = expected_coins(position.before_end)
    return present.white <= before.white and present.black <= before.black


def before_the_end(position: Position, book: Book) -> Position:
    """Returns the position before the stroke that seemed to end the board, with its points and games taken back."""
    before, seating, state = position.before_end, position.seating, position.state
    if before is None:
        return position
    won = won_game(state, seating, book) if position.game_over and state and seating else None
    games = _plus(position.games, won.side, -1) if won else position.games
    return replace(position, state=before, points=points_of(before, seating), games=games, game_over=False,
                   match_over=False, winner=None, before_end=None, to_change=False,
                   boards=position.boards[:-1])  # fmt: skip
