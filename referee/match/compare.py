"""Before each stroke the board is compared with the rulings: counts follow the coins, a difference is a doubt."""

from __future__ import annotations

from dataclasses import replace

from models.pieces import COINS
from models.rules import Rules
from referee.laws import QueenStatus, State
from referee.match.coins import NONE, Counts, expected, followed
from referee.match.doubts import Doubt, Why
from referee.match.position import Open, Position


def compared(position: Position, t_strike: float, rules: Rules) -> Position:
    """The position with its counts as the coins lay just before `t_strike`, and what differed as news."""
    state = position.state
    if state is None or state.over or position.unseen:
        return position
    readings = position.census.readings(position.census_since, t_strike)
    if not readings:
        return _by_hands_alone(position, state, t_strike)
    if state.queen is QueenStatus.UNKNOWN and readings[0].queen:
        state = replace(state, queen=QueenStatus.BOARD)
        position = replace(position, state=state)
    awaited = _awaited(state)
    if position.declared:
        offset = awaited - _known(state, readings[0])
        return replace(position, declared=False, offset=offset, to_return=NONE, open=position.open - {Open.COINS})
    seen = [_known(state, reading + position.offset) for reading in readings]
    if awaited in seen or awaited in [_known(state, reading) for reading in readings]:
        offset = position.offset if awaited in seen else NONE
        if (offset, position.to_return) == (position.offset, NONE) and Open.COINS not in position.open:
            return position
        return replace(position, offset=offset, to_return=NONE, open=position.open - {Open.COINS})
    return _differing(position, state, seen[0], rules)


def _awaited(state: State) -> Counts:
    return _known(state, expected(state))


def _known(state: State, counts: Counts) -> Counts:
    """`counts` without the queen while nobody knows where she belongs."""
    return replace(counts, queen=0) if state.queen is QueenStatus.UNKNOWN else counts


def _differing(position: Position, state: State, seen: Counts, rules: Rules) -> Position:
    """The board holds something else than the rulings say: the counts follow it and the doubts say why."""
    short = (expected(state) - seen).at_least_zero()
    surplus = (seen - expected(state)).at_least_zero()
    forgotten = Counts(*(min(short[kind], position.to_return[kind]) for kind in COINS))
    late = Counts(*(min(surplus[kind], position.to_return[kind]) for kind in COINS))
    found = {
        Why.NOT_PUT_BACK: forgotten,
        Why.COINS_MISSING: short - forgotten,
        Why.PUT_BACK_UNASKED: surplus - late,
    }
    news = tuple(Doubt(why, coins=tuple(counts.kinds())) for why, counts in found.items() if counts != NONE)
    state = followed(state, seen)
    if state.queen is QueenStatus.UNKNOWN and forgotten.queen and rules.queen.unnoticed_covers and position.queen_was:
        # The laws see a queen that is still to be covered, and settle what it means that nobody put her back.
        state = replace(state, queen=QueenStatus.PENDING, queen_side=position.queen_was)
    told = (*position.news, *news)
    return replace(position, state=state, to_return=forgotten, news=told, open=position.open - {Open.COINS})


def _by_hands_alone(position: Position, state: State, t_strike: float) -> Position:
    """No settled board was seen since the last stroke: only coins that were seen put back can tell anything."""
    back = position.census.put_back(position.census_since, t_strike)
    unasked = (back - position.to_return).at_least_zero()
    position = replace(position, to_return=(position.to_return - back).at_least_zero())
    if unasked == NONE:
        return position
    seen = expected(state) + unasked
    doubt = Doubt(Why.PUT_BACK_UNASKED, coins=tuple(unasked.kinds()))
    return replace(position, state=followed(state, seen), news=(*position.news, doubt))
