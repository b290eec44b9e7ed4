"""Lines of the log: their check, their order, their numbers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.log import LineError, decode, encode

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
LINES = st.dictionaries(st.text().filter(lambda k: k not in ("check", "line", "after")), JSON, max_size=5).map(
    lambda d: {**d, "type": "any"}
)


@given(LINES)
def test_a_line_comes_back_as_it_went(line):
    assert decode(encode(line)) == line


@given(LINES)
def test_the_text_is_one_ascii_line_of_json_whose_last_key_is_the_check(line):
    text = encode(line)
    assert text.isascii()
    assert "\n" not in text
    assert list(json.loads(text))[-1] == "check"


def test_the_same_line_always_gives_the_same_text():
    assert encode({"type": "clock", "t": 1.5, "wall": 2.0}) == '{"type":"clock","t":1.5,"wall":2.0,"check":"3b1543af"}'


def test_any_single_changed_byte_is_noticed():
    text = encode({"type": "ruling", "stroke": 3, "turn": "south"})
    for i, byte in enumerate(text):
        damaged = text[:i] + chr(ord(byte) ^ 1) + text[i + 1 :]
        with pytest.raises(LineError):
            decode(damaged)


def test_any_shortened_line_is_noticed():
    text = encode({"type": "ruling", "stroke": 3, "turn": "south"})
    for length in range(len(text)):
        with pytest.raises(LineError):
            decode(text[:length])


@pytest.mark.parametrize(
    "line", [{"type": "x", "v": float("nan")}, {"type": "x", "v": object()}, {"v": 1}, {"type": 1}]
)
def test_what_a_log_cannot_say_is_refused(line):
    with pytest.raises(LineError):
        encode(line)


def test_a_check_of_the_callers_own_is_refused():
    with pytest.raises(LineError):
        encode({"type": "x", "check": "00000000"})
