"""`referee replay`: the strokes and rulings of a stored match, or how another rule book would have ruled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from models.rules import RulesError, load_book
from referee.log.line import Line, LogError
from referee.log.rejudge import Difference, rejudged
from referee.log.stored import StoredMatch, stored_match


@click.command()
@click.argument("match", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--rules", help="Judge again under this rule book and show what differs.")
@click.option("--changes", is_flag=True, help="With --rules: only the strokes that differ.")
def command(match: Path, rules: str | None, changes: bool) -> None:
    """Show a stored match stroke by stroke.

    \b
    referee replay match.jsonl
    referee replay match.jsonl --rules icf --changes
    """
    try:
        if rules is not None:
            load_book(rules)
        stored = stored_match(match, rules)
    except (LogError, RulesError) as e:
        raise click.ClickException(str(e)) from None
    for problem in stored.problems:
        click.echo(f"note: {problem}", err=True)
    for text in _shown(stored) if rules is None else _compared(stored, rules, changes):
        click.echo(text)


def _shown(stored: StoredMatch) -> Iterator[str]:
    """The match as it was ruled."""
    for n, stroke in stored.strokes.items():
        ruling = stored.rulings.get(n)
        yield _stroke(n, stroke, ruling)
        yield from _ruling(ruling) if ruling else ["      never ruled"]
    yield _score(stored)


def _compared(stored: StoredMatch, rules: str, changes: bool) -> Iterator[str]:
    """The match as it was ruled and as it is ruled now."""
    differences = rejudged(stored)
    for d in differences:
        if d.differs:
            yield _stroke(d.stroke, stored.strokes[d.stroke], d.now)
            yield from _two_rulings(d, rules)
        elif not changes:
            yield _stroke(d.stroke, stored.strokes[d.stroke], d.now)
            yield "      the same"
    yield f"{sum(d.differs for d in differences)} of {len(differences)} rulings differ under {rules}"
    yield _score(stored)


def _two_rulings(d: Difference, rules: str) -> Iterator[str]:
    was = d.before["rules"] if d.before else "never ruled"
    yield f"    as ruled ({was}):"
    if d.before:
        yield from _ruling(d.before)
    yield f"    now ({rules}):"
    yield from _ruling(d.now)


def _stroke(n: int, stroke: Line, ruling: Line | None) -> str:
    text = (ruling or {}).get("stroke_text") or "?"
    marks = [mark for mark in ("annulled", "corrected") if (ruling or {}).get(mark)]
    return f"{n:4} {_time(stroke['t_strike'])} {stroke['seat']:5} {text}" + "".join(f" ({mark})" for mark in marks)


def _ruling(ruling: Line) -> Iterator[str]:
    for decision in ruling["decisions"]:
        law = f" [{decision['law']}]" if decision["law"] else ""
        doubt = "" if decision["certain"] else " (in doubt)"
        yield f"      {decision['text']}{law}{doubt}"
    yield f"      -> {ruling['state'] or 'state not known'}"


def _score(stored: StoredMatch) -> str:
    view = stored.match.view()
    names = [" & ".join(view["players"][seat] or seat for seat in side["seats"]) for side in view["sides"]]
    score = (f"{who} {side['score']}" for who, side in zip(names, view["sides"], strict=True))
    return f"score: {', '.join(score)}"


def _time(seconds: Any) -> str:
    minutes, rest = divmod(float(seconds), 60)
    return f"{minutes:3.0f}:{rest:04.1f}"
