"""Keeps a running match and its log in step: writes every event, judges it, and writes its rulings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from referee.facts import Alert, AlertKind, Fact, Formation, Stroke, Table
from referee.log.fact_lines import line_of
from referee.log.line import Line, LogError
from referee.log.running import Running, running_line, running_of
from referee.log.stored_match import STORED_MATCH_START, match_of, opening_line
from referee.log.writer import LogWriter
from referee.match import (
    Correction,
    Match,
    MatchError,
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
from referee.match.refusals import Refusal, Refused

LineListener = Callable[[Line], None]

PEOPLES_LINES = frozenset({"correction", "running"})
"""Types of lines that people cause."""

REPLACED = "The match log was deleted or replaced by somebody; all that was known has been written anew."


def _nobody(line: Line) -> None:
    """Ignores a line; the default listener."""


def event_line(fact: Fact, start: Start) -> Line:
    """Returns the line of `fact`; a formation's also states how the match began, in case the header is damaged."""
    line = line_of(fact)
    if not isinstance(fact, Formation):
        return line
    # Without its name, so that two runs over one recording write the same line.
    return line | {STORED_MATCH_START: {name: value for name, value in start_fields(start).items() if name != "match"}}


def word_of(line: Line) -> str | None:
    """Returns the id of the umpire's word that a line carries out; None if it carries out none that has an id."""
    name = {"correction": "id", "running": "id", "header": "word"}.get(line["type"])
    return line.get(name) or None if name else None


class Session:
    """Judges facts and the umpire's corrections, returns the rulings, and logs everything.

    A log that already holds a match is continued: its start holds, stroke numbers go on, and `problems` states what
    could not be read. `heard` is called with every line once it is written. LogError from any method ends the match.
    """

    def __init__(self, log: LogWriter, start: Start, heard: LineListener = _nobody) -> None:
        """Raises LogError if the log's match is under another rule book, MatchError if `start` makes no sense."""
        self.log = log
        self.problems: tuple[str, ...] = ()
        self._heard = heard
        self._opening = OpeningWatch()
        self._earlier_strokes = log.before.last_stroke
        self._words = {word for line in log.before.lines if (word := word_of(line))}
        self._changed = [line.get("stroke") for line in log.before.lines if line["type"] in PEOPLES_LINES]
        said = [line for line in log.before.lines if line["type"] == "running"]
        self.running = running_of(said[-1]) if said else Running.PLAYING
        """State of the match; facts are only judged while playing."""
        self.match = self._continued(start) if log.before.lines else Match(start)
        self._results = self.match.results
        """Results of matches as logged so far."""

    def begin(self, wall: float, **fields: object) -> None:
        """Writes this start's header; `wall` is Unix seconds at its first frame."""
        header = self.log.header(wall, **start_fields(self.match.start), **fields)
        self._words |= {word for word in (word_of(header),) if word}
        self._heard(header)

    def has_done(self, word: object) -> bool:
        """Tells whether the log has the umpire's word with this id, so that one that arrives twice is done once."""
        return isinstance(word, str) and word in self._words

    def add(self, fact: Fact) -> tuple[Ruling, ...]:
        """Logs a fact and judges it; stroke numbers go on from those of earlier starts.

        While the match is paused or ended only alerts are logged.
        """
        if self.running is not Running.PLAYING and not isinstance(fact, Alert):
            self._earlier_strokes -= isinstance(fact, Stroke)
            return ()
        if isinstance(fact, Stroke):
            fact = replace(fact, n=fact.n + self._earlier_strokes)
        alert = self._opening.check(fact, self.match.position, self.match.book)
        self.write(event_line(fact, self.match.start))
        rulings = self._ruled(self.match.add(fact))
        if alert:
            self.write(line_of(alert))
            self.match.add(alert)
        return rulings

    def correct(self, word: Correction, known: object = None) -> tuple[Ruling, ...]:
        """Applies and logs the umpire's correction.

        `known`: number of changes by people that the umpire knew of; a later one about the same stroke goes before.
        None or anything else but a number: all of them. Raises MatchError with a sentence for the umpire, and changes
        nothing then.
        """
        if isinstance(known, int) and word.stroke is not None and word.stroke in self._changed[max(known, 0) :]:
            raise MatchError(Refusal(Refused.DECIDED_MEANWHILE, stroke=word.stroke))
        rulings = self.match.add(word)
        outcome = self.match.outcomes.get(len(self.match.events) - 1)
        decisions = {"decisions": list(said_decisions(outcome.decisions))} if outcome else {}
        self.write(correction_line(word) | decisions)
        return self._ruled(rulings)

    def run(self, message: Mapping[str, Any], now: Table) -> None:
        """Pauses, resumes or ends the match. `now`: the pieces on the board. Raises LineError."""
        state = running_of(message)
        self.write(running_line(state, now.t, str(message["by"]), message.get("wall"), str(message["id"])))
        self.running = state
        if state is Running.PLAYING:
            self.match.add(Resumed())
            self.add(now)

    def write(self, line: Line) -> None:
        """Logs a line, also one that is no event of the match, such as a clock's."""
        self.log.write(line)
        self._words |= {word for word in (word_of(line),) if word}
        if line["type"] in PEOPLES_LINES:
            self._changed.append(line.get("stroke"))
        self._heard(line)
        if self.log.take_restored():
            alert = Alert(line.get("t") or 0.0, AlertKind.LOG_REPLACED, REPLACED)
            self.write(line_of(alert))
            self.match.add(alert)

    def _ruled(self, rulings: tuple[Ruling, ...]) -> tuple[Ruling, ...]:
        for ruling in rulings:
            self.write(ruling_line(ruling))
        self._report_results()
        return rulings

    def _report_results(self) -> None:
        """Logs the result of each match that was won, and a line without one if it is not won after all."""
        now, heard = self.match.results, self._results
        self._results = now
        for number in range(1, max(len(now), len(heard)) + 1):
            result = now[number - 1] if number <= len(now) else None
            if result != (heard[number - 1] if number <= len(heard) else None):
                self.write(result_line(number, result))

    def _continued(self, start: Start) -> Match:
        # If no line states the rule book, the one given now holds.
        known = opening_line(self.log.before.lines) is not None
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
