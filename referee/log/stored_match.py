"""A match from its log: the events that the lines say, judged again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from models.rules import CollectRules, RulesError, book_of, kept_text
from referee.log.fact_lines import FACT_TYPES, fact_of
from referee.log.line import Line, LineError, LogError
from referee.log.reader import LogContents, read_log
from referee.log.rows import ROWS_MOST_PROBLEMS
from referee.log.running import Running, running_of
from referee.match import Event, Match, MatchError, Resumed, Start, correction_of, start_of
from referee.match.games import wrong_game

STORED_MATCH_START = "start"
"""Field of a formation's line that says how the match began, as headers do."""
STORED_MATCH_UNREADABLE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What comes of lines that are whole and say together what no match can be."""


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
    contents = read_log(path)
    try:
        return match_of(contents, rules)
    except LogError as e:
        raise LogError(f"{path}: {e}") from None


def match_of(contents: LogContents, rules: str | None = None, book: str | None = None) -> StoredMatch:
    """The match that a log's lines say.

    `book`: the text of the book that `rules` names, where it is one of the club's own. Raises LogError when there is
    none, when nothing says by which rule book it is judged and `rules` does not either, or when that book is not known
    here. A referee that continues it adds `Resumed` first, since its clock begins anew.
    """
    if not contents.lines:
        raise LogError("the log is empty: no match was recorded in it")
    start = begun(contents.lines)
    if start is None and rules is None:
        raise LogError(
            "its header is damaged, and no line says by which rule book the match was played: name it with --rules"
        )
    try:
        retelling = Retelling(start or {}, rules, book)
        for i, line in enumerate(contents.lines):
            retelling.add(line, first=i == 0)
    except STORED_MATCH_UNREADABLE as e:
        raise LogError(f"its lines make no match that can be judged ({type(e).__name__}: {str(e)[:80]})") from None
    problems = [problem.text for problem in contents.problems]
    return StoredMatch(retelling.match, contents, tuple(problems + retelling.problems))


def begun(lines: Sequence[Line]) -> Line | None:
    """What says how the match began: the first header, else a formation's line; None where none does."""
    headers = (line for line in lines if line["type"] == "header")
    return next(headers, None) or next(
        ({"match": ""} | line[STORED_MATCH_START] for line in lines if line.get(STORED_MATCH_START)), None
    )


class Retelling:
    """A match that grows with the lines of its log."""

    def __init__(self, start: Line, rules: str | None = None, book: str | None = None) -> None:
        """`start`: what says how it began, as `begun` finds it; `rules`, `book`: as `match_of`.

        Raises LogError when its rule book is not known.
        """
        self.problems: list[str] = []
        """What could not be taken in, in sentences."""
        try:
            began = start_of(start)
            self.match = Match(began if rules is None else _started_under(began, rules, book))
        except (MatchError, RulesError) as e:
            raise LogError(f"the logged match cannot be judged: {e}") from None

    def add(self, line: Line, first: bool) -> None:
        """Takes in the next line, the log's `first` or not; one that makes no sense costs only itself."""
        try:
            for event in _events(line, first):
                self.match.add(event)
        except (LineError, MatchError) as e:
            if len(self.problems) < ROWS_MOST_PROBLEMS:
                self.problems.append(f"a {line['type']} line was left out: {e}")


def _started_under(start: Start, rules: str, text: str | None) -> Start:
    """The same start under another rule book; in the other kind of game colours and a declared state mean nothing."""
    same = rules.partition("+")[0] == start.rules.partition("+")[0]
    text = text or (start.book if same else kept_text(rules))
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
