"""`referee rule`: single cases, files, and what it says to bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.cli import main

STATE = "W4 B2 Q=board due 0/0 score 0:0 mv W"


def run(*args: str, text: str | None = None) -> Result:
    return CliRunner().invoke(main, ["rule", *args], input=text)


def test_a_case_gives_the_state_after() -> None:
    result = run("--rules", "icf", "--state", STATE, "--stroke", "W,W,S")
    assert (result.exit_code, result.output) == (0, "W3 B2 Q=board due 0/0 score 0:0 mv W\n")


def test_icf_is_the_book_when_none_is_named() -> None:
    assert run("--state", STATE, "--stroke", "-").output == "W4 B2 Q=board due 0/0 score 0:0 mv B strokes 0\n"


def test_json_tells_the_whole_ruling() -> None:
    ruling = json.loads(run("--state", "W8 B6 Q=cov:W score 22:5 mv W", "--stroke", "W", "--json").output)
    assert ruling["state"] == "W9 B6 Q=cov:W due 0/0 score 25:5 mv end"
    assert ruling["board_over"] is True
    assert ruling["result"] == {
        "winner": "W",
        "points": 3,
        "lost": 0,
        "queen": 0,
        "on_demand": 0,
        "score": "25:5",
        "game": "W",
    }
    assert [(d["kind"], d["reason"], d["law"]) for d in ruling["decisions"]] == [("result", "cleared", "R25a")]
    assert ruling["decisions"][0]["text"] == "White pocketed their last coin and wins the board by 3 points."


def test_json_lists_what_goes_back() -> None:
    ruling = json.loads(run("--state", STATE, "--stroke", "Q,S", "--json").output)
    assert ruling["returned"] == [
        {"kind": "queen", "count": 1, "where": "centre", "by": "umpire", "if_occupied": "cover_most"},
        {"kind": "white", "count": 1, "where": "outer_circle", "by": "opponent"},
    ]


def test_a_file_gives_one_line_a_case(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(
        "".join(json.dumps({"state": STATE, "stroke": s}) + "\n" for s in ("W", "B", "S")), encoding="utf-8"
    )
    lines = [json.loads(line) for line in run("--rules", "icf", str(path)).output.splitlines()]
    assert [line["state"].split(" due")[0] for line in lines] == ["W5 B2 Q=board", "W4 B3 Q=board", "W3 B2 Q=board"]


def test_cases_come_from_standard_input() -> None:
    result = run("-", text=json.dumps({"state": STATE, "stroke": "W"}) + "\n\n")
    assert json.loads(result.output)["state"] == "W5 B2 Q=board due 0/0 score 0:0 mv W"


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--state", "W4 B2 Q=bored mv W", "--stroke", "W"), "state, token 3 'Q=bored': expected Q=board"),
        (("--state", STATE, "--stroke", "W,foul:shouting"), "stroke, token 2 'foul:shouting': expected one of"),
        (("--rules", "club", "--state", STATE, "--stroke", "W"), "unknown rule book 'club': choose one of"),
        (("--rules", "icf+turbo", "--state", STATE, "--stroke", "W"), "unknown modifier 'turbo'"),
    ],
)
def test_bad_input_gets_one_sentence(args: tuple[str, ...], sentence: str) -> None:
    result = run(*args)
    assert result.exit_code == 2
    assert result.output.startswith("Error: ")
    assert sentence in result.output
    assert len(result.output.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{\n", "line 1 is not JSON"),
        ('{"state": "W1 B1 Q=board mv W"}\n', 'line 1 must be {"state": "...", "stroke": "..."}'),
        ('{"state": 5, "stroke": "W"}\n', "line 1 must be"),
        ("[]\n", "line 1 must be"),
        ('{"state": "W1 B1 Q=board mv W", "stroke": "X"}\n', "line 1: stroke, token 1 'X'"),
    ],
)
def test_a_bad_line_of_a_file_is_named(text: str, sentence: str) -> None:
    result = run("-", text=text)
    assert result.exit_code == 2
    assert sentence in result.output


@pytest.mark.parametrize("args", [(), ("--state", STATE), ("--state", STATE, "--stroke", "W", "-")])
def test_half_a_question_is_refused(args: tuple[str, ...]) -> None:
    assert run(*args, text="").exit_code == 2


def test_a_file_that_is_not_there_is_refused() -> None:
    result = run("absent.jsonl")
    assert result.exit_code == 2
    assert "absent.jsonl" in result.output


def test_a_club_copies_a_book_changes_it_and_names_its_path(tmp_path: Path) -> None:
    club = tmp_path / "club.toml"
    text = run("--rules", "ch_de", "--print").output
    assert "target_points = 25" in text
    club.write_text(text.replace("points = 3 ", "points = 4 "), encoding="utf-8")
    case = ("--state", "W8 B6 Q=cov:W mv W", "--stroke", "W")
    assert run("--rules", str(club), *case).output == "W9 B6 Q=cov:W due 0/0 score 7:0 mv end\n"
    club.write_text(text.replace("points = 3 ", "points = -4 ").replace("cap = ", "cup = "), encoding="utf-8")
    refused = run("--rules", str(club), *case)
    assert refused.exit_code == 2
    for problem in ("queen.points must not be negative", "queen.cup is unknown", "queen.cap is missing"):
        assert problem in refused.output


def test_a_fallback_is_told_as_one() -> None:
    silent = json.loads(run("--rules", "ch_de", "--state", STATE, "--stroke", "Q,B", "--json").output)
    assert all(d["fallback"] for d in silent["decisions"])
    assert silent["decisions"][-1]["text"] == "The rule book is silent here; the ruling follows ICF R21."
    assert silent["certain"] is False
    told = json.loads(run("--rules", "ch_de", "--state", STATE, "--stroke", "Q", "--json").output)
    assert not any(d["fallback"] for d in told["decisions"])


def test_what_the_book_leaves_open_is_the_operators() -> None:
    ruling = json.loads(run("--rules", "booklet", "--state", STATE, "--stroke", "W,foul:placement", "--json").output)
    assert ("operator", "operator_decides") in [(d["kind"], d["reason"]) for d in ruling["decisions"]]
    assert ruling["state"] == STATE
    assert ruling["returned"] == [{"kind": "white", "count": 1, "where": "as_before", "by": "umpire"}]


def test_the_masters_rules_have_another_name() -> None:
    assert run("--rules", "004-M", "--state", STATE, "--stroke", "B").output.startswith("W3 B3 Q=board")


def test_the_operators_word_is_judged_like_a_stroke() -> None:
    result = run("--state", "W0 B2 Q=board due 2/0 mv B", "--event", "waive W")
    assert result.output == "W0 B2 Q=board due 0/0 score 0:0 mv B\n"
    cases = '{"state": "P1=10 P2=0 left W8 B9 Q=board mv P2 due P2:2", "event": "waive P2"}\n'
    (line,) = run("--rules", "booklet_family", "-", text=cases).output.splitlines()
    assert json.loads(line)["decisions"][0]["reason"] == "due_waived"
    refused = run("--state", STATE, "--event", "waive X")
    assert (refused.exit_code, "event, token 2 'X'" in refused.output) == (2, True)
    assert run("--state", STATE, "--event", "replay", "--stroke", "-").exit_code == 2


def test_a_word_that_cannot_be_is_refused_with_its_reason() -> None:
    """R60, R28."""
    part = run("--state", "W0 B2 Q=board due 2/0 mv B", "--event", "waive W 1")
    assert (part.exit_code, "all together or not at all: White owes 2 coins" in part.output) == (2, True)
    much = run("--state", "W4 B2 Q=board mv W", "--event", "result W 13", "--language", "de")
    assert (much.exit_code, "kein Board mehr als 12 Punkte" in much.output) == (2, True)
