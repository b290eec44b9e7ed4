"""A match under way and its log kept in step: every event is written, judged, and its rulings are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from referee.facts import Alert, AlertKind, Formation, Seen, Stroke, Table
from referee.log.fact_lines import line_of
from referee.log.line import Line, LogError
from referee.log.running import Running, running_line, running_of
from referee.log.stored_match import STORED_MATCH_START, begun, match_of
from referee.log.writer import LogWriter
from referee.match import (
    Correction,
    Match,
    Resumed,
    Ruling,
    Start,
    correction_line,
    result_line,
    ruling_line,
    said_decisions,
    start_fields,
)
from referee.match.opening import OpeningWatch

Heard = Callable[[Line], None]

REPLACED = "The match log was deleted or replaced by somebody; all that was known has been written anew."


def _nobody(line: Line) -> None:
    """The default listener."""


def event_line(fact: Seen, start: Start) -> Line:
    """The line that says `fact`; a formation's says too how the match began, should the header be damaged."""
    line = line_of(fact)
    if not isinstance(fact, Formation):
        return line
    # Without its name, so that two runs over one recording write the same line.
    return line | {STORED_MATCH_START: {name: value for name, value in start_fields(start).items() if name != "match"}}


class Session:
    """Facts and the umpire's word in, rulings out, everything logged in between.

    On a log that holds a match already that match is continued: its start holds, stroke numbers go on, `problems` says
    what could not be read. `heard` hears every line once it is written. LogError from any method ends the match.
    """

    def __init__(self, log: LogWriter, start: Start, heard: Heard = _nobody) -> None:
        """Raises LogError when the log's match is under another rule book, MatchError when `start` makes no sense."""
        self.log = log
        self.problems: tuple[str, ...] = ()
        self._heard = heard
        self._opening = OpeningWatch()
        self._earlier_strokes = log.before.last_stroke
        said = [line for line in log.before.lines if line["type"] == "running"]
        self.running = running_of(said[-1]) if said else Running.PLAYING
        """Facts are only taken in while playing."""
        self.match = self._continued(start) if log.before.lines else Match(start)
        self._results = self.match.results
        """Results of matches as the log says them."""

    def begin(self, wall: float, **fields: object) -> None:
        """Writes this start's header; `wall` is Unix seconds at its first frame."""
        self._heard(self.log.header(wall, **start_fields(self.match.start), **fields))

    def add(self, fact: Seen) -> tuple[Ruling, ...]:
        """Logs a fact and judges it; a stroke is numbered on from those of earlier starts.

        While nobody plays only alerts are taken in.
        """
        if self.running is not Running.PLAYING and not isinstance(fact, Alert):
            self._earlier_strokes -= isinstance(fact, Stroke)
            return ()
        if isinstance(fact, Stroke):
            fact = replace(fact, n=fact.n + self._earlier_strokes)
        alert = self._opening.hear(fact, self.match.position, self.match.book)
        self.write(event_line(fact, self.match.start))
        rulings = self._ruled(self.match.add(fact))
        if alert:
            self.write(line_of(alert))
            self.match.add(alert)
        return rulings

    def correct(self, word: Correction) -> tuple[Ruling, ...]:
        """Takes the umpire's word; raises MatchError with a sentence for the umpire, nothing changed."""
        rulings = self.match.add(word)
        outcome = self.match.outcomes.get(len(self.match.events) - 1)
        decisions = {"decisions": list(said_decisions(outcome.decisions))} if outcome else {}
        self.write(correction_line(word) | decisions)
        return self._ruled(rulings)

    def run(self, message: Mapping[str, Any], now: Table) -> None:
        """People pause the match, go on with it or end it; `now` is how the board lies. Raises LineError."""
        state = running_of(message)
        self.write(running_line(state, now.t, str(message["by"]), message.get("wall"), str(message["id"])))
        self.running = state
        if state is Running.PLAYING:
            self.match.add(Resumed())
            self.add(now)

    def write(self, line: Line) -> None:
        """Logs a line that is no event of the match, such as a clock's."""
        self.log.write(line)
        self._heard(line)
        if self.log.take_restored():
            alert = Alert(line.get("t") or 0.0, AlertKind.LOG_REPLACED, REPLACED)
            self.write(line_of(alert))
            self.match.add(alert)

    def _ruled(self, rulings: tuple[Ruling, ...]) -> tuple[Ruling, ...]:
        for ruling in rulings:
            self.write(ruling_line(ruling))
        self._tell_results()
        return rulings

    def _tell_results(self) -> None:
        """A match that was won is closed by a line with its result; one that is not won after all, by one without."""
        now, heard = self.match.results, self._results
        self._results = now
        for number in range(1, max(len(now), len(heard)) + 1):
            result = now[number - 1] if number <= len(now) else None
            if result != (heard[number - 1] if number <= len(heard) else None):
                self.write(result_line(number, result))

    def _continued(self, start: Start) -> Match:
        # Where no line says by which book it is judged, what people say now holds.
        known = begun(self.log.before.lines) is not None
        stored = match_of(self.log.before, None if known else start.rules)
        self.problems = stored.problems
        rules = stored.match.start.rules
        if start.rules != rules:
            raise LogError(
                f"the log {self.log.path} is of a match under {rules}, not {start.rules}: "
                f"use --rules {rules} to go on with it, or another log for a new match"
            )
        stored.match.add(Resumed())
        return stored.match
