"""The end of a played stroke in every game: its penalty, pieces off the board, and the turn."""

from __future__ import annotations

from collections.abc import Iterable

from models.pieces import Kind
from models.rulebook import Row, Turn
from referee.laws.decisions import DecisionKind, Reason
from referee.laws.draft import Draft
from referee.laws.figure import StrokeFacts
from referee.laws.tokens import Choice


def chosen_row(ruling: Draft, figure: StrokeFacts, row: Row) -> Row:
    """Returns the row that the player chose. While his choice is unknown: the first one, with a question."""
    if row.choice is None:
        return row
    other = figure.choice is Choice.OTHER
    if figure.choice is None:
        ruling.ask_choice(row.choice)
    else:
        ruling.say(DecisionKind.NOTE, Reason.CHOSEN, row.law, side=ruling.player)
    return row.choice if other else row


def close_turn(ruling: Draft, figure: StrokeFacts, row: Row, reason: Reason, flown: Iterable[tuple[Kind, int]]) -> None:
    """Rules on penalty, pieces off the board and turn.

    `reason` is why the row gives its turn; `flown` are the pieces off the board, in the order of placing.
    """
    ruling.incur(row.penalty, row.law)
    turn, law, off = row.turn, row.law, ruling.rules.off_board
    if figure.off_coins or figure.off_striker:
        _off_board(ruling, figure, row.penalty, flown)
        ends = (figure.off_coins and off.coin_ends_turn) or (figure.off_striker and off.striker_ends_turn)
        if ends and turn is Turn.KEEP:
            turn, reason, law = Turn.PASS, Reason.PIECE_OFF_BOARD, off.coin_law if figure.off_coins else off.striker_law
    ruling.end_turn(turn, reason, law)
    ruling.note_silence(row.silent, row.law)


def _off_board(ruling: Draft, figure: StrokeFacts, penalised: int, flown: Iterable[tuple[Kind, int]]) -> None:
    """R38: pieces off the board do not count as pocketed and are put back.

    A stroke costs one penalty at most, however many fouls it holds: the row's penalty counts towards it.
    """
    off = ruling.rules.off_board
    for kind, count in flown:
        if count:
            ruling.put_back(kind, count, off.place, off.placed_by)
            ruling.say(DecisionKind.RETURN, Reason.PIECE_OFF_BOARD, off.coin_law, coin=kind, count=count)
    if figure.off_coins:
        ruling.incur(max(0, off.coin_penalty - penalised), off.coin_law)
    elif figure.off_striker:
        ruling.incur(max(0, off.striker_penalty - penalised), off.striker_law)
