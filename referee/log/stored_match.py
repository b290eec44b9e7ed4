"""A match from its log: the events that the lines say, judged again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from models.rules import CollectRules, RulesError, book_of, kept_text
from referee.log.fact_lines import FACT_TYPES, fact_of
from referee.log.line import Line, LineError, LogError
from referee.log.reader import LogContents, read_log
from referee.log.running import Running, running_of
from referee.match import Event, Match, MatchError, Resumed, Start, correction_of, start_of
from referee.match.games import wrong_game


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match rebuilt from what was logged."""

    match: Match
    contents: LogContents
    problems: tuple[str, ...]
    """What could not be read or taken in, in sentences."""

    @property
    def rulings(self) -> dict[int, Line]:
        """The ruling line that held last, by stroke, as it was logged then."""
        return _numbered(self.contents.lines, "ruling", "stroke")

    @property
    def strokes(self) -> dict[int, Line]:
        """The stroke lines by number."""
        return _numbered(self.contents.lines, "stroke", "n")


def stored_match(path: Path, rules: str | None = None) -> StoredMatch:
    """The match logged at `path`, under another rule book if `rules` names one; raises LogError."""
    return match_of(read_log(path), rules)


def match_of(contents: LogContents, rules: str | None = None, book: str | None = None) -> StoredMatch:
    """The match that a log's lines say. Raises LogError when there is none, or its rule book is not known here.

    `book`: the text of the book that `rules` names, where it is one of the club's own. A referee that continues it
    adds `Resumed` first, since its clock begins anew.
    """
    if not contents.lines:
        raise LogError("the log is empty: no match was recorded in it")
    retelling = Retelling(contents.headers[0] if contents.headers else None, rules, book)
    for line in contents.lines:
        retelling.take(line)
    problems = [problem.text for problem in contents.problems]
    return StoredMatch(retelling.match, contents, tuple(problems + retelling.problems))


class Retelling:
    """A match that grows with the lines of its log."""

    def __init__(self, header: Line | None, rules: str | None = None, book: str | None = None) -> None:
        """`header`: the log's first one; `rules`, `book`: as `match_of`.

        Raises LogError when its rule book is not known here.
        """
        self._header = header
        self.problems: list[str] = []
        """What could not be taken in, in sentences."""
        try:
            start = start_of(header) if header else Start("")
            self.match = Match(start if rules is None else _started_under(start, rules, book))
        except (MatchError, RulesError) as e:
            raise LogError(f"the logged match cannot be judged: {e}") from None

    def take(self, line: Line) -> None:
        """Takes in the next line; one that makes no sense costs only itself."""
        try:
            for event in _events(line, first=line is self._header):
                self.match.add(event)
        except (LineError, MatchError) as e:
            self.problems.append(f"a {line['type']} line was left out: {e}")


def _started_under(start: Start, rules: str, told: str | None) -> Start:
    """The same start under another rule book; in the other kind of game colours and a told state mean nothing."""
    same = rules.partition("+")[0] == start.rules.partition("+")[0]
    text = told or (start.book if same else kept_text(rules))
    book = book_of(rules, text)
    seats = tuple((seat, None) for seat, _ in start.seats) if isinstance(book, CollectRules) else start.seats
    state = None if start.state and wrong_game(start.state, book) else start.state
    return replace(start, rules=rules, seats=seats, state=state, book=text)


def _events(line: Line, first: bool) -> Iterator[Event]:
    if line["type"] in FACT_TYPES:
        yield fact_of(line)
    elif line["type"] == "correction":
        yield correction_of(line)
    elif line["type"] == "running" and running_of(line) is not Running.PLAYING:
        return
    elif line["type"] == "running" or (line["type"] == "header" and not first):
        yield Resumed()


def _numbered(lines: tuple[Line, ...], kind: str, key: str) -> dict[int, Line]:
    """Lines of one type by their number; the last one holds."""
    return {line[key]: line for line in lines if line["type"] == kind and isinstance(line.get(key), int)}
