"""`referee rule`: applies a rule book to strokes given as text; needs no camera."""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO

import click

from models.pieces import Kind
from models.rules import DEFAULT_RULES, Book, Rules, RulesError, book_text, load_book
from referee.commands.rulebooks import table
from referee.languages import languages
from referee.laws import (
    AnyOutcome,
    AnyState,
    CollectOutcome,
    NotationError,
    OperatorEvent,
    Outcome,
    Return,
    StrokeTokens,
    is_collecting,
    objection,
    objection_text,
    outcome_of,
    parse_state,
)
from referee.laws.collect_ruling import name as player_name
from referee.laws.match_rules import game_result
from referee.laws.sentences import DEFAULT_LANGUAGE, sentence


class BadCase(click.ClickException):
    """Input that cannot be judged; the message is one sentence."""

    exit_code = 2


@click.command()
@click.option("--rules", "name", default=DEFAULT_RULES, show_default=True,
              help="Rule book, or the path of a .toml file, with modifiers after plus signs.")  # fmt: skip
@click.option("--state", help="State before the stroke.")
@click.option("--stroke", help="Result of the stroke; - for nothing.")
@click.option("--event", help='The umpire\'s decision instead of a stroke, such as "waive W".')
@click.option("--json", "as_json", is_flag=True, help="Print the whole ruling as JSON.")
@click.option(
    "--language",
    default=DEFAULT_LANGUAGE,
    show_default=True,
    help=f"Language of the sentences: {', '.join(languages())}.",
)
@click.option(
    "--table", "as_table", is_flag=True, help="Print a table of every book's ruling on every situation, as Markdown."
)
@click.option("--print", "as_text", is_flag=True, help="Print the text of the rule book, to copy and change.")
@click.argument("file", required=False, type=click.File("r", encoding="utf-8"))
def command(name: str, state: str | None, stroke: str | None, event: str | None, as_json: bool, language: str,
            as_table: bool, as_text: bool, file: TextIO | None) -> None:  # fmt: skip
    """Apply a rule book to strokes given as text.

    Either one case, or a FILE (- for standard input) of {"state": ..., "stroke": ...} lines, "event" in place of
    "stroke" for a decision of the umpire; a file gives one JSON line a case.

    \b
    referee rule --rules icf --state "W4 B2 Q=board due 0/0 score 0:0 mv W" --stroke "W,W,S"
    W3 B2 Q=board due 0/0 score 0:0 mv W

    \b
    STATE   W5 B3: coins in pockets. Q=board, pend:W, void:W or cov:W: the queen.
            due a/b: penalty coins owed. score w:b. mv W, B or end: who plays.
            Also: board N, noleave N, break N, qpocket NE, hadown W, strokes N,
            coins N where a colour has not nine.
            In collecting games: P1=15 P2=10 left W7 B8 Q=board mv P2, and
            partners where P1 and P3 share points.
    STROKE  W B Q S pocketed (W@NE names the pocket), off:W left the board,
            foul:NAME during the stroke, before:NAME before it, choice:first
            or choice:other what a player chose; - for nothing.
    EVENT   before:NAME, waive W 1, grant B, return W 2, return Q, concede B,
            timeout W, result W 5, replay; players instead of colours: waive P1.
    RULES   icf, ch_de+board_60, booklet+team, club.toml; for one match also
            +target=29, +boards=4, +games=3.
    """
    if language not in languages():
        raise click.BadParameter(f"choose one of {', '.join(languages())}", param_hint="--language")
    if as_table:
        click.echo(table(), nl=False)
        return
    try:
        rules = load_book(name)
        if as_text:
            click.echo(book_text(name.partition("+")[0]), nl=False)
            return
        if file is not None:
            if state is not None or stroke is not None or event is not None:
                raise click.UsageError("give either FILE or --state and --stroke, not both")
            _judge_file(file, rules, language)
        elif state is None or (stroke is None) is (event is None):
            raise click.UsageError("give --state and --stroke, or --state and --event, or a FILE of cases")
        else:
            before, what = _state_of(state, rules), _what(stroke, event)
            if why := _refused(before, what, rules, language):
                raise BadCase(f"this word cannot be: {why}")
            outcome = outcome_of(before, what, rules)
            click.echo(json.dumps(ruling_dict(outcome, rules, language)) if as_json else str(outcome.state))
    except (RulesError, NotationError) as e:
        raise BadCase(str(e)) from None


def _what(stroke: str | None, event: str | None) -> StrokeTokens | OperatorEvent:
    return OperatorEvent.parse(event) if event is not None else StrokeTokens.parse(stroke or "-")


def _refused(state: AnyState, what: StrokeTokens | OperatorEvent, rules: Book, language: str) -> str | None:
    """Returns why the operator's event is impossible, in words; None if it is possible."""
    why = objection(state, what, rules) if isinstance(what, OperatorEvent) else None
    return objection_text(why, language) if why else None


def _state_of(line: str, rules: Book) -> AnyState:
    """Returns the state that `line` spells. Raises BadCase if it belongs to another kind of game than the book."""
    state = parse_state(line)
    if isinstance(rules, Rules) == is_collecting(line):
        form = "W4 B2 Q=board mv W" if isinstance(rules, Rules) else "P1=15 P2=10 left W7 B8 Q=board mv P2"
        raise BadCase(f"{rules.name} plays another kind of game than this state: write it as {form}")
    if state.coins != rules.coins:
        has, n = f"{rules.name} has {rules.coins} coins of each colour", rules.coins
        raise BadCase(f"{has}, the state {state.coins}: write coins {n} at its end")
    return state


def ruling_dict(outcome: AnyOutcome, rules: Book, language: str = DEFAULT_LANGUAGE) -> dict[str, Any]:
    """Returns a ruling as plain values, with those of the text notation."""
    return {
        "state": str(outcome.state),
        "returned": [_returned(r, rules) for r in outcome.returned],
        "decisions": [
            {
                "kind": d.kind.value,
                "reason": d.reason.value,
                "law": d.law,
                "text": sentence(d, language),
                "certainty": d.certainty.value,
                "fallback": d.fallback,
            }
            for d in outcome.decisions
        ],
        "board_over": outcome.board_over,
        "result": _result(outcome, rules),
        "certain": outcome.certain,
    }


def _returned(piece: Return, rules: Book) -> dict[str, Any]:
    """Returns a piece to put back; for the queen also where it goes if the centre is occupied."""
    listed = {"kind": piece.kind.value, "count": piece.count, "where": piece.where.value, "by": piece.by.value}
    return listed | {"if_occupied": rules.queen.occupied.value} if piece.kind is Kind.QUEEN else listed


def _result(outcome: AnyOutcome, rules: Book) -> dict[str, Any] | None:
    if isinstance(outcome, CollectOutcome):
        return _shared_out(outcome)
    return _won(outcome, rules) if isinstance(rules, Rules) else None


def _won(outcome: Outcome, rules: Rules) -> dict[str, Any] | None:
    result, game = outcome.result, game_result(outcome.state, rules)
    if result is None:
        return None
    return {
        "winner": result.winner.letter,
        "points": result.points,
        "lost": result.lost,
        "queen": result.queen,
        "on_demand": result.on_demand,
        "score": "{}:{}".format(*outcome.state.score),
        "game": game.winner.letter if game else None,
    }


def _shared_out(outcome: CollectOutcome) -> dict[str, Any] | None:
    result = outcome.result
    if result is None:
        return None
    winner = None if result.winner is None else player_name(result.winner)
    points = {player_name(n): points for n, points in enumerate(outcome.state.points)}
    return {"winner": winner, "points": points, "game": winner if result.game_over else None}


def _judge_file(file: TextIO, rules: Book, language: str) -> None:
    for at, line in enumerate(file, 1):
        if line.strip():
            before, what = _case(at, line, rules)
            why = _refused(before, what, rules, language)
            ruling = ruling_dict(outcome_of(before, what, rules), rules, language)
            sys.stdout.write(json.dumps(ruling | ({"refused": why} if why else {})) + "\n")


def _case(at: int, line: str, rules: Book) -> tuple[AnyState, StrokeTokens | OperatorEvent]:
    try:
        case = json.loads(line)
        event = case.get("event")
        return _state_of(case["state"], rules), _what(None if event is not None else case["stroke"], event)
    except json.JSONDecodeError as e:
        raise BadCase(f"line {at} is not JSON: {e}") from None
    except (KeyError, TypeError, AttributeError):
        raise BadCase(f'line {at} must be {{"state": "...", "stroke": "..."}} with texts') from None
    except (NotationError, BadCase) as e:
        raise BadCase(f"line {at}: {e}") from None
