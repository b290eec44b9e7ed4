"""A referee who comes in the middle of a board: what is unknown is null and makes nothing certain."""

from __future__ import annotations

import pytest
from match_play import Play, stroke

from models.pieces import Kind, Seat
from referee.laws import Side, State
from referee.match import Match, MatchError, Start, ruling_line


def mid_board(start: Start | None = None, white: int = 5, black: int = 6, queen: int = 1) -> Play:
    play = Play(start)
    play.coins = {Kind.WHITE: white, Kind.BLACK: black, Kind.QUEEN: queen}
    play.settle()
    return play


def test_coins_not_on_the_board_count_as_pocketed_and_colours_are_null():
    play = mid_board()
    line = ruling_line(play.stroke("south", "W"))
    assert line["colours"] == {"south": None, "north": None}
    assert (line["turn"], line["state"], line["certain"]) == (None, None, False)
    assert line["dues"] == {"white": 0, "black": 0}
    assert play.match.view()["coins_left"] == {"white": 4, "black": 6, "queen": 1}


def test_what_holds_whatever_the_colours_are_is_ruled():
    play = mid_board()
    assert play.stroke("south", "-").turn == "north"


def test_a_queen_that_is_gone_is_nobodys():
    play = mid_board(queen=0)
    line = ruling_line(play.stroke("south", "-"))
    assert (line["queen"], line["queen_side"], line["state"]) == (None, None, None)


def test_told_seats_make_the_ruling_certain():
    play = mid_board(Start("m", seats=((Seat.NORTH, Side.WHITE), (Seat.SOUTH, Side.BLACK))))
    ruling = play.stroke("north", "W")
    assert (ruling.turn, str(ruling.state), ruling.certain) == (
        "north",
        "W5 B3 Q=board due 0/0 score 0:0 mv W",
        True,
    )


def test_a_told_state_without_seats_makes_the_first_player_the_one_to_play():
    play = mid_board(Start("m", state=State.parse("W4 B3 Q=board due 0/1 score 9:5 mv B")))
    ruling = play.stroke("east", "B")
    assert dict(ruling.colours) == {Seat.EAST: Side.BLACK, Seat.WEST: Side.WHITE}
    # The due is paid with the coin just pocketed.
    assert (str(ruling.state), ruling.to_return) == ("W4 B3 Q=board due 0/0 score 9:5 mv B", (("black", 1),))
    assert play.match.view()["score_by_seat"] == {"east": 5, "west": 9}


def test_a_told_state_that_the_board_contradicts_is_a_doubt():
    play = mid_board(Start("m", state=State.parse("W8 B3 Q=board due 0/0 score 0:0 mv W")))
    ruling = play.stroke("south", "W")
    assert [d.why for d in ruling.doubts] == ["put_back_unasked"]
    assert ruling.state.pocketed == (5, 3)
    assert not ruling.board_over


def test_a_stroke_before_any_settled_board_is_ruled_without_a_state():
    match = Match(Start("m"))
    (ruling,) = match.add(stroke(1, "south", "W", 1.0))
    assert ruling.state is None
    assert ruling_line(ruling)["certain"] is False
    assert match.view()["coins_left"] == {"white": None, "black": None, "queen": None}


def test_the_first_settled_board_gives_the_counts_afterwards():
    play = Play()
    play.coins = {Kind.WHITE: 5, Kind.BLACK: 6, Kind.QUEEN: 1}
    play.stroke("south", "-")
    play.stroke("north", "-")
    assert play.match.view()["coins_left"] == {"white": 5, "black": 6, "queen": 1}


def test_the_next_formation_makes_everything_known():
    play = mid_board()
    play.stroke("south", "-")
    play.formation("north")
    ruling = play.stroke("north", "W")
    assert str(ruling.state) == "W1 B0 Q=board due 0/0 score 0:0 mv W board 1"
    assert play.stroke("north", "-").certain


def test_seats_that_cannot_be_are_refused():
    with pytest.raises(MatchError, match="opposite seats"):
        Match(Start("m", seats=((Seat.SOUTH, Side.WHITE), (Seat.WEST, Side.BLACK))))


def test_a_rule_book_that_is_not_there_is_refused():
    with pytest.raises(MatchError, match="unknown rule book"):
        Match(Start("m", rules="chess"))
