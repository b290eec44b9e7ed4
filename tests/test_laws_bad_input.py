"""Malformed text: one sentence that names the offending token and its place, whatever was mangled and however."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.cli import main
from referee.laws import NotationError, OperatorEvent, StrokeTokens, parse_state

STATES = [
    "W5 B3 Q=board due 1/0 score 10:8 mv W",
    "W5 B3 Q=pend:W due 0/0 score 10:8 mv W board 8 noleave 2 break 1 qpocket NE hadown W strokes 0",
    "W9 B3 Q=cov:W due 0/0 score -3:8 mv end",
    "P1=15 P2=10 left W7 B8 Q=board mv P2",
    "P1=15 P2=10 P3=0 left W7 B8 Q=pend:P2 mv P2 held P1:W1B1 held P2:W1B0 due P3:1 board 2 noleave 1 strokes 0",
    "P1=3 P2=0 left W9 B0 Q=cov:P1 mv end",
]
STROKES = ["W@NE,B,Q@SW,S", "off:W,off:S,foul:cut_moon", "before:placement", "W,W,foul:touch,foul:elbow"]
EVENTS = ["waive W 1", "grant B", "return Q", "result W 5", "before:push", "concede B", "replay"]
FORMS: list[tuple[Callable[[str], object], list[str], str]] = [
    (parse_state, STATES, " "),
    (StrokeTokens.parse, STROKES, ","),
    (OperatorEvent.parse, EVENTS, " "),
]
JUNK = st.one_of(
    st.sampled_from(["W", "B5", "W10", "Q", "Q=", "Q=pend:", "mv", "due", "-1", "1/2/3", "/1", "2:", "@NE", "S@"]),
    st.sampled_from(["foul:", "P0=1", "P1", "P1=", "P1=x", "P2:", "P1:W", ":1", "²"]),
    st.text(st.characters(blacklist_categories=["Cs", "Z", "Cc"], blacklist_characters=","), min_size=1, max_size=8),
)  # fmt: skip


@st.composite
def mangled(draw: st.DrawFn) -> tuple[Callable[[str], object], str, str]:
    """A reader, a line that was right until something was taken out, put in, doubled or cut, and what parts tokens."""
    parse, lines, mark = draw(st.sampled_from(FORMS))
    words = draw(st.sampled_from(lines)).split(mark)
    at = draw(st.integers(0, len(words) - 1))
    match draw(st.sampled_from(["drop", "double", "junk", "insert", "cut", "swap"])):
        case "drop":
            del words[at]
        case "double":
            words.insert(at, words[at])
        case "junk":
            words[at] = draw(JUNK)
        case "insert":
            words.insert(at, draw(JUNK))
        case "cut":
            words[at] = words[at][: draw(st.integers(0, len(words[at])))]
        case "swap":
            words[at], words[0] = words[0], words[at]
    return parse, mark.join(words), mark


@settings(max_examples=1500)
@given(mangled())
def test_what_is_refused_is_named_with_its_place(case: tuple[Callable[[str], object], str, str]) -> None:
    parse, line, mark = case
    try:
        told = str(parse(line))
    except NotationError as e:
        names_its_token(str(e), line, mark)
    else:
        assert str(parse(told)) == told


def names_its_token(message: str, line: str, mark: str) -> None:
    """One sentence; the token is the line's at that position, or a part of it, or the line ends before it."""
    assert "\n" not in message
    assert "expected" in message
    words = [word.strip() for word in line.split(mark)] if mark == "," else line.split()
    missing = re.search(r"token (\d+) is missing", message)
    if missing:
        at = int(missing[1])
        assert at > len(words) or not words[at - 1]
        return
    named = re.search(r"token (\d+) (.*?): expected", message)
    assert named, message
    token = ast.literal_eval(named[2])
    assert token in words[int(named[1]) - 1], message


@pytest.mark.parametrize(
    ("state", "stroke", "named"),
    [
        ("W5 B3 Q=bord mv W", "W", "state, token 3 'Q=bord'"),
        ("W5 B3 Q=board mv W qpocket", "W", "state, token 7 is missing"),
        ("P1=15 P2=10 left W7 Q=board mv P2", "W", "state, token 5 'Q=board'"),
        ("P1=15 P2=10 left W7 B8 Q=pend:P5 mv P2", "W", "state, token 6 'Q=pend:P5'"),
        ("P1=15 P2=0 left W7 B8 Q=board mv P1", "W,,B", "stroke, token 2 is missing"),
        ("W5 B3 Q=board mv W", "w", "stroke, token 1 'w'"),
        ("W5 B3 Q=board mv W", "W;B", "stroke, token 1 'W;B'"),
    ],
)
def test_the_command_answers_with_one_line_for_a_case_and_for_a_file(state: str, stroke: str, named: str) -> None:
    single = CliRunner().invoke(main, ["rule", "--rules", _book(state), "--state", state, "--stroke", stroke])
    assert single.exit_code == 2
    assert named in single.output
    assert len(single.output.splitlines()) == 1
    good = {"state": state if stroke == "W" and "P" not in state else "W1 B1 Q=board mv W", "stroke": "-"}
    lines = [good, {"state": state, "stroke": stroke}] if stroke != "W" else [{"state": state, "stroke": stroke}]
    text = "".join(json.dumps(case) + "\n" for case in lines if _book(case["state"]) == _book(state))
    many = CliRunner().invoke(main, ["rule", "--rules", _book(state), "-"], input=text)
    assert many.exit_code == 2
    assert named in many.output


def _book(state: str) -> str:
    return "booklet_21" if "P1" in state else "icf"


@pytest.mark.parametrize(("book", "state"), [("icf", STATES[3]), ("booklet_21", STATES[0])])
def test_a_state_of_the_other_kind_of_game_is_refused(book: str, state: str) -> None:
    result = CliRunner().invoke(main, ["rule", "--rules", book, "--state", state, "--stroke", "W"])
    assert result.exit_code == 2
    assert len(result.output.splitlines()) == 1
