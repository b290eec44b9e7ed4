"""Applies operator events to a match: the laws change the state of the board, this module the rest of the position."""

from __future__ import annotations

from dataclasses import replace

from models.pieces import Kind
from models.rules import Book
from referee.laws import AnyOutcome, AnyState, EventKind, Objection, OperatorEvent, Turn, outcome_of
from referee.laws import objection as law_objection
from referee.match.boards import begin_board, ended
from referee.match.coins import Counts
from referee.match.games import expected_coins, player_of
from referee.match.position import Position
from referee.match.refusals import Refusal, Refused


def objection(position: Position, event: OperatorEvent, rules: Book) -> Objection | Refusal | None:
    """Returns why the event is impossible at this moment of the match; None if it is possible."""
    if position.state is None:
        return Refusal(Refused.NOTHING_KNOWN)
    return law_objection(position.state, event, rules, _unplaced(position))


def apply_event(position: Position, event: OperatorEvent, rules: Book) -> tuple[Position, AnyOutcome | None]:
    """Returns the position after the event and the laws' outcome; None while no board is known."""
    before = position.state
    if before is None:
        return position, None
    outcome = outcome_of(before, event, rules, _unplaced(position))
    if event.act is EventKind.TIME_OUT or objection(position, event, rules):
        return position, outcome
    if event.act is EventKind.REPLAY:
        return _replayed(position, outcome.state, rules), outcome
    position = replace(
        position,
        state=outcome.state,
        to_return=position.to_return + _ruled_back(outcome) - _settled(before, outcome.state, event),
        offset=position.offset + _unseen(event),
    )
    if outcome.board_over:
        return replace(ended(replace(position, open=frozenset()), before, rules), ended_by_word=True), outcome
    if outcome.turn is Turn.PASS and position.turn and position.seating:
        position = replace(position, turn=position.seating.next_seat(position.turn))
    return position, outcome


def _unplaced(position: Position) -> tuple[int, int]:
    """Returns the coins (white, black) that rulings put back and that were not detected being put back."""
    waiting = position.to_return.at_least_zero()
    return waiting.white, waiting.black


def _ruled_back(outcome: AnyOutcome) -> Counts:
    return Counts.of(piece.kind for piece in outcome.returned for _ in range(piece.count))


def _settled(before: AnyState, after: AnyState, event: OperatorEvent) -> Counts:
    """Returns the coins that need no longer be put back: they stay in the pocket, or are on the board already."""
    side = event.side
    if side is None or event.act not in (EventKind.WAIVE, EventKind.RETURN):
        return Counts()
    change = expected_coins(before)[side.kind] - expected_coins(after)[side.kind]
    settled = change if event.act is EventKind.WAIVE else (event.count or 1) + change
    return Counts.of([side.kind] * settled)


def _unseen(event: OperatorEvent) -> Counts:
    """Returns the coins that the operator put on the board; the camera may still detect them by itself."""
    if event.act is not EventKind.RETURN:
        return Counts()
    return Counts.of([event.side.kind] * (event.count or 1) if event.side else [Kind.QUEEN])


def _replayed(position: Position, state: AnyState, rules: Book) -> Position:
    """Returns the position at the beginning of the same board, broken by the same player if he is known."""
    position = replace(position, played=False, waiting=True, open=frozenset(), news=())
    breaker = position.breaker or (player_of(state, position.seating) if position.seating else None)
    return begin_board(position, breaker, rules) if breaker else replace(position, state=state)
