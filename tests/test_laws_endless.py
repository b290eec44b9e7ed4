"""Books whose boards or games could never end are refused when they are read."""

from __future__ import annotations

import pytest

from models.rules import RulesError, book_text, parse_book

OWN_MINE = 'mine           = { winner = "mover", law = "R25", points = "board" }'


def refused(book: str, *changes: tuple[str, str]) -> str:
    """The sentence with which the book is refused, pieces of its text replaced."""
    text = book_text(book)
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    with pytest.raises(RulesError) as error:
        parse_book(text, "club")
    return str(error.value)


def own_ending(book: str, endgame: str) -> str:
    """The line of `[end.own]` for an endgame."""
    section = book_text(book).partition("[end.own]")[2].partition("[end.opponent]")[0]
    return next(line for line in section.splitlines() if line.split(" ")[0] == endgame)


@pytest.mark.parametrize("endgame", ["mine", "theirs", "board", "falls", "cover"])
def test_a_last_coin_that_stays_in_while_nobody_wins(endgame: str) -> None:
    line = own_ending("icf", endgame)
    told = refused("icf", (line, f'{endgame} = {{ winner = "nobody", law = "House 1" }}'))
    assert f"end.own.{endgame}: the last coin stays pocketed and the board goes on without end" in told
    assert "name a winner, let a coin go back" in told


def test_an_opponents_last_coin_that_stays_in_while_nobody_wins() -> None:
    told = refused("masters", ('penalty = 1, opponent = "last" } }\ntheirs', "penalty = 1 } }\ntheirs"))
    assert "end.opponent.mine: the last coin stays pocketed" in told


def test_own_coins_that_never_stay_in() -> None:
    own = 'own                  = { turn = "keep", law = "R21" }'
    told = refused("icf", (own, own.replace(" }", ', own = "back" }')))
    assert "takes every own coin back: no board could ever end" in told


def test_a_queen_that_nothing_covers() -> None:
    text = book_text("ch_de").replace('queen = "covered"', 'queen = "back"')
    for endgame in ("falls", "cover"):
        line = own_ending("ch_de", endgame)
        text = text.replace(line, f'{endgame} = {{ row = {{ turn = "pass", law = "House 1", own = "last" }} }}')
    with pytest.raises(RulesError, match="nothing covers the queen"):
        parse_book(text, "club")


def test_endings_without_points() -> None:
    text = book_text("icf")
    for word in ("board", "queen", "queen_uncapped", "one", "left", "left_and_queen", "winner_left"):
        text = text.replace(f'points = "{word}"', 'points = "none"')
    with pytest.raises(RulesError, match="no ending gives points"):
        parse_book(text.replace("flat = 3", "flat = 0"), "club")


def test_a_collecting_game_that_never_ends_or_is_never_won() -> None:
    own = 'own         = { turn = "keep", law = "House 1" }'
    assert "takes every coin back" in refused("points_160", (own, own.replace(" }", ', own = "back" }')))
    nothing = (("white = 20", "white = 0"), ("black = 10", "black = 0"), ("queen = 50", "queen = 0"))
    assert "values are all 0" in refused("points_160", *nothing)
    limits = (("target_points = 160", "target_points = 0"), ("max_boards = 1 ", "max_boards = 0 "))
    assert "no game would ever end" in refused("points_160", *limits)


def test_the_queen_as_last_piece_makes_a_last_coin_without_winner_possible() -> None:
    text = book_text("family_india")
    parse_book(text, "club")
    told = refused("family_india", ('[end.queen]\nwinner = "mover"\nlaw = "House 5"\npoints = "board"\n', ""))
    assert "end.own.board: the last coin stays pocketed" in told
    needs = refused("family_india", ('[end.queen]\nwinner = "mover"', '[end.queen]\nwinner = "nobody"'))
    assert "end.queen needs a winner" in needs


@pytest.mark.parametrize(
    ("book", "change", "told"),
    [
        ("ring_12", ("coins = 12", "coins = 0"), "coins must be at least 1, not 0"),
        ("ring_12", ("coins = 12", "coins = 40"), "coins must be at most 15, not 40"),
        ("points_160", ("players = 4 # House 2", "players = 3"), "seating.players must be 4 where partners play"),
        ("points_160", ("[stroke.early]", "[stroke.earlier]"), "stroke.earlier is unknown"),
    ],
)
def test_numbers_that_no_game_has(book: str, change: tuple[str, str], told: str) -> None:
    assert told in refused(book, change)
