"""Race games of every book in a match: the same strokes from the camera, each book's own rulings, end to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from match_play import Play

from models.pieces import Kind, Seat
from models.rules import Rules, load_book, load_rules, rule_names
from referee.cli import main
from referee.laws import Side, State, StrokeTokens, apply
from referee.match import Ruling, Start

RACES = [name for name in rule_names() if isinstance(load_book(name), Rules) and load_book(name).coins == 9]
MODIFIED = ["ch_de+board_60+arc_rule", "masters+target=11", "icf+knockout"]


def play(rules: str) -> Play:
    told = Play(Start("m", rules=rules, seats=((Seat.SOUTH, Side.WHITE), (Seat.NORTH, Side.BLACK))))
    told.formation("south")
    return told


@pytest.mark.parametrize("name", [*RACES, *MODIFIED])
def test_a_board_is_played_from_the_break_to_its_end(name: str) -> None:
    match = play(name)
    match.stroke("south", "W,W,W,W,W")
    match.stroke("south", "Q@SW")
    ruling = match.stroke("south", "W")
    assert str(ruling.state).startswith("W6 B0 Q=cov:W")
    assert match.stroke("south", "S").turn is Seat.NORTH
    assert match.stroke("north", "B").turn is Seat.NORTH
    assert match.stroke("north", "-").turn is Seat.SOUTH
    ruling = match.stroke("south", "W,W,W,W")
    assert ruling.board_over
    assert ruling.certain, ruling
    won = {"masters": 13, "mix25": 13, "family_india": 13, "masters+target=11": 13}.get(name, 11)
    assert match.match.view()["score_by_seat"] == {"south": won, "north": 0}


def first_strokes(name: str, *strokes: tuple[str, str]) -> list[Ruling]:
    match = play(name)
    return [match.stroke(seat, text) for seat, text in strokes]


@pytest.mark.parametrize(
    ("name", "after", "back"),
    [
        ("icf", "W2 B0 Q=board due 0/0", 2), ("ch_en", "W3 B0 Q=board due 0/0", 1),
        ("ch_fr", "W2 B0 Q=board due 0/0", 2), ("masters", "W3 B0 Q=board due 0/0", 1),
    ],
)  # fmt: skip
def test_the_striker_with_an_own_coin_costs_what_the_book_says(name: str, after: str, back: int) -> None:
    *_, ruling = first_strokes(name, ("south", "W,W,W"), ("south", "W,S"))
    assert str(ruling.state).startswith(after)
    assert sum(count for _, count in ruling.to_return) == back


def test_an_owed_coin_of_the_masters_rules_goes_back_when_the_turn_ends() -> None:
    strokes = [("south", "S"), ("north", "-"), ("south", "W"), ("south", "-")]
    rulings = first_strokes("masters", *strokes)
    states = [ruling.state for ruling in rulings if ruling.state]
    assert [(s.pocketed, s.dues) for s in states] == [
        ((0, 0), (1, 0)),
        ((0, 0), (1, 0)),
        ((1, 0), (1, 0)),
        ((0, 0), (0, 0)),
    ]
    assert [sum(count for _, count in ruling.to_return) for ruling in rulings] == [0, 0, 0, 1]


def test_a_coin_of_the_opponent_goes_back_to_its_owner_in_the_english_leaflet() -> None:
    *_, ruling = first_strokes("ch_en", ("south", "W"), ("south", "B"))
    assert [(kind.value, count) for kind, count in ruling.to_return] == [("black", 1)]
    assert ruling.turn is Seat.NORTH


def test_three_strokes_that_stay_lose_the_turn_in_the_booklet() -> None:
    turns = [r.turn for r in first_strokes("booklet", *[("south", "foul:no_leave")] * 3)]
    assert turns == [Seat.SOUTH, Seat.SOUTH, Seat.NORTH]


@pytest.mark.parametrize(
    ("name", "options", "clause", "turn", "score"),
    [
        ("icf+team", ("--players", "south=Asha,east=Ben,north=Carla,west=Dev"), "R", "east", {"white": 0, "black": 0}),
        ("three_point", ("--seats", "south,west,east"), "M", "west", {"P1": 0, "P2": 0, "P3": 0}),
    ],
)
def test_a_recording_is_refereed_under_the_book_that_is_named(
    name: str,
    options: tuple[str, ...],
    clause: str,
    turn: str,
    score: dict[str, int],
    clip: Path,
    profile_file: Path,
    tmp_path: Path,
) -> None:
    log = tmp_path / "match.jsonl"
    result = CliRunner().invoke(main, ["analyse", str(clip), "--rules", name, *options, "--log", str(log),
                                       "--profile", str(profile_file)])  # fmt: skip
    assert result.exit_code == 0, result.output
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    (ruling,) = [line for line in lines if line["type"] == "ruling"]
    assert (ruling["rules"], ruling["turn"], ruling["score"]) == (name, turn, score)
    assert {decision["law"][: len(clause)] for decision in ruling["decisions"] if decision["law"]} == {clause}
    if "--players" in options:
        assert lines[0]["players"] == {"south": "Asha", "east": "Ben", "north": "Carla", "west": "Dev"}


PLACES = {
    # By book: penalty coin, queen and what to do when the centre is taken, coin that left the board (rows H4, H5, F18,
    # F19, I1 of the rules matrix, by hand).
    "icf": ("outer_circle opponent", "centre umpire cover_most", "centre umpire"),
    "ch_de": ("outer_circle opponent", "centre umpire beside", "middle umpire"),
    "ch_en": ("centre self", "centre umpire on_top", "centre umpire"),
    "ch_fr": ("middle opponent", "centre umpire beside", "middle umpire"),
    "ch_es": ("centre opponent", "centre umpire beside", "middle mover"),
    "short_de": ("main_circle opponent", "centre umpire beside", "centre umpire"),
    "masters": ("main_circle opponent", "centre opponent near", "main_circle opponent"),
    "booklet": ("middle opponent", "centre umpire far_side", "middle umpire"),
    "mix25": ("main_circle opponent", "centre opponent near", "main_circle opponent"),
    "family_india": ("main_circle opponent", "centre opponent beside", "middle opponent"),
}


def told(name: str, stroke: str, kind: Kind, state: str = "W4 B2 Q=board mv W") -> str:
    """Where a piece goes back to and who puts it there."""
    outcome = apply(State.parse(state), StrokeTokens.parse(stroke), load_rules(name))
    return next(f"{r.where} {r.by}" for r in outcome.returned if r.kind is kind)


@pytest.mark.parametrize("name", RACES)
def test_what_goes_back_is_placed_where_and_by_whom_the_book_says(name: str) -> None:
    penalty, queen, left = PLACES[name]
    assert told(name, "S", Kind.WHITE) == penalty
    assert told(name, "S", Kind.BLACK, "W4 B2 Q=board mv B") == penalty
    assert told(name, "S", Kind.WHITE, "W1 B0 Q=cov:W mv W") == penalty
    occupied = load_rules(name).queen.occupied
    for state in ("W4 B2 Q=pend:W mv W", "W1 B8 Q=pend:B mv B", "W8 B1 Q=pend:W due 0/1 mv W"):
        assert f"{told(name, '-', Kind.QUEEN, state)} {occupied}" == queen
    for stroke, kind in (("off:B", Kind.BLACK), ("W,off:B", Kind.BLACK), ("off:Q", Kind.QUEEN)):
        assert told(name, stroke, kind) == left
