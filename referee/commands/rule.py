"""`referee rule`: a rule book applied to strokes given as text; no camera."""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO

import click

from models.rules import DEFAULT_RULES, Rules, RulesError, load_rules
from referee.laws import NotationError, Outcome, State, StrokeTokens
from referee.laws.apply import apply
from referee.laws.match_rules import game_result
from referee.laws.sentences import DEFAULT_LANGUAGE, languages, sentence


class BadCase(click.ClickException):
    """Input that cannot be judged, told in one sentence."""

    exit_code = 2


@click.command()
@click.option("--rules", "name", default=DEFAULT_RULES, show_default=True, help="Rule book, modifiers after a plus.")
@click.option("--state", help="State before the stroke.")
@click.option("--stroke", help="What the stroke did; - for nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole ruling as JSON.")
@click.option("--language", default=DEFAULT_LANGUAGE, show_default=True, help="Of the sentences: de, en, es or fr.")
@click.argument("file", required=False, type=click.File("r", encoding="utf-8"))
def command(name: str, state: str | None, stroke: str | None, as_json: bool, language: str,
            file: TextIO | None) -> None:  # fmt: skip
    """Apply a rule book to strokes given as text.

    Either one case, or a FILE (- for standard input) of {"state": ..., "stroke": ...} lines; a file gives one JSON line
    a case.

    \b
    referee rule --rules icf --state "W4 B2 Q=board due 0/0 score 0:0 mv W" --stroke "W,W,S"
    W3 B2 Q=board due 0/0 score 0:0 mv W

    \b
    STATE   W5 B3: coins in pockets. Q=board, pend:W, void:W or cov:W: the queen.
            due a/b: penalty coins owed. score w:b. mv W, B or end: who plays.
            Also: board N, noleave N, break N, qpocket NE, hadown W, strokes N.
    STROKE  W B Q S pocketed (W@NE names the pocket), off:W left the board,
            foul:NAME during the stroke, before:NAME before it; - for nothing.
    """
    if language not in languages():
        raise click.BadParameter(f"choose one of {', '.join(languages())}", param_hint="--language")
    try:
        rules = load_rules(name)
        if file is not None:
            if state is not None or stroke is not None:
                raise click.UsageError("give either FILE or --state and --stroke, not both")
            _judge_file(file, rules, language)
        elif state is None or stroke is None:
            raise click.UsageError("give --state and --stroke, or a FILE of cases")
        else:
            outcome = apply(State.parse(state), StrokeTokens.parse(stroke), rules)
            click.echo(json.dumps(ruling_dict(outcome, rules, language)) if as_json else str(outcome.state))
    except (RulesError, NotationError) as e:
        raise BadCase(str(e)) from None


def ruling_dict(outcome: Outcome, rules: Rules, language: str = DEFAULT_LANGUAGE) -> dict[str, Any]:
    """A ruling as plain values, in the form of the text notation."""
    return {
        "state": str(outcome.state),
        "returned": [
            {"kind": r.kind.value, "count": r.count, "where": r.where.value, "by": r.by.value} for r in outcome.returned
        ],
        "decisions": [
            {
                "kind": d.kind.value,
                "reason": d.reason.value,
                "law": d.law,
                "text": sentence(d, language),
                "certainty": d.certainty.value,
            }
            for d in outcome.decisions
        ],
        "board_over": outcome.board_over,
        "result": _result(outcome, rules),
        "certain": outcome.certain,
    }


def _result(outcome: Outcome, rules: Rules) -> dict[str, Any] | None:
    result = outcome.result
    if result is None:
        return None
    game = game_result(outcome.state, rules)
    return {
        "winner": result.winner.letter,
        "points": result.points,
        "queen": result.queen,
        "on_demand": result.on_demand,
        "score": "{}:{}".format(*outcome.state.score),
        "game": game.winner.letter if game else None,
    }


def _judge_file(file: TextIO, rules: Rules, language: str) -> None:
    for at, line in enumerate(file, 1):
        if line.strip():
            state, stroke = _case(at, line)
            ruling = ruling_dict(apply(state, stroke, rules), rules, language)
            sys.stdout.write(json.dumps(ruling) + "\n")


def _case(at: int, line: str) -> tuple[State, StrokeTokens]:
    try:
        case = json.loads(line)
        return State.parse(case["state"]), StrokeTokens.parse(case["stroke"])
    except json.JSONDecodeError as e:
        raise BadCase(f"line {at} is not JSON: {e}") from None
    except (KeyError, TypeError, AttributeError):
        raise BadCase(f'line {at} must be {{"state": "...", "stroke": "..."}} with texts') from None
    except NotationError as e:
        raise BadCase(f"line {at}: {e}") from None
