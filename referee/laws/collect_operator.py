"""The operator's events in a collecting game: players by number, points as the coins lie."""

from __future__ import annotations

from dataclasses import replace

from models.collecting import CollectRules
from models.pieces import Kind
from models.rulebook import WhenPaid
from referee.laws.collect_ruling import CollectOutcome, CollectRuling, collect_result, name
from referee.laws.collect_state import CollectState, fresh_board
from referee.laws.decisions import Certainty, DecisionKind, Reason, operator_decision
from referee.laws.objections import Objection, Obstacle
from referee.laws.operator_word import EventKind, OperatorEvent
from referee.laws.state import Pair, QueenStatus


def collect_objection(
    state: CollectState, event: OperatorEvent, rules: CollectRules, unplaced: Pair
) -> Objection | None:
    """Returns why the event is impossible; None if it is possible. `unplaced` as in `referee.laws.operator`."""
    player = event.player
    if event.act in (EventKind.BEFORE, EventKind.REPLAY) or (event.act is EventKind.RETURN and event.side is None):
        return _about_the_board(state, event)
    if player is None or player >= state.players:
        return Objection(Obstacle.NAME_PLAYER, count=state.players)
    player = state.side_of(player)
    if event.act is EventKind.WAIVE and (event.count or 1) > state.dues[player]:
        return Objection(Obstacle.OWES_LESS, name(player), count=state.dues[player])
    if event.act is EventKind.WAIVE and rules.dues.waived_whole and event.count not in (None, state.dues[player]):
        return Objection(Obstacle.WAIVE_ALL, name(player), count=state.dues[player])
    if event.act is EventKind.RETURN and event.side:
        return _about_a_coin(state, event, player, unplaced)
    if event.act is EventKind.CONCEDE and len(state.points) > 2:
        return Objection(Obstacle.TOO_MANY_TO_CONCEDE)
    if event.act is EventKind.RESULT:
        points = state.points[player] + (event.count or 0)
        if any(points <= other for n, other in enumerate(state.points) if n != player):
            return Objection(Obstacle.NOT_MOST, name(player), count=points)
    return None


def _about_the_board(state: CollectState, event: OperatorEvent) -> Objection | None:
    if event.act is EventKind.RETURN and state.queen is QueenStatus.BOARD:
        return Objection(Obstacle.QUEEN_LIES)
    if event.act is EventKind.REPLAY and state.held is None:
        return Objection(Obstacle.WON_UNKNOWN)
    return None


def _about_a_coin(state: CollectState, event: OperatorEvent, player: int, unplaced: Pair) -> Objection | None:
    slot, count = event.side.slot if event.side else 0, event.count or 1
    gone = state.coins - state.left[slot] + unplaced[slot]
    if count > gone:
        return Objection(Obstacle.OFF_LESS, coin=event.side, count=gone)
    held = None if state.held is None else state.held[player][slot] + unplaced[slot]
    if held is None or count <= held:
        return None
    return Objection(Obstacle.HAS_LESS, name(player), event.side, held)


def operate_collect(state: CollectState, event: OperatorEvent, rules: CollectRules, unplaced: Pair) -> CollectOutcome:
    """Returns what follows from a possible event; a foul before the stroke is judged as a stroke."""
    player = state.side_of(event.player or 0)
    match event.act:
        case EventKind.WAIVE:
            count = event.count or state.dues[player]
            after = replace(state, dues=_plus(state.dues, player, -count))
            return CollectOutcome(
                after, (operator_decision(DecisionKind.DUE, Reason.DUE_WAIVED, side=name(player), count=count),)
            )
        case EventKind.GRANT:
            return _granted(state, player, event.count or 1, rules)
        case EventKind.RETURN:
            return _put_back(state, event, rules, unplaced)
        case EventKind.CONCEDE:
            return _ended(state, 1 - player, _on_the_board(state, rules), Reason.CONCEDED, rules)
        case EventKind.RESULT:
            return _ended(state, player, event.count or 0, Reason.AGREED, rules)
        case EventKind.REPLAY:
            return _replayed(state, rules)
        case EventKind.TIME_OUT | EventKind.BEFORE:
            return CollectOutcome(state, (operator_decision(DecisionKind.NOTE, Reason.TIME_OUT, side=name(player)),))


def _granted(state: CollectState, player: int, count: int, rules: CollectRules) -> CollectOutcome:
    """Adds dues; they are paid at once if the book wants that and a coin is there."""
    ruling = CollectRuling(replace(state, mover=player), rules)
    ruling.dues[player] += count
    ruling.say(DecisionKind.DUE, Reason.DUE_GRANTED, "", Certainty.OPERATOR, side=name(player), count=count)
    if rules.dues.when is WhenPaid.AFTER_STROKE:
        ruling.pay()
    ruling.strokes, ruling.noleave = state.strokes, state.noleave
    outcome = ruling.outcome()
    return replace(outcome, state=replace(outcome.state, mover=state.mover), turn=None)


def _put_back(state: CollectState, event: OperatorEvent, rules: CollectRules, unplaced: Pair) -> CollectOutcome:
    """Returns coins to the board: those ruled back are only placed now; any other leaves the player, and pays a due if
    there is one.
    """
    if event.side is None:
        covered = state.queen is QueenStatus.COVERED and state.queen_player is not None
        points = (
            _plus(state.points, state.side_of(state.queen_player or 0), -rules.values.queen)
            if covered
            else state.points
        )
        after = replace(state, queen=QueenStatus.BOARD, queen_player=None, points=points)
        return CollectOutcome(after, (operator_decision(DecisionKind.RETURN, Reason.RETURN_PLACED, coin=Kind.QUEEN),))
    player, slot, count = state.side_of(event.player or 0), event.side.slot, event.count or 1
    counted = count - min(count, unplaced[slot])
    value = (rules.values.white, rules.values.black)[slot]
    left = (state.left[0] + counted * (slot == 0), state.left[1] + counted * (slot == 1))
    held = None if state.held is None else tuple(
        (w - counted * (n == player and slot == 0), b - counted * (n == player and slot == 1))
        for n, (w, b) in enumerate(state.held)
    )  # fmt: skip
    after = replace(
        state, left=left, held=held, points=_plus(state.points, player, -counted * value),
        dues=_plus(state.dues, player, -min(counted, state.dues[player])),
    )  # fmt: skip
    return CollectOutcome(
        after, (operator_decision(DecisionKind.RETURN, Reason.RETURN_PLACED, coin=event.side.kind, count=count),)
    )


def _on_the_board(state: CollectState, rules: CollectRules) -> int:
    """Returns the points that nobody has won yet."""
    values = rules.values
    queen = 0 if state.queen is QueenStatus.COVERED else values.queen
    return state.left[0] * values.white + state.left[1] * values.black + queen


def _ended(state: CollectState, winner: int, points: int, reason: Reason, rules: CollectRules) -> CollectOutcome:
    after = replace(
        state, points=_plus(state.points, winner, points), dues=(0,) * len(state.points), mover=None, over=True,
        noleave=0, breaks=None, strokes=None,
    )  # fmt: skip
    loser = name(1 - winner) if reason is Reason.CONCEDED else None
    decision = operator_decision(DecisionKind.RESULT, reason, side=loser, winner=name(winner), points=points)
    return CollectOutcome(after, (decision,), result=collect_result(after, rules))


def _replayed(state: CollectState, rules: CollectRules) -> CollectOutcome:
    """Returns the same board from its beginning, without the points won on it."""
    values = rules.values
    points = [p - w * values.white - b * values.black for p, (w, b) in zip(state.points, state.held or (), strict=True)]
    if state.queen is QueenStatus.COVERED and state.queen_player is not None:
        points[state.side_of(state.queen_player)] -= values.queen
    again = fresh_board(rules, tuple(points), state.board)
    return CollectOutcome(again, (operator_decision(DecisionKind.NOTE, Reason.BOARD_REPLAYED),))


def _plus(numbers: tuple[int, ...], at: int, more: int) -> tuple[int, ...]:
    return tuple(n + more * (i == at) for i, n in enumerate(numbers))
