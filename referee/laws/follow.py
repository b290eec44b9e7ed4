"""Carries out a row of a book's table, in the order in which an umpire does it."""

from __future__ import annotations

from models.pieces import Kind
from models.rulebook import Fate, PutBackPlace, QueenCase, QueenFate, Row, Rules, Turn
from referee.laws.close import close_turn
from referee.laws.decisions import Certainty, DecisionKind, Reason
from referee.laws.figure import StrokeFacts, in_another_pocket
from referee.laws.race_ruling import RaceRuling
from referee.laws.state import QueenStatus


def row_of(rules: Rules, figure: StrokeFacts, case: QueenCase) -> Row:
    """Returns the row of the book that judges a stroke."""
    if not figure.improper:
        return proper_row(rules, figure, case)
    with_queen = figure.striker and case is not QueenCase.REST
    return (with_queen and rules.improper.queen_striker) or rules.improper.stroke


def proper_row(rules: Rules, figure: StrokeFacts, case: QueenCase) -> Row:
    """Returns the row that judges the same stroke without infringement."""
    stroke = rules.stroke
    match case:
        case QueenCase.REST:
            return stroke.rest[figure.fell]
        case QueenCase.FALLS:
            return stroke.falls[figure.fell]
        case QueenCase.FIRST:
            return stroke.first[figure.fell]
        case QueenCase.EARLY:
            return stroke.early[figure.fell]
        case QueenCase.DUE:
            return stroke.due[figure.fell]
        case QueenCase.COVER:
            return stroke.cover[figure.fell]
        case QueenCase.SAME_POCKET:
            return stroke.same_pocket[figure.fell]


def follow(ruling: RaceRuling, figure: StrokeFacts, case: QueenCase, row: Row) -> None:
    """Rules on coins, queen, penalties, pieces off the board, and the turn."""
    ruling.fallback = row.silent
    ruling.place = row.place or ruling.place
    _coins(ruling, figure, row)
    if case is not QueenCase.REST:
        _queen(ruling, figure, case, row)
    close_turn(ruling, figure, row, _turn_reason(figure, case, row), _flown(ruling, figure))


def _flown(ruling: RaceRuling, figure: StrokeFacts) -> tuple[tuple[Kind, int], ...]:
    """Returns the pieces off the board in the order of placing. R38: the queen first, then the player's own coins, then
    the others.
    """
    return ((Kind.QUEEN, int(figure.off_queen)), (ruling.mover.kind, figure.off_own),
            (ruling.mover.other.kind, figure.off_opponent))  # fmt: skip


def fallen_back(ruling: RaceRuling, figure: StrokeFacts) -> None:
    """Puts pieces that fell or flew off back where they lay, since the stroke does not count."""
    for kind, count in (
        (Kind.QUEEN, int(figure.queen or figure.off_queen)),
        (ruling.mover.kind, figure.own + figure.off_own),
        (ruling.mover.other.kind, figure.opponent + figure.off_opponent),
    ):
        if count:
            ruling.put_back(kind, count, PutBackPlace.AS_BEFORE, ruling.rules.off_board.placed_by)


def _coins(ruling: RaceRuling, figure: StrokeFacts, row: Row) -> None:
    """Puts back coins of this stroke that do not stay pocketed."""
    own = {Fate.STAY: 0, Fate.BACK: figure.own, Fate.LAST: min(1, figure.own)}[row.own]
    if own:
        reason = Reason.OWN_BACK if row.own is Fate.BACK else Reason.LAST_BACK
        ruling.coins_back(ruling.mover, own, reason, row.law)
    opponent = {Fate.STAY: 0, Fate.BACK: figure.opponent, Fate.LAST: min(1, figure.opponent)}[row.opponent]
    if opponent:
        reason = Reason.OPPONENT_BACK if row.opponent is Fate.BACK else Reason.LAST_BACK
        ruling.coins_back(ruling.mover.other, opponent, reason, row.law, row.opponent_place, row.opponent_by)


def _queen(ruling: RaceRuling, figure: StrokeFacts, case: QueenCase, row: Row) -> None:
    fate, rules = row.queen, ruling.rules
    if fate is QueenFate.PROPER:
        fate = proper_row(rules, figure, case).queen
    if fate is QueenFate.NONE and figure.queen:
        fate = QueenFate.BACK
    match fate:
        case QueenFate.PENDING:
            again = case in (QueenCase.COVER, QueenCase.SAME_POCKET)
            ruling.qpocket = ruling.qpocket if again else figure.queen_pocket
            reason = Reason.QUEEN_STILL_PENDING if again else Reason.QUEEN_PENDING
            ruling.queen_to(QueenStatus.PENDING, reason, row.law)
        case QueenFate.COVERED:
            _cover(ruling, figure, case, row.law)
        case QueenFate.GIVEN:
            ruling.queen_to(QueenStatus.COVERED, Reason.QUEEN_GIVEN, row.law, ruling.mover.other)
        case QueenFate.VOID:
            ruling.queen_to(QueenStatus.VOID, Reason.QUEEN_VOID, row.law)
        case QueenFate.BACK:
            ruling.queen_back(_queen_back_reason(figure, case), row.law)
        case QueenFate.NONE | QueenFate.PROPER:
            return


def _cover(ruling: RaceRuling, figure: StrokeFacts, case: QueenCase, law: str) -> None:
    """Rules that the queen is covered; only presumably if the pocket matters and nobody saw it."""
    pocket = ruling.state.qpocket if case is QueenCase.COVER else figure.queen_pocket
    if ruling.rules.queen.other_pocket and not in_another_pocket(figure, pocket):
        ruling.say(DecisionKind.NOTE, Reason.POCKET_UNSEEN, law, Certainty.PROPOSED)
    ruling.queen_to(QueenStatus.COVERED, Reason.QUEEN_COVERED, law)


def _queen_back_reason(figure: StrokeFacts, case: QueenCase) -> Reason:
    if figure.improper:
        return Reason.IMPROPER_STROKE
    match case:
        case QueenCase.EARLY:
            return Reason.QUEEN_TOO_EARLY
        case QueenCase.DUE:
            return Reason.QUEEN_WHILE_DUE
        case QueenCase.SAME_POCKET:
            return Reason.SAME_POCKET
        case QueenCase.COVER:
            return Reason.COVER_MISSED
    return Reason.QUEEN_WITH_STRIKER if figure.striker else Reason.COVER_MISSED


def _turn_reason(figure: StrokeFacts, case: QueenCase, row: Row) -> Reason:
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
    if case is QueenCase.COVER and not figure.own:
        return Reason.COVER_MISSED
    if figure.opponent:
        return Reason.OPPONENT_WITH_OWN if figure.own else Reason.OPPONENT_ONLY
    return Reason.LAST_BACK if figure.own else Reason.NOTHING_POCKETED
