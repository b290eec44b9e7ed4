"""Writes logs of played matches for tests, as the referee writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from match_play import Play

from models.pieces import Seat
from referee.facts import Stroke
from referee.log import LogWriter
from referee.log.session import event_line
from referee.match import Correction, Match, MatchError, Resumed, Start, correction_line, ruling_line, start_fields

NAMES = ((Seat.SOUTH, "Asha Rao"), (Seat.NORTH, "Jürg Müller"))


def played(seed: str = "m1", players=NAMES, strokes=None) -> Match:
    """Returns a match of one board from the break on, with a push in it and a stroke that was detected badly."""
    play = Play(Start(seed, players=players))
    play.formation("south")
    for seat, text in strokes or (("south", "W,W"), ("south", "W,foul:push"), ("south", "-"), ("north", "B,S"),
                                  ("north", "-")):  # fmt: skip
        play.stroke(seat, text)
    return play.match


def write(path: Path, match: Match, wall: float = 1_700_000_000.0, after: Match | None = None) -> Match:
    """Logs the events of `match` one by one as a referee does; `after` continues the match of that log."""
    with LogWriter(path) as log:
        log.header(wall, **start_fields(match.start))
        again = after or Match(match.start)
        if after:
            again.add(Resumed())
        for event in match.events:
            log_event(log, again, event)
    return again


def log_event(log: LogWriter, match: Match, event) -> None:
    """Logs one event and the rulings that follow."""
    log.write(correction_line(event) if isinstance(event, Correction) else event_line(event, match.start))
    try:
        rulings = match.add(event)
    except MatchError:
        return
    for ruling in rulings:
        log.write(ruling_line(ruling))


def shifted(match: Match, strokes: int) -> Match:
    """Returns the same events with their strokes numbered on, as after a restart."""
    from dataclasses import replace

    again = Match(match.start)
    for event in match.events:
        again.add(replace(event, n=event.n + strokes) if isinstance(event, Stroke) else event)
    return again


def unchained(log: Path) -> list[dict[str, Any]]:
    """Returns the lines after the header without the fields that chain them to it, because a header names its own
    match.
    """
    lines = [json.loads(line) for line in log.read_bytes().splitlines()[1:]]
    return [{name: value for name, value in line.items() if name not in ("after", "check")} for line in lines]
