"""The judge as a whole: total, pure, and never losing a coin."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from random_states import states, strokes

from models.pieces import Kind
from models.rules import load_rules
from referee.laws import (
    Certainty,
    DecisionKind,
    Outcome,
    QueenStatus,
    Reason,
    Side,
    State,
    StrokeTokens,
    Turn,
    apply,
)
from referee.laws.match_rules import first_board

ICF = load_rules("icf")


def off_the_board(state: State) -> int:
    """Coins and queen that lie in pockets."""
    return sum(state.pocketed) + (state.queen is not QueenStatus.BOARD)


def returned(outcome: Outcome) -> int:
    """Pieces put back."""
    return sum(piece.count for piece in outcome.returned)


@given(states(unknown=True), strokes)
def test_any_stroke_in_any_state_is_judged(state: State, stroke: StrokeTokens) -> None:
    outcome = apply(state, stroke, ICF)
    assert outcome.decisions
    assert all(0 <= n <= 9 for n in outcome.state.pocketed)
    assert min(outcome.state.dues) >= 0
    assert apply(state, stroke, ICF) == outcome


@given(states(), strokes)
def test_what_falls_is_pocketed_or_put_back(state: State, stroke: StrokeTokens) -> None:
    """Nineteen coins stay nineteen: pockets after = pockets before + fallen + flown - put back."""
    outcome = apply(state, stroke, ICF)
    if outcome.board_over or any(d.reason is Reason.IMPOSSIBLE for d in outcome.decisions):
        return
    gone = [t for t in stroke.tokens if t.piece not in (None, Kind.STRIKER)]
    assert off_the_board(outcome.state) == off_the_board(state) + len(gone) - returned(outcome)


@given(states(), strokes)
def test_the_score_changes_only_when_the_board_ends(state: State, stroke: StrokeTokens) -> None:
    outcome = apply(state, stroke, ICF)
    gained = sum(outcome.state.score) - sum(state.score)
    if outcome.result is None:
        assert gained == 0
    else:
        least = 1 if max(state.pocketed) < 9 else 0  # a colour already cleared leaves nothing to count
        assert least <= gained == outcome.result.points <= 12
        assert outcome.state.over
        assert outcome.state.dues == (0, 0)


@given(states(), strokes)
def test_somebody_plays_next_unless_the_board_is_over(state: State, stroke: StrokeTokens) -> None:
    outcome = apply(state, stroke, ICF)
    assert (outcome.state.mover is None) == outcome.board_over
    assert outcome.turn is None or (outcome.turn is Turn.KEEP) == (outcome.state.mover is state.mover)


@given(states(unknown=True), strokes)
def test_the_state_after_can_be_written_and_read(state: State, stroke: StrokeTokens) -> None:
    after = apply(state, stroke, ICF).state
    assert State.parse(str(after)) == after


@given(st.lists(strokes, max_size=40))
@settings(max_examples=60)
def test_a_played_board_keeps_its_books(game: list[StrokeTokens]) -> None:
    """No due stays open while its owner has a coin to pay with, and no queen hangs over the end of a turn."""
    state = first_board()
    for stroke in game:
        state = apply(state, stroke, ICF).state
        if state.over:
            break
        assert not any(state.dues[s.slot] and state.pocketed[s.slot] for s in Side)
        assert state.queen is not QueenStatus.PENDING or state.queen_side is state.mover
        assert state.strokes != 0 or state.queen is not QueenStatus.PENDING


@given(states(), strokes)
def test_judging_as_unknown_never_contradicts_the_truth(state: State, stroke: StrokeTokens) -> None:
    """Whatever is ruled without knowing the colour is what is ruled when it is known."""
    told = apply(state, stroke, ICF)
    guessed = apply(replace(state, mover=None), stroke, ICF)
    if guessed.turn is not None:
        assert guessed.turn is told.turn
    if guessed.certain and not guessed.board_over:
        assert guessed.state.pocketed == told.state.pocketed
        assert guessed.state.dues == told.state.dues


def test_a_board_that_is_over_takes_no_stroke() -> None:
    state = State.parse("W9 B5 Q=cov:W score 7:0 mv end")
    outcome = apply(state, StrokeTokens.parse("B,S"), ICF)
    assert outcome.state == state
    assert not outcome.certain


def test_more_coins_than_there_are_is_a_question_for_people() -> None:
    outcome = apply(State.parse("W8 B2 Q=cov:B mv B"), StrokeTokens.parse("W,W,B,Q"), ICF)
    assert [d.reason for d in outcome.decisions if d.kind is DecisionKind.NOTE] == [Reason.IMPOSSIBLE]
    assert not outcome.certain


def test_a_missed_stroke_passes_the_turn_whatever_the_colours() -> None:
    outcome = apply(State.parse("W3 B2 Q=board mv ?"), StrokeTokens.parse("-"), ICF)
    assert (outcome.turn, outcome.certain) == (Turn.PASS, True)


def test_one_coin_of_an_unknown_player_is_counted_but_not_ruled() -> None:
    outcome = apply(State.parse("W3 B2 Q=board mv ?"), StrokeTokens.parse("W"), ICF)
    assert outcome.state == State.parse("W4 B2 Q=board mv ?")
    assert outcome.turn is None
    assert not outcome.certain


def test_coins_of_both_colours_keep_the_turn_whatever_the_colours() -> None:
    outcome = apply(State.parse("W3 B2 Q=board mv ?"), StrokeTokens.parse("W,B"), ICF)
    assert outcome.state == State.parse("W4 B3 Q=board mv ?")
    assert (outcome.turn, outcome.certain) == (Turn.KEEP, True)


def test_the_striker_of_an_unknown_player_passes_the_turn_and_leaves_the_penalty_open() -> None:
    outcome = apply(State.parse("W3 B2 Q=board mv ?"), StrokeTokens.parse("S"), ICF)
    assert outcome.state.pocketed == (3, 2)
    assert outcome.turn is Turn.PASS
    assert not outcome.certain


def test_a_queen_whose_cover_nobody_saw_leaves_misses_in_mid_turn_open() -> None:
    unknown = State.parse("W3 B2 Q=? mv W")
    missed = apply(unknown, StrokeTokens.parse("-"), ICF)
    assert (missed.turn, missed.certain) == (Turn.PASS, False)
    assert missed.state.mover is Side.BLACK
    fresh = apply(State.parse("W3 B2 Q=? mv W strokes 0"), StrokeTokens.parse("-"), ICF)
    assert (fresh.turn, fresh.certain) == (Turn.PASS, True)


def test_a_board_won_with_a_queen_that_nobody_saw_covered_is_not_scored() -> None:
    outcome = apply(State.parse("W8 B2 Q=? mv W strokes 0"), StrokeTokens.parse("W"), ICF)
    assert not outcome.certain
    assert outcome.result is None
    assert outcome.state.pocketed == (9, 2)


def test_a_ruling_that_follows_no_law_says_so() -> None:
    outcome = apply(State.parse("W8 B8 Q=cov:W mv W"), StrokeTokens.parse("W,B"), ICF)
    assert Certainty.PROPOSED in {d.certainty for d in outcome.decisions if d.reason is Reason.SILENT}
    assert not outcome.certain


def test_points_on_demand_leave_the_ruling_certain_and_the_score_alone() -> None:
    outcome = apply(State.parse("W8 B5 Q=board mv W"), StrokeTokens.parse("W,S"), ICF)
    assert outcome.certain
    assert outcome.state.score == (0, 3)
    assert outcome.result is not None
    assert outcome.result.on_demand == 1
