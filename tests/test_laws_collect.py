"""Collecting games: their text form, their turns, and what the referee says of them."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from models.rules import CollectRules, load_book, load_rules
from referee.cli import main
from referee.laws import (
    CollectOutcome,
    CollectState,
    NotationError,
    Reason,
    State,
    StrokeTokens,
    apply,
    first_state,
    parse_state,
    sentence,
)


def judged(name: str, state: str, stroke: str) -> CollectOutcome:
    outcome = apply(parse_state(state), StrokeTokens.parse(stroke), load_book(name))
    assert isinstance(outcome, CollectOutcome)
    return outcome


@pytest.mark.parametrize(
    "line",
    [
        "P1=15 P2=10 left W7 B8 Q=board mv P2",
        "P1=15 P2=10 P3=-5 left W0 B0 Q=cov:P3 mv end",
        "P1=1 P2=0 left W9 B8 Q=pend:P1 mv P1 held P1:W0B1 held P2:W0B0 due P2:2 board 3 noleave 1 break 0 strokes 2",
        "P1=80 P2=80 left W0 B0 Q=cov mv end",
    ],
)
def test_a_state_is_written_as_it_is_read(line: str) -> None:
    assert str(parse_state(line)) == line


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("mv P2 Q=board left W7 B8 P2=10 P1=15", "P1=15 P2=10 left W7 B8 Q=board mv P2"),
        ("P1=3 P2=0 left W8 B8 Q=board mv P1 held P1:W1B1", "P1=3 P2=0 left W8 B8 Q=board mv P1 held P1:W1B1,P2:W0B0"),
        ("P1=3 P2=0 left W8 B8 Q=board mv P1 held P1:W1B1 P2:B0", "P1=3 P2=0 left W8 B8 Q=board mv P1 held P1:W1B1"),
    ],
)
def test_words_may_come_in_other_forms(line: str, same: str) -> None:
    assert parse_state(line) == parse_state(same)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("P1=15 P2=x left W7 B8 Q=board mv P2", "state, token 2"),
        ("P1=15 P1=10 left W7 B8 Q=board mv P1", "token 2 'P1=10': expected each player once"),
        ("P1=15 P3=10 left W7 B8 Q=board mv P1", "players counted from P1 on"),
        ("P1=15 P2=10 left B8 W7 Q=board mv P1", "token 4 'B8': expected W<n>"),
        ("P1=15 P2=10 left W7 B12 Q=board mv P1", "state, token 5"),
        ("P1=15 P2=10 left W7 B8 Q=void:P1 mv P1", "token 6 'Q=void:P1': expected Q=board, Q=pend:P1"),
        ("P1=15 P2=10 left W7 B8 Q=board mv W", "token 8 'W': expected P1 to P4"),
        ("P1=15 P2=10 left W7 B8 Q=board mv P3", "no player beyond P2"),
        ("P1=15 P2=10 left W7 B8 Q=board", "token 7 is missing"),
        ("P1=15 P2=10 left W7 B8 Q=board mv P1 score 3:4", "token 9 'score': expected P<n>=<points>"),
        ("P1=15 P2=10 left W7 B8 Q=board mv P1 held W1B1", "token 10 'W1B1': expected P1:W1B2"),
        ("P1=9 P2=0 left W7 B8 Q=board mv P1 held P1:W1B1 P2:W2", "token 9 'held': expected no more than the 2 W"),
        ("P1=15 P2=10 left W7 B8 Q=board mv P1 mv P2", "token 9 'mv': expected each field once"),
    ],
)
def test_bad_words_are_named(line: str, message: str) -> None:
    with pytest.raises(NotationError) as error:
        parse_state(line)
    assert message in str(error.value)


def test_both_kinds_of_state_are_told_apart() -> None:
    assert isinstance(parse_state("W4 B2 Q=board mv W"), State)
    assert isinstance(parse_state("P1=0 P2=0 left W9 B9 Q=board mv P1"), CollectState)


def test_a_game_begins_with_everything_on_the_board() -> None:
    state = first_state(load_book("three_point"))
    assert str(state).startswith("P1=0 P2=0 P3=0 left W9 B9 Q=board mv P1 held P1:W0B0")
    assert isinstance(first_state(load_rules("icf")), State)


def test_a_whole_board_hands_out_exactly_its_points() -> None:
    for name, total in (("booklet_family", 160), ("booklet_21", 21), ("three_point", 32)):
        book = load_book(f"{name}+target=0")
        state = first_state(book)
        for stroke in ["W"] * 5 + ["-", "B", "Q,B", "-"] + ["B", "W"] * 4 + ["B"] * 3:
            state = apply(state, StrokeTokens.parse(stroke), book).state
        assert isinstance(state, CollectState)
        assert state.over, str(state)
        assert sum(state.points) == total


def test_the_turn_goes_round() -> None:
    state = "P1=0 P2=0 P3=0 left W9 B9 Q=board mv P1"
    seen = []
    for _ in range(4):
        outcome = judged("three_point", state, "-")
        state = str(outcome.state)
        seen.append(outcome.state.mover)
    assert seen == [1, 2, 0, 1]


def test_a_board_that_is_over_stays_so() -> None:
    over = judged("booklet_21", "P1=21 P2=0 left W3 B1 Q=cov:P1 mv end", "W")
    assert str(over.state) == "P1=21 P2=0 left W3 B1 Q=cov:P1 mv end"
    assert [d.reason for d in over.decisions] == [Reason.BOARD_IS_OVER]


def test_a_queen_that_nobody_put_back_lies_on_the_board_again() -> None:
    late = judged("booklet_21", "P1=5 P2=2 left W6 B5 Q=pend:P1 mv P2", "Q,W")
    assert str(late.state) == "P1=5 P2=6 left W5 B5 Q=cov:P2 mv P2"
    assert not late.certain


def test_the_players_are_named_by_number() -> None:
    outcome = judged("booklet_21", "P1=3 P2=2 left W7 B6 Q=board mv P1", "B,W")
    assert [sentence(d) for d in outcome.decisions] == [
        "Player 1 scores 2 points.",
        "Player 1 pocketed a coin: Player 1 plays again.",
    ]


def test_a_state_of_the_other_kind_is_misuse() -> None:
    book = load_book("booklet_21")
    assert isinstance(book, CollectRules)
    with pytest.raises(TypeError, match="does not play the game"):
        apply(parse_state("W4 B2 Q=board mv W"), StrokeTokens(), load_book("booklet_21"))


def test_the_command_judges_collecting_games() -> None:
    args = ["rule", "--rules", "three_point", "--state", "P1=24 P2=9 P3=7 left W4 B3 Q=cov:P1 mv P1", "--stroke", "B"]
    assert CliRunner().invoke(main, args).output == "P1=25 P2=9 P3=7 left W4 B2 Q=cov:P1 mv end\n"
    ruling = json.loads(CliRunner().invoke(main, [*args, "--json"]).output)
    assert ruling["result"] == {"winner": "P1", "points": {"P1": 25, "P2": 9, "P3": 7}, "game": "P1"}
    assert ruling["board_over"]


@pytest.mark.parametrize(
    ("rules", "state"),
    [("icf", "P1=24 P2=9 left W4 B3 Q=cov:P1 mv P1"), ("booklet_21", "W4 B2 Q=board mv W")],
)
def test_the_command_refuses_a_state_of_the_other_kind(rules: str, state: str) -> None:
    result = CliRunner().invoke(main, ["rule", "--rules", rules, "--state", state, "--stroke", "B"])
    assert result.exit_code == 2
    assert "plays another kind of game than this state" in result.output
