"""Collecting games before the camera: each seat a player of its own, points as the coins fall."""

from __future__ import annotations

import pytest
from match_play import Play

from models.pieces import Kind, Seat
from referee.laws import CollectState, OperatorEvent
from referee.match import Action, Correction, MatchError, Start, ruling_line, seats_of

THREE = seats_of({"south": None, "west": None, "east": None})


def game(rules: str = "booklet_21", breaker: str = "south", **start) -> Play:
    play = Play(Start("m", rules, **start))
    play.formation(breaker)
    return play


def test_coins_of_both_colours_are_points_at_once():
    play = game()
    ruling = play.stroke("south", "W,B")
    line = ruling_line(ruling)
    assert (ruling.turn, ruling.certain, line["score"]) == ("south", True, {"P1": 2, "P2": 0})
    assert line["state"] == "P1=2 P2=0 left W8 B8 Q=board mv P1 held P1:W1B1 held P2:W0B0 board 1"
    assert line["colours"] == {"south": None, "north": None}
    view = play.match.view()
    assert (view["score_by_seat"], view["collecting"]) == ({"south": 2, "north": 0}, True)
    assert view["coins_left"] == {"white": 8, "black": 8, "queen": 1}


def test_three_players_play_round_the_board_past_the_empty_side():
    play = game("three_point", seats=THREE)
    seats = ["south"]
    for _ in range(3):
        ruling = play.stroke(seats[-1], "-")
        assert ruling.certain, ruling_line(ruling)
        seats.append(ruling.turn)
    assert seats == ["south", "west", "east", "south"]
    play.stroke("south", "W")
    view = play.match.view()
    assert view["score_by_seat"] == {"south": 2, "west": 0, "east": 0}
    assert [side["seats"] for side in view["sides"]] == [["south"], ["west"], ["east"]]


def test_three_players_must_say_which_side_is_empty():
    with pytest.raises(MatchError, match="tell who sits"):
        Play(Start("m", "three_point"))


def test_the_queen_is_the_players_who_covers_her():
    play = game()
    play.stroke("south", "W")
    assert play.stroke("south", "Q").certain
    assert play.match.view()["queen"] == {"status": "pending", "side": "P1", "seats": ["south"]}
    play.stroke("south", "B")
    view = play.match.view()
    assert view["queen"] == {"status": "covered", "side": "P1", "seats": ["south"]}
    assert view["score_by_seat"]["south"] == 5


def test_a_missed_cover_brings_the_queen_back():
    play = game()
    play.stroke("south", "Q")
    ruling = play.stroke("south", "-")
    assert (ruling.turn, ruling.to_return) == ("north", ((Kind.QUEEN, 1),))
    assert play.stroke("north", "B").certain


def test_another_player_than_ruled_is_a_doubt_and_the_coins_are_his():
    play = game("three_point", seats=THREE)
    play.stroke("south", "-")
    ruling = play.stroke("east", "W")
    assert [d.why.value for d in ruling.doubts] == ["turn_differs"]
    assert play.match.view()["score_by_seat"] == {"south": 0, "west": 0, "east": 2}
    assert play.match.view()["turn"] == "east"


def test_a_stroke_taken_back_takes_its_points_back():
    play = game()
    play.stroke("south", "W")
    before = str(play.match.state)
    play.stroke("south", "B,B", obey=False)
    play.match.add(Correction(Action.UNDO))
    assert str(play.match.state) == before


def test_a_corrected_stroke_changes_the_points_after_the_board_has_ended():
    play = game()
    play.stroke("south", ",".join(["W"] * 9 + ["B"] * 9))
    assert play.stroke("south", "Q").board_over
    assert play.match.view()["winner"] == "south"
    play.match.add(Correction(Action.CORRECT, stroke=1, tokens=play.match.rulings[1].tokens, seat=Seat.NORTH))
    assert play.match.view()["score_by_seat"]["north"] == 18


def test_boards_follow_each_other_until_the_target_and_the_break_goes_round():
    play = Play(Start("m", "three_point", seats=THREE))
    for breaker in ("south", "west"):
        play.formation(breaker)
        for count in ("W,W,W,W,W,W", "W,W,Q", "W,B,B", "B,B,B,B,B,B,B"):
            ruling = play.stroke(breaker, count)
            if ruling.board_over:
                break
        assert ruling.board_over
        if breaker == "south":
            break
    view = play.match.view()
    assert view["match_over"]
    assert view["winner"] == "south"


def test_points_are_carried_from_board_to_board():
    play = Play(Start("m", "three_point", seats=THREE))
    play.formation("south")
    for seat in ("south", "west", "east"):
        play.stroke(seat, "W,W,W")
        play.stroke(seat, "B,B,B" if seat != "east" else "B,B")
        play.stroke(seat, "-")
    play.stroke("south", "Q")
    ruling = play.stroke("south", "B")
    assert ruling.board_over
    assert play.match.view()["score_by_seat"] == {"south": 15, "west": 9, "east": 8}
    assert play.match.view()["breaks_next"] == "west"
    play.formation("west")
    assert str(play.stroke("west", "W").state).startswith("P1=15 P2=11 P3=8 left W8 B9")
    assert play.match.rulings[play.n].certain


def test_who_begins_out_of_order_is_told():
    play = game(seats=seats_of({"north": None, "south": None}))
    assert [d.why.value for d in play.stroke("south", "-").doubts] == ["first_differs"]


def test_a_penalty_nobody_puts_back_is_a_doubt():
    play = game()
    play.stroke("south", "W")
    play.stroke("south", "S", obey=False)
    ruling = play.stroke("north", "-")
    assert [d.why.value for d in ruling.doubts] == ["not_put_back"]
    assert ruling.state.left == (8, 9)


def test_a_game_joined_in_the_middle_counts_from_there_and_is_never_certain():
    play = Play(Start("m", "booklet_family"))
    play.coins = {Kind.WHITE: 4, Kind.BLACK: 5, Kind.QUEEN: 0}
    play.settle()
    ruling = play.stroke("north", "W")
    assert [d.why.value for d in ruling.doubts] == ["points_unknown"]
    assert not ruling.certain
    assert play.match.view()["score_by_seat"] == {"south": 0, "north": 10}


def test_a_told_state_goes_on_with_its_points():
    state = CollectState.parse("P1=7 P2=4 left W4 B4 Q=board mv P2")
    play = Play(Start("m", "booklet_21", state=state))
    play.coins = {Kind.WHITE: 4, Kind.BLACK: 4, Kind.QUEEN: 1}
    play.settle()
    ruling = play.stroke("west", "W")
    assert ruling.certain
    assert play.match.view()["score_by_seat"] == {"west": 5, "east": 7}


@pytest.mark.parametrize(
    ("start", "why"),
    [
        ({"seats": seats_of({"south": "white"})}, "nobody plays a colour"),
        ({"state": CollectState.parse("P1=0 P2=0 P3=0 left W9 B9 Q=board mv P1")}, r"\+players=3"),
    ],
)
def test_what_no_collecting_game_has_is_refused(start, why):
    with pytest.raises(MatchError, match=why):
        Play(Start("m", "booklet_21", **start))


def test_a_foul_before_the_stroke_can_be_told():
    play = game()
    play.stroke("south", "-")
    play.match.add(Correction(Action.OPERATE, event=OperatorEvent.parse("before:cut_moon")))
    assert play.match.view()["turn"] == "north"


def test_the_sentences_call_the_players_by_their_seats():
    play = game("three_point", seats=THREE)
    texts = [d["text"] for d in ruling_line(play.stroke("south", "W"))["decisions"]]
    assert any("South" in text and "2 points" in text for text in texts), texts
    assert not any("Player" in text for text in texts)


@pytest.mark.parametrize(("rules", "points"), [("booklet_21", 2), ("booklet_family", 15)])
def test_a_penalty_paid_with_the_other_colour_is_the_players_choice(rules, points):
    """Row G1: black is proposed; points and coins follow what is put back."""
    play = game(rules)
    play.stroke("south", "W,W,B")
    play.stroke("south", "S", obey=False)
    play.put_back("white")
    ruling = play.stroke("north", "-")
    assert ruling.doubts == ()
    assert ruling.state.left == (8, 8)
    assert ruling.state.held == ((1, 1), (0, 0))
    assert play.match.view()["score_by_seat"]["south"] == points


def test_an_even_game_of_one_board_is_played_anew():
    """Row A5: the booklet's revenge."""
    play = game("booklet_21+players=3", seats=THREE)
    play.stroke("south", "-")
    state = CollectState.parse("P1=7 P2=7 P3=6 left W0 B1 Q=cov:P1 mv P3 board 1")
    play.match.add(Correction(Action.DECLARE, state=state))
    play.coins = {Kind.WHITE: 0, Kind.BLACK: 1, Kind.QUEEN: 0}
    play.settle()
    assert play.stroke("east", "B").board_over
    view = play.match.view()
    assert (view["score_by_seat"], view["match_over"]) == ({"south": 7, "west": 7, "east": 7}, False)
    play.formation("west")
    ruling = play.stroke("west", "W")
    assert str(ruling.state).startswith("P1=0 P2=1 P3=0 left W8 B9")
