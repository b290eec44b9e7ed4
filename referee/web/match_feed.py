"""Publishes a match on the pages as its log grows, wherever its lines come from: a file, or a hall's database."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from referee.laws.sentences import DEFAULT_LANGUAGE
from referee.log import Line
from referee.web.broadcast import Broadcast, Section
from referee.web.health import Health
from referee.web.match_reader import MatchReader
from referee.web.wording import LANGUAGES, worded


class MatchFeed:
    """Brings lines into the match's history, and what they change to the viewers."""

    def __init__(
        self, broadcast: Broadcast, history: MatchReader, health: Health, replay: Callable[[], str | None]
    ) -> None:
        """`replay`: returns the name in addresses of the match that is followed."""
        self._broadcast, self._history, self._health, self._replay = broadcast, history, health, replay

    def add(self, lines: Sequence[Line], damaged: int) -> None:
        """Adds new lines; `damaged`: number of lines that could not be read so far. Raises LogError."""
        for line in lines:
            self._history.add(line)
        self._history.damaged = damaged
        if lines:
            self._publish_newest(lines)
        self._publish_log(None)

    def clear(self) -> None:
        """Forgets the match."""
        self._history.clear()

    def report(self, problem: str) -> None:
        """Tells why the log cannot be read."""
        self._publish_log(problem)

    def _publish_newest(self, lines: Sequence[Line]) -> None:
        """Publishes the newest line of each type; the others do not matter to the pages."""
        newest = {line["type"]: line for line in lines}
        self._publish_match()
        if table := newest.get("table"):
            self._broadcast.publish(Section.TABLE, table)
        if board := newest.get("header", {}).get("board"):
            self._broadcast.publish(Section.BOARD, board)

    def _publish_match(self) -> None:
        match = self._history.match
        if match is None:
            return
        running = {"running": self._history.running}
        if worded(match, DEFAULT_LANGUAGE) | running != self._broadcast.value(Section.VIEW):
            views = {language: worded(match, language) | running for language in LANGUAGES}
            self._broadcast.publish_worded(Section.VIEW, views, DEFAULT_LANGUAGE)

    def _publish_log(self, problem: str | None) -> None:
        self._health.take_log(self._history.damaged, problem is None)
        first = self._history.lines[0] if self._history.lines else {}
        state = {"readable": problem is None, "problem": problem, "replay": self._replay(), "event": first.get("event")}
        self._broadcast.update(Section.LOG, self._history.summary() | state)
