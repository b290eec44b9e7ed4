"""Facts to lines and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from random_facts import FACTS

from models.pieces import Kind, Piece, Seat
from referee.facts import Returned, Stroke, Table
from referee.log import LineError, decode, encode, fact_of, line_of


@given(FACTS)
def test_every_fact_comes_back_from_its_line(fact):
    assert fact_of(decode(encode(line_of(fact)))) == fact


@given(FACTS)
def test_writing_twice_gives_the_same_bytes(fact):
    assert encode(line_of(fact)) == encode(line_of(fact_of(line_of(fact))))


def test_numbers_are_rounded_to_the_logs_digits_and_know_no_negative_zero():
    line = line_of(Returned(1.000049, Kind.WHITE, np.float32(-0.0001), 12.34567, Seat.EAST))
    assert encode(line).startswith(
        '{"type":"returned","t":1.0,"kind":"white","x_mm":0.0,"y_mm":12.346,"by":"east","check":"'
    )


def test_a_stroke_line_has_the_fields_of_the_documented_format():
    line = line_of(Stroke(1, Seat.SOUTH, None, 1.0, 2.0, 2.5, None, None, (), (), ()))
    assert list(line) == [
        "type", "n", "seat", "t_placed", "t_strike", "t_rest", "t_called", "placement", "first_contact", "pocketed",
        "off_board", "fouls", "foul_confidence", "confidence",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"t": "soon"},
        {"t": True},
        {"pieces": None},
        {"pieces": [{"kind": "green", "x_mm": 0, "y_mm": 0}]},
        {"type": "x"},
    ],
)
def test_a_line_with_a_wrong_field_is_refused(change):
    line = line_of(Table(1.0, (Piece(Kind.WHITE, 0.0, 0.0),)))
    with pytest.raises(LineError):
        fact_of({**line, **change})


def test_a_line_that_lacks_a_field_says_which():
    line = line_of(Table(1.0, ()))
    del line["pieces"]
    with pytest.raises(LineError, match="pieces"):
        fact_of(line)
