"""The text form of states and strokes: it round-trips, and a mistake is named."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_states import states

from models.pieces import Kind, Pocket
from referee.laws import FoulName, NotationError, Side, State, StrokeTokens, Token, TokenKind


@pytest.mark.parametrize(
    "line",
    [
        "W5 B3 Q=board due 1/0 score 10:8 mv W",
        "W5 B3 Q=pend:W due 0/0 score 10:8 mv W board 8 qpocket NE",
        "W0 B0 Q=board due 0/0 score 0:0 mv B board 1 break 2 strokes 0",
        "W0 B4 Q=cov:B due 0/0 score 0:0 mv B hadown W strokes 0",
        "W0 B0 Q=board due 1/1 score 0:0 mv W hadown W hadown B",
        "W2 B4 Q=void:B due 0/0 score -3:8 mv B noleave 2",
        "W9 B3 Q=cov:W due 0/0 score 25:8 mv end board 4",
        "W9 B3 Q=? due 0/0 score 25:8 mv ?",
    ],
)
def test_a_state_is_written_as_it_is_read(line: str) -> None:
    assert str(State.parse(line)) == line


@given(states(unknown=True))
def test_every_state_round_trips(state: State) -> None:
    assert State.parse(str(state)) == state


def test_fields_may_come_in_any_order_and_zeros_be_left_out() -> None:
    short = State.parse("mv W board 2 B3 W5 Q=board")
    assert short == State.parse("W5 B3 Q=board due 0/0 score 0:0 mv W board 2")


def test_both_sides_may_be_named_in_one_word() -> None:
    assert State.parse("W0 B0 Q=board mv W hadown WB").had_own == (Side.WHITE, Side.BLACK)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("W5 B3 Q=bord mv W", "token 3 'Q=bord'"),
        ("W5 B3 Q=pend mv W", "token 3 'Q=pend'"),
        ("W5 B12 Q=board mv W", "token 2 'B12'"),
        ("W5 B3 Q=board mv X", "token 5 'X'"),
        ("W5 B3 Q=board due 1 mv W", "token 5 '1'"),
        ("W5 B3 Q=board due -1/0 mv W", "token 5 '-1/0'"),
        ("W5 B3 Q=board score 3 mv W", "token 5 '3'"),
        ("W5 B3 Q=board mv W mv B", "token 6 'mv'"),
        ("W5 W4 Q=board mv W", "token 2 'W4'"),
        ("W5 B3 Q=board mv W qpocket N", "token 7 'N'"),
        ("W5 B3 Q=board mv W hadown Q", "token 7 'Q'"),
        ("W5 B3 Q=board mv W board 0", "token 7 '0'"),
        ("W5 B3 Q=board mv W board", "token 7 is missing"),
        ("W5 B3 mv W", "token 5 is missing"),
        ("", "token 1 is missing"),
        ("W5 B3 Q=board mv W (note)", "token 6 '(note)'"),
        ("W5 B3 Q=board mv W strokes ²", "token 7 '²'"),
    ],
)
def test_a_malformed_state_names_the_token(line: str, named: str) -> None:
    with pytest.raises(NotationError) as error:
        State.parse(line)
    assert named in str(error.value)


@pytest.mark.parametrize(
    "line",
    [
        "-",
        "W",
        "W@NE,B,Q@SW,S",
        "off:W,off:S,W",
        "foul:cut_moon",
        "before:placement",
        "S,foul:no_break",
        "W,W,foul:touch",
    ],
)
def test_a_stroke_is_written_as_it_is_read(line: str) -> None:
    assert str(StrokeTokens.parse(line)) == line


tokens = st.one_of(
    st.builds(
        Token, st.just(TokenKind.POCKETED), st.sampled_from(list(Kind)), st.none() | st.sampled_from(list(Pocket))
    ),
    st.builds(Token, st.just(TokenKind.OFF), st.sampled_from(list(Kind))),
    st.sampled_from(list(FoulName)).map(lambda foul: Token(TokenKind.FOUL, foul=foul)),
    st.sampled_from(list(FoulName)).map(lambda foul: Token(TokenKind.BEFORE, foul=foul)),
)


@given(st.lists(tokens, max_size=8))
def test_every_stroke_round_trips(listed: list[Token]) -> None:
    stroke = StrokeTokens(tuple(listed))
    assert StrokeTokens.parse(str(stroke)) == stroke


def test_blanks_do_not_matter_in_a_stroke() -> None:
    assert StrokeTokens.parse(" W , foul:elbow ") == StrokeTokens.parse("W,foul:elbow")
    assert StrokeTokens.parse("") == StrokeTokens.parse("-") == StrokeTokens()


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("W,X", "token 2 'X'"),
        ("W,", "token 2 is missing"),
        ("W@N", "token 1 'W@N'"),
        ("W,off:Z", "token 2 'off:Z'"),
        ("foul:shouting", "token 1 'foul:shouting'"),
        ("B,before:", "token 2 'before:'"),
        ("W foul:elbow", "token 1 'W foul:elbow'"),
        ("off:W@NE", "token 1 'off:W@NE'"),
    ],
)
def test_a_malformed_stroke_names_the_token(line: str, named: str) -> None:
    with pytest.raises(NotationError) as error:
        StrokeTokens.parse(line)
    assert named in str(error.value)


@given(st.text(max_size=40), st.sampled_from([State.parse, StrokeTokens.parse]))
def test_any_text_is_read_or_refused_with_a_sentence(line: str, parse: Callable[[str], object]) -> None:
    with suppress(NotationError):
        assert parse(str(parse(line))) == parse(line)
