"""The laws, case by case: `cases/BOOK.txt` hold a state, a stroke and what must follow, with the law beside.

A test goes through all cases of a book and names each that fails: 1,400 cases a test each would take pytest longer than
the laws.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import wraps
from pathlib import Path

import pytest

from models.pieces import Kind
from models.rules import Rules, load_book, rule_names
from referee.laws import (
    AnyOutcome,
    Certainty,
    DecisionKind,
    Outcome,
    Reason,
    State,
    StrokeTokens,
    apply,
    parse_state,
    sentence,
)

CASES = Path(__file__).parent / "cases"
LETTERS = {Kind.WHITE: "W", Kind.BLACK: "B", Kind.QUEEN: "Q"}

Case = tuple[str, int, list[str]]


def cases(*names: str) -> list[Case]:
    """Book, line number and columns of every case."""
    found = []
    for name in names:
        lines = (CASES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        found += [
            (name, at, [cell.strip() for cell in line.split("|")]) for at, line in enumerate(lines, 1) if _holds(line)
        ]
    return found


def _holds(line: str) -> bool:
    return bool(line) and line[0] != "#"


RACES = [name for name in rule_names() if isinstance(load_book(name), Rules)]


def each_case(*names: str) -> Callable[[Callable[[Case], None]], Callable[[str], None]]:
    """Makes a test of one case one of each of the books `names`, which says which of its cases fail, and how."""

    def of_books(holds: Callable[[Case], None]) -> Callable[[str], None]:
        # Not the wrapped signature: pytest would ask for its `case`.
        @wraps(holds, assigned=("__name__", "__doc__", "__module__"))
        def test(book: str) -> None:
            wrong = [f"{book}.txt:{case[1]}: {why}" for case in cases(book) if (why := failure(holds, case))]
            assert not wrong, "\n".join(wrong)

        del test.__wrapped__  # type: ignore[attr-defined]
        return pytest.mark.parametrize("book", names)(test)

    return of_books


def failure(holds: Callable[[Case], None], case: Case) -> str:
    """What a case's failure says; empty if it holds."""
    try:
        holds(case)
    except AssertionError as e:
        return str(e)
    return ""


def ruled(case: Case) -> AnyOutcome:
    name, _, columns = case
    return apply(parse_state(columns[0]), StrokeTokens.parse(columns[1]), load_book(name))


def back(outcome: AnyOutcome) -> Counter[str]:
    """What goes back, as counts by letter."""
    total: Counter[str] = Counter()
    for piece in outcome.returned:
        total[LETTERS[piece.kind]] += piece.count
    return total


def written_back(cell: str) -> Counter[str]:
    """`Q 2W` as counts by letter."""
    words = [] if cell == "-" else cell.split()
    return Counter({word[-1]: int(word[:-1] or 1) for word in words})


@each_case(*rule_names())
def test_the_book_says_so(case: Case) -> None:
    _, _, after, returned, law, *marks = case[2]
    outcome = ruled(case)
    assert str(outcome.state) == str(parse_state(after))
    assert back(outcome) == written_back(returned)
    deciding = [d for d in outcome.decisions if d.kind in (DecisionKind.TURN, DecisionKind.RESULT)]
    assert [d.law for d in deciding] == [law]
    demand = outcome.result.on_demand if isinstance(outcome, Outcome) and outcome.result else 0
    assert demand == int("".join(filter(str.isdigit, "".join(marks))) or 0)


@each_case(*(n for n in rule_names() if n != "icf"))
def test_a_fallback_and_the_operators_choice_are_marked(case: Case) -> None:
    """The file of the ICF laws is older than the marks."""
    marks = "".join(case[2][5:])
    outcome = ruled(case)
    assert any(d.fallback or d.reason is Reason.SILENT for d in outcome.decisions) == ("~" in marks)
    asked = [d.certainty is Certainty.OPERATOR and d.kind is not DecisionKind.DEMAND for d in outcome.decisions]
    assert any(asked) == ("?" in marks)
    assert not (marks and outcome.certain)


@pytest.mark.parametrize("name", rule_names())
def test_every_book_has_cases(name: str) -> None:
    assert len(cases(name)) > 20


@each_case(*RACES)
def test_colours_are_alike_before_the_laws(case: Case) -> None:
    """The same case with white and black exchanged has the exchanged outcome."""
    rules, columns = load_book(case[0]), case[2]
    assert isinstance(rules, Rules)
    before, stroke = State.parse(columns[0]), StrokeTokens.parse(columns[1])
    letters = re.sub(r"\b[WB]\b", lambda m: {"W": "B", "B": "W"}[m[0]], columns[1])
    turned = State.parse(_exchanged(str(before)))
    there = apply(before, stroke, rules)
    here = apply(turned, StrokeTokens.parse(letters), rules)
    assert here.state == State.parse(_exchanged(str(there.state)))
    assert [d.reason for d in here.decisions] == [d.reason for d in there.decisions]


def _exchanged(line: str) -> str:
    line = re.sub(r"W(\d+) B(\d+)", r"B\1 W\2", line)
    line = re.sub(r"(Q=\w+:|mv |hadown )([WB])", lambda m: m[1] + {"W": "B", "B": "W"}[m[2]], line)
    line = re.sub(r"due (\d+)/(\d+)", r"due \2/\1", line)
    return re.sub(r"score (-?\d+):(-?\d+)", r"score \2:\1", line)


@each_case(*rule_names())
def test_every_decision_has_its_sentence(case: Case) -> None:
    for decision in ruled(case).decisions:
        text = sentence(decision)
        assert text.endswith(".")
        assert "{" not in text
