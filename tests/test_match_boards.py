"""Boards and matches: who breaks, which colour a seat plays, how the score wanders with the colours."""

from __future__ import annotations

from match_play import Play

from models.pieces import Seat
from referee.laws import Side, State
from referee.match import Start

WHOLE_BOARD = [
    # seat, what the camera saw, whose turn it is afterwards, state afterwards
    ("south", "W", "south", "W1 B0 Q=board due 0/0 score 0:0 mv W board 1"),
    ("south", "-", "north", "W1 B0 Q=board due 0/0 score 0:0 mv B board 1 strokes 0"),
    ("north", "B,B", "north", "W1 B2 Q=board due 0/0 score 0:0 mv B board 1"),
    ("north", "S", "south", "W1 B1 Q=board due 0/0 score 0:0 mv W board 1 strokes 0"),
    ("south", "W,W", "south", "W3 B1 Q=board due 0/0 score 0:0 mv W board 1"),
    ("south", "W,S", "south", "W2 B1 Q=board due 0/0 score 0:0 mv W board 1"),
    ("south", "Q@SE", "south", "W2 B1 Q=pend:W due 0/0 score 0:0 mv W board 1 qpocket SE"),
    ("south", "-", "north", "W2 B1 Q=board due 0/0 score 0:0 mv B board 1 strokes 0"),
    ("north", "B,Q", "north", "W2 B2 Q=cov:B due 0/0 score 0:0 mv B board 1"),
    ("north", "off:W", "south", "W2 B2 Q=cov:B due 0/0 score 0:0 mv W board 1 strokes 0"),
    ("south", "B", "north", "W2 B3 Q=cov:B due 0/0 score 0:0 mv B board 1 strokes 0"),
    ("north", "B,B,B", "north", "W2 B6 Q=cov:B due 0/0 score 0:0 mv B board 1"),
    ("north", "B,B", "north", "W2 B8 Q=cov:B due 0/0 score 0:0 mv B board 1"),
    ("north", "B", None, "W2 B9 Q=cov:B due 0/0 score 0:10 mv end board 1"),
]


def test_a_whole_icf_board_gives_the_expected_turns_and_states_all_certain():
    play = Play()
    play.formation("south")
    for seat, text, turn, state in WHOLE_BOARD:
        ruling = play.stroke(seat, text)
        assert (ruling.turn, str(ruling.state), ruling.certain) == (turn, state, True), ruling
    assert ruling.board_over
    view = play.match.view()
    assert view["score_by_seat"] == {"south": 0, "north": 10}
    assert (view["board_over"], view["breaks_next"], view["turn"]) == (True, "north", None)


def board(play: Play, breaker: str, whites: int = 9, blacks: int = 0) -> None:
    """A board in which `breaker` covers the queen and clears white while black has `blacks` coins pocketed."""
    play.formation(breaker)
    play.stroke(breaker, ",".join(["W"] * (whites - 1) + ["B"] * blacks + ["Q"]))
    play.stroke(breaker, "W")


def test_colours_swap_and_points_stay_with_the_seats():
    play = Play()
    board(play, "south")
    play.formation()
    ruling = play.stroke("north", "W")
    assert dict(ruling.colours) == {Seat.NORTH: Side.WHITE, Seat.SOUTH: Side.BLACK}
    assert ruling.score == (0, 12)
    assert ruling.certain
    view = play.match.view()
    assert view["board"] == 2
    assert view["score_by_seat"] == {"south": 12, "north": 0}
    assert view["score"] == {"white": 0, "black": 12}


def test_a_breaker_out_of_turn_is_a_doubt_and_plays_white_all_the_same():
    play = Play()
    board(play, "south")
    play.formation("south")
    ruling = play.stroke("south", "W")
    assert [d.why for d in ruling.doubts] == ["breaker_differs"]
    assert not ruling.certain
    assert ruling.turn == "south"
    assert ruling.score == (12, 0)
    assert play.stroke("south", "W").certain
    # Breaks alternate from what happened.
    for seat, text in (("south", "Q,W,W,W,W"), ("south", "W,W,W")):
        play.stroke(seat, text)
    assert play.match.view()["breaks_next"] == "north"


def test_three_boards_of_twelve_win_a_game_and_two_games_the_match():
    play = Play()
    for number, breaker in enumerate(["south", "north", "south"], 1):
        board(play, breaker, *(() if breaker == "south" else (9, 0)))
        assert play.match.view()["board"] == number
    view = play.match.view()
    assert view["score_by_seat"] == {"south": 24, "north": 12}
    assert not view["match_over"]
    board(play, "north")
    board(play, "south", blacks=8)
    assert play.match.view()["sides"][0]["games"] == 1
    # The other player breaks first in the second game, and the players have changed seats (R22a, R31).
    assert (view := play.match.view())["breaks_next"] == "south"
    assert view["change_seats"]
    play.formation("south")
    assert play.stroke("south", "-").certain
    view = play.match.view()
    assert (view["game"], view["board"], view["score_by_seat"]) == (2, 1, {"south": 0, "north": 0})
    assert not view["change_seats"]


def test_names_and_games_go_with_the_players_who_change_seats():
    play = Play(Start("m", players=((Seat.SOUTH, "Asha"), (Seat.NORTH, "Ravi")),
                      state=State.parse("W8 B0 Q=cov:W due 0/0 score 20:3 mv W board 2"),
                      seats=((Seat.SOUTH, Side.WHITE), (Seat.NORTH, Side.BLACK))))  # fmt: skip
    play.coins = dict(zip(play.coins, (1, 9, 0), strict=True))
    play.settle()
    play.stroke("south", "W")
    play.formation("north")
    ruling = play.stroke("north", "W")
    assert not ruling.doubts
    view = play.match.view()
    assert view["players"] == {"north": "Asha", "south": "Ravi"}
    assert [(s["players"], s["seats"], s["games"]) for s in view["sides"]] == [
        (["Asha"], ["north"], 1),
        (["Ravi"], ["south"], 0),
    ]


def test_players_who_keep_their_seats_are_a_doubt_and_keep_their_points():
    play = Play(Start("m", state=State.parse("W8 B0 Q=cov:W due 0/0 score 20:3 mv W board 2"),
                      seats=((Seat.SOUTH, Side.WHITE), (Seat.NORTH, Side.BLACK))))  # fmt: skip
    play.coins = dict(zip(play.coins, (1, 9, 0), strict=True))
    play.settle()
    play.stroke("south", "W")
    # Board 2 was broken by south, so the first game by north: the second one begins with south's player.
    play.formation("south")
    ruling = play.stroke("south", "W")
    assert [d.why.value for d in ruling.doubts] == ["seats_kept"]
    assert [side["games"] for side in play.match.view()["sides"]] == [1, 0]
    assert play.match.view()["sides"][0]["seats"] == ["south"]


def test_within_the_last_game_seats_change_at_half_of_it_and_points_go_along():
    play = Play(Start("m", "icf+games=1"))
    board(play, "south")
    assert not play.match.view()["change_seats"]
    board(play, "north", blacks=3)
    board(play, "south")
    view = play.match.view()
    assert view["score_by_seat"] == {"south": 24, "north": 9}
    assert view["change_seats"]
    # North's player breaks the fourth board, from the seat where south's sat.
    play.formation("south")
    assert play.stroke("south", "W").certain
    view = play.match.view()
    assert view["score_by_seat"] == {"south": 9, "north": 24}
    assert not view["change_seats"]


def test_a_club_whose_players_stay_says_so():
    play = Play(Start("m", "icf+games=1+stay"))
    for breaker in ("south", "north", "south"):
        board(play, breaker, blacks=3 if breaker == "north" else 0)
    assert not play.match.view()["change_seats"]
    assert play.match.view()["breaks_next"] == "north"


def test_the_match_ends_with_its_games_and_a_new_formation_begins_a_new_one():
    play = Play(Start("m", state=State.parse("W8 B0 Q=cov:W due 0/0 score 20:0 mv W board 5"),
                      seats=((Seat.SOUTH, Side.WHITE), (Seat.NORTH, Side.BLACK))))  # fmt: skip
    play.coins = dict(zip(play.coins, (1, 9, 0), strict=True))
    play.settle()
    play.stroke("south", "W")
    assert play.match.view()["sides"][0]["games"] == 1
    for breaker in ("north", "south", "north", "south"):
        board(play, breaker)
    view = play.match.view()
    assert not view["match_over"]
    assert view["score_by_seat"] == {"south": 24, "north": 24}
    play.formation("north")
    play.stroke("north", "B,B,B,B,B,B,B,B")
    play.stroke("south", "Q,B")
    view = play.match.view()
    assert (view["match_over"], view["winner"]) == (True, "south")
    play.formation("north")
    play.stroke("north", "-")
    view = play.match.view()
    assert (view["match_over"], view["board"], view["score_by_seat"]) == (False, 1, {"south": 0, "north": 0})


def test_a_formation_that_is_seen_again_after_a_break_that_moved_nothing_away_begins_nothing():
    play = Play()
    play.formation("south")
    play.stroke("south", "-")
    play.formation()
    ruling = play.stroke("north", "B")
    assert ruling.certain
    assert ruling.turn == "north"


def test_failed_break_attempts_keep_their_count_when_the_formation_is_seen_again():
    play = Play()
    play.formation("south")
    for turn in ("south", "south", "north"):
        ruling = play.stroke("south", "-", first_contact=None)
        play.formation(turn)
        assert ruling.turn == turn
        assert ruling.certain
    ruling = play.stroke("north", "B")
    assert dict(ruling.colours)[Seat.NORTH] is Side.BLACK
    assert ruling.turn == "north"


def test_a_board_given_up_for_a_new_formation_is_told_and_counts_for_nobody():
    play = Play()
    play.formation("south")
    play.stroke("south", "W,W")
    play.formation("south")
    ruling = play.stroke("south", "W")
    assert [d.why for d in ruling.doubts] == ["board_abandoned"]
    assert str(ruling.state) == "W1 B0 Q=board due 0/0 score 0:0 mv W board 1"


def test_seats_that_were_told_break_first_with_white():
    play = Play(Start("m", seats=((Seat.SOUTH, Side.WHITE), (Seat.NORTH, Side.BLACK))))
    play.formation("north")
    assert [d.why for d in play.stroke("north", "-").doubts] == ["breaker_differs"]


def test_a_told_state_with_a_standing_formation_keeps_its_score_and_board():
    play = Play(Start("m", state=State.parse("W0 B0 Q=board due 0/0 score 7:12 mv W board 4 break 0 strokes 0"),
                      seats=((Seat.WEST, Side.WHITE), (Seat.EAST, Side.BLACK))))  # fmt: skip
    play.formation("west")
    ruling = play.stroke("west", "W")
    assert str(ruling.state) == "W1 B0 Q=board due 0/0 score 7:12 mv W board 4"
    assert ruling.certain


def test_a_breaker_known_only_by_his_stroke_is_held_against_the_order_of_breaks():
    play = Play()
    board(play, "south")
    play.formation()
    ruling = play.stroke("south", "W")
    assert [d.why for d in ruling.doubts] == ["breaker_differs"]
    play = Play()
    board(play, "south")
    play.formation()
    assert play.stroke("north", "W").certain


def test_how_seats_were_changed_is_read_anew_when_another_one_breaks_than_it_seemed():
    play = Play(Start("m", "icf+games=1"))
    board(play, "south")
    board(play, "north", blacks=3)
    board(play, "south")
    play.formation("north")
    play.formation("south")
    ruling = play.stroke("south", "W")
    assert ruling.certain
    assert play.match.view()["score_by_seat"] == {"south": 9, "north": 24}
