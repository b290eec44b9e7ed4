"""Judging with incomplete knowledge: what every possibility agrees on is ruled, the rest waits for people.

A referee who starts in mid-board knows the coins on the board but not which colour a seat plays, nor who covered a
queen that is gone. Coins that fell are counted all the same; dues and penalties change only where no doubt is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from models.pieces import Kind
from models.rulebook import Rules, Turn
from referee.laws.decisions import Certainty, Decision, DecisionKind, Outcome, Reason
from referee.laws.figure import figure_of
from referee.laws.sides import Side
from referee.laws.state import QueenStatus, State
from referee.laws.tokens import StrokeTokens

StrokeRule = Callable[[State, StrokeTokens, Rules], Outcome]


def judge_unknown(state: State, stroke: StrokeTokens, rules: Rules, judge: StrokeRule) -> Outcome:
    """Returns the ruling that holds in every possible state. An unknown `mover` stays unknown; the seats know whose
    turn it is.
    """
    outcomes = [judge(possible, stroke, rules) for possible in _possibilities(state, stroke)]
    if _agree(state, outcomes):
        return _agreed(state, outcomes[0])
    turns = {outcome.turn for outcome in outcomes}
    turn = turns.pop() if len(turns) == 1 else None
    shared = [d for d in outcomes[0].decisions if all(_has(other, d) for other in outcomes[1:])]
    decisions = [d if d.kind is DecisionKind.TURN else replace(d, certainty=_weaker(d)) for d in shared]
    what = "queen" if state.mover is not None else "colour"
    decisions.append(Decision(DecisionKind.NOTE, Reason.UNKNOWN, "", Certainty.OPERATOR, {"what": what}))
    return Outcome(_counted(state, stroke, rules, turn, outcomes), tuple(decisions), turn=turn)


def _possibilities(state: State, stroke: StrokeTokens) -> Iterator[State]:
    """Yields every state that `state` may be."""
    for mover in (state.mover,) if state.mover else tuple(Side):
        if state.queen is not QueenStatus.UNKNOWN:
            yield replace(state, mover=mover)
            continue
        if stroke.fell(Kind.QUEEN) or stroke.off(Kind.QUEEN):
            yield replace(state, mover=mover, queen=QueenStatus.BOARD, queen_side=None)
            continue
        # A turn never begins with an own queen to cover: it goes back when the turn before ends.
        if state.strokes != 0:
            yield replace(state, mover=mover, queen=QueenStatus.PENDING, queen_side=mover)
        for side in Side:
            yield replace(state, mover=mover, queen=QueenStatus.COVERED, queen_side=side)


def _agree(state: State, outcomes: list[Outcome]) -> bool:
    """Tells whether all outcomes leave the same board, apart from the players' names."""
    return len({(o.turn, o.result, _nameless(state, o.state)) for o in outcomes}) == 1


def _nameless(before: State, after: State) -> State:
    """Returns `after` without what is unknowable: who is to play, and who covered a queen that was gone before."""
    if before.mover is None and not after.over:
        after = replace(after, mover=None)
    if before.queen is QueenStatus.UNKNOWN and after.queen is QueenStatus.COVERED:
        after = replace(after, queen=QueenStatus.UNKNOWN, queen_side=None)
    return after


def _agreed(state: State, outcome: Outcome) -> Outcome:
    after = _nameless(state, outcome.state)
    if state.mover is not None or outcome.board_over:
        return replace(outcome, state=after)
    decisions = tuple(replace(d, params={**d.params, "side": None, "next": None}) for d in outcome.decisions)
    return replace(outcome, state=after, decisions=decisions)


def _has(outcome: Outcome, decision: Decision) -> bool:
    return any((d.kind, d.reason, d.law) == (decision.kind, decision.reason, decision.law) for d in outcome.decisions)


def _weaker(decision: Decision) -> Certainty:
    return Certainty.PROPOSED if decision.certainty is Certainty.CERTAIN else decision.certainty


def _counted(state: State, stroke: StrokeTokens, rules: Rules, turn: Turn | None, outcomes: list[Outcome]) -> State:
    """Returns the state with the fallen coins counted, and everything doubtful unchanged or unknown."""
    mover = state.mover or Side.WHITE
    figure = figure_of(state, mover, stroke, rules)
    fell = (figure.own, figure.opponent) if mover is Side.WHITE else (figure.opponent, figure.own)
    physical = (state.pocketed[0] + fell[0], state.pocketed[1] + fell[1])
    pocketed = {o.state.pocketed for o in outcomes}
    queens = {(o.state.queen, o.state.queen_side) for o in outcomes}
    queen, queen_side = queens.pop() if len(queens) == 1 else (QueenStatus.UNKNOWN, None)
    follower = state.mover if turn is Turn.KEEP else state.mover.other if state.mover and turn else None
    return replace(
        state,
        pocketed=pocketed.pop() if len(pocketed) == 1 else physical,
        queen=queen,
        queen_side=queen_side,
        mover=follower,
        breaks=None,
        qpocket=None,
        strokes=0 if turn is Turn.PASS else None,
    )
