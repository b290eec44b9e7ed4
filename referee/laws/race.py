"""The judge of race games: a state and a stroke give the next state and the decisions. Pure and total.

The questions are asked in the order of the rule book; what each answer means is in its tables (`models.rulebook`). The
stroke counts as played by the side to play. Where the player's colour or the fate of the queen is unknown,
`referee.laws.unknown` judges every possibility and retains what all agree on.
"""

from __future__ import annotations

from dataclasses import replace

from models.rulebook import FoulName, QueenCase, Rules, Turn, Winner
from referee.laws.close import chosen_row
from referee.laws.decisions import Certainty, DecisionKind, Outcome, Reason
from referee.laws.endings import cleared_before, end_board, ending_of, queen_ending
from referee.laws.figure import StrokeFacts, figure_of, queen_case
from referee.laws.follow import fallen_back, follow, row_of
from referee.laws.race_ruling import RaceRuling
from referee.laws.remarks import name_fouls, note_oddities
from referee.laws.sides import Side
from referee.laws.state import QueenStatus, State
from referee.laws.tokens import StrokeTokens
from referee.laws.unknown import judge_unknown
from referee.laws.unplayed import break_attempt, not_played


def judge_race(state: State, stroke: StrokeTokens, rules: Rules) -> Outcome:
    """Returns what follows from `stroke`; never raises."""
    if state.over:
        over = RaceRuling(state, Side.WHITE, rules)
        over.say(DecisionKind.NOTE, Reason.BOARD_IS_OVER, "", Certainty.OPERATOR)
        return Outcome(state, over.outcome().decisions)
    if not state.known or state.mover is None:
        return judge_unknown(state, stroke, rules, judge_race)
    return _judge(state, state.mover, stroke, rules)


def _judge(state: State, mover: Side, stroke: StrokeTokens, rules: Rules) -> Outcome:
    ruling = _begin(state, mover, rules)
    figure = figure_of(ruling.state, mover, stroke, rules)
    note_oddities(ruling, figure)
    if FoulName.OUT_OF_TURN in figure.special:
        return _out_of_turn(ruling, figure)
    if figure.moved_nothing and (figure.before or FoulName.NO_LEAVE in figure.special):
        not_played(ruling, figure)
        return ruling.outcome()
    if FoulName.NO_BREAK in figure.special and not figure.coins_fell and not figure.off_coins:
        break_attempt(ruling, figure)
        return ruling.outcome()
    if figure.improper and rules.improper.stroke.replay:
        name_fouls(ruling, figure.improper)
        return _replayed(ruling, figure, rules.improper.stroke.law)
    if state.breaks is not None:
        ruling.breaks = None
        ruling.say(DecisionKind.STROKE, Reason.BOARD_OPENED, rules.opening.law)
    return _played(ruling, figure)


def _begin(state: State, mover: Side, rules: Rules) -> RaceRuling:
    """Returns a fresh ruling; settles returns that were due before this stroke and not made."""
    dues, other = rules.dues, mover.other
    forgotten = state.queen in (QueenStatus.PENDING, QueenStatus.VOID) and state.queen_side is other
    lapsed = dues.lapse_law and state.dues[other.slot] and state.pocketed[other.slot]
    if not (forgotten or lapsed):
        return RaceRuling(state, mover, rules)
    before = state
    if lapsed:
        state = replace(state, dues=(0, state.dues[1]) if other is Side.WHITE else (state.dues[0], 0))
    unnoticed = state.queen is QueenStatus.PENDING and rules.queen.unnoticed_covers
    if forgotten and unnoticed:
        state = replace(state, queen=QueenStatus.COVERED, qpocket=None)
    elif forgotten:
        state = replace(state, queen=QueenStatus.BOARD, queen_side=None, qpocket=None)
    ruling = RaceRuling(state, mover, rules)
    if lapsed:
        count, law = before.dues[other.slot], dues.lapse_law or ""
        ruling.say(DecisionKind.DUE, Reason.DUE_FORFEITED, law, Certainty.PROPOSED, side=other, count=count)
    law = rules.queen.uncovered_law
    if forgotten and unnoticed:
        ruling.say(DecisionKind.QUEEN, Reason.QUEEN_UNNOTICED, law, Certainty.PROPOSED, side=other)
    elif forgotten:
        ruling.queen_back(Reason.QUEEN_TURN_ENDED, law, Certainty.PROPOSED)
    return ruling


def _out_of_turn(ruling: RaceRuling, figure: StrokeFacts) -> Outcome:
    """R24: the board ends. A book without such a law leaves it to the operator, who has the coins put back (I12)."""
    ending = ruling.rules.out_of_turn
    if ending:
        return end_board(ruling, ending, Reason.OUT_OF_TURN)
    ruling.say(DecisionKind.OPERATOR, Reason.OPERATOR_DECIDES, "", Certainty.OPERATOR, foul=FoulName.OUT_OF_TURN)
    return _replayed(ruling, figure, ruling.rules.improper.stroke.law)


def _replayed(ruling: RaceRuling, figure: StrokeFacts, law: str) -> Outcome:
    """Rules that the stroke does not count (row C13): pieces that fell or flew off go back where they lay."""
    fallen_back(ruling, figure)
    ruling.strokes, ruling.noleave = ruling.state.strokes, ruling.state.noleave
    ruling.say(DecisionKind.TURN, Reason.REPLAYED, law, Certainty.PROPOSED,
               turn=Turn.KEEP, side=ruling.mover, next=ruling.mover)  # fmt: skip
    return ruling.outcome()


def _played(ruling: RaceRuling, figure: StrokeFacts) -> Outcome:
    """Judges a stroke of the game: last coins first, then the row of the book's table."""
    rules = ruling.rules
    if figure.before and ruling.state.strokes == 0:
        name_fouls(ruling, figure.before)
        ruling.incur(rules.improper.before_first.penalty, rules.improper.before_first.law)
    case = queen_case(ruling.state, ruling.mover, figure, rules)
    name_fouls(ruling, figure.improper)
    ruling.pocket(ruling.mover, figure.own)
    ruling.pocket(ruling.mover.other, figure.opponent)
    ending = ending_of(ruling, figure, case) or queen_ending(ruling, figure, case)
    if ending and ending[0].winner is not Winner.NOBODY:
        _queen_at_end(ruling, case, ending[0].winner is Winner.MOVER, ending[0].queen_given)
        return end_board(ruling, *ending)
    row = ending[0].row if ending and ending[0].row else row_of(rules, figure, case)
    follow(ruling, figure, case, chosen_row(ruling, figure, row))
    cleared = cleared_before(ruling)
    return end_board(ruling, *cleared) if cleared else ruling.outcome()


def _queen_at_end(ruling: RaceRuling, case: QueenCase, won: bool, given: bool) -> None:
    """Covers the queen by the winner's last coin (R70a); one that was not covered counts as on the board (R76)."""
    law = ruling.rules.queen.covered_law
    if given:
        ruling.queen_to(QueenStatus.COVERED, Reason.QUEEN_GIVEN, law, ruling.mover.other)
    elif won and case in (QueenCase.FALLS, QueenCase.FIRST, QueenCase.COVER):
        ruling.queen_to(QueenStatus.COVERED, Reason.QUEEN_COVERED, law)
    elif ruling.queen is not QueenStatus.COVERED:
        ruling.queen, ruling.queen_side, ruling.qpocket = QueenStatus.BOARD, None, None
