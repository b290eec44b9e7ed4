"""What holds in every rule book, whatever is played: nothing gets lost, nobody waits for ever, no stroke is refused."""

from __future__ import annotations

import heapq
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from match_play import Play
from random_states import LEGAL, coins_left, fallen, strokes, to_go, tokens

from models.pieces import Seat
from models.rules import Book, Rules, load_book, rule_names
from referee.laws import AnyOutcome, AnyState, DecisionKind, Reason, Side, StrokeTokens, apply, first_state, parse_state
from referee.match import Action, Correction, Start

MODIFIED = [
    "ch_de+board_60",
    "ch_de+arc_rule",
    "ch_fr+board_60",
    "ch_es+arc_rule",
    "booklet+team",
    "icf+target=9",
    "three_point+players=3",
]
BOOKS = [*rule_names(), *MODIFIED]
RACES = [name for name in BOOKS if isinstance(load_book(name), Rules)]

MOST_TRIES = 3000
"""Strokes tried in search of a board's end; a reachable end is found within some hundreds."""

QUICK = settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
every_book = pytest.mark.parametrize("name", BOOKS)


def played(name: str, game: list[StrokeTokens]) -> list[tuple[AnyState, StrokeTokens, AnyOutcome]]:
    """Each stroke with the state before it, from the start of a board until it is over."""
    book = load_book(name)
    state, walk = first_state(book), []
    for stroke in game:
        if state.over:
            break
        outcome = apply(state, stroke, book)
        walk.append((state, stroke, outcome))
        state = outcome.state
    return walk


def is_possible(outcome: AnyOutcome) -> bool:
    return all(d.reason is not Reason.IMPOSSIBLE for d in outcome.decisions)


@every_book
@QUICK
@given(game=st.lists(strokes, max_size=25))
def test_every_stroke_has_an_answer_that_leads_to_a_state_that_can_be_written(
    name: str, game: list[StrokeTokens]
) -> None:
    for before, stroke, outcome in played(name, game):
        assert outcome.decisions
        assert outcome == apply(before, stroke, load_book(name))
        assert (outcome.state.mover is None) == outcome.state.over
        assert (outcome.result is not None) == outcome.state.over
        assert min(outcome.state.dues) >= 0
        assert parse_state(str(outcome.state)) == outcome.state


@every_book
@QUICK
@given(game=st.lists(strokes, max_size=25))
def test_every_coin_is_on_the_board_in_a_pocket_or_in_a_hand(name: str, game: list[StrokeTokens]) -> None:
    """What lies on the board = what lay there, less what fell or flew, plus what the ruling puts back."""
    for before, stroke, outcome in played(name, game):
        left = coins_left(outcome.state)
        coins = load_book(name).coins
        assert all(0 <= left[kind] <= most for kind, most in (("white", coins), ("black", coins), ("queen", 1)))
        if is_possible(outcome) and not outcome.state.over:
            returned = {piece.kind: 0 for piece in outcome.returned}
            for piece in outcome.returned:
                returned[piece.kind] += piece.count
            for kind, n in coins_left(before).items():
                assert left[kind] == n - fallen(stroke, kind) + returned.get(kind, 0), kind


@pytest.mark.parametrize("name", RACES)
@QUICK
@given(game=st.lists(strokes, max_size=25))
def test_in_a_race_the_score_changes_only_when_the_board_ends(name: str, game: list[StrokeTokens]) -> None:
    for before, _, outcome in played(name, game):
        if not outcome.state.over:
            assert outcome.state.score == before.score  # type: ignore[union-attr]
        else:
            results = [d for d in outcome.decisions if d.kind is DecisionKind.RESULT]
            assert len(results) == 1


@every_book
@QUICK
@given(game=st.lists(strokes, max_size=12))
def test_from_every_state_some_strokes_end_the_board(name: str, game: list[StrokeTokens]) -> None:
    walk = played(name, game)
    state = walk[-1][2].state if walk else first_state(load_book(name))
    assert ends(state, load_book(name)), str(state)


def ends(state: AnyState, book: Book) -> bool:
    """A search that follows the states with the fewest coins to go first."""
    order = count()
    waiting = [(to_go(state), next(order), state)]
    seen, tries = {state}, 0
    while waiting and tries < MOST_TRIES:
        _, _, here = heapq.heappop(waiting)
        if here.over:
            return True
        for stroke in LEGAL:
            tries += 1
            there = apply(here, stroke, book)
            if is_possible(there) and there.state not in seen:
                seen.add(there.state)
                heapq.heappush(waiting, (to_go(there.state), next(order), there.state))
    return False


@every_book
@QUICK
@given(
    game=st.lists(strokes, max_size=8), last=st.lists(tokens, max_size=6), shuffled=st.randoms(use_true_random=False)
)
def test_no_law_asks_in_which_order_pieces_fell(name, game, last, shuffled) -> None:  # type: ignore[no-untyped-def]
    walk = played(name, game)
    state = walk[-1][2].state if walk else first_state(load_book(name))
    other = list(last)
    shuffled.shuffle(other)
    first, second = (apply(state, StrokeTokens(tuple(t)), load_book(name)) for t in (last, other))
    assert first.state == second.state
    assert first.result == second.result
    assert sorted(d.reason for d in first.decisions) == sorted(d.reason for d in second.decisions)


@pytest.mark.parametrize("name", [name for name in RACES if load_book(name).seating.players == 2])
@settings(max_examples=8)
@given(game=st.lists(st.sampled_from(LEGAL), max_size=12))
def test_undoing_every_stroke_leads_back_through_the_same_states(name: str, game: list[StrokeTokens]) -> None:
    play = Play(Start("m", rules=name, seats=((Seat.SOUTH, Side.WHITE), (Seat.NORTH, Side.BLACK))))
    play.formation("south")
    texts = [str(play.match.state)]
    for stroke in game:
        if play.match.state is None or play.match.state.over or play.match.position.turn is None:
            break
        play.stroke(play.match.position.turn, str(stroke))
        texts.append(str(play.match.state))
    for text in reversed(texts[:-1]):
        play.match.add(Correction(Action.UNDO))
        assert str(play.match.state) == text
