"""The judge of collecting games, where every coin counts for whoever pockets it. Pure and total, like
`referee.laws.race`.
"""

from __future__ import annotations

from dataclasses import replace

from models.collecting import CollectRules
from models.pieces import Kind
from models.rulebook import Fate, FoulName, PutBackPlace, QueenFate, Row, Turn, WhatFell
from referee.laws.close import chosen_row, close_turn
from referee.laws.collect_ruling import CollectOutcome, CollectRuling, name
from referee.laws.collect_state import CollectState
from referee.laws.decisions import Certainty, DecisionKind, Reason
from referee.laws.figure import StrokeFacts, figure_of
from referee.laws.remarks import name_fouls, note_oddities
from referee.laws.sides import Side
from referee.laws.state import QueenStatus, State
from referee.laws.tokens import StrokeTokens
from referee.laws.unplayed import break_attempt, not_played

_FELL = {
    (False, False): WhatFell.NOTHING,
    (True, False): WhatFell.OWN,
    (False, True): WhatFell.STRIKER,
    (True, True): WhatFell.STRIKER_OWN,
}
"""Case by whether a coin and the striker fell. A coin of either colour is the player's own."""


def judge_collect(state: CollectState, stroke: StrokeTokens, rules: CollectRules) -> CollectOutcome:
    """Returns what follows from `stroke`; never raises."""
    if state.over or state.mover is None:
        over = CollectRuling(state, rules)
        over.say(DecisionKind.NOTE, Reason.BOARD_IS_OVER, "", Certainty.OPERATOR)
        return CollectOutcome(state, over.outcome().decisions[:1])
    ruling = _begin(state, rules)
    figure = _figure(ruling.state, stroke, rules)
    note_oddities(ruling, figure)
    if FoulName.OUT_OF_TURN in figure.special:
        ruling.say(DecisionKind.OPERATOR, Reason.OPERATOR_DECIDES, "", Certainty.OPERATOR, foul=FoulName.OUT_OF_TURN)
        return _replayed(ruling, figure)
    if figure.moved_nothing and (figure.before or FoulName.NO_LEAVE in figure.special):
        not_played(ruling, figure)
        return ruling.outcome()
    if FoulName.NO_BREAK in figure.special and not figure.coins_fell and not figure.off_coins:
        break_attempt(ruling, figure)
        return ruling.outcome()
    if figure.improper and rules.improper.stroke.replay:
        name_fouls(ruling, figure.improper)
        return _replayed(ruling, figure)
    if state.breaks is not None:
        ruling.breaks = None
        ruling.say(DecisionKind.STROKE, Reason.BOARD_OPENED, rules.opening.law)
    return _played(ruling, figure)


def _figure(state: CollectState, stroke: StrokeTokens, rules: CollectRules) -> StrokeFacts:
    """Returns the stroke as a figure whose own coins are the white ones and whose opponent's are the black ones."""
    pocketed = (rules.coins - state.left[0], rules.coins - state.left[1])
    return figure_of(State(pocketed=pocketed, queen=state.queen, coins=state.coins), Side.WHITE, stroke, rules)


def _begin(state: CollectState, rules: CollectRules) -> CollectRuling:
    """Returns a fresh ruling; settles returns that were due before this stroke and not made."""
    ruling = CollectRuling(state, rules)
    forgotten = state.queen is QueenStatus.PENDING and state.queen_player != state.mover
    if not (forgotten or any(state.dues)):
        return ruling
    law = rules.dues.lapse_law
    for player, due in enumerate(state.dues):
        if law and due and player != ruling.side and ruling.payable(player):
            ruling.dues[player] = 0
            ruling.say(DecisionKind.DUE, Reason.DUE_FORFEITED, law, Certainty.PROPOSED, side=name(player), count=due)
    if forgotten:
        ruling.queen_back(Reason.QUEEN_TURN_ENDED, rules.queen.uncovered_law, Certainty.PROPOSED)
    ruling.state = replace(state, dues=tuple(ruling.dues), queen=ruling.queen, queen_player=ruling.queen_player)
    return ruling


def _replayed(ruling: CollectRuling, figure: StrokeFacts) -> CollectOutcome:
    """Rules that the stroke does not count (row C13): pieces that fell or flew off go back where they lay."""
    law, by = ruling.rules.improper.stroke.law, ruling.rules.off_board.placed_by
    for kind, count in (
        (Kind.QUEEN, int(figure.queen or figure.off_queen)),
        (Kind.WHITE, figure.own + figure.off_own),
        (Kind.BLACK, figure.opponent + figure.off_opponent),
    ):
        if count:
            ruling.put_back(kind, count, PutBackPlace.AS_BEFORE, by)
    ruling.strokes, ruling.noleave = ruling.state.strokes, ruling.state.noleave
    who = name(ruling.mover)
    ruling.say(DecisionKind.TURN, Reason.REPLAYED, law, Certainty.PROPOSED, turn=Turn.KEEP, side=who, next=who)
    return ruling.outcome()


def _played(ruling: CollectRuling, figure: StrokeFacts) -> CollectOutcome:
    """Judges a stroke of the game."""
    improper = ruling.rules.improper
    if figure.before and ruling.state.strokes == 0:
        name_fouls(ruling, figure.before)
        ruling.incur(improper.before_first.penalty, improper.before_first.law)
    proper = _proper_row(ruling, figure)
    row = chosen_row(ruling, figure, improper.stroke if figure.improper else proper)
    ruling.fallback = row.silent
    name_fouls(ruling, figure.improper)
    _coins(ruling, figure, row)
    _queen(ruling, figure, row, proper)
    flown = ((Kind.QUEEN, int(figure.off_queen)), (Kind.WHITE, figure.off_own), (Kind.BLACK, figure.off_opponent))
    close_turn(ruling, figure, row, _turn_reason(figure, row), flown)
    return ruling.outcome()


def _proper_row(ruling: CollectRuling, figure: StrokeFacts) -> Row:
    """Returns the row that judges the stroke if it has no infringement."""
    table = ruling.rules.stroke
    fell = _FELL[figure.own + figure.opponent > 0, figure.striker]
    if figure.queen:
        early = ruling.rules.queen.needs_own_first and not ruling.has_coin
        return (table.early if early else table.falls)[fell]
    waits = ruling.queen is QueenStatus.PENDING and ruling.queen_player == ruling.mover
    return table.cover[fell] if waits and table.cover else table.rest[fell]


def _coins(ruling: CollectRuling, figure: StrokeFacts, row: Row) -> None:
    """Gives coins that fell to the player, or puts them back."""
    if row.own is Fate.STAY:
        ruling.collect((figure.own, figure.opponent), row.law)
        return
    dues = ruling.rules.dues
    for kind, count in ((Kind.WHITE, figure.own), (Kind.BLACK, figure.opponent)):
        if count:
            ruling.put_back(kind, count, dues.place, dues.placed_by)
            ruling.say(DecisionKind.RETURN, Reason.OWN_BACK, row.law, coin=kind, count=count)


def _queen(ruling: CollectRuling, figure: StrokeFacts, row: Row, proper: Row) -> None:
    fate = proper.queen if row.queen is QueenFate.PROPER else row.queen
    if not figure.queen and ruling.queen is not QueenStatus.PENDING:
        return
    alone = figure.queen and not (figure.own or figure.opponent or figure.striker)
    if alone and ruling.left == [0, 0] and not figure.improper:
        sure = Certainty.CERTAIN if ruling.rules.queen.last_free else Certainty.OPERATOR
        ruling.queen_covered(Reason.QUEEN_LAST, ruling.rules.queen.last_law, sure)
    elif fate is QueenFate.COVERED:
        ruling.queen_covered(Reason.QUEEN_COVERED, row.law)
    elif fate is QueenFate.PENDING:
        ruling.queen_pending(row.law)
    elif figure.queen or fate is QueenFate.BACK:
        ruling.queen_back(_queen_back_reason(ruling, figure), row.law)


def _queen_back_reason(ruling: CollectRuling, figure: StrokeFacts) -> Reason:
    if figure.striker:
        return Reason.QUEEN_WITH_STRIKER
    early = figure.queen and ruling.rules.queen.needs_own_first and not ruling.had_coin
    return Reason.QUEEN_TOO_EARLY if early else Reason.COVER_MISSED


def _turn_reason(figure: StrokeFacts, row: Row) -> Reason:
    coins = figure.own + figure.opponent > 0
    if figure.improper:
        return Reason.IMPROPER_STROKE
    if row.turn is Turn.KEEP:
        return Reason.COIN_POCKETED if coins else Reason.QUEEN_POCKETED
    if figure.striker:
        return Reason.STRIKER_POCKETED
    return Reason.COVER_MISSED if figure.queen else Reason.NOTHING_POCKETED
