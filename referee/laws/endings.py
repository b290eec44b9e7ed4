"""The end of a board: who wins it when a last coin falls, and by how many points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from models.rulebook import Endgame, Ending, EndTable, Points, QueenCase, Winner
from referee.laws.decisions import BoardResult, Certainty, DecisionKind, Outcome, Reason
from referee.laws.figure import StrokeFacts, endgame_of, is_last_opponent, is_last_own
from referee.laws.race_ruling import RaceRuling
from referee.laws.sides import Side
from referee.laws.state import QueenStatus, State


def ending_of(ruling: RaceRuling, figure: StrokeFacts, case: QueenCase) -> tuple[Ending, Reason] | None:
    """Returns what the last coins of this stroke mean and why; None if none fell.

    With `Winner.NOBODY` the board goes on, by the ending's own row if it has one.
    """
    state, mover, rules = ruling.state, ruling.mover, ruling.rules
    own, opponent = is_last_own(state, mover, figure, rules.coins), is_last_opponent(state, mover, figure, rules.coins)
    if not (own or opponent):
        return None
    table: EndTable = rules.end
    endgame = endgame_of(state, mover, case, figure, own)
    if figure.improper and rules.improper_end:
        table = rules.improper_end
    elif figure.improper:
        endgame = WITH_STRIKER[endgame]
    entries = table.both if own and opponent else table.own if own else table.opponent
    spoiled = _spoiled(table, figure) if own and not opponent else {}
    ending = spoiled.get(endgame) or entries[endgame]
    return ending, _reason(ending, own, opponent, state)


def _spoiled(table: EndTable, figure: StrokeFacts) -> Mapping[Endgame, Ending]:
    """Returns what the own last coin means beside an opponent's coin, or beside pieces off the board."""
    if figure.opponent and table.own_opponent:
        return table.own_opponent
    return table.own_off if figure.off_coins or figure.off_striker else {}


def queen_ending(ruling: RaceRuling, figure: StrokeFacts, case: QueenCase) -> tuple[Ending, Reason] | None:
    """Returns what the queen means as the player's last piece; None if it is not, or must be covered."""
    ending = ruling.rules.end.queen
    last = case is QueenCase.FALLS and ruling.state.pocketed[ruling.mover.slot] == ruling.rules.coins
    if ending is None or not last or figure.striker or figure.improper:
        return None
    return ending, Reason.QUEEN_LAST_WON


def cleared_before(ruling: RaceRuling) -> tuple[Ending, Reason] | None:
    """Returns the win of a side without coins once the queen is covered, in books where the queen may be the last
    piece.
    """
    ending, rules = ruling.rules.end.queen, ruling.rules
    if ending is None or ruling.queen is not QueenStatus.COVERED:
        return None
    side = next((side for side in Side if ruling.pocketed[side.slot] == rules.coins), None)
    if side is None:
        return None
    ruling.take_back_turn()
    winner = Winner.MOVER if side is ruling.mover else Winner.OPPONENT
    return replace(ending, winner=winner), Reason.CLEARED_BEFORE


WITH_STRIKER = {e: e if e.endswith("_striker") else Endgame(f"{e}_striker") for e in Endgame}
"""The same endgame with the striker pocketed too."""


def _reason(ending: Ending, own: bool, opponent: bool, state: State) -> Reason:
    won = ending.winner is Winner.MOVER
    if own and opponent:
        return Reason.BOTH_LAST_WON if won else Reason.BOTH_LAST_LOST
    if own:
        return Reason.CLEARED if won else Reason.LAST_OWN_QUEEN_OPEN
    covered = state.queen is QueenStatus.COVERED
    return Reason.OPPONENT_CLEARED if covered else Reason.LAST_OPPONENT_QUEEN_OPEN


def end_board(ruling: RaceRuling, ending: Ending, reason: Reason) -> Outcome:
    """Closes the board by `ending`. The queen is the winner's if he took or covered it by this stroke."""
    ruling.fallback = ending.silent or ending.ask
    winner = ruling.mover if ending.winner is Winner.MOVER else ruling.mover.other
    points, queen = _points(ruling, winner, ending)
    points += ending.flat
    most = ruling.rules.match.max_board_points
    result = BoardResult(
        winner, min(points, most) if most else points, ending.demand, queen, _lost(ruling, winner, ending)
    )
    ruling.say(DecisionKind.RESULT, reason, ending.law, side=ruling.mover, winner=winner, points=result.points)
    if result.lost:
        ruling.say(DecisionKind.POINTS, Reason.POINTS_DEDUCTED, ending.law, side=winner.other, points=result.lost)
    if ending.silent or ending.ask:
        certainty = Certainty.OPERATOR if ending.ask else Certainty.PROPOSED
        ruling.say(DecisionKind.NOTE, Reason.SILENT, ending.law, certainty)
    if ending.demand:
        law, count = ending.law, ending.demand
        ruling.say(DecisionKind.DEMAND, Reason.EXTRA_POINTS, law, Certainty.OPERATOR, side=winner, count=count)
    return ruling.ended(result)


def _lost(ruling: RaceRuling, winner: Side, ending: Ending) -> int:
    """Returns the points deducted from the loser; not below zero where the book has no negative scores (X21)."""
    lost = ending.loses
    if ending.loses_left:
        lost += ruling.left_points(winner)
    score = ruling.score[winner.other.slot]
    return lost if ruling.rules.match.negative_scores else max(0, min(lost, score))


def _points(ruling: RaceRuling, winner: Side, ending: Ending) -> tuple[int, int]:
    """Returns the winner's points, and the queen's part of them."""
    queen = ruling.rules.queen
    below_cap = not queen.cap or ruling.state.score[winner.slot] < queen.cap
    value = queen.points if below_cap else 0
    left = ruling.left_points(winner.other)
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
        case Points.LEFT:
            return left, 0
        case Points.WINNER_LEFT:
            return ruling.left_points(winner), 0
        case Points.NONE:
            return 0, 0
