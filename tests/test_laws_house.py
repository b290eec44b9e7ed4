"""House rules: the same engine under other numbers and tables gives the other book's answers."""

from __future__ import annotations

import pytest

from models.rules import Rules, book_text, parse_rules
from referee.laws import Outcome, State, StrokeTokens, Turn, apply
from referee.laws.match_rules import game_result


def house(*changes: tuple[str, str], book: str = "icf") -> Rules:
    """A book, the ICF's if none is named, with pieces of its text replaced; every piece must be there."""
    text = book_text(book)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return parse_rules(text, "house")


def judged(rules: Rules, state: str, stroke: str) -> Outcome:
    return apply(State.parse(state), StrokeTokens.parse(stroke), rules)


def test_a_queen_pocketed_too_early_may_wait_for_the_end_of_the_turn() -> None:
    rules = house(('nothing              = { turn = "pass", law = "R68a", queen = "back" }',
                   'nothing              = { turn = "keep", law = "R68a", queen = "void" }'))  # fmt: skip
    early = judged(rules, "W0 B2 Q=board mv W", "Q")
    assert str(early.state) == "W0 B2 Q=void:W due 0/0 score 0:0 mv W"
    going_on = apply(early.state, StrokeTokens.parse("W"), rules)
    assert str(going_on.state) == "W1 B2 Q=void:W due 0/0 score 0:0 mv W"
    over = apply(going_on.state, StrokeTokens(), rules)
    assert str(over.state) == "W1 B2 Q=board due 0/0 score 0:0 mv B strokes 0"
    assert [piece.kind.value for piece in over.returned] == ["queen"]


def test_penalties_may_wait_for_the_end_of_the_turn() -> None:
    rules = house(('when = "after_stroke"', 'when = "end_of_turn"'))
    first = judged(rules, "W0 B2 Q=board due 1/0 mv W", "W")
    assert str(first.state) == "W1 B2 Q=board due 1/0 score 0:0 mv W"
    assert str(apply(first.state, StrokeTokens(), rules).state).startswith("W0 B2 Q=board due 0/0")


def test_a_striker_that_stays_may_lose_the_turn_at_a_limit() -> None:
    rules = house(("limit = 0", "limit = 3"))
    state = State.parse("W4 B2 Q=board mv W strokes 0")
    seen = []
    for _ in range(3):
        outcome = apply(state, StrokeTokens.parse("foul:no_leave"), rules)
        state = outcome.state
        seen.append((outcome.turn, state.noleave))
    assert seen == [(Turn.KEEP, 1), (Turn.KEEP, 2), (Turn.PASS, 0)]
    assert judged(rules, "W4 B2 Q=board mv W noleave 2", "W").state.noleave == 0


def test_the_opponents_coin_may_go_back() -> None:
    rules = house(('opponent             = { turn = "pass", law = "R21" }',
                   'opponent             = { turn = "pass", law = "R21", opponent = "back" }'))  # fmt: skip
    outcome = judged(rules, "W4 B2 Q=board mv W", "B")
    assert outcome.state.pocketed == (4, 2)
    assert [(piece.kind.value, piece.count) for piece in outcome.returned] == [("black", 1)]


@pytest.mark.parametrize(("stroke", "after"), [("W,off:B", "W4 B2"), ("off:B", "W3 B2"), ("W,off:S", "W4 B2")])
def test_what_leaves_the_board_may_cost_the_turn_and_a_coin(stroke: str, after: str) -> None:
    changes = (
        ("coin_ends_turn = false", "coin_ends_turn = true"),
        ("striker_ends_turn = false", "striker_ends_turn = true"),
    )
    rules = house(*changes, ("coin_penalty = 0", "coin_penalty = 1"), ("striker_penalty = 0", "striker_penalty = 1"))
    outcome = judged(rules, "W4 B2 Q=board mv W", stroke)
    assert str(outcome.state).startswith(after)
    assert outcome.turn is Turn.PASS


def test_an_infringement_may_be_allowed_and_another_forbidden() -> None:
    push, backward = "push               = { verdict = ", "backward           = { verdict = "
    rules = house((f'{push}"foul"', f'{push}"allowed"'), (f'{backward}"allowed"', f'{backward}"foul"'))
    assert judged(rules, "W4 B2 Q=board mv W", "W,foul:push").state.pocketed == (5, 2)
    assert judged(rules, "W4 B2 Q=board mv W", "W,foul:backward").state.pocketed == (3, 2)


def test_a_queen_without_cap_counts_to_the_end() -> None:
    rules = house(("cap = 22", "cap = 0"), ("target_points = 25", "target_points = 29"))
    outcome = judged(rules, "W8 B6 Q=cov:W score 24:5 mv W", "W")
    assert outcome.state.score == (30, 5)
    result = game_result(outcome.state, rules)
    assert result is not None
    assert judged(rules, "W8 B8 Q=cov:W score 24:5 mv W", "W").state.score == (28, 5)


def test_a_queen_may_be_free_from_the_start() -> None:
    rules = house(
        ("needs_own_first = true", "needs_own_first = false"), ("first_cover_coins = 2", "first_cover_coins = 1")
    )
    assert str(judged(rules, "W0 B2 Q=board mv W", "Q").state).startswith("W0 B2 Q=pend:W")
    assert str(judged(rules, "W0 B2 Q=board mv W", "Q,W").state).startswith("W1 B2 Q=cov:W")


def test_a_failed_break_may_cost_a_coin() -> None:
    rules = house(('failed = { turn = "pass", law = "R18b" }', 'failed = { turn = "pass", law = "R18b", penalty = 1 }'))
    assert judged(rules, "W0 B0 Q=board mv W break 2", "foul:no_break").state.dues == (1, 0)


def test_the_other_readings_of_the_sheets_are_house_rules() -> None:
    """Those that docs/house_rules.md names."""
    charged = house(('law = "SR 8.2", flat = 3', 'law = "SR 8.2", points = "left", flat = 3'), book="short_de")
    assert judged(charged, "W6 B8 Q=cov:B score 10:10 mv W", "B").state.score == (10, 16)
    own_opponent = 'own_opponent         = { turn = "pass", law = "BK Versenkung 5" }'
    kept = house((own_opponent, own_opponent.replace("pass", "keep")), book="booklet")
    assert judged(kept, "W4 B2 Q=board mv W", "W,B").turn is Turn.KEEP
    row = 'board          = { row = { turn = "pass", law = "DE 8", own = "last", place = "centre", silent = true } }'
    lost = house((row, 'board = { winner = "opponent", law = "house", flat = 3 }'), book="ch_de")
    assert judged(lost, "W8 B5 Q=board score 1:2 mv W", "W").state.score == (1, 5)
    two = 'striker_own          = { turn = "keep", law = "ES 11", penalty = 2 }'
    each = house((two, two.replace("2 }", '1, own = "back" }')), book="ch_es")
    assert judged(each, "W4 B2 Q=board mv W", "W,W,S").state.pocketed == (3, 2)


BOTH_BACK = 'board          = { row = { turn = "pass", law = "DE 8", own = "last", opponent = "last", silent = true } }'
COVERED = ('striker_own          = { turn = "keep", law = "DE 13", penalty = 1, own = "back", queen = "covered", '
           'place = "centre", silent = true }')  # fmt: skip
LOSES = 'board          = { winner = "opponent", law = "BK Versenkung 5", points = "board", loses = 3 }'
FOUL_4 = (
    'mine_striker   = { row = { turn = "pass", law = "MG Foul 4", penalty = 1, opponent = "last", silent = true } }'
)


@pytest.mark.parametrize(
    ("book", "taken", "other", "state", "stroke", "before", "after"),
    [
        ("ch_de", BOTH_BACK, 'board = { winner = "opponent", law = "ICF R78", points = "queen" }',
         "W8 B8 Q=board mv W", "W,B", "W8 B8 Q=board due 0/0 score 0:0 mv B",
         "W9 B9 Q=board due 0/0 score 0:3 mv end"),
        ("ch_de", COVERED,
         'striker_own = { turn = "keep", law = "ICF R74a", penalty = 1, own = "back", queen = "pending" }',
         "W4 B2 Q=pend:W mv W", "W,S", "W3 B2 Q=cov:W due 0/0 score 0:0 mv W",
         "W3 B2 Q=pend:W due 0/0 score 0:0 mv W"),
        ("ch_de", 'board_striker  = { winner = "nobody", law = "DE 10" }',
         'board_striker = { winner = "opponent", law = "ICF R81", points = "queen" }',
         "W8 B5 Q=board mv W", "W,S", "W7 B5 Q=board due 0/0 score 0:0 mv W",
         "W9 B5 Q=board due 0/0 score 0:3 mv end"),
        ("booklet", LOSES, LOSES.replace('"board", loses', '"none", loses'),
         "W6 B8 Q=board mv W", "B", "W6 B9 Q=board due 0/0 score -3:3 mv end",
         "W6 B9 Q=board due 0/0 score -3:0 mv end"),
        ("masters", 'law = "MG Queen 3", penalty = 1, queen = "covered"',
         'law = "MG Queen 3", penalty = 1, queen = "back"',
         "W4 B2 Q=board mv W", "Q,W,S", "W4 B2 Q=cov:W due 0/0 score 0:0 mv B",
         "W4 B2 Q=board due 0/0 score 0:0 mv B"),
        ("masters", FOUL_4, 'mine_striker = { winner = "opponent", law = "ICF R83a", points = "one" }',
         "W8 B8 Q=cov:W mv W", "W,B,S", "W8 B8 Q=cov:W due 0/0 score 0:0 mv B",
         "W9 B9 Q=cov:W due 0/0 score 0:1 mv end"),
    ],
)  # fmt: skip
def test_what_was_read_in_a_sheet_can_be_read_otherwise(
    book: str, taken: str, other: str, state: str, stroke: str, before: str, after: str
) -> None:
    """Those that docs/house_rules.md names by their row."""
    assert str(judged(house(book=book), state, stroke).state).startswith(before)
    assert str(judged(house((taken, other), book=book), state, stroke).state).startswith(after)


def test_a_cover_may_have_to_fall_elsewhere_in_any_book() -> None:
    rows = "\n[stroke.same_pocket]\n" + "".join(
        f'{fell} = {{ turn = "keep", law = "house", queen = "back" }}\n'
        for fell in ("own", "own_opponent", "striker_own", "striker_own_opponent")
    )
    first_cover = ("first_cover_coins = 2", "other_pocket = true\nfirst_cover_coins = 2")
    rules = house(first_cover, ("[improper]", rows + "\n[improper]"))
    assert str(judged(rules, "W4 B2 Q=pend:W mv W qpocket NE", "W@NE").state).startswith("W5 B2 Q=board")
    assert str(judged(rules, "W4 B2 Q=pend:W mv W qpocket NE", "W@NW").state).startswith("W5 B2 Q=cov:W")
    unseen = judged(rules, "W4 B2 Q=pend:W mv W", "W")
    assert str(unseen.state).startswith("W5 B2 Q=cov:W")
    assert not unseen.certain


@pytest.mark.parametrize(
    ("book", "taken", "other", "state", "stroke", "before", "after"),
    [
        ("booklet", 'mine           = { winner = "mover", law = "BK Versenkung 4", points = "board" }',
         'mine = { winner = "opponent", law = "BK Versenkung 5", loses = 3 }',
         "W8 B6 Q=cov:W score 5:0 mv W", "W", "W9 B6 Q=cov:W due 0/0 score 11:0 mv end",
         "W9 B6 Q=cov:W due 0/0 score 2:0 mv end"),
        ("booklet", "limit = 3", "limit = 4", "W4 B2 Q=board mv W noleave 2", "foul:no_leave",
         "W4 B2 Q=board due 0/0 score 0:0 mv B strokes 0", "W4 B2 Q=board due 0/0 score 0:0 mv W noleave 3"),
        ("icf", 'law = "R37", penalty = 1,', 'law = "R37", penalty = 2,',
         "W4 B2 Q=board mv W", "W,S,foul:push", "W3 B2 Q=board due 0/0 score 0:0 mv B strokes 0",
         "W2 B2 Q=board due 0/0 score 0:0 mv B strokes 0"),
    ],
)  # fmt: skip
def test_the_readings_of_rows_e5_c15_and_of_r50b_have_their_other_one(
    book: str, taken: str, other: str, state: str, stroke: str, before: str, after: str
) -> None:
    assert str(judged(house(book=book), state, stroke).state) == before
    assert str(judged(house((taken, other), book=book), state, stroke).state) == after
