"""Decisions in words, in every language."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from click.testing import CliRunner

from models.rulebook import SPECIAL_FOULS
from models.rules import CollectRules, load_book, load_rules, rule_names
from referee.cli import main
from referee.languages import languages
from referee.laws import (
    Certainty,
    Decision,
    DecisionKind,
    FoulName,
    Objection,
    Obstacle,
    Reason,
    Side,
    State,
    StrokeTokens,
    Turn,
    apply,
    objection_text,
    sentence,
)
from referee.laws.call import call
from referee.laws.sentences import load_phrases


def words(state: str, stroke: str, names: dict[str, str] | None = None, language: str = "en") -> list[str]:
    outcome = apply(State.parse(state), StrokeTokens.parse(stroke), load_rules("icf"))
    return [sentence(d, language, names) for d in outcome.decisions]


def called(state: str, stroke: str, book: str = "icf", language: str = "en") -> str:
    tokens = StrokeTokens.parse(stroke)
    return call(apply(State.parse(state), tokens, load_rules(book)).decisions, tokens, language)


def test_nine_languages_are_spoken() -> None:
    assert languages() == ["bn", "de", "en", "es", "fr", "hi", "si", "ta", "ur"]


@pytest.mark.parametrize("language", languages())
def test_a_language_has_words_for_every_reason_and_foul(language: str) -> None:
    phrases = load_phrases(language)
    assert set(phrases["reasons"]) == set(Reason)
    assert set(phrases["fouls"]) == set(FoulName) - SPECIAL_FOULS | {"unnamed", "out_of_turn"}
    assert set(phrases["certainty"]) == set(Certainty) - {Certainty.CERTAIN}


@pytest.mark.parametrize("language", languages())
def test_every_objection_is_a_sentence(language: str) -> None:
    assert set(load_phrases(language)["objections"]) == set(Obstacle)
    for why in Obstacle:
        for count in (0, 1, 2):
            text = objection_text(Objection(why, "white", Side.WHITE, count), language)
            assert text
            assert not set(text) & set("{}")


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
        assert text.endswith(load_phrases(language)["call"]["end"])
        assert not set(text) & set("{}")
        assert "  " not in text


def test_a_ruling_reads_like_an_umpire() -> None:
    assert words("W4 B2 Q=board mv W", "W,W,S") == [
        "2 white coins pocketed by this stroke must go back.",
        "Due: White owes 1 coin.",
        "1 white coin must go back as penalty.",
        "White pocketed one of their own coins: White plays again.",
    ]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("de", ["2 weiße Steine aus diesem Schuss kommen zurück aufs Brett.",
                "Weiß schuldet 1 Stein als Strafe.",
                "1 weißer Stein kommt als Strafe zurück aufs Brett.",
                "Weiß hat einen eigenen Stein versenkt: Weiß bleibt am Zug."]),
        ("fr", ["2 pions blancs de ce tir reviennent sur le plateau.",
                "Blanc doit 1 pion de pénalité.",
                "1 pion blanc revient sur le plateau comme pénalité.",
                "Blanc a rentré un de ses pions\u00a0: Blanc rejoue."]),
        ("es", ["2 fichas blancas de este lanzamiento vuelven al tablero.",
                "Blanco debe 1 ficha como castigo.",
                "1 ficha blanca vuelve al tablero como castigo.",
                "Blanco metió una de sus fichas: Blanco sigue jugando."]),
    ],
)  # fmt: skip
def test_a_ruling_reads_like_an_umpire_of_that_country(language: str, expected: list[str]) -> None:
    assert words("W4 B2 Q=board mv W", "W,W,S", language=language) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [("de", "1 Punkt mehr"), ("en", "1 extra point"), ("fr", "1 point de plus"), ("es", "1 punto más")],
)
def test_what_may_be_demanded_is_counted(language: str, expected: str) -> None:
    assert expected in " ".join(words("W8 B5 Q=board mv W", "W,S", language=language))


def test_french_has_no_plural_of_none() -> None:
    decision = Decision(DecisionKind.RESULT, Reason.CLEARED, "R1", params={"winner": "white", "points": 0})
    assert sentence(decision, "fr").endswith("avec 0 point.")
    assert sentence(decision, "en").endswith("by 0 points.")


@pytest.mark.parametrize(
    ("language", "expected"),
    [("en", "Striker with a coin: 2 white coins out. White plays again."),
     ("de", "Striker mit Stein: 2 weiße Steine zurück. Weiß bleibt am Zug."),
     ("fr", "Striker avec un pion\u00a0: 2 pions blancs ressortent. Blanc rejoue."),
     ("es", "Striker con una ficha: salen 2 fichas blancas. Blanco sigue jugando."),
     ("hi", "गोटी के साथ स्ट्राइकर: 2 सफ़ेद गोटियाँ बाहर। सफ़ेद फिर खेलेंगे।"),
     ("ta", "காயுடன் ஸ்ட்ரைக்கர்: 2 வெள்ளைக் காய்கள் வெளியே. வெள்ளை மீண்டும் ஆடுவார்.")],
)  # fmt: skip
def test_an_umpire_calls_a_ruling_once(language: str, expected: str) -> None:
    assert called("W4 B2 Q=board mv W", "W,S", language=language) == expected


@pytest.mark.parametrize(
    ("state", "stroke", "expected"),
    [
        ("W4 B2 Q=board mv W", "-", "Nothing pocketed: Black plays next."),
        ("W4 B2 Q=board mv W", "W", "1 white coin pocketed: White plays again."),
        ("W4 B2 Q=board mv W", "Q", "White must cover the queen."),
        ("W4 B2 Q=pend:W mv W", "W", "Queen covered. White plays again."),
        ("W4 B2 Q=pend:W mv W", "-", "Queen not covered: queen back. Black plays next."),
        ("W0 B2 Q=board mv W", "S", "Striker pocketed: White owes 1 coin. Black plays next."),
        ("W4 B2 Q=board mv W", "W,foul:push", "Foul, the striker was pushed: 2 white coins out. Black plays next."),
        ("W8 B5 Q=cov:W mv W", "W", "White pocketed their last coin and wins the board by 7 points."),
    ],
)
def test_a_call_says_each_thing_once(state: str, stroke: str, expected: str) -> None:
    assert called(state, stroke) == expected


def test_what_is_not_settled_keeps_its_own_sentence_in_a_call() -> None:
    text = called("W4 B2 Q=board mv W", "W,foul:push", "booklet")
    assert "The umpire decides." in text
    assert "Proposed: The stroke does not count" in text


@pytest.mark.parametrize("language", languages())
def test_every_ruling_of_every_book_has_a_call(language: str) -> None:
    """A call says who plays where the sentences do, and never takes more sentences than they do."""
    states = ("W4 B2 Q=board mv W", "W4 B2 Q=pend:W mv W", "W8 B5 Q=cov:W mv W", "W0 B0 Q=board due 1/0 mv W")
    strokes = ("-", "W", "B", "S", "W,S", "Q", "Q,W", "Q,S", "W,B", "off:W", "off:B,off:Q", "foul:push", "foul:touch")
    end = load_phrases(language)["call"]["end"]
    for book in rule_names():
        if isinstance(load_book(book), CollectRules):
            continue
        for state, stroke in product(states, strokes):
            tokens = StrokeTokens.parse(stroke)
            decisions = apply(State.parse(state), tokens, load_book(book)).decisions
            text = call(decisions, tokens, language)
            assert text
            assert not set(text) & set("{}")
            assert text.count(end) <= sum(sentence(d, language).count(end) for d in decisions), (book, state, stroke)


def test_fouls_are_named() -> None:
    assert words("W4 B2 Q=board mv W", "foul:cut_moon")[0] == "Foul: the striker cut the moon."


def test_players_may_be_called_by_name() -> None:
    names: dict[str, str] = {Side.WHITE: "Asha", Side.BLACK: "Ravi"}
    assert words("W4 B2 Q=board mv W", "-", names) == ["Nothing was pocketed: Ravi plays next."]


def test_a_player_whose_colour_is_unknown_has_no_name() -> None:
    assert words("W4 B2 Q=board mv ?", "-") == ["Nothing was pocketed: the other side plays next."]
    assert words("W4 B2 Q=board mv ?", "W,B") == [
        "The player pocketed one of their own coins: the same player goes on."
    ]


def test_players_of_a_collecting_game_go_by_number_or_name() -> None:
    decision = Decision(DecisionKind.QUEEN, Reason.QUEEN_COVERED, "", params={"side": "P2"})
    assert sentence(decision) == "Player 2 covered the queen."
    assert sentence(decision, "de") == "Spieler 2 hat die Königin bestätigt."
    assert sentence(decision, names={"P2": "Ravi"}) == "Ravi covered the queen."


def test_what_is_unknown_is_asked_for() -> None:
    assert words("W4 B2 Q=board mv ?", "W") == ["Not known: which colour this player plays. Please tell the umpire."]


def test_a_law_that_follows_another_book_says_which() -> None:
    texts = words("W8 B8 Q=cov:W mv W", "W,B")
    assert texts[-1] == "The rule book is silent here; the ruling follows R75a."


@pytest.mark.parametrize(
    ("language", "end"),
    [("en", "follows common practice."), ("de", "nach dem allgemeinen Brauch."), ("fr", "suit l'usage courant."),
     ("es", "sigue la costumbre general.")],
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
    with pytest.raises(ValueError, match="choose one of bn, de, en, es"):
        sentence(decision, "xx")


def test_the_rule_command_speaks_the_language_asked_for() -> None:
    case = ["rule", "--state", "W4 B2 Q=board mv W", "--stroke", "-", "--json", "--language"]
    assert "Nichts wurde versenkt" in CliRunner().invoke(main, [*case, "de"]).output
    refused = CliRunner().invoke(main, [*case, "xx"])
    assert refused.exit_code == 2
    assert "de" in refused.output
