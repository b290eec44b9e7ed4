"""Reads the rows of a log in order: returns whole lines, and reports what is missing, doubled or edited."""

from __future__ import annotations

from dataclasses import dataclass, replace

from referee.log.line import FIRST_BEFORE, Line, LineError, LinePlace, content_check, decode_placed
from referee.log.schema import check_line

ROWS_MOST_PROBLEMS = 200
"""Greatest number of problems retained; further damage is only counted."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Rows that could not be read and were left out, or that are missing."""

    number: int
    """Number of the first such row in the file, from 1."""
    text: str
    """Sentence on what is wrong."""
    torn: bool
    """True for an unfinished last line: the writer was cut off there, nothing is missing in between."""


class RowReader:
    """Reader of rows: call `add` for each row of a log in order."""

    def __init__(self) -> None:
        self.number = 0
        """Number of rows read so far."""
        self.lost = 0
        """Number of lines that were left out or are missing, without an unfinished last one."""
        self.unplaced = 0
        """Number of whole lines of older programs, which carry no place."""
        self.problems: list[Problem] = []
        self._placed: int | None = None
        """Number of the last line with a place; None before the first."""
        self._since = 0
        """Number of rows since then that may have had a number."""
        self._before: str | None = FIRST_BEFORE
        """`content_check` of the last line; None if it could not be read."""
        self._is_older = False
        """True where lines were written by an older program, which gives them no places."""
        self._bad: tuple[int, int, str] | None = None
        """First and last number and fault of the damaged rows directly before."""

    @property
    def next_place(self) -> LinePlace:
        """Place of the line that would be written next."""
        number = self.number if self._placed is None else self._placed + self._since
        return LinePlace(number + 1, self._before or FIRST_BEFORE)

    def add(self, row: bytes, is_last: bool = False) -> Line | None:
        """Returns the line in a row; None if it cannot be used, which is added to `problems`.

        `is_last`: no newline follows, so that damage means an unfinished line.
        """
        self.number += 1
        try:
            line, place = decode_placed(row.decode("ascii"))
            check_line(line)
        except (LineError, UnicodeDecodeError) as e:
            self._damaged(e, is_last)
            return None
        if not self._stands_right(line, place):
            return None
        self._bad, self._before = None, content_check(line)
        return line

    def too_long(self, most: int) -> None:
        """Counts a row that is longer than any line of a log as damaged."""
        self.number += 1
        self._damaged(LineError(f"it has more than {most} bytes"), False)

    def _damaged(self, error: Exception, is_last: bool) -> None:
        self._since, self._before = self._since + 1, None
        if is_last:
            text = f"line {self.number}, the last, is torn and was left out: the writer was cut off there"
            self._report(Problem(self.number, text, True))
            return
        self.lost += 1
        why = "it holds foreign bytes" if isinstance(error, UnicodeDecodeError) else str(error)
        first, last, fault = self._bad or (self.number, 0, why)
        if last:
            text = f"lines {first} to {self.number} are damaged and were left out: {fault}, and more"
            if self.problems and self.problems[-1].number == first:
                self.problems[-1] = replace(self.problems[-1], text=text)
        else:
            self._report(Problem(first, f"line {first} is damaged and was left out: {fault}", False))
        self._bad = first, self.number, fault

    def _stands_right(self, line: Line, place: LinePlace | None) -> bool:
        """Tells whether a line is used where it stands; reports what is missing or was edited before it."""
        if place is None:
            return self._has_no_place(line)
        missing = 0
        if self._placed is None:
            missing = place.number - self.number
        elif place.number <= self._placed:
            self._leave_out("stands there twice or out of its order")
            return False
        else:
            missing = place.number - self._placed - 1 - self._since
        if missing > 0:
            self.lost += missing
            many = f"{missing} lines are" if missing > 1 else "a line is"
            self._report(Problem(self.number, f"{many} missing before line {self.number}", False))
        elif self._before not in (None, place.before):
            self._report(Problem(self.number, f"what stands before line {self.number} is not what was written", False))
        self._placed, self._since, self._is_older = place.number, 0, False
        return True

    def _has_no_place(self, line: Line) -> bool:
        """Tells whether a line without a place is used.

        Older programs write such lines; after lines with places they begin with a header.
        """
        self._is_older = self._is_older or line["type"] == "header"
        if self._placed is not None and not self._is_older:
            self._leave_out("was not written by the referee")
            return False
        self._since += 1
        self.unplaced += 1
        return True

    def _leave_out(self, why: str) -> None:
        self.lost += 1
        self._report(Problem(self.number, f"line {self.number} {why} and was left out", False))

    def _report(self, problem: Problem) -> None:
        if len(self.problems) < ROWS_MOST_PROBLEMS:
            self.problems.append(problem)
        elif len(self.problems) == ROWS_MOST_PROBLEMS:
            self.problems.append(Problem(problem.number, f"more is damaged from line {problem.number} on", False))
