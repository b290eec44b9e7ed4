"""Where a sheet says nothing of an infringement no ruling calls it allowed or forbidden by that sheet."""

from __future__ import annotations

import re

import pytest

from models.rules import load_book, rule_names
from referee.languages import languages
from referee.laws import AnyState, Reason, StrokeTokens, apply, parse_state, sentence

SILENT = {
    "cut_moon": {"ch_fr": "ICF General 94b"},
    "touching_arrow": dict.fromkeys(
        ("ch_de", "ch_en", "ch_fr", "ch_es", "short_de", "masters", "mix25", "three_point"), "common practice"
    ),
    "backward": dict.fromkeys(("ch_en", "booklet", "booklet_21", "booklet_family"), "ICF R8"),
    "behind_line": dict.fromkeys(("ch_en", "ch_fr", "booklet", "booklet_21", "booklet_family"), "ICF R8")
    | {"short_de": "common practice", "mix25": "MG Striking 5", "three_point": "MG Striking 5"},
    "push": dict.fromkeys(("ch_en", "booklet", "booklet_21", "booklet_family"), "ICF R7"),
    "hand_over_diagonal": dict.fromkeys(("ch_de", "ch_en", "ch_fr", "ch_es"), "ICF R11b"),
    "elbow": dict.fromkeys(("ch_de", "ch_en", "ch_fr", "ch_es"), "ICF R11a"),
    "touch": dict.fromkeys(
        ("ch_de", "ch_en", "ch_fr", "ch_es", "short_de", "booklet", "booklet_21", "booklet_family"), "common practice"
    )
    | {"mix25": "MG Foul 7", "three_point": "MG Foul 7"},
    "time": dict.fromkeys(
        ("ch_de", "ch_en", "ch_fr", "ch_es", "short_de", "booklet", "booklet_21", "booklet_family", "masters", "mix25",
         "three_point"), "common practice"
    ),
    "direct": dict.fromkeys(
        ("icf", "ch_en", "short_de", "booklet", "booklet_21", "booklet_family", "masters", "mix25", "three_point"),
        "common practice",
    ),
}  # fmt: skip
"""The cells of the comparison of the sheets (rows C3, C4, C6, C8-C11b, C14, I10) in which a sheet has no sentence, and
whose law is followed there."""

CELLS = [(foul, book, law) for foul, books in SILENT.items() for book, law in books.items()]

SAID_OF_SILENCE = {"en": "silent", "de": "schweigt", "fr": "n'en dit rien", "es": "no dice nada"}

CODES = re.compile(r"\b[A-IX]\d+[a-z]?\b")
"""Rows of the comparison and numbers of contradictions; clauses of a sheet are cited with its letters in front."""


def a_state(book: str) -> AnyState:
    race = "W4 B2 Q=board mv W"
    players = load_book(book).seating.players
    points = " ".join(f"P{n}=5" for n in range(1, players + 1))
    return parse_state(race if hasattr(load_book(book), "end") else f"{points} left W7 B7 Q=board mv P1")


@pytest.mark.parametrize(("foul", "book", "law"), CELLS)
def test_a_silent_sheet_is_called_silent_and_whose_law_is_followed_is_told(foul: str, book: str, law: str) -> None:
    outcome = apply(a_state(book), StrokeTokens.parse(f"B,foul:{foul}"), load_book(book))
    (told,) = [d for d in outcome.decisions if d.params.get("foul") == foul]
    assert told.reason.value.startswith("silent_")
    assert told.law == law
    assert not outcome.certain
    for language in SAID_OF_SILENCE:
        text = sentence(told, language)
        assert SAID_OF_SILENCE[language] in text
        if law != "common practice":
            assert law in text


@pytest.mark.parametrize("book", rule_names())
def test_a_sheet_that_speaks_is_not_called_silent(book: str) -> None:
    fouls = load_book(book).fouls
    for foul in fouls:
        silent = book in SILENT.get(foul, {})
        outcome = apply(a_state(book), StrokeTokens.parse(f"B,foul:{foul}"), load_book(book))
        told = [d.reason for d in outcome.decisions if d.params.get("foul") == foul]
        assert all(reason.value.startswith("silent_") is silent for reason in told), foul


@pytest.mark.parametrize("book", rule_names())
def test_no_ruling_names_a_row_of_our_own_comparison(book: str) -> None:
    strokes = [f"W,foul:{foul}" for foul in load_book(book).fouls]
    strokes += ["B", "W,B,Q", "Q", "W,Q", "W,S", "S", "Q,S", "off:W", "off:S", "foul:no_break", "foul:no_leave", "-"]
    for stroke in strokes:
        for decision in apply(a_state(book), StrokeTokens.parse(stroke), load_book(book)).decisions:
            assert "row " not in decision.law
            assert not CODES.search(decision.law) or decision.reason is Reason.BOARD_IS_OVER, decision.law
            for language in languages():
                assert not re.search(r"\(?[A-I]\d+[a-z]?\)|X\d", sentence(decision, language))
