"""Strokes that do not count as played, in every game: fouls before them, strikers that stay, breaks that miss."""

from __future__ import annotations

from models.rulebook import Row, Turn
from referee.laws.decisions import Reason
from referee.laws.draft import Draft
from referee.laws.figure import StrokeFacts
from referee.laws.remarks import name_fouls


def not_played(ruling: Draft, figure: StrokeFacts) -> None:
    """Judges an infringement before the stroke (R36, R37), or a striker that stayed on the lines (General 91)."""
    improper = ruling.rules.improper
    fouls = figure.before or figure.improper
    ruling.strokes = ruling.state.strokes
    if not fouls:
        _stayed(ruling)
        return
    first = ruling.state.strokes == 0
    row = improper.before_first if first else improper.before_later
    ruling.fallback = row.silent
    name_fouls(ruling, fouls)
    ruling.incur(row.penalty, row.law)
    ruling.end_turn(row.turn, Reason.TECHNICAL_FOUL if first else Reason.FOUL_BEFORE_STROKE, row.law)


def _stayed(ruling: Draft) -> None:
    rule, stayed = ruling.rules.no_leave, ruling.state.noleave + 1
    if rule.foul:
        row = ruling.rules.improper.stroke
        ruling.fallback = row.silent
        ruling.incur(row.penalty, rule.law)
        ruling.end_turn(row.turn, Reason.STAYED_FOUL, rule.law)
        ruling.note_silence(row.silent, rule.law)
    elif rule.limit and stayed >= rule.limit:
        ruling.end_turn(Turn.PASS, Reason.STAYED_TOO_OFTEN, rule.law)
    else:
        ruling.noleave = stayed if rule.limit else 0
        ruling.end_turn(Turn.KEEP, Reason.STAYED_ON_LINES, rule.law)


def break_attempt(ruling: Draft, figure: StrokeFacts) -> None:
    """Judges a break that did not touch the formation (R18, rows D1-D4)."""
    rule, used = ruling.rules.opening, (ruling.state.breaks or 0) + 1
    name_fouls(ruling, figure.improper)
    flown = figure.off_striker and ruling.rules.off_board.striker_ends_turn
    if rule.spoiled and (figure.striker or figure.improper or flown):
        ruling.breaks, row, reason = 0, rule.spoiled, Reason.BREAK_SPOILED
    elif used >= rule.tries:
        ruling.breaks, row, reason = 0, rule.failed, Reason.BREAK_FAILED
    else:
        ruling.breaks, row, reason = used, Row(Turn.KEEP, rule.again_law), Reason.BREAK_AGAIN
        ruling.strokes = ruling.state.strokes
    ruling.fallback = row.silent
    ruling.incur(row.penalty, row.law)
    ruling.end_turn(row.turn, reason, row.law)
    ruling.note_silence(row.silent, row.law)
