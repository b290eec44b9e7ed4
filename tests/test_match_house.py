"""Matches by house books: partners who collect together, a choice asked and answered, points lost, twelve coins."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from match_play import Play

from models.pieces import Kind, Seat
from models.rules import book_text, load_book
from referee.laws import QueenStatus, State, StrokeTokens, apply, parse_state
from referee.laws.apply import first_state
from referee.match import Action, Correction, MatchError, Start, ruling_line
from referee.web.access import Role, UmpireSession
from referee.web.suggested_answers import choices_of
from referee.web.umpire_requests import RequestDesk, UmpireRequest

SEATS = ("south", "east", "north", "west")
TABLET = UmpireSession(Role.TABLET, "tablet 1")


def partners() -> Play:
    play = Play(Start("m", "points_160", seats=((Seat.SOUTH, None),)))
    play.formation("south")
    return play


def test_partners_who_collect_share_their_points_and_the_turn_goes_round() -> None:
    play = partners()
    for seat, stroke in (("south", "B"), ("south", "-"), ("east", "W"), ("east", "-"), ("north", "W,B")):
        ruling = play.stroke(seat, stroke)
        assert ruling.certain
    assert ruling.turn is Seat.NORTH
    view = play.match.view()
    assert [(side["seats"], side["score"]) for side in view["sides"]] == [
        (["south", "north"], 40), (["east", "west"], 20)]  # fmt: skip
    assert view["score"] == {"P1": 40, "P2": 20}
    assert view["score_by_seat"] == {"south": 40, "north": 40, "east": 20, "west": 20}
    texts = [d["text"] for d in ruling_line(ruling)["decisions"]]
    assert "North scores 30 points." in texts


def test_a_queen_covered_by_one_partner_is_both_ones_and_160_win() -> None:
    play = partners()
    play.stroke("south", "W,W,W")
    play.stroke("south", "-")
    play.stroke("east", "-")
    play.stroke("north", "Q")
    ruling = play.stroke("north", "W")
    view = play.match.view()
    assert (view["queen"]["seats"], view["sides"][0]["score"]) == (["south", "north"], 130)
    ruling = play.stroke("north", "W,B")
    assert ruling.board_over
    view = play.match.view()
    assert (view["match_over"], view["sides"][0]["games"]) == (True, 1)
    (result,) = [d["text"] for d in ruling_line(ruling)["decisions"] if d["kind"] == "result"]
    assert result.startswith("South and North ")


def test_a_cover_that_fails_costs_points_that_the_scoreboard_shows_at_once() -> None:
    play = partners()
    play.stroke("south", "W,B")
    play.stroke("south", "Q")
    ruling = play.stroke("south", "-")
    assert play.match.view()["score"] == {"P1": 20, "P2": 0}
    assert (ruling.state.queen, ruling.turn) == (QueenStatus.BOARD, Seat.EAST)


def test_points_lost_in_a_race_game_are_shown_in_mid_board() -> None:
    text = book_text("short_de").replace("points = 3               # SR 7", "points = 3\nuncovered_points = 2")
    play = Play(Start("m", "club", book=text))
    play.formation("south")
    for stroke in ("W", "Q", "-"):
        play.stroke("south", stroke)
    view = play.match.view()
    assert view["score"] == {"white": -2, "black": 0}
    assert view["score_by_seat"] == {"south": -2, "north": 0}


def test_a_choice_is_a_question_with_two_answers_that_a_tablet_may_give() -> None:
    play = Play(Start("m", "family_india"))
    play.formation("south")
    play.stroke("south", "W,W")
    ruling = play.stroke("south", "W,S", obey=False)
    assert not ruling.certain
    (question,) = play.match.view()["needs_operator"]
    assert question["reason"] == "choice"
    assert "White may choose otherwise: Black plays next, 1 white coin as penalty." in question["text"]
    first, other = choices_of(ruling, "choice")

    async def taken(_event: Mapping[str, Any]) -> bool:
        return True

    desk = RequestDesk(taken, lambda: play.match)
    assert asyncio.run(desk.submit(UmpireRequest.model_validate(other), TABLET))
    told = Correction(Action.CORRECT, stroke=2, tokens=StrokeTokens.parse(other["stroke_text"]))
    play.match.add(told)
    assert play.match.view()["needs_operator"] == []
    assert (str(play.match.rulings[2].state)[:5], play.match.rulings[2].turn) == ("W2 B0", Seat.NORTH)
    play.match.add(Correction(Action.CORRECT, stroke=2, tokens=StrokeTokens.parse(first["stroke_text"])))
    assert (str(play.match.rulings[2].state)[:5], play.match.rulings[2].turn) == ("W1 B0", Seat.SOUTH)
    assert play.match.rulings[2].certain


def test_a_match_with_twelve_coins_a_side_counts_them() -> None:
    play = Play(Start("m", "ring_12"))
    play.formation("south")
    play.coins = {Kind.WHITE: 12, Kind.BLACK: 12, Kind.QUEEN: 1}
    play.settle()
    ruling = play.stroke("south", "W,W")
    assert str(ruling.state) == "W2 B0 Q=board due 0/0 score 0:0 mv W board 1 coins 12"
    assert ruling.certain
    assert play.match.view()["coins_left"] == {"white": 10, "black": 12, "queen": 1}


def test_a_state_with_another_number_of_coins_is_refused() -> None:
    with pytest.raises(MatchError, match="ring_12 is played with 12 coins of each colour, not 9"):
        Play(Start("m", "ring_12", state=State.parse("W4 B2 Q=board mv W")))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("W10 B2 Q=board mv W", "from 0 to 9"),
        ("W13 B2 Q=board mv W coins 12", "from 0 to 12"),
        ("P1=0 P2=0 left W10 B9 Q=board mv P1", "from 0 to 9"),
        ("P1=0 P2=0 P3=0 left W9 B9 Q=board mv P1 partners", "points of P1 and P2 alone"),
        ("P1=0 P2=0 left W9 B9 Q=board mv P3", "no player beyond P2"),
        ("P1=0 P2=0 left W9 B9 Q=board mv P1 partners held P3:W0B0", "no player beyond P2"),
    ],
)
def test_states_that_cannot_be_are_refused_where_they_are_wrong(line: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_state(line)


@pytest.mark.parametrize(
    "line",
    [
        "W11 B12 Q=cov:B due 0/1 score 3:4 mv W board 2 coins 12",
        "P1=40 P2=20 left W7 B8 Q=pend:P3 mv P3 partners held P1:W1B1 held P2:W1B0 due P2:1 board 1",
    ],
)
def test_states_of_house_books_are_written_as_they_are_read(line: str) -> None:
    assert str(parse_state(line)) == line


def test_the_first_board_of_a_ring_game_has_all_its_coins() -> None:
    assert str(first_state(load_book("ring_12"))).endswith("coins 12")
    after = apply(first_state(load_book("points_160")), StrokeTokens.parse("W,off:Q"), load_book("points_160"))
    assert str(after.state).startswith("P1=20 P2=0 left W8 B9 Q=board mv P1 partners")
