"""The operator's events in the laws: each a pure step from state to state.

What a stroke really was is told by correcting the stroke; these events are what no stroke says. The operator's word
stands, so the laws refuse only what is impossible.
"""

from __future__ import annotations

from dataclasses import replace

from models.pieces import Kind
from models.rulebook import Rules, WhenPaid
from models.rules import Book, CollectRules
from referee.laws.apply import AnyOutcome, AnyState, apply
from referee.laws.collect_operator import collect_objection, operate_collect
from referee.laws.collect_ruling import CollectOutcome
from referee.laws.collect_state import CollectState
from referee.laws.decisions import (
    BoardResult,
    Certainty,
    Decision,
    DecisionKind,
    Outcome,
    Reason,
    Return,
    operator_decision,
)
from referee.laws.match_rules import opening
from referee.laws.objections import Objection, Obstacle
from referee.laws.operator_word import EventKind, OperatorEvent
from referee.laws.sides import Side
from referee.laws.state import Pair, QueenStatus, State
from referee.laws.tokens import StrokeTokens

_IMPOSSIBLE = Decision(DecisionKind.NOTE, Reason.IMPOSSIBLE, "", Certainty.OPERATOR)


def outcome_of(state: AnyState, what: StrokeTokens | OperatorEvent, rules: Book, unplaced: Pair = (0, 0)) -> AnyOutcome:
    """Returns what follows from a stroke or from an operator's event; never raises for a state of the book's own game.

    An impossible event changes nothing and says so. `unplaced` as for `objection`.
    """
    if isinstance(what, StrokeTokens):
        return apply(state, what, rules)
    if isinstance(state, State) and isinstance(rules, Rules):
        return operate(state, what, rules, unplaced)
    if isinstance(state, CollectState) and isinstance(rules, CollectRules):
        if objection(state, what, rules, unplaced):
            return CollectOutcome(state, (_IMPOSSIBLE,))
        return apply(state, what.stroke, rules) if what.stroke else operate_collect(state, what, rules, unplaced)
    raise TypeError(f"{rules.name} does not play the game of this state: {state}")


def objection(state: AnyState, event: OperatorEvent, rules: Book, unplaced: Pair = (0, 0)) -> Objection | None:
    """Returns why the event is impossible; None if it is possible.

    `unplaced`: coins of each colour that were ruled back to the board and that nobody has put there yet.
    """
    if state.over:
        return Objection(Obstacle.BOARD_OVER)
    if isinstance(state, CollectState) and isinstance(rules, CollectRules):
        return collect_objection(state, event, rules, unplaced)
    if not isinstance(state, State) or not isinstance(rules, Rules):
        raise TypeError(f"{rules.name} does not play the game of this state: {state}")
    side = event.side
    if event.player is not None:
        return Objection(Obstacle.NO_PLAYERS)
    if event.act is EventKind.BEFORE and state.mover is None:
        return Objection(Obstacle.MOVER_UNKNOWN)
    if event.act is EventKind.WAIVE and side:
        open_ = state.dues[side.slot] + unplaced[side.slot]
        if not open_ or (event.count or 0) > open_:
            return Objection(Obstacle.OWES_LESS, side, count=open_)
        if rules.dues.waived_whole and event.count not in (None, open_):
            return Objection(Obstacle.WAIVE_ALL, side, count=open_)
    if event.act is EventKind.RESULT and (event.count or 0) > rules.most_board_points:
        return Objection(Obstacle.TOO_MANY_POINTS, count=rules.most_board_points)
    if event.act is EventKind.RETURN and side:
        gone = state.pocketed[side.slot] + unplaced[side.slot]
        if (event.count or 1) > gone:
            return Objection(Obstacle.OFF_LESS, coin=side, count=gone)
    if event.act is EventKind.RETURN and side is None and state.queen is QueenStatus.BOARD:
        return Objection(Obstacle.QUEEN_LIES)
    return None


def operate(state: State, event: OperatorEvent, rules: Rules, unplaced: Pair = (0, 0)) -> Outcome:
    """Returns what follows from an operator's event; an impossible one changes nothing. `unplaced` as for
    `objection`.
    """
    if objection(state, event, rules, unplaced):
        return Outcome(state, (_IMPOSSIBLE,))
    match event.act:
        case EventKind.BEFORE:
            return apply(state, event.stroke or StrokeTokens(), rules)
        case EventKind.WAIVE:
            return _waived(state, event, unplaced)
        case EventKind.GRANT:
            return _granted(state, event, rules)
        case EventKind.RETURN:
            return _put_back(state, event, unplaced)
        case EventKind.CONCEDE:
            return _conceded(state, event, rules)
        case EventKind.RESULT:
            return _ended(state, event.side or Side.WHITE, event.count or 0, 0, Reason.AGREED)
        case EventKind.REPLAY:
            again = opening(state.score, state.board, state.coins)
            return Outcome(again, (operator_decision(DecisionKind.NOTE, Reason.BOARD_REPLAYED),))
        case EventKind.TIME_OUT:
            return Outcome(state, (operator_decision(DecisionKind.NOTE, Reason.TIME_OUT, side=event.side),))


def _waived(state: State, event: OperatorEvent, unplaced: Pair) -> Outcome:
    """Drops dues; a coin that was to be put back stays pocketed."""
    side = event.side or Side.WHITE
    count = event.count or state.dues[side.slot] + unplaced[side.slot]
    owed = min(count, state.dues[side.slot])
    after = _with(state, side, pocketed=count - owed, dues=-owed)
    return Outcome(after, (operator_decision(DecisionKind.DUE, Reason.DUE_WAIVED, side=side, count=count),))


def _granted(state: State, event: OperatorEvent, rules: Rules) -> Outcome:
    """Adds dues; they are paid at once if the book wants that and a coin is there."""
    side, count = event.side or Side.WHITE, event.count or 1
    owed = state.dues[side.slot] + count
    paid = min(owed, state.pocketed[side.slot]) if rules.dues.when is WhenPaid.AFTER_STROKE else 0
    decisions = [operator_decision(DecisionKind.DUE, Reason.DUE_GRANTED, side=side, count=count)]
    if not paid:
        return Outcome(_with(state, side, dues=count), tuple(decisions))
    decisions.append(
        Decision(DecisionKind.DUE, Reason.DUE_PAID, rules.dues.paid_law, params={"side": side, "count": paid})
    )
    back = Return(side.kind, paid, rules.dues.place, rules.dues.placed_by)
    return Outcome(_with(state, side, pocketed=-paid, dues=count - paid), tuple(decisions), (back,))


def _put_back(state: State, event: OperatorEvent, unplaced: Pair) -> Outcome:
    """Returns coins to the board: those ruled back are only placed now; any other pays a due, if one is owed."""
    if event.side is None:
        after = replace(state, queen=QueenStatus.BOARD, queen_side=None, qpocket=None)
        return Outcome(after, (operator_decision(DecisionKind.RETURN, Reason.RETURN_PLACED, coin=Kind.QUEEN),))
    side, count = event.side, event.count or 1
    counted = count - min(count, unplaced[side.slot])
    paid = min(counted, state.dues[side.slot])
    after = _with(state, side, pocketed=-counted, dues=-paid)
    return Outcome(after, (operator_decision(DecisionKind.RETURN, Reason.RETURN_PLACED, side=side, count=count),))


def _conceded(state: State, event: OperatorEvent, rules: Rules) -> Outcome:
    loser = event.side or Side.WHITE
    winner, queen = loser.other, rules.queen
    below_cap = not queen.cap or state.score[winner.slot] < queen.cap
    theirs = state.queen is QueenStatus.COVERED and state.queen_side is loser
    bonus = queen.points if below_cap and not theirs else 0
    most = rules.match.max_board_points
    points = state.left(loser) * rules.match.coin_points + bonus
    return _ended(state, winner, min(points, most) if most else points, bonus, Reason.CONCEDED)


def _ended(state: State, winner: Side, points: int, queen: int, reason: Reason) -> Outcome:
    score = [state.score[0], state.score[1]]
    score[winner.slot] += points
    after = State(pocketed=state.pocketed, queen=state.queen, queen_side=state.queen_side, score=(score[0], score[1]),
                  mover=None, over=True, board=state.board, coins=state.coins)  # fmt: skip
    decision = operator_decision(DecisionKind.RESULT, reason, side=winner.other, winner=winner, points=points)
    return Outcome(after, (decision,), result=BoardResult(winner, points, 0, queen))


def _with(state: State, side: Side, pocketed: int = 0, dues: int = 0) -> State:
    """Returns `state` with one side's numbers changed. A side whose coin fell once is still marked so."""
    coins, owed = list(state.pocketed), list(state.dues)
    had_own = {s for s in Side if s in state.had_own or coins[s.slot]}
    coins[side.slot] += pocketed
    owed[side.slot] += dues
    names = tuple(s for s in Side if s in had_own and not coins[s.slot])
    return replace(state, pocketed=(coins[0], coins[1]), dues=(owed[0], owed[1]), had_own=names)
