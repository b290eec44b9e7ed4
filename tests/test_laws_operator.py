"""The operator's word: what each event does to a state, its text form, and what cannot be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_states import states

from models.rulebook import FoulName
from models.rules import Rules, load_book, load_rules, rule_names
from referee.languages import languages
from referee.laws import (
    CollectState,
    NotationError,
    Reason,
    Side,
    State,
    StrokeTokens,
    Turn,
    apply,
    objection_text,
    parse_state,
    sentence,
)
from referee.laws.operator import objection, operate, outcome_of
from referee.laws.operator_word import EventKind, OperatorEvent

ICF = load_rules("icf")
FAMILY = load_book("booklet_family+players=3")


def why_not(state: State | CollectState, word: OperatorEvent) -> str:
    """The objection in English."""
    found = objection(state, word, ICF if isinstance(state, State) else FAMILY)
    return objection_text(found) if found else ""


def after(state: str, event: str, unplaced: tuple[int, int] = (0, 0)) -> str:
    return str(operate(State.parse(state), OperatorEvent.parse(event), ICF, unplaced).state)


@pytest.mark.parametrize(
    ("before", "event", "expected"),
    [
        # A due that nobody can pay yet is dropped; without a number all of it is (R60).
        ("W0 B2 Q=board due 2/0 mv B", "waive W", "W0 B2 Q=board due 0/0 score 0:0 mv B"),
        ("W0 B2 Q=board due 2/1 mv B", "waive W 2", "W0 B2 Q=board due 0/1 score 0:0 mv B"),
        # A penalty is paid at once where a coin is there (R51a), else owed (R45b).
        ("W4 B2 Q=board mv B", "grant W", "W3 B2 Q=board due 0/0 score 0:0 mv B"),
        ("W4 B0 Q=board mv B", "grant B 2", "W4 B0 Q=board due 0/2 score 0:0 mv B"),
        ("W1 B0 Q=board mv B", "grant W 2", "W0 B0 Q=board due 1/0 score 0:0 mv B hadown W"),
        # Coins on the board again pay what is owed.
        ("W4 B2 Q=board mv B", "return W 2", "W2 B2 Q=board due 0/0 score 0:0 mv B"),
        ("W4 B1 Q=board due 0/2 mv B", "return B", "W4 B0 Q=board due 0/1 score 0:0 mv B hadown B"),
        ("W4 B2 Q=cov:W mv B", "return Q", "W4 B2 Q=board due 0/0 score 0:0 mv B"),
        ("W4 B2 Q=? mv W", "return Q", "W4 B2 Q=board due 0/0 score 0:0 mv W"),
        # A board given up: what is left of the loser's coins, and the queen unless he covered it.
        ("W4 B2 Q=board score 1:2 mv W", "concede W", "W4 B2 Q=board due 0/0 score 1:10 mv end"),
        ("W4 B2 Q=cov:W mv W", "concede W", "W4 B2 Q=cov:W due 0/0 score 0:5 mv end"),
        ("W4 B2 Q=cov:B mv W", "concede W", "W4 B2 Q=cov:B due 0/0 score 0:8 mv end"),
        ("W4 B2 Q=cov:B score 3:22 mv W", "concede W", "W4 B2 Q=cov:B due 0/0 score 3:27 mv end"),
        ("W0 B0 Q=board mv W board 3", "concede B", "W0 B0 Q=board due 0/0 score 12:0 mv end board 3"),
        ("W4 B2 Q=board due 1/1 mv W", "result B 5", "W4 B2 Q=board due 0/0 score 0:5 mv end"),
        ("W4 B2 Q=board mv W", "result W 0", "W4 B2 Q=board due 0/0 score 0:0 mv end"),
        ("W4 B2 Q=pend:W due 1/0 score 3:4 mv W board 2", "replay",
         "W0 B0 Q=board due 0/0 score 3:4 mv W board 2 break 0 strokes 0"),
        ("W4 B2 Q=board mv W", "timeout W", "W4 B2 Q=board due 0/0 score 0:0 mv W"),
        # A foul noticed before the stroke: technical before the first of a turn (R36a), else the turn is over (R37a).
        ("W4 B2 Q=board mv W strokes 0", "before:placement", "W3 B2 Q=board due 0/0 score 0:0 mv W strokes 0"),
        ("W4 B2 Q=board mv W", "before:elbow", "W3 B2 Q=board due 0/0 score 0:0 mv B strokes 0"),
    ],
)  # fmt: skip
def test_each_word_does_what_it_says(before: str, event: str, expected: str) -> None:
    assert after(before, event) == expected


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        # The penalty was ruled back and nobody has put it there: waived, it stays in the pocket.
        ("waive W", "W4 B2 Q=board due 0/0 score 0:0 mv B"),
        # Told as put back, it is where the ruling has it already.
        ("return W", "W3 B2 Q=board due 0/0 score 0:0 mv B"),
        ("return W 2", "W2 B2 Q=board due 0/0 score 0:0 mv B"),
    ],
)
def test_a_coin_ruled_back_but_not_put_back_is_counted_once(event: str, expected: str) -> None:
    assert after("W3 B2 Q=board mv B", event, unplaced=(1, 0)) == expected


def test_what_a_granted_due_puts_back_is_told() -> None:
    outcome = operate(State.parse("W4 B2 Q=board mv B"), OperatorEvent.parse("grant W 2"), ICF)
    assert [(r.kind.value, r.count) for r in outcome.returned] == [("white", 2)]


@pytest.mark.parametrize(
    ("state", "event", "why"),
    [
        ("W4 B2 Q=board mv W", "waive W", "owes no more than 0 coins"),
        ("W4 B2 Q=board due 0/1 mv W", "waive B 2", "owes no more than 1 coin"),
        ("W1 B2 Q=board mv W", "return W 2", "only 1 white coin is off the board"),
        # All or none (R60), and twelve points are the most that a board gives (R28).
        ("W0 B2 Q=board due 2/0 mv B", "waive W 1", "all together or not at all: White owes 2 coins"),
        ("W4 B2 Q=board mv W", "result B 13", "no board of this rule book gives more than 12 points"),
        ("W1 B2 Q=board mv W", "return Q", "lies on the board"),
        ("W9 B2 Q=cov:W mv end", "concede W", "the board is over"),
        ("W1 B2 Q=board mv ?", "before:push", "not known who plays"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason_and_changes_nothing(state: str, event: str, why: str) -> None:
    before, word = State.parse(state), OperatorEvent.parse(event)
    assert why in why_not(before, word)
    outcome = operate(before, word, ICF)
    assert outcome.state == before
    assert [d.reason for d in outcome.decisions] == [Reason.IMPOSSIBLE]


def test_a_stroke_and_a_word_go_through_the_same_door() -> None:
    state = State.parse("W4 B2 Q=board mv W strokes 0")
    assert outcome_of(state, StrokeTokens.parse("W"), ICF) == apply(state, StrokeTokens.parse("W"), ICF)
    foul = outcome_of(state, OperatorEvent.parse("before:push"), ICF)
    assert foul == apply(state, StrokeTokens.parse("before:push"), ICF)
    assert foul.turn is Turn.KEEP


def test_a_collecting_game_takes_a_foul_before_the_stroke_and_nothing_else() -> None:
    book = load_book("booklet_21")
    state = parse_state("P1=1 P2=0 left W9 B8 Q=board mv P1 strokes 0")
    assert outcome_of(state, OperatorEvent.parse("before:push"), book) == apply(
        state, StrokeTokens.parse("before:push"), book
    )
    refused = outcome_of(state, OperatorEvent.parse("waive W"), book)
    assert refused.state == state
    assert [d.reason for d in refused.decisions] == [Reason.IMPOSSIBLE]
    assert refused.result is None


@pytest.mark.parametrize("name", [name for name in rule_names() if isinstance(load_book(name), Rules)])
def test_every_race_book_takes_every_word(name: str) -> None:
    state = State.parse("W4 B2 Q=pend:W due 0/1 score 20:22 mv W board 2")
    for text in ("before:push", "waive B", "grant W 2", "return W", "return Q", "concede B", "timeout W", "result W 3"):
        outcome = operate(state, OperatorEvent.parse(text), load_rules(name))
        assert State.parse(str(outcome.state)) == outcome.state
        assert min(outcome.state.dues) >= 0


def test_the_docs_show_events_that_can_be_told() -> None:
    text = (Path(__file__).parent.parent / "docs" / "umpire.md").read_text(encoding="utf-8")
    rows = text.split("| event | what follows |")[1].splitlines()
    told = [event for row in rows if row.startswith("| `") for event in re.findall(r"`([^`]+)`", row.split("|")[1])]
    assert {OperatorEvent.parse(event).act for event in told} == set(EventKind)


sides = st.sampled_from(list(Side))
counted = st.sampled_from([EventKind.WAIVE, EventKind.GRANT, EventKind.RETURN])
events = st.one_of(
    st.builds(OperatorEvent, st.just(EventKind.BEFORE), foul=st.sampled_from(list(FoulName))),
    st.builds(
        OperatorEvent,
        counted,
        sides,
        st.none() | st.integers(1, 9),
    ),
    st.builds(OperatorEvent, st.sampled_from([EventKind.CONCEDE, EventKind.TIME_OUT]), sides),
    st.builds(OperatorEvent, st.just(EventKind.RESULT), sides, st.integers(0, 99)),
    st.sampled_from([OperatorEvent(EventKind.REPLAY), OperatorEvent(EventKind.RETURN)]),
)


@given(events)
def test_every_event_round_trips(event: OperatorEvent) -> None:
    assert OperatorEvent.parse(str(event)) == event


@given(states(unknown=True), events)
def test_any_word_in_any_state_is_answered_and_told_in_every_language(state: State, event: OperatorEvent) -> None:
    outcome = operate(state, event, ICF)
    assert outcome.decisions
    assert all(0 <= n <= 9 for n in outcome.state.pocketed)
    assert min(outcome.state.dues) >= 0
    assert State.parse(str(outcome.state)) == outcome.state
    assert (outcome.result is None) == (outcome.state.over == state.over)
    for language in languages():
        assert all(sentence(decision, language).endswith((".", "।", "۔")) for decision in outcome.decisions)


@given(states(), events)
def test_coins_are_neither_made_nor_lost_and_only_the_end_of_a_board_scores(state: State, event: OperatorEvent) -> None:
    outcome = operate(state, event, ICF)
    if outcome.result is None:
        assert outcome.state.score == state.score
    if event.act in (EventKind.WAIVE, EventKind.TIME_OUT):
        assert outcome.state.pocketed == state.pocketed
    if event.act is EventKind.GRANT and not state.over:
        back = sum(r.count for r in outcome.returned)
        assert sum(state.pocketed) - sum(outcome.state.pocketed) == back
        assert sum(outcome.state.dues) == sum(state.dues) + (event.count or 1) - back


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("", "token 1 is missing"),
        ("shout W", "token 1 'shout'"),
        ("waive", "token 2 is missing"),
        ("waive Q", "token 2 'Q'"),
        ("waive W 0", "token 3 '0'"),
        ("waive W many", "token 3 'many'"),
        ("return Q 2", "token 3 '2'"),
        ("return X", "token 2 'X'"),
        ("grant B 1 now", "token 4 'now'"),
        ("result W", "token 3 is missing"),
        ("result W 100", "token 3 '100'"),
        ("result W -5", "token 3 '-5'"),
        ("concede W 3", "token 3 '3'"),
        ("replay W", "token 2 'W'"),
        ("before:", "token 1 'before:'"),
        ("before", "token 1 'before'"),
        ("before:push,W", "token 1 'before:push,W'"),
        ("before:push W", "token 2 'W'"),
        ("before:shouting", "token 1 'before:shouting'"),
    ],
)
def test_a_malformed_event_names_the_token(line: str, named: str) -> None:
    with pytest.raises(NotationError) as error:
        OperatorEvent.parse(line)
    assert named in str(error.value)


COLLECT = load_book("booklet_family")
"""White 10, black 5, queen 25 points."""


@pytest.mark.parametrize(
    ("before", "event", "expected"),
    [
        ("P1=10 P2=0 left W8 B9 Q=board mv P2 due P2:2", "waive P2", "P1=10 P2=0 left W8 B9 Q=board mv P2"),
        ("P1=10 P2=0 left W8 B9 Q=board mv P2 due P2:2", "waive P2 1", "P1=10 P2=0 left W8 B9 Q=board mv P2 due P2:1"),
        ("P1=10 P2=0 left W8 B9 Q=board mv P2 held P1:W1B0", "grant P1",
         "P1=0 P2=0 left W9 B9 Q=board mv P2 held P1:W0B0 held P2:W0B0"),
        ("P1=0 P2=0 left W9 B9 Q=board mv P2", "grant P1 2", "P1=0 P2=0 left W9 B9 Q=board mv P2 due P1:2"),
        ("P1=15 P2=5 left W8 B7 Q=board mv P1 held P1:W1B1 P2:W0B1", "return P1 B",
         "P1=10 P2=5 left W8 B8 Q=board mv P1 held P1:W1B0 held P2:W0B1"),
        ("P1=15 P2=0 left W8 B8 Q=board mv P1 due P1:1", "return P1 W 1", "P1=5 P2=0 left W9 B8 Q=board mv P1"),
        ("P1=35 P2=0 left W8 B9 Q=cov:P1 mv P1", "return Q", "P1=10 P2=0 left W8 B9 Q=board mv P1"),
        ("P1=10 P2=5 left W1 B2 Q=cov:P1 mv P1", "concede P1", "P1=10 P2=25 left W1 B2 Q=cov:P1 mv end"),
        ("P1=10 P2=5 left W1 B2 Q=board mv P1", "result P2 30", "P1=10 P2=35 left W1 B2 Q=board mv end"),
        ("P1=10 P2=5 left W8 B8 Q=board mv P1", "timeout P2", "P1=10 P2=5 left W8 B8 Q=board mv P1"),
        ("P1=40 P2=7 left W8 B8 Q=cov:P1 mv P2 held P1:W1B0 P2:W0B1 board 2", "replay",
         "P1=5 P2=2 left W9 B9 Q=board mv P1 held P1:W0B0 held P2:W0B0 board 2 break 0 strokes 0"),
        ("P1=10 P2=5 left W8 B8 Q=board mv P1", "before:push", "P1=10 P2=5 left W8 B8 Q=board mv P1"),
    ],
)  # fmt: skip
def test_each_word_holds_in_a_collecting_game_too(before: str, event: str, expected: str) -> None:
    word = OperatorEvent.parse(event)
    assert str(OperatorEvent.parse(str(word))) == str(word)
    outcome = outcome_of(parse_state(before), word, COLLECT)
    assert str(outcome.state) == expected
    for language in languages():
        texts = [sentence(decision, language) for decision in outcome.decisions]
        assert all(texts)
        assert not any("None" in text for text in texts)


@pytest.mark.parametrize(
    ("event", "why"),
    [
        ("waive W", "name one of the players 1 to 3"),
        ("grant P4", "name one of the players 1 to 3"),
        ("waive P1", "Player 1 owes no more than 0 coins"),
        ("return P1 W 3", "only 2 white coins are off the board"),
        ("return P2 W", "Player 2 has no more than 0 white coins"),
        ("return Q", "the queen lies on the board already"),
        ("concede P1", "with more than two players"),
        ("result P2 3", "Player 2 would have 8 points and not the most"),
    ],
)
def test_what_cannot_be_in_a_collecting_game_is_refused_in_a_sentence(event: str, why: str) -> None:
    state = parse_state("P1=20 P2=5 P3=0 left W7 B8 Q=board mv P1 held P1:W2B0 P2:W0B1")
    word = OperatorEvent.parse(event)
    assert why in why_not(state, word)
    outcome = outcome_of(state, word, load_book("booklet_family+players=3"))
    assert outcome.state == state
    assert outcome.decisions[0].reason is Reason.IMPOSSIBLE


def test_a_race_game_has_no_players_by_number() -> None:
    assert "White or Black" in why_not(State.parse("W4 B2 Q=board mv W"), OperatorEvent.parse("waive P1"))


@pytest.mark.parametrize(
    ("book", "most"), [("icf", 12), ("ch_de", 12), ("short_de", 12), ("masters", 14), ("icf+target=29", 12)]
)
def test_the_most_points_of_a_board_are_the_books(book: str, most: int) -> None:
    """R28 and the Masters sheet say it; elsewhere it is all coins, the queen, and what an ending adds."""
    rules, state = load_rules(book), State.parse("W4 B2 Q=board mv W")
    assert objection(state, OperatorEvent.parse(f"result W {most}"), rules) is None
    found = objection(state, OperatorEvent.parse(f"result W {most + 1}"), rules)
    assert found is not None
    for language in languages():
        assert str(most) in objection_text(found, language)


def test_a_book_that_does_not_say_all_or_none_lets_a_part_be_waived() -> None:
    state, part = State.parse("W0 B2 Q=board due 2/0 mv B"), OperatorEvent.parse("waive W 1")
    assert objection(state, part, load_rules("masters")) is None
