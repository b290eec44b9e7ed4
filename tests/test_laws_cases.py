"""The laws, case by case: `cases/*.txt` hold a state, a stroke and what must follow, with the law beside."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from models.pieces import Kind
from models.rules import load_rules
from referee.laws import DecisionKind, Outcome, State, StrokeTokens, apply, sentence

CASES = Path(__file__).parent / "cases"
LETTERS = {Kind.WHITE: "W", Kind.BLACK: "B", Kind.QUEEN: "Q"}


def cases(name: str) -> list[tuple[int, list[str]]]:
    """Line numbers and columns of a file of cases."""
    lines = enumerate((CASES / f"{name}.txt").read_text(encoding="utf-8").splitlines(), 1)
    return [(at, [cell.strip() for cell in line.split("|")]) for at, line in lines if line and line[0] != "#"]


def back(outcome: Outcome) -> Counter[str]:
    """What goes back, as counts by letter."""
    total: Counter[str] = Counter()
    for piece in outcome.returned:
        total[LETTERS[piece.kind]] += piece.count
    return total


def written_back(cell: str) -> Counter[str]:
    """`Q 2W` as counts by letter."""
    words = [] if cell == "-" else cell.split()
    return Counter({word[-1]: int(word[:-1] or 1) for word in words})


@pytest.mark.parametrize(("at", "columns"), cases("icf"), ids=lambda v: f"icf.txt:{v}" if isinstance(v, int) else "")
def test_the_icf_laws_say_so(at: int, columns: list[str]) -> None:
    before, stroke, after, returned, law = columns[:5]
    demand = int(columns[5]) if len(columns) > 5 else 0
    outcome = apply(State.parse(before), StrokeTokens.parse(stroke), load_rules("icf"))
    assert str(outcome.state) == str(State.parse(after))
    assert back(outcome) == written_back(returned)
    deciding = [d for d in outcome.decisions if d.kind in (DecisionKind.TURN, DecisionKind.RESULT)]
    assert [d.law for d in deciding] == [law]
    assert (outcome.result.on_demand if outcome.result else 0) == demand


@pytest.mark.parametrize(("at", "columns"), cases("icf"), ids=lambda v: f"icf.txt:{v}" if isinstance(v, int) else "")
def test_colours_are_alike_before_the_laws(at: int, columns: list[str]) -> None:
    """The same case with white and black exchanged has the exchanged outcome."""
    rules = load_rules("icf")
    before, stroke = State.parse(columns[0]), StrokeTokens.parse(columns[1])
    letters = re.sub(r"\b[WB]\b", lambda m: {"W": "B", "B": "W"}[m[0]], columns[1])
    turned = State.parse(_exchanged(str(before)))
    there = apply(before, stroke, rules)
    here = apply(turned, StrokeTokens.parse(letters), rules)
    assert here.state == State.parse(_exchanged(str(there.state)))
    assert [d.reason for d in here.decisions] == [d.reason for d in there.decisions]


def _exchanged(line: str) -> str:
    line = re.sub(r"W(\d) B(\d)", r"B\1 W\2", line)
    line = re.sub(r"(Q=\w+:|mv |hadown )([WB])", lambda m: m[1] + {"W": "B", "B": "W"}[m[2]], line)
    line = re.sub(r"due (\d+)/(\d+)", r"due \2/\1", line)
    return re.sub(r"score (-?\d+):(-?\d+)", r"score \2:\1", line)


@pytest.mark.parametrize(("at", "columns"), cases("icf"), ids=lambda v: f"icf.txt:{v}" if isinstance(v, int) else "")
def test_every_decision_has_its_sentence(at: int, columns: list[str]) -> None:
    outcome = apply(State.parse(columns[0]), StrokeTokens.parse(columns[1]), load_rules("icf"))
    for decision in outcome.decisions:
        text = sentence(decision)
        assert text.endswith(".")
        assert "{" not in text


def scenarios() -> list[dict[str, str]]:
    """The worked ICF cases of the shared rules; none when they are not at hand."""
    folder = os.environ.get("CARROM_SHARED")
    if not folder:
        return []
    everything = json.loads((Path(folder) / "rules" / "scenarios.json").read_text(encoding="utf-8"))
    return [case for case in everything if case["ruleset"] == "icf"]


def _as_notation(case: dict[str, str]) -> tuple[str, str]:
    """State and stroke without the notes in brackets, which name what the notation writes as a token."""
    before, stroke = case["before"], case["stroke"]
    if "all nine back through dues" in before:
        before = before.split(" (")[0] + " hadown W"
    if "before the first stroke" in stroke:
        before, stroke = before + " strokes 0", stroke.replace("foul:", "before:")
    if "break attempt" in stroke:
        stroke = stroke.replace(" (", ",foul:no_break (")
    return before, re.sub(r"\s*\(.*?\)", "", stroke).replace(" foul", ",foul")


@pytest.mark.skipif("CARROM_SHARED" not in os.environ, reason="CARROM_SHARED does not name the shared folder")
@pytest.mark.parametrize("case", scenarios(), ids=lambda case: str(case["id"]))
def test_the_worked_icf_scenarios_come_out(case: dict[str, str]) -> None:
    before, stroke = _as_notation(case)
    after = str(apply(State.parse(before), StrokeTokens.parse(stroke), load_rules("icf")).state)
    expected = re.match(r"(.* due \d/\d) turn (\w+)", case["after"])
    assert expected
    assert after.startswith(expected[1])
    assert f"mv {expected[2]}" in after
    score = re.search(r"⇒ (\d+:\d+)", case["result"])
    assert not score or f"score {score[1]} " in after
