"""Decisions in words."""

from __future__ import annotations

import tomllib
from importlib import resources

import pytest

from models.rulebook import SPECIAL_FOULS
from models.rules import load_rules
from referee.laws import FoulName, Reason, Side, State, StrokeTokens, apply, languages, sentence


def words(state: str, stroke: str, names: dict[Side, str] | None = None) -> list[str]:
    outcome = apply(State.parse(state), StrokeTokens.parse(stroke), load_rules("icf"))
    return [sentence(d, names=names) for d in outcome.decisions]


@pytest.mark.parametrize("language", languages())
def test_a_language_has_words_for_every_reason_and_foul(language: str) -> None:
    text = (resources.files("referee.laws") / "phrases" / f"{language}.toml").read_text(encoding="utf-8")
    phrases = tomllib.loads(text)
    assert set(phrases["reasons"]) == set(Reason)
    assert set(phrases["reasons_without_turn"]) <= set(Reason)
    assert set(phrases["fouls"]) == set(FoulName) - SPECIAL_FOULS | {"unnamed"}


def test_a_ruling_reads_like_an_umpire() -> None:
    assert words("W4 B2 Q=board mv W", "W,W,S") == [
        "2 white coins pocketed by this stroke must go back.",
        "White owes 1 white coin as penalty.",
        "1 white coin must go back as penalty.",
        "White pocketed an own coin: White plays again.",
    ]


def test_fouls_are_named() -> None:
    assert words("W4 B2 Q=board mv W", "foul:cut_moon")[0] == "Foul: the striker stood partly on a base circle."


def test_players_may_be_called_by_name() -> None:
    names = {Side.WHITE: "Asha", Side.BLACK: "Ravi"}
    assert words("W4 B2 Q=board mv W", "-", names) == ["Nothing was pocketed: Ravi plays next."]


def test_a_player_whose_colour_is_unknown_has_no_name() -> None:
    assert words("W4 B2 Q=board mv ?", "-") == ["Nothing was pocketed: the other side plays next."]
    assert words("W4 B2 Q=board mv ?", "W,B") == ["The player pocketed an own coin: the same player goes on."]


def test_what_is_unknown_is_asked_for() -> None:
    assert words("W4 B2 Q=board mv ?", "W") == ["Not known: which colour this player plays. Please tell the referee."]


def test_an_unknown_language_names_the_known_ones() -> None:
    decision = apply(State(), StrokeTokens(), load_rules("icf")).decisions[0]
    with pytest.raises(ValueError, match="choose one of en"):
        sentence(decision, "xx")
