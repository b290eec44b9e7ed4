"""From board to board: breaks, colours, games and matches."""

from __future__ import annotations

from models.pieces import Seat
from models.rules import load_rules
from referee.laws import Side, State, StrokeTokens, apply
from referee.laws.match_rules import (
    GameEnd,
    breaker_of,
    colours_of,
    first_board,
    game_result,
    match_is_over,
    needs_toss,
    next_board,
    next_seat,
    opening,
    seats_of,
)

ICF = load_rules("icf")


def ended(score: str, board: int | None = None) -> State:
    return State.parse(f"W9 B3 Q=cov:W score {score} mv end" + (f" board {board}" if board else ""))


def test_a_game_begins_with_white_to_break() -> None:
    assert str(first_board()) == "W0 B0 Q=board due 0/0 score 0:0 mv W board 1 break 0 strokes 0"


def test_the_score_follows_the_seats_when_the_colours_change() -> None:
    assert str(next_board(ended("10:4", 2))) == "W0 B0 Q=board due 0/0 score 4:10 mv W board 3 break 0 strokes 0"


def test_the_score_stays_when_the_same_seat_breaks_again() -> None:
    assert next_board(ended("10:4", 2), same_breaker=True).score == (10, 4)


def test_a_board_in_mid_game_can_be_opened() -> None:
    assert str(opening((7, 9), 4)) == "W0 B0 Q=board due 0/0 score 7:9 mv W board 4 break 0 strokes 0"


def test_breaks_alternate_from_board_to_board_and_from_game_to_game() -> None:
    south, north = Seat.SOUTH, Seat.NORTH
    assert [breaker_of(south, board) for board in (1, 2, 3, 8)] == [south, north, south, north]
    assert [breaker_of(south, 1, game) for game in (1, 2, 3)] == [south, north, south]


def test_the_breaker_plays_white() -> None:
    assert colours_of(Seat.NORTH) == {Seat.NORTH: Side.WHITE, Seat.SOUTH: Side.BLACK}


def test_in_singles_the_turn_goes_across() -> None:
    colours = colours_of(Seat.WEST)
    assert next_seat(Seat.WEST, colours) is Seat.EAST
    assert next_seat(Seat.EAST, colours) is Seat.WEST
    assert seats_of(Side.WHITE, colours) == [Seat.WEST]


def test_in_doubles_the_turn_goes_to_the_right_hand_neighbour() -> None:
    colours = {**colours_of(Seat.SOUTH), **dict.fromkeys((Seat.WEST, Seat.EAST), Side.BLACK), Seat.NORTH: Side.WHITE}
    order = [Seat.SOUTH]
    while len(order) < 4:
        order.append(next_seat(order[-1], colours))
    assert order == [Seat.SOUTH, Seat.EAST, Seat.NORTH, Seat.WEST]


def test_twenty_five_points_win_a_game() -> None:
    result = game_result(ended("25:5"), ICF)
    assert result is not None
    assert (result.winner, result.how) == (Side.WHITE, GameEnd.TARGET)
    assert game_result(ended("24:5"), ICF) is None


def test_the_leader_after_eight_boards_wins_the_game() -> None:
    result = game_result(ended("12:15", 8), ICF)
    assert result is not None
    assert (result.winner, result.how) == (Side.BLACK, GameEnd.BOARDS)
    assert game_result(ended("12:15", 7), ICF) is None


def test_a_tie_after_eight_boards_calls_for_an_extra_board_with_a_toss() -> None:
    tied = ended("15:15", 8)
    assert game_result(tied, ICF) is None
    assert needs_toss(tied, ICF)
    assert not needs_toss(ended("15:15", 7), ICF)
    extra = game_result(ended("16:15", 9), ICF)
    assert extra is not None
    assert extra.how is GameEnd.EXTRA_BOARD


def test_a_board_that_goes_on_ends_no_game() -> None:
    assert game_result(State.parse("W4 B3 Q=board score 26:3 mv W"), ICF) is None


def test_two_games_win_a_best_of_three() -> None:
    assert [match_is_over(games, ICF) for games in ((1, 0), (1, 1), (2, 0), (1, 2))] == [False, False, True, True]


def test_a_whole_board_from_the_break_to_the_result() -> None:
    """Strokes and the side to play after each, as an umpire would call them."""
    game = [
        ("foul:no_break", "W"), ("W", "W"), ("Q", "W"), ("-", "B"), ("B,B", "B"), ("S", "W"), ("W,W,S", "W"),
        ("W,W", "W"), ("B", "B"), ("Q", "B"), ("B,S", "B"), ("B,W", "B"), ("-", "W"), ("W,W", "W"), ("W", "W"),
        ("off:W", "B"), ("foul:cut_moon", "W"), ("W,W", "W"), ("W", "end"),
    ]  # fmt: skip
    state = first_board()
    for stroke, follower in game:
        state = apply(state, StrokeTokens.parse(stroke), ICF).state
        assert f"mv {follower}" in str(state), f"after {stroke}: {state}"
    assert str(state) == "W9 B1 Q=cov:B due 0/0 score 8:0 mv end board 1"
