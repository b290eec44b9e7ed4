"""Every worked case of the shared rules comes out; skipped when they are not at hand."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest
from test_laws_cases import back

from models.rules import load_book, load_rules
from referee.laws import CollectOutcome, DecisionKind, State, StrokeTokens, apply, parse_state

pytestmark = pytest.mark.skipif(
    "CARROM_SHARED" not in os.environ, reason="CARROM_SHARED does not name the shared folder"
)

Scenario = dict[str, str]

COLLECTING = {
    "F-01": ("P1=0 P2=0 left W9 B9 Q=board mv P1", "B", "P1=5 P2=0 left W9 B8 Q=board mv P1"),
    "F-02": ("P1=5 P2=0 left W9 B8 Q=board mv P1", "W", "P1=15 P2=0 left W8 B8 Q=board mv P1"),
    "F-03": ("P1=15 P2=10 left W7 B8 Q=board mv P2", "Q,B", "P1=15 P2=40 left W7 B7 Q=cov:P2 mv P2"),
    "F-04": ("P1=15 P2=10 left W7 B8 Q=board mv P1", "Q", "P1=15 P2=10 left W7 B8 Q=board mv P2 strokes 0"),
    "F-05": ("P1=70 P2=80 left W1 B0 Q=cov mv P1", "W", "P1=80 P2=80 left W0 B0 Q=cov mv end"),
    "F-08": ("P1=20 P2=0 left W8 B7 Q=board mv P1 held P1:W1B2", "S",
             "P1=15 P2=0 left W8 B8 Q=board mv P2 held P1:W1B1 strokes 0"),
    "F-09": ("P1=70 P2=65 left W0 B0 Q=board mv P1", "Q", "P1=95 P2=65 left W0 B0 Q=cov:P1 mv end"),
    "G-01": ("P1=3 P2=2 left W7 B6 Q=board mv P1", "B,W", "P1=5 P2=2 left W6 B5 Q=board mv P1"),
    "G-02": ("P1=5 P2=2 left W6 B5 Q=board mv P1", "Q", "P1=5 P2=2 left W6 B5 Q=pend:P1 mv P1"),
    "G-03": ("P1=5 P2=2 left W6 B5 Q=pend:P1 mv P1", "W", "P1=9 P2=2 left W5 B5 Q=cov:P1 mv P1"),
    "G-05": ("P1=5 P2=2 left W6 B5 Q=pend:P1 mv P1", "-", "P1=5 P2=2 left W6 B5 Q=board mv P2 strokes 0"),
    "G-06": ("P1=20 P2=0 left W0 B1 Q=cov:P1 mv P1", "B", "P1=21 P2=0 left W0 B0 Q=cov:P1 mv end"),
    "P-02": ("P1=1 P2=0 P3=0 left W9 B8 Q=board mv P1", "W", "P1=3 P2=0 P3=0 left W8 B8 Q=board mv P1"),
    "P-03": ("P1=3 P2=0 P3=0 left W8 B8 Q=board mv P1", "Q,B", "P1=9 P2=0 P3=0 left W8 B7 Q=cov:P1 mv P1"),
    "P-04": ("P1=3 P2=0 P3=0 left W8 B8 Q=board mv P1", "Q", "P1=3 P2=0 P3=0 left W8 B8 Q=pend:P1 mv P1"),
    "P-06": ("P1=21 P2=19 P3=24 left W0 B0 Q=cov mv P1 board 8", "-",
             "P1=21 P2=19 P3=24 left W0 B0 Q=cov mv end board 8"),
    "P-08": ("P1=0 P2=0 P3=0 left W9 B9 Q=board mv P1 break 2", "foul:no_break",
             "P1=0 P2=0 P3=0 left W9 B9 Q=board mv P2 break 0 strokes 0"),
    "P-09": ("P1=6 P2=10 P3=15 left W0 B1 Q=cov:P3 mv P1", "B", "P1=7 P2=10 P3=15 left W0 B0 Q=cov:P3 mv end"),
}  # fmt: skip
"""The scenarios of collecting games, which are told in prose, in the notation; what prose leaves open is added."""

WINNERS = {"F-05": None, "F-09": 0, "G-06": 0, "P-06": 2}

FORFEIT = "UK-19"
"""Told as what happens before the next player's stroke; here he plays one that misses."""


def scenarios(mode: str) -> list[Scenario]:
    folder = os.environ.get("CARROM_SHARED")
    if not folder:
        return []
    everything: list[Scenario] = json.loads((Path(folder) / "rules" / "scenarios.json").read_text(encoding="utf-8"))
    return [case for case in everything if case["mode"] == mode]


def as_notation(case: Scenario) -> tuple[str, str]:
    """State and stroke without the notes in brackets, which name what the notation writes as a token."""
    before, stroke = case["before"], case["stroke"]
    if "all nine back through dues" in before:
        before += " hadown W"
    if "before the first stroke" in stroke:
        before, stroke = before + " strokes 0", stroke.replace("foul:", "before:")
    if "S (break attempt" in stroke:
        stroke = stroke.replace(" (", ",foul:no_break (")
    before += " qpocket NE" if "fallen at NE" in stroke else " noleave 2" if "3rd time" in stroke else ""
    before += " break 2" if "break3" in stroke else ""
    words = {"break3": "no_break", "foul:none": "", "foul:arc": "foul:direct", ", striker fully on red base": "",
             "foul:diagonal": "foul:hand_over_diagonal"}  # fmt: skip
    for word, token in words.items():
        stroke = stroke.replace(word, token)
    plain = [re.sub(r"\s*\(.*?\)", "", text) for text in (before, stroke)]
    return plain[0], re.sub(r"\s+foul", ",foul", plain[1]).strip(" ,")


def told_back(text: str) -> Counter[str]:
    """What `returned` names: `Q + 1W /opp`, `2W @centre`, `B to centre`, `off-board W to centre`."""
    text = re.sub(r";.*|\(.*?\)|/\w+|@\w+|OC", "", text)
    counted = re.findall(r"(?<![\w-])(\d?)([WBQ])\b", text)
    total: Counter[str] = Counter()
    for n, letter in counted:
        total[letter] += int(n or 1)
    return total


@pytest.mark.parametrize("case", scenarios("race"), ids=lambda case: str(case["id"]))
def test_a_race_scenario_comes_out(case: Scenario) -> None:
    before, stroke = as_notation(case)
    book = load_rules(case["ruleset"].split()[0])
    outcome = apply(State.parse(before), StrokeTokens.parse(stroke), book)
    after = str(outcome.state)
    if case["after"].startswith("operator decides"):
        assert any(d.kind is DecisionKind.OPERATOR for d in outcome.decisions)
        assert not outcome.certain
        return
    expected = re.match(r"(.* due \d/\d) turn (\w+)", case["after"])
    assert expected
    assert after.startswith(expected[1])
    assert case["id"] == FORFEIT or f"mv {expected[2]}" in after
    score = re.search(r"⇒ (\d+:\d+)", case["result"])
    assert not score or f"score {score[1]} " in after
    assert back(outcome) == told_back(case["returned"])


@pytest.mark.parametrize("case", scenarios("collect"), ids=lambda case: str(case["id"]))
def test_a_collecting_scenario_comes_out(case: Scenario) -> None:
    before, stroke, after = COLLECTING[case["id"]]
    outcome = apply(parse_state(before), StrokeTokens.parse(stroke), load_book(case["ruleset"]))
    assert isinstance(outcome, CollectOutcome)
    assert outcome.state == parse_state(after)
    if case["id"] in WINNERS:
        assert outcome.result
        assert outcome.result.winner == WINNERS[case["id"]]
