"""From board to board: breaks, colours, games and matches."""

from __future__ import annotations

from importlib import resources

from models.pieces import Seat
from models.rulebook import Direction
from models.rules import load_rules, parse_rules
from referee.laws import Side, State, StrokeTokens, apply
from referee.laws.match_rules import (
    GameEnd,
    breaker_of,
    change_sides,
    first_board,
    game_result,
    match_is_over,
    needs_toss,
    next_board,
    opening,
    order_of_play,
)

ICF = load_rules("icf")
RIGHT = ICF.seating.direction


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
    order = south, north = Seat.SOUTH, Seat.NORTH
    assert [breaker_of(order, board) for board in (1, 2, 3, 8)] == [south, north, south, north]
    assert [breaker_of(order, 1, game) for game in (1, 2, 3)] == [south, north, south]


def test_in_doubles_the_break_goes_round_like_the_turn() -> None:
    order = order_of_play(Seat.SOUTH, Seat, RIGHT)
    assert [breaker_of(order, board) for board in (1, 2, 3, 4, 5)] == [*order, Seat.SOUTH]
    assert [breaker_of(order, 1, game) for game in (1, 2, 3)] == [Seat.SOUTH, Seat.EAST, Seat.SOUTH]


def test_in_singles_the_turn_goes_across() -> None:
    for direction in Direction:
        assert order_of_play(Seat.WEST, (Seat.EAST, Seat.WEST), direction) == (Seat.WEST, Seat.EAST)


def test_the_turn_goes_the_way_of_the_book_round_the_board() -> None:
    clockwise = load_rules("masters").seating.direction
    assert order_of_play(Seat.SOUTH, Seat, clockwise) == (Seat.SOUTH, Seat.WEST, Seat.NORTH, Seat.EAST)
    assert RIGHT is load_rules("ch_de").seating.direction
    assert order_of_play(Seat.SOUTH, Seat, RIGHT) == (Seat.SOUTH, Seat.EAST, Seat.NORTH, Seat.WEST)


def test_three_players_leave_out_the_empty_side() -> None:
    three = (Seat.EAST, Seat.SOUTH, Seat.WEST)
    assert order_of_play(Seat.WEST, three, Direction.CLOCKWISE) == (Seat.WEST, Seat.EAST, Seat.SOUTH)


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


def test_a_match_may_settle_its_own_target_boards_and_games() -> None:
    rules = load_rules("ch_de+target=11+boards=2+games=3")
    assert game_result(ended("11:3", 1), rules) is not None
    assert game_result(ended("8:3", 1), rules) is None
    assert game_result(ended("8:3", 2), rules) is not None
    assert match_is_over((2, 0), rules)
    assert not match_is_over((1, 1), rules)


def test_a_tie_after_the_last_board_asks_for_one_more() -> None:
    for name in ("ch_de", "short_de", "mix25", "icf"):
        assert needs_toss(ended("15:15", 8), load_rules(name))
        assert game_result(ended("15:18", 9), load_rules(name)) is not None


def test_without_a_limit_of_boards_only_the_target_ends_a_game() -> None:
    for name in ("ch_en", "masters", "icf+knockout"):
        assert game_result(ended("20:10", 30), load_rules(name)) is None


def test_a_deduction_goes_below_nothing_unless_a_house_rule_stops_it() -> None:
    state, stroke = State.parse("W8 B5 Q=board score 2:0 mv W"), StrokeTokens.parse("W")
    text = (resources.files("models") / "rulesets" / "booklet.toml").read_text(encoding="utf-8")
    floored = parse_rules(text.replace("negative_scores = true", "negative_scores = false"), "house")
    assert apply(state, stroke, load_rules("booklet")).state.score == (-5, 0)
    assert apply(state, stroke, floored).state.score == (0, 0)


def sides_change(before: str, after: str, board: int, game: int, rules: str = "icf") -> bool:
    start = State.parse(f"W0 B0 Q=board score {before} mv W board {board} break 0")
    return change_sides(start, ended(after, board), game, load_rules(rules))


def test_sides_are_changed_after_each_game() -> None:
    assert sides_change("20:3", "26:3", 5, 1)
    assert not sides_change("10:3", "16:3", 4, 1)
    assert not sides_change("20:3", "26:3", 5, 1, "ch_de")


def test_in_the_last_game_sides_are_changed_once_at_half_of_it() -> None:
    assert sides_change("5:3", "9:3", 4, 3)
    assert sides_change("5:3", "13:3", 2, 3)
    assert not sides_change("13:3", "15:3", 4, 3)
    assert not sides_change("9:3", "14:3", 5, 3)
    assert not sides_change("5:3", "9:3", 3, 3)
