"""Compares the board with the rulings before each stroke: the counts follow the coins, a difference is a doubt."""

from __future__ import annotations

from dataclasses import replace

from models.pieces import COINS, Kind
from models.rules import Book
from referee.laws import AnyState, QueenStatus, StrokeTokens
from referee.match.coins import COINS_NONE, Counts
from referee.match.doubts import DoubtReason, MatchDoubt
from referee.match.games import coin_chosen, expected_coins, followed, with_queen, with_queen_of
from referee.match.position import OpenQuestion, Position


def compared(position: Position, t_strike: float, book: Book) -> Position:
    """Returns the position with the coins counted just before `t_strike` (s), and differences as doubts in `news`."""
    state = position.state
    if state is None or state.over or position.unseen:
        return position
    readings = position.census.readings(position.census_since, t_strike)
    if not readings:
        return _by_hands_alone(position, state, t_strike)
    if state.queen is QueenStatus.UNKNOWN and readings[0].queen:
        state = with_queen(state, QueenStatus.BOARD)
        position = replace(position, state=state)
    awaited = _awaited(state)
    if position.declared:
        offset = awaited - _known(state, readings[0])
        return replace(
            position, declared=False, offset=offset, to_return=COINS_NONE, open=position.open - {OpenQuestion.COINS}
        )
    counted = [_known(state, reading + position.offset) for reading in readings]
    if awaited in counted or awaited in [_known(state, reading) for reading in readings]:
        offset = position.offset if awaited in counted else COINS_NONE
        if (offset, position.to_return) == (position.offset, COINS_NONE) and OpenQuestion.COINS not in position.open:
            return position
        return replace(position, offset=offset, to_return=COINS_NONE, open=position.open - {OpenQuestion.COINS})
    return _differing(position, state, counted[0], book)


def _awaited(state: AnyState) -> Counts:
    return _known(state, expected_coins(state))


def _known(state: AnyState, counts: Counts) -> Counts:
    """Returns `counts` without the queen if her status is unknown."""
    return replace(counts, queen=0) if state.queen is QueenStatus.UNKNOWN else counts


def _differing(position: Position, state: AnyState, counted: Counts, book: Book) -> Position:
    """Returns the position for a board that differs from the rulings: the counts follow it and doubts state why."""
    short = (expected_coins(state) - counted).at_least_zero()
    surplus = (counted - expected_coins(state)).at_least_zero()
    chosen = coin_chosen(state, position.payer, short, surplus, book) if position.to_return != COINS_NONE else None
    if chosen:
        return replace(position, state=chosen, to_return=COINS_NONE, open=position.open - {OpenQuestion.COINS})
    forgotten = Counts(*(min(short[kind], position.to_return[kind]) for kind in COINS))
    late = Counts(*(min(surplus[kind], position.to_return[kind]) for kind in COINS))
    lapsed = _lapsed(position, state, forgotten, book)
    found = {
        DoubtReason.DUE_LAPSED: lapsed,
        DoubtReason.NOT_PUT_BACK: forgotten - lapsed,
        DoubtReason.COINS_MISSING: short - forgotten,
        DoubtReason.PUT_BACK_UNASKED: surplus - late,
    }
    laws = {DoubtReason.DUE_LAPSED: book.dues.lapse_law or ""}
    news = tuple(MatchDoubt(why, coins=tuple(counts.kinds()), law=laws.get(why, ""))
                 for why, counts in found.items() if counts != COINS_NONE)  # fmt: skip
    state = followed(state, counted)
    if forgotten.queen and position.queen_was is not None:
        state = with_queen_of(state, position.queen_was, position.cover_missed)
    news_so_far = (*position.news, *news)
    return replace(
        position, state=state, to_return=forgotten, news=news_so_far, open=position.open - {OpenQuestion.COINS}
    )


def _lapsed(position: Position, state: AnyState, forgotten: Counts, book: Book) -> Counts:
    """Returns the penalty coins that lapse: by some rule books those not put back before the next turn do (row H3)."""
    if not book.dues.lapse_law or state.strokes != 0:
        return COINS_NONE
    return Counts(*(min(forgotten[kind], position.penalties[kind]) for kind in COINS))


def _by_hands_alone(position: Position, state: AnyState, t_strike: float) -> Position:
    """Returns the position when no settled board was detected since the last stroke.

    Then only coins put back by hand count.
    """
    back = position.census.put_back(position.census_since, t_strike)
    unasked = (back - position.to_return).at_least_zero()
    position = replace(position, to_return=(position.to_return - back).at_least_zero())
    if unasked == COINS_NONE:
        return position
    counted = expected_coins(state) + unasked
    doubt = MatchDoubt(DoubtReason.PUT_BACK_UNASKED, coins=tuple(unasked.kinds()))
    return replace(position, state=followed(state, counted), news=(*position.news, doubt))


def queen_found(position: Position, tokens: StrokeTokens, first_contact: Kind | None) -> Position:
    """Returns the position with a queen on the board if she falls or leaves it, whatever the rulings say.

    A doubt is added. A first contact with the queen adds the doubt only, and not even that after a settled board, which
    is more reliable.
    """
    state = position.state
    if state is None or state.over or state.queen is QueenStatus.BOARD:
        return position
    fell = tokens.fell(Kind.QUEEN) + tokens.off(Kind.QUEEN) > 0
    seen_settled = position.census.tables and position.census.tables[-1][0] > position.census_since
    if not fell and (first_contact is not Kind.QUEEN or seen_settled):
        return position
    news = (*position.news, MatchDoubt(DoubtReason.QUEEN_FOUND))
    return replace(position, state=with_queen(state, QueenStatus.BOARD) if fell else state, news=news)
