"""Decisions in words, in every language."""

from __future__ import annotations

import string
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import CliRunner

from models.rulebook import SPECIAL_FOULS
from models.rules import load_rules
from referee.cli import main
from referee.laws import (
    Cannot,
    Certainty,
    Decision,
    DecisionKind,
    FoulName,
    Objection,
    Reason,
    Side,
    State,
    StrokeTokens,
    Turn,
    apply,
    languages,
    objection_text,
    sentence,
)
from referee.laws.sentences import load_phrases

ENGLISH = load_phrases("en")
OTHERS = [language for language in languages() if language != "en"]


def words(state: str, stroke: str, names: dict[str, str] | None = None, language: str = "en") -> list[str]:
    outcome = apply(State.parse(state), StrokeTokens.parse(stroke), load_rules("icf"))
    return [sentence(d, language, names) for d in outcome.decisions]


def fields(phrase: Any) -> set[str]:
    """The fields of a phrase, cases of a noun counted as one; the words of a pair must use the same."""
    forms = [phrase] if isinstance(phrase, str) else phrase
    found = [{name.split("_")[0] for _, name, _, _ in string.Formatter().parse(form) if name} for form in forms]
    assert all(each == found[0] for each in found)
    return found[0]


def leaves(phrases: dict[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """Every phrase of a file with its path."""
    for key, value in phrases.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{path}{key}.")
        else:
            yield path + key, value


def test_four_languages_are_spoken() -> None:
    assert languages() == ["de", "en", "es", "fr"]


@pytest.mark.parametrize("language", languages())
def test_a_language_has_words_for_every_reason_and_foul(language: str) -> None:
    phrases = load_phrases(language)
    assert set(phrases["reasons"]) == set(Reason)
    assert set(phrases["fouls"]) == set(FoulName) - SPECIAL_FOULS | {"unnamed", "out_of_turn"}
    assert set(phrases["certainty"]) == set(Certainty) - {Certainty.CERTAIN}


@pytest.mark.parametrize("language", languages())
def test_every_objection_is_a_sentence(language: str) -> None:
    assert set(load_phrases(language)["objections"]) == set(Cannot)
    for why in Cannot:
        for count in (0, 1, 2):
            text = objection_text(Objection(why, "white", Side.WHITE, count), language)
            assert text
            assert not set(text) & set("{}")


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_says_what_english_says(language: str) -> None:
    """The same phrases with the same fields; cases of nouns are each language's own affair."""
    mine, english = (dict(leaves(p)) for p in (load_phrases(language), ENGLISH))
    cases = {key for key in mine.keys() - english.keys() if key.startswith("nouns.")}
    assert {key.split(".")[1].split("_")[0] for key in cases} <= set(ENGLISH["nouns"])
    assert mine.keys() - cases == english.keys()
    for key in english.keys() - {"singular"}:
        assert fields(mine[key]) == fields(english[key]), key


def every_decision() -> Iterator[Decision]:
    """Each reason with and without a turn, with players and without, about none, one and many."""
    people = {"side": "black", "next": "white", "winner": "black"}
    for reason in Reason:
        for count in (-1, 0, 1, 2):
            for known in (people, {}):
                turn = {"turn": Turn.KEEP, "foul": "push", "what": "queen", **known}
                yield Decision(DecisionKind.TURN, reason, "R1", params=turn)
                yield Decision(DecisionKind.RESULT, reason, "", params={"points": count, **turn})
                yield Decision(DecisionKind.DUE, reason, "", params={"count": count, "coin": "queen", **turn})


@pytest.mark.parametrize("language", languages())
def test_every_decision_gets_one_whole_sentence(language: str) -> None:
    for decision in every_decision():
        text = sentence(decision, language)
        assert not text[0].islower()
        assert text.endswith(".")
        assert not set(text) & set("{}")
        assert "  " not in text


def test_a_ruling_reads_like_an_umpire() -> None:
    assert words("W4 B2 Q=board mv W", "W,W,S") == [
        "2 white coins pocketed by this stroke must go back.",
        "White owes 1 white coin as penalty.",
        "1 white coin must go back as penalty.",
        "White pocketed an own coin: White plays again.",
    ]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("de", ["2 weiße Steine aus diesem Schuss kommen zurück aufs Brett.",
                "Weiß schuldet 1 weißen Stein als Strafe.",
                "1 weißer Stein kommt als Strafe zurück aufs Brett.",
                "Weiß hat einen eigenen Stein versenkt: Weiß bleibt am Zug."]),
        ("fr", ["2 pions blancs de ce tir reviennent sur le plateau.",
                "Blanc doit 1 pion blanc de pénalité.",
                "1 pion blanc revient sur le plateau comme pénalité.",
                "Blanc a rentré un pion de sa couleur\u00a0: Blanc rejoue."]),
        ("es", ["2 fichas blancas de este lanzamiento vuelven al tablero.",
                "Blanco debe 1 ficha blanca como castigo.",
                "1 ficha blanca vuelve al tablero como castigo.",
                "Blanco metió una ficha propia: Blanco sigue jugando."]),
    ],
)  # fmt: skip
def test_a_ruling_reads_like_an_umpire_of_that_country(language: str, expected: list[str]) -> None:
    assert words("W4 B2 Q=board mv W", "W,W,S", language=language) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [("de", "1 Punkt mehr"), ("en", "1 point more"), ("fr", "1 point de plus"), ("es", "1 punto más")],
)
def test_what_may_be_demanded_is_counted(language: str, expected: str) -> None:
    assert expected in " ".join(words("W8 B5 Q=board mv W", "W,S", language=language))


def test_french_has_no_plural_of_none() -> None:
    decision = Decision(DecisionKind.RESULT, Reason.CLEARED, "R1", params={"winner": "white", "points": 0})
    assert sentence(decision, "fr").endswith("avec 0 point.")
    assert sentence(decision, "en").endswith("by 0 points.")


def test_fouls_are_named() -> None:
    assert words("W4 B2 Q=board mv W", "foul:cut_moon")[0] == "Foul: the striker stood partly on a base circle."


def test_players_may_be_called_by_name() -> None:
    names: dict[str, str] = {Side.WHITE: "Asha", Side.BLACK: "Ravi"}
    assert words("W4 B2 Q=board mv W", "-", names) == ["Nothing was pocketed: Ravi plays next."]


def test_a_player_whose_colour_is_unknown_has_no_name() -> None:
    assert words("W4 B2 Q=board mv ?", "-") == ["Nothing was pocketed: the other side plays next."]
    assert words("W4 B2 Q=board mv ?", "W,B") == ["The player pocketed an own coin: the same player goes on."]


def test_players_of_a_collecting_game_go_by_number_or_name() -> None:
    decision = Decision(DecisionKind.QUEEN, Reason.QUEEN_COVERED, "", params={"side": "P2"})
    assert sentence(decision) == "Player 2 covered the queen."
    assert sentence(decision, "de") == "Spieler 2 hat die Königin bestätigt."
    assert sentence(decision, names={"P2": "Ravi"}) == "Ravi covered the queen."


def test_what_is_unknown_is_asked_for() -> None:
    assert words("W4 B2 Q=board mv ?", "W") == ["Not known: which colour this player plays. Please tell the referee."]


def test_a_law_that_follows_another_book_says_which() -> None:
    texts = words("W8 B8 Q=cov:W mv W", "W,B")
    assert texts[-1] == "The rule book is silent here; the ruling follows R75a."


@pytest.mark.parametrize(
    ("language", "end"),
    [("en", "follows common practice."), ("de", "nach dem Brauch."), ("fr", "suit l'usage."),
     ("es", "sigue la costumbre.")],
)  # fmt: skip
def test_where_only_custom_speaks_it_is_called_custom(language: str, end: str) -> None:
    assert sentence(Decision(DecisionKind.NOTE, Reason.SILENT, "common practice"), language).endswith(end)


@pytest.mark.parametrize(
    ("certainty", "text"),
    [
        (Certainty.CERTAIN, "White covered the queen."),
        (Certainty.PROPOSED, "Proposed: White covered the queen."),
        (Certainty.OPERATOR, "The umpire decides: White covered the queen."),
    ],
)
def test_what_is_not_certain_says_so(certainty: Certainty, text: str) -> None:
    params = {"side": "white"}
    assert sentence(Decision(DecisionKind.QUEEN, Reason.QUEEN_COVERED, "R65", certainty, params)) == text


def test_an_unknown_language_names_the_known_ones() -> None:
    decision = apply(State(), StrokeTokens(), load_rules("icf")).decisions[0]
    with pytest.raises(ValueError, match="choose one of de, en, es, fr"):
        sentence(decision, "xx")


def test_the_rule_command_speaks_the_language_asked_for() -> None:
    case = ["rule", "--state", "W4 B2 Q=board mv W", "--stroke", "-", "--json", "--language"]
    assert "Nichts ist gefallen" in CliRunner().invoke(main, [*case, "de"]).output
    refused = CliRunner().invoke(main, [*case, "xx"])
    assert refused.exit_code == 2
    assert "de" in refused.output
