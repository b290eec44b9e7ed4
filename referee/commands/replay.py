"""`referee replay`: prints the strokes and rulings of a stored match, or how another rule book would have ruled."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from calibration.profile import ProfileError
from models.rules import RulesError, load_book
from referee.log.line import Line, LogError
from referee.log.rejudge import RulingDifference, rejudged
from referee.log.stored_match import StoredMatch, stored_match
from referee.match.view import SideView, WonView
from referee.pipeline.reanalyse_clips import reanalysed_from_clips
from referee.replay.reanalyse import ReanalysedStroke, judged_again, reanalysed_from_tracks
from referee.replay.store import Replay

REPLAY_AGAIN = {"tracks": reanalysed_from_tracks, "video": reanalysed_from_clips}
SOURCES = ("strokes", *REPLAY_AGAIN)


@click.command()
@click.argument("match", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--rules", help="Judge again under this rule book and show the differences.")
@click.option(
    "--from",
    "source",
    type=click.Choice(list(SOURCES)),
    help="Judge again from the logged strokes, from the tracks, or from the clips, analysed by this version.",
)
@click.option("--changes", is_flag=True, help="With --rules or --from: print only the strokes that differ.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="With --from: print the new facts of each stroke, as a line of JSON.",
)
def command(match: Path, rules: str | None, source: str | None, changes: bool, as_json: bool) -> None:
    """Show a stored match stroke by stroke.

    \b
    referee replay match.jsonl
    referee replay match.jsonl --rules icf --changes
    referee replay match.jsonl --from video
    """
    try:
        if rules is not None:
            load_book(rules)
        stored = stored_match(match, rules)
        for problem in stored.problems:
            click.echo(f"note: {problem}", err=True)
        if source in REPLAY_AGAIN and as_json:
            texts = _lines(REPLAY_AGAIN[source](Replay(match)))
        elif source in REPLAY_AGAIN:
            texts = _reanalysis_lines(match, REPLAY_AGAIN[source], rules, changes)
        elif rules is None and source is None:
            texts = _texts(stored)
        else:
            texts = _compared(stored, rules or stored.match.start.rules, changes)
        for text in texts:
            click.echo(text)
    except (LogError, RulesError, ProfileError) as e:
        raise click.ClickException(str(e)) from None


def _lines(strokes: Iterable[ReanalysedStroke]) -> Iterator[str]:
    """Yields JSON lines for programs: the new stroke line of each stroke, as soon as it is known."""
    for again in strokes:
        yield json.dumps({"stroke": again.n, "seen": again.line, "why": again.why})


def _texts(stored: StoredMatch) -> Iterator[str]:
    """Yields the match as it was ruled."""
    for n, stroke in stored.strokes.items():
        ruling = stored.rulings.get(n)
        yield _stroke(n, stroke, ruling)
        yield from _ruling(ruling) if ruling else ["      never ruled"]
    yield _score(stored)


def _compared(stored: StoredMatch, rules: str, changes: bool) -> Iterator[str]:
    """Yields the match as it was ruled then and is ruled now."""
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


def _reanalysis_lines(match: Path, again: Callable[[Replay], Iterable[ReanalysedStroke]], rules: str | None,
                changes: bool) -> Iterator[str]:  # fmt: skip
    """Yields the match as it was observed and ruled then, and is now."""
    replay = Replay(match)
    changed = judged_again(replay.stored, again(replay), rules)
    under = rules or replay.stored.match.start.rules
    for c in changed:
        n, line = c.again.n, replay.stored.strokes[c.again.n]
        if c.differs or c.again.line is None or not changes:
            yield _stroke(n, line, c.ruling.now)
        if c.again.line is None:
            yield f"      not seen again: {c.again.why}"
        for name in c.facts:
            assert c.again.line is not None
            yield f"      {name}: {_fact(line[name])} -> {_fact(c.again.line[name])}"
        if c.ruling.differs:
            yield from _two_rulings(c.ruling, under)
    found = [c for c in changed if c.again.line]
    yield (f"{len(found)} of {len(changed)} strokes seen again, {sum(bool(c.facts) for c in found)} told otherwise; "
           f"{sum(c.ruling.differs for c in changed)} rulings differ under {under}")  # fmt: skip


def _fact(value: Any) -> str:
    """Returns a fact in a few words."""
    if isinstance(value, dict):
        return f"legal {value['legal']}, margin {value['margin_mm']} mm"
    if isinstance(value, list):
        return " ".join(str(v["kind"]) if isinstance(v, dict) else str(v) for v in value) or "none"
    return str(value)


def _two_rulings(d: RulingDifference, rules: str) -> Iterator[str]:
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
    """Returns the match's score, and the results of the log's finished matches."""
    view = stored.match.view()
    won = [_won(result) for result in stored.match.results]
    return "\n".join([*won, f"score: {_sides(view['sides'])}"])


def _won(result: WonView) -> str:
    winner = next(_name(side) for side in result["sides"] if result["winner"] in side["seats"])
    boards = " ".join("-".join(map(str, board["points"])) for board in result["boards"])
    return f"match {result['number']}: {winner} won, {_sides(result['sides'])}; boards {boards}"


def _sides(sides: Iterable[SideView]) -> str:
    return ", ".join(f"{_name(side)} {side['score']}" for side in sides)


def _name(side: SideView) -> str:
    return " & ".join(name or seat for name, seat in zip(side["players"], side["seats"], strict=True))


def _time(seconds: Any) -> str:
    minutes, rest = divmod(float(seconds), 60)
    return f"{minutes:3.0f}:{rest:04.1f}"
