"""Rebuilds a match from its log: judges the logged events again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from models.rules import CollectRules, RulesError, book_of, stored_text
from referee.log.fact_lines import FACT_TYPES, fact_of
from referee.log.line import Line, LineError, LogError
from referee.log.reader import LogContents, read_log
from referee.log.rows import ROWS_MOST_PROBLEMS
from referee.log.running import Running, running_of
from referee.match import Event, Match, MatchError, Resumed, Start, correction_of, start_of
from referee.match.games import wrong_game

STORED_MATCH_START = "start"
"""Field of a formation's line that states how the match began, as headers do."""
STORED_MATCH_UNREADABLE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Exceptions raised by lines that are whole but together make no possible match."""


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match rebuilt from its log."""

    match: Match
    contents: LogContents
    problems: tuple[str, ...]
    """Sentences on what could not be read or judged."""

    @property
    def rulings(self) -> dict[int, Line]:
        """Last ruling line of each stroke, by number, as logged."""
        return _numbered(self.contents.lines, "ruling", "stroke")

    @property
    def strokes(self) -> dict[int, Line]:
        """Stroke lines by number."""
        return _numbered(self.contents.lines, "stroke", "n")


def stored_match(path: Path, rules: str | None = None) -> StoredMatch:
    """Returns the match logged at `path`, judged under another rule book if `rules` names one; raises LogError."""
    contents = read_log(path)
    try:
        return match_of(contents, rules)
    except LogError as e:
        raise LogError(f"{path}: {e}") from None


def match_of(contents: LogContents, rules: str | None = None, book: str | None = None) -> StoredMatch:
    """Returns the match in a log's lines.

    `book`: text of the rule book that `rules` names, if it is the club's own. Raises LogError if there is no line, if
    neither a line nor `rules` names the rule book, or if that is not known here. A referee that continues the match
    adds `Resumed` first, since its clock begins anew.
    """
    if not contents.lines:
        raise LogError("the log is empty: no match was recorded in it")
    start = opening_line(contents.lines)
    if start is None and rules is None:
        raise LogError(
            "its header is damaged, and no line says by which rule book the match was played: name it with --rules"
        )
    try:
        retelling = MatchRebuilder(start or {}, rules, book)
        for i, line in enumerate(contents.lines):
            retelling.add(line, first=i == 0)
    except STORED_MATCH_UNREADABLE as e:
        raise LogError(f"its lines make no match that can be judged ({type(e).__name__}: {str(e)[:80]})") from None
    problems = [problem.text for problem in contents.problems]
    return StoredMatch(retelling.match, contents, tuple(problems + retelling.problems))


def opening_line(lines: Sequence[Line]) -> Line | None:
    """Returns the fields on how the match began, from the first header or else a formation's line.

    It is None if neither exists.
    """
    headers = (line for line in lines if line["type"] == "header")
    return next(headers, None) or next(
        ({"match": ""} | line[STORED_MATCH_START] for line in lines if line.get(STORED_MATCH_START)), None
    )


class MatchRebuilder:
    """Match that is rebuilt line by line from its log."""

    def __init__(self, start: Line, rules: str | None = None, book: str | None = None) -> None:
        """`start`: fields on how it began, as from `begun`; `rules`, `book`: as in `match_of`.

        Raises LogError if its rule book is not known.
        """
        self.problems: list[str] = []
        """Sentences on the lines that were left out."""
        try:
            began = start_of(start)
            self.match = Match(began if rules is None else _started_under(began, rules, book))
        except (MatchError, RulesError) as e:
            raise LogError(f"the logged match cannot be judged: {e}") from None

    def add(self, line: Line, first: bool) -> None:
        """Judges the next line; `first`: it is the log's first. A line that makes no sense is left out."""
        try:
            for event in _events(line, first):
                self.match.add(event)
        except (LineError, MatchError) as e:
            if len(self.problems) < ROWS_MOST_PROBLEMS:
                self.problems.append(f"a {line['type']} line was left out: {e}")


def _started_under(start: Start, rules: str, text: str | None) -> Start:
    """Returns the start under another rule book; colours and a declared state are dropped for another kind of game."""
    same = rules.partition("+")[0] == start.rules.partition("+")[0]
    text = text or (start.book if same else stored_text(rules))
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
    """Returns the lines of one type by their number; the last of each number holds."""
    return {line[key]: line for line in lines if line["type"] == kind and isinstance(line.get(key), int)}
