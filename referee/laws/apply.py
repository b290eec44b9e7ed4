"""The judge: a state and a stroke give the next state and the decisions. Pure and total.

The questions are asked in the order of the rule book; what each answer means is in its tables (`models.rulebook`).
The stroke is taken as played by the side to play. Where the colour of the player or the fate of the queen is not known,
`referee.laws.unknown` judges every possibility and keeps what all agree on.
"""

from __future__ import annotations

from dataclasses import replace

from models.pieces import Kind
from models.rulebook import Fate, FoulName, QueenCase, QueenFate, Row, Rules, Turn, Winner
from referee.laws.decisions import Certainty, DecisionKind, Outcome, Reason
from referee.laws.endings import end_board, ending_of
from referee.laws.figure import Figure, figure_of, queen_case
from referee.laws.ruling import Ruling
from referee.laws.sides import Side
from referee.laws.state import QueenStatus, State
from referee.laws.tokens import StrokeTokens
from referee.laws.unknown import judge_unknown


def apply(state: State, stroke: StrokeTokens, rules: Rules) -> Outcome:
    """What follows from `stroke`; never raises."""
    if state.over:
        over = Ruling(state, Side.WHITE, rules)
        over.say(DecisionKind.NOTE, Reason.BOARD_IS_OVER, "", Certainty.OPERATOR)
        return Outcome(state, over.outcome().decisions)
    if not state.known or state.mover is None:
        return judge_unknown(state, stroke, rules, apply)
    return _judge(state, state.mover, stroke, rules)


def _judge(state: State, mover: Side, stroke: StrokeTokens, rules: Rules) -> Outcome:
    ruling = _begin(state, mover, rules)
    figure = figure_of(ruling.state, mover, stroke, rules)
    _tell_oddities(ruling, figure)
    if FoulName.OUT_OF_TURN in figure.special:
        return end_board(ruling, rules.out_of_turn, Reason.OUT_OF_TURN)
    if figure.moved_nothing and (figure.before or FoulName.NO_LEAVE in figure.special):
        return _not_played(ruling, figure)
    if FoulName.NO_BREAK in figure.special and not figure.coins_fell and not figure.off_coins:
        return _break_attempt(ruling, figure)
    if state.breaks is not None:
        ruling.breaks = None
        ruling.say(DecisionKind.STROKE, Reason.BOARD_OPENED, rules.opening.law)
    return _played(ruling, figure)


def _tell_oddities(ruling: Ruling, figure: Figure) -> None:
    """Say what was left out of the judgement and why."""
    for foul in figure.allowed:
        ruling.say(DecisionKind.NOTE, Reason.ALLOWED, ruling.rules.fouls[foul].law, foul=foul)
    unmoved = figure.special - {FoulName.OUT_OF_TURN}
    contradicts = unmoved and (figure.coins_fell or figure.off_coins)
    stayed_but_moved = FoulName.NO_LEAVE in figure.special and not figure.moved_nothing
    if figure.impossible or contradicts or stayed_but_moved:
        ruling.say(DecisionKind.NOTE, Reason.IMPOSSIBLE, "", Certainty.OPERATOR)


def _begin(state: State, mover: Side, rules: Rules) -> Ruling:
    """A fresh ruling; an uncovered queen that nobody put back before this stroke counts as covered (R69)."""
    forgotten = state.queen is QueenStatus.PENDING and state.queen_side is not mover
    if not (forgotten and rules.queen.unnoticed_covers):
        return Ruling(state, mover, rules)
    ruling = Ruling(replace(state, queen=QueenStatus.COVERED, qpocket=None), mover, rules)
    law, side = rules.queen.uncovered_law, state.queen_side
    ruling.say(DecisionKind.QUEEN, Reason.QUEEN_UNNOTICED, law, Certainty.PROPOSED, side=side)
    return ruling


def _not_played(ruling: Ruling, figure: Figure) -> Outcome:
    """An infringement before the stroke (R36, R37), or a striker that stayed on the lines (General 91)."""
    rules, state = ruling.rules, ruling.state
    fouls = figure.before or figure.improper
    ruling.strokes = state.strokes
    if not fouls:
        return _stayed(ruling)
    first = state.strokes == 0
    row = rules.improper.before_first if first else rules.improper.before_later
    _name_fouls(ruling, fouls)
    ruling.incur(row.penalty, row.law)
    ruling.end_turn(row.turn, Reason.TECHNICAL_FOUL if first else Reason.FOUL_BEFORE_STROKE, row.law)
    return ruling.outcome()


def _stayed(ruling: Ruling) -> Outcome:
    rule, state = ruling.rules.no_leave, ruling.state
    if not rule.limit:
        ruling.end_turn(Turn.KEEP, Reason.STAYED_ON_LINES, rule.law)
    elif state.noleave + 1 >= rule.limit:
        ruling.end_turn(Turn.PASS, Reason.STAYED_TOO_OFTEN, rule.law)
    else:
        ruling.noleave = state.noleave + 1
        ruling.end_turn(Turn.KEEP, Reason.STAYED_ON_LINES, rule.law)
    return ruling.outcome()


def _break_attempt(ruling: Ruling, figure: Figure) -> Outcome:
    """The formation was not touched (R18)."""
    rule, used = ruling.rules.opening, (ruling.state.breaks or 0) + 1
    if figure.striker or figure.improper:
        ruling.breaks, row, reason = 0, rule.spoiled, Reason.BREAK_SPOILED
    elif used >= rule.tries:
        ruling.breaks, row, reason = 0, rule.failed, Reason.BREAK_FAILED
    else:
        ruling.breaks, row, reason = used, Row(Turn.KEEP, rule.again_law), Reason.BREAK_AGAIN
        ruling.strokes = ruling.state.strokes
    ruling.incur(row.penalty, row.law)
    ruling.end_turn(row.turn, reason, row.law)
    return ruling.outcome()


def _played(ruling: Ruling, figure: Figure) -> Outcome:
    """A stroke of the game: last coins first, then the row of the book's table."""
    rules = ruling.rules
    if figure.before and ruling.state.strokes == 0:
        _name_fouls(ruling, figure.before)
        ruling.incur(rules.improper.before_first.penalty, rules.improper.before_first.law)
    case = queen_case(ruling.state, ruling.mover, figure, rules)
    row = _row(rules, figure, case)
    _name_fouls(ruling, figure.improper)
    ruling.pocket(ruling.mover, figure.own)
    ruling.pocket(ruling.mover.other, figure.opponent)
    ending = ending_of(ruling, figure, case)
    if ending:
        _queen_at_end(ruling, case, ending[0].winner is Winner.MOVER)
        return end_board(ruling, *ending)
    _follow(ruling, figure, case, row)
    return ruling.outcome()


def _row(rules: Rules, figure: Figure, case: QueenCase) -> Row:
    if figure.improper:
        queen = case is not QueenCase.REST
        return rules.improper.queen_striker if queen and figure.striker else rules.improper.stroke
    match case:
        case QueenCase.REST:
            return rules.stroke.rest[figure.fell]
        case QueenCase.FALLS:
            return rules.stroke.falls[figure.fell]
        case QueenCase.FIRST:
            return rules.stroke.first[figure.fell]
        case QueenCase.EARLY:
            return rules.stroke.early[figure.fell]
        case QueenCase.DUE:
            return rules.stroke.due[figure.fell]
        case QueenCase.COVER:
            return rules.stroke.cover[figure.fell]


def _name_fouls(ruling: Ruling, fouls: tuple[FoulName, ...]) -> None:
    for foul in dict.fromkeys(fouls):
        ruling.say(DecisionKind.FOUL, Reason.IMPROPER_STROKE, ruling.rules.fouls[foul].law, foul=foul)


def _queen_at_end(ruling: Ruling, case: QueenCase, won: bool) -> None:
    """The winner's last coin covers the queen (R70a); one that was not covered counts as on the board (R76)."""
    if case in (QueenCase.FALLS, QueenCase.FIRST, QueenCase.COVER) and won:
        ruling.queen_to(QueenStatus.COVERED, Reason.QUEEN_COVERED, ruling.rules.queen.covered_law)
    elif ruling.queen is not QueenStatus.COVERED:
        ruling.queen, ruling.queen_side, ruling.qpocket = QueenStatus.BOARD, None, None


def _follow(ruling: Ruling, figure: Figure, case: QueenCase, row: Row) -> None:
    """Everything that a row of the table says, in the order in which an umpire does it."""
    if figure.own and row.own is Fate.BACK:
        ruling.coins_back(ruling.mover, figure.own, Reason.OWN_BACK, row.law)
    if figure.opponent and row.opponent is Fate.BACK:
        ruling.coins_back(ruling.mover.other, figure.opponent, Reason.OPPONENT_BACK, row.law)
    if case is not QueenCase.REST:
        _queen(ruling, figure, case, row)
    turn, reason, law = row.turn, _turn_reason(figure, case, row), row.law
    ruling.incur(row.penalty, row.law)
    off = ruling.rules.off_board
    if figure.off_coins or figure.off_striker:
        _off_board(ruling, figure)
        ends = (figure.off_coins and off.coin_ends_turn) or (figure.off_striker and off.striker_ends_turn)
        if ends and turn is Turn.KEEP:
            turn, reason, law = Turn.PASS, Reason.PIECE_OFF_BOARD, off.coin_law if figure.off_coins else off.striker_law
    if row.silent:
        ruling.say(DecisionKind.NOTE, Reason.SILENT, row.law, Certainty.PROPOSED)
    ruling.end_turn(turn, reason, law)


def _queen(ruling: Ruling, figure: Figure, case: QueenCase, row: Row) -> None:
    match row.queen:
        case QueenFate.PENDING:
            again = case is QueenCase.COVER
            ruling.qpocket = ruling.qpocket if again else figure.queen_pocket
            reason = Reason.QUEEN_STILL_PENDING if again else Reason.QUEEN_PENDING
            ruling.queen_to(QueenStatus.PENDING, reason, row.law)
        case QueenFate.COVERED:
            ruling.queen_to(QueenStatus.COVERED, Reason.QUEEN_COVERED, row.law)
        case QueenFate.VOID:
            ruling.queen_to(QueenStatus.VOID, Reason.QUEEN_VOID, row.law)
        case QueenFate.BACK:
            ruling.queen_back(_queen_back_reason(figure, case), row.law)
        case QueenFate.NONE:
            return


def _queen_back_reason(figure: Figure, case: QueenCase) -> Reason:
    if figure.improper:
        return Reason.IMPROPER_STROKE
    if case is QueenCase.EARLY:
        return Reason.QUEEN_TOO_EARLY
    if case is QueenCase.DUE:
        return Reason.QUEEN_WHILE_DUE
    return Reason.COVER_MISSED if case is QueenCase.COVER else Reason.QUEEN_WITH_STRIKER


def _turn_reason(figure: Figure, case: QueenCase, row: Row) -> Reason:
    if figure.improper:
        return Reason.IMPROPER_STROKE
    if row.turn is Turn.KEEP:
        return Reason.OWN_POCKETED if figure.own else Reason.QUEEN_POCKETED
    if case is QueenCase.EARLY:
        return Reason.QUEEN_TOO_EARLY
    if case is QueenCase.DUE:
        return Reason.QUEEN_WHILE_DUE
    if figure.striker:
        return Reason.STRIKER_POCKETED
    if case is QueenCase.COVER:
        return Reason.COVER_MISSED
    return Reason.OPPONENT_ONLY if figure.opponent else Reason.NOTHING_POCKETED


def _off_board(ruling: Ruling, figure: Figure) -> None:
    """R38: the queen is placed first, then the player's own coins, then the others; none of them was pocketed."""
    off = ruling.rules.off_board
    flown = ((Kind.QUEEN, int(figure.off_queen)), (ruling.mover.kind, figure.off_own),
             (ruling.mover.other.kind, figure.off_opponent))  # fmt: skip
    for kind, count in flown:
        if count:
            ruling.put_back(kind, count, off.place, off.placed_by)
            ruling.say(DecisionKind.RETURN, Reason.PIECE_OFF_BOARD, off.coin_law, coin=kind, count=count)
    if figure.off_coins:
        ruling.incur(off.coin_penalty, off.coin_law)
    elif figure.off_striker:
        ruling.incur(off.striker_penalty, off.striker_law)
