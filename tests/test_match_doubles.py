"""Doubles: four seats in the order of the book, partners who share colour and score, a partner out of turn."""

from __future__ import annotations

import pytest
from match_play import Play

from models.pieces import Kind, Seat
from referee.laws import Side, State
from referee.match import Action, Correction, MatchError, Start, correction_of, ruling_line, start_fields, start_of

SEATS = ("south", "east", "north", "west")
"""Counter-clockwise: each player's right-hand neighbour follows (R22b)."""


def doubles(rules: str = "icf+team", **start) -> Play:
    play = Play(Start("m", rules, **start))
    play.formation("south")
    return play


def turns(play: Play, strokes: int = 5) -> list[str | None]:
    """Who plays when nobody pockets anything."""
    seats = [Seat.SOUTH]
    for _ in range(strokes - 1):
        ruling = play.stroke(seats[-1], "-")
        assert ruling.certain
        seats.append(ruling.turn)
    return seats


def test_the_turn_goes_to_the_right_hand_neighbour():
    assert turns(doubles()) == [*SEATS, "south"]


@pytest.mark.parametrize("rules", ["masters+team", "booklet+team", "mix25+team"])
def test_by_other_books_the_turn_goes_clockwise(rules):
    assert turns(doubles(rules)) == ["south", "west", "north", "east", "south"]


def test_partners_share_a_colour_and_whoever_pockets_plays_on():
    play = doubles()
    ruling = play.stroke("south", "W")
    assert dict(ruling.colours) == {
        Seat.SOUTH: Side.WHITE, Seat.WEST: Side.BLACK, Seat.NORTH: Side.WHITE, Seat.EAST: Side.BLACK,
    }  # fmt: skip
    assert ruling.turn == "south"
    play.stroke("south", "-")
    assert play.stroke("east", "B").turn == "east"
    play.stroke("east", "-")
    assert str(play.stroke("north", "W").state) == "W2 B1 Q=board due 0/0 score 0:0 mv W board 1"


def test_a_partner_out_of_turn_is_a_doubt_and_what_the_book_says_is_proposed():
    play = doubles()
    play.stroke("south", "-")
    play.stroke("east", "-")
    ruling = play.stroke("south", "W")
    assert [d.why.value for d in ruling.doubts] == ["turn_differs"]
    assert not ruling.certain
    (question,) = play.match.view()["needs_operator"]
    assert (question["reason"], question["stroke_text"]) == ("out_of_turn", "W@NE,foul:out_of_turn")
    assert "South" in ruling_line(ruling)["decisions"][-2]["text"]
    play.stroke("south", "W")
    assert play.match.view()["needs_operator"] == [], "it stands once the next stroke is played"
    play.match.add(Correction(Action.UNDO))
    assert len(play.match.view()["needs_operator"]) == 1
    # R24 as the umpire's word: the board is lost.
    play.match.add(Correction(Action.ACCEPT, stroke=3, foul="out_of_turn"))
    assert play.match.rulings[3].board_over
    assert play.match.view()["score_by_seat"] == {"south": 0, "north": 0, "west": 12, "east": 12}


def test_the_partners_stroke_stands_when_the_umpire_refuses():
    play = doubles()
    play.stroke("south", "-")
    play.stroke("north", "W")
    play.match.add(Correction(Action.REFUSE, stroke=2, foul="out_of_turn"))
    assert play.match.rulings[2].turn == "north"
    assert play.match.view()["needs_operator"] == []


def test_a_stroke_taken_back_gives_the_turn_back_to_the_same_partner():
    play = doubles()
    play.stroke("south", "-")
    play.stroke("east", "-")
    before = play.match.view()
    play.stroke("north", "W,S", obey=False)
    play.match.add(Correction(Action.UNDO))
    after = play.match.view()
    assert (after["turn"], after["coins_left"], after["dues"]) == ("north", before["coins_left"], before["dues"])


def test_a_corrected_stroke_moves_the_turns_of_those_after_it():
    play = doubles()
    play.stroke("south", "-")
    play.stroke("east", "-")
    play.match.add(Correction(Action.CORRECT, stroke=1, tokens=play.match.rulings[1].tokens, seat=Seat.NORTH))
    assert play.match.rulings[1].turn == "west"
    assert [d.why.value for d in play.match.rulings[2].doubts] == ["turn_differs"]


def board(play: Play, breaker: str, blacks: int = 7) -> None:
    """A board that `breaker` clears alone, with so many of the others' coins."""
    play.formation(breaker)
    play.stroke(breaker, ",".join(["W"] * 8 + ["Q"] + ["B"] * blacks))
    play.stroke(breaker, "W")


def test_breaks_go_round_and_points_are_the_partners():
    play = Play(Start("m", "icf+team"))
    for breaker in SEATS:
        if play.n:
            assert play.match.view()["breaks_next"] == breaker
        board(play, breaker)
        assert play.match.rulings[play.n].certain
    view = play.match.view()
    assert [side["score"] for side in view["sides"]] == [10, 10]
    assert [side["seats"] for side in view["sides"]] == [["south", "north"], ["east", "west"]]


def test_a_partner_who_breaks_out_of_turn_is_told():
    play = Play(Start("m", "icf+team"))
    board(play, "south")
    play.formation("west")
    ruling = play.stroke("west", "-")
    assert [d.why.value for d in ruling.doubts] == ["breaker_differs"]
    assert ruling.turn == "south"


def test_names_and_the_queens_holders_are_told_by_seat():
    names = tuple(zip(map(Seat, SEATS), ("Asha", "Ben", "Carla", "Dev"), strict=True))
    play = doubles(players=names)
    play.stroke("south", "W,W,Q")
    view = play.match.view()
    assert [side["players"] for side in view["sides"]] == [["Asha", "Carla"], ["Ben", "Dev"]]
    assert view["queen"] == {"status": "covered", "side": "white", "seats": ["south", "north"]}
    start = start_of({"type": "header", **start_fields(play.match.start)})
    assert start == play.match.start


def test_told_seats_begin_with_the_player_to_play():
    seats = correction_of({"action": "declare", "seats": {"west": "black", "south": "white"}}).seats
    state = State.parse("W4 B3 Q=board due 0/0 score 3:4 mv B board 2")
    play = Play(Start("m", "icf+team", seats=seats, state=state))
    play.coins = {Kind.WHITE: 5, Kind.BLACK: 6, Kind.QUEEN: 1}
    play.settle()
    assert play.match.view()["turn"] == "west"
    ruling = play.stroke("west", "-")
    assert (ruling.turn, ruling.certain) == ("south", True)
    assert play.match.view()["score_by_seat"] == {"west": 4, "east": 4, "south": 3, "north": 3}


def test_a_state_declared_in_mid_board_leaves_the_turn_with_the_partner_who_has_it():
    play = doubles()
    play.stroke("south", "-")
    play.stroke("east", "-")
    play.match.add(Correction(Action.DECLARE, state=State.parse("W3 B0 Q=board mv W board 1")))
    assert play.match.view()["turn"] == "north"
    play.match.add(Correction(Action.DECLARE, state=State.parse("W3 B0 Q=board mv B board 1")))
    assert play.match.view()["turn"] == "west"


@pytest.mark.parametrize(
    ("rules", "seats", "why"),
    [
        ("icf+team", {"south": "white", "north": "black"}, "partners share a colour"),
        ("icf", {"south": "white", "east": "black", "north": "white"}, "icf has 2 players, not 3"),
        ("icf", {"south": "white", "east": "black"}, "name two opposite seats"),
        ("icf", {"south": "white", "north": "white"}, "one plays white, one black"),
    ],
)
def test_seats_that_no_doubles_have_are_refused(rules, seats, why):
    told = correction_of({"action": "declare", "seats": seats}).seats
    with pytest.raises(MatchError, match=why):
        Play(Start("m", rules, seats=told))


def test_the_sentences_say_which_partner_plays():
    play = doubles()
    texts = [d["text"] for d in ruling_line(play.stroke("south", "-"))["decisions"]]
    assert "Nothing was pocketed: East plays next." in texts
    play.stroke("east", "B")
    texts = [d["text"] for d in ruling_line(play.stroke("east", "S"))["decisions"]]
    assert "The striker was pocketed: North plays next." in texts
    assert any("Black" in text for text in texts)


def test_four_players_move_one_seat_to_the_right_and_the_next_breaker_is_known():
    """R32, R33: after each game, and in the last one at half of it."""
    play = Play(Start("m", "icf+team+games=1", players=((Seat.SOUTH, "Asha"), (Seat.EAST, "Ben"))))
    for breaker in ("south", "east"):
        board(play, breaker, blacks=0)
    assert play.match.view()["change_seats"] is False
    board(play, "north", blacks=0)
    assert play.match.view()["change_seats"]
    assert play.match.view()["breaks_next"] == "south"
    # West's player breaks from south: all sit one place further to the right.
    play.formation("south")
    ruling = play.stroke("south", "-")
    assert ruling.certain
    view = play.match.view()
    assert {seat: name for seat, name in view["players"].items() if name} == {"east": "Asha", "north": "Ben"}
    assert view["score_by_seat"] == {"east": 24, "west": 24, "north": 12, "south": 12}


def test_north_breaks_the_second_game_of_four_when_south_broke_the_first():
    play = Play(Start("m", "icf+team", players=((Seat.SOUTH, "Asha"), (Seat.EAST, "Ben"))))
    for breaker in ("south", "east", "north"):
        board(play, breaker, blacks=0)
    assert play.match.view()["sides"][0]["games"] == 0
    # Each board is worth twelve points: the third one by a side wins the game.
    board(play, "west", blacks=0)
    board(play, "south", blacks=0)
    view = play.match.view()
    assert (view["sides"][0]["games"], view["change_seats"], view["breaks_next"]) == (1, True, "north")
    play.formation("north")
    ruling = play.stroke("north", "-")
    assert ruling.certain
    view = play.match.view()
    assert (view["game"], view["board"]) == (2, 1)
    assert {seat: name for seat, name in view["players"].items() if name} == {"east": "Asha", "north": "Ben"}


@pytest.mark.parametrize(("breaker", "why"), [("east", "seats_kept"), ("west", "seats_moved")])
def test_four_who_change_seats_otherwise_than_by_the_book_are_asked_about(breaker, why):
    play = Play(Start("m", "icf+team"))
    for first in ("south", "east", "north", "west", "south"):
        board(play, first, blacks=0)
    play.formation(breaker)
    ruling = play.stroke(breaker, "-")
    assert [d.why.value for d in ruling.doubts] == [why]
    assert not ruling.certain
