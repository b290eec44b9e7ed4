"""The end of a board: who wins it when a last coin falls, and by how many points."""

from __future__ import annotations

from models.rulebook import Ending, EndTable, Points, QueenCase, Winner
from referee.laws.decisions import BoardResult, Certainty, DecisionKind, Outcome, Reason
from referee.laws.figure import Figure, endgame_of, is_last_opponent, is_last_own
from referee.laws.ruling import Ruling
from referee.laws.sides import Side
from referee.laws.state import COINS_PER_SIDE, QueenStatus, State


def ending_of(ruling: Ruling, figure: Figure, case: QueenCase) -> tuple[Ending, Reason] | None:
    """The ending that this stroke brings and why; None when the board goes on."""
    state, mover = ruling.state, ruling.mover
    own, opponent = is_last_own(state, mover, figure), is_last_opponent(state, mover, figure)
    if not (own or opponent):
        return None
    table: EndTable = ruling.rules.improper_end if figure.improper else ruling.rules.end
    entries = table.both if own and opponent else table.own if own else table.opponent
    ending = entries[endgame_of(state, mover, case, figure.striker)]
    if ending.winner is Winner.NOBODY:
        return None
    return ending, _reason(ending, own, opponent, state)


def _reason(ending: Ending, own: bool, opponent: bool, state: State) -> Reason:
    won = ending.winner is Winner.MOVER
    if own and opponent:
        return Reason.BOTH_LAST_WON if won else Reason.BOTH_LAST_LOST
    if own:
        return Reason.CLEARED if won else Reason.LAST_OWN_QUEEN_OPEN
    covered = state.queen is QueenStatus.COVERED
    return Reason.OPPONENT_CLEARED if covered else Reason.LAST_OPPONENT_QUEEN_OPEN


def end_board(ruling: Ruling, ending: Ending, reason: Reason) -> Outcome:
    """Close the board by `ending`; the queen is the winner's if he took or covered it by this stroke."""
    winner = ruling.mover if ending.winner is Winner.MOVER else ruling.mover.other
    points, queen = _points(ruling, winner, ending)
    most = ruling.rules.match.max_board_points
    result = BoardResult(winner, min(points, most) if most else points, ending.demand, queen)
    ruling.say(DecisionKind.RESULT, reason, ending.law, side=ruling.mover, winner=winner, points=result.points)
    if ending.silent:
        ruling.say(DecisionKind.NOTE, Reason.SILENT, ending.law, Certainty.PROPOSED)
    if ending.demand:
        law, count = ending.law, ending.demand
        ruling.say(DecisionKind.DEMAND, Reason.EXTRA_POINTS, law, Certainty.OPERATOR, side=winner, count=count)
    return ruling.ended(result)


def _points(ruling: Ruling, winner: Side, ending: Ending) -> tuple[int, int]:
    """Points of the winner, and the queen's part of them."""
    queen = ruling.rules.queen
    below_cap = not queen.cap or ruling.state.score[winner.slot] < queen.cap
    value = queen.points if below_cap else 0
    left = COINS_PER_SIDE - ruling.pocketed[winner.other.slot]
    covered = ruling.queen is QueenStatus.COVERED
    match ending.points:
        case Points.BOARD:
            bonus = value if covered and ruling.queen_side is winner else 0
            return left + bonus, bonus
        case Points.LEFT_AND_QUEEN:
            bonus = 0 if covered else value
            return left + bonus, bonus
        case Points.QUEEN:
            return (queen.points, queen.points) if below_cap else (queen.at_cap, 0)
        case Points.QUEEN_UNCAPPED:
            return queen.points, queen.points
        case Points.ONE:
            return 1, 0
        case Points.NONE:
            return 0, 0
