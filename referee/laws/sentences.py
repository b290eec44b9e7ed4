"""Decisions in words, made only when asked for; a language is one file of phrases.

A phrase is a template, or a pair of them where the verb follows the count. Besides players and causes its fields are
the nouns that its file declares: a count with its noun in each case that the language needs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from models.rulebook import FoulName
from referee.laws.decisions import Certainty, Decision, DecisionKind, Param
from referee.laws.objections import Objection
from referee.laws.sides import Side

DEFAULT_LANGUAGE = "en"

COMMON_PRACTICE = "common practice"
"""What a rule book cites where it is silent and no clause of another book is followed."""

PLAIN_KINDS = frozenset({DecisionKind.NOTE, DecisionKind.DEMAND, DecisionKind.OPERATOR})
"""Kinds whose sentences say themselves that people decide."""


def languages() -> list[str]:
    """Languages accepted by `sentence`."""
    folder = resources.files("referee.laws") / "phrases"
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml"))


def sentence(decision: Decision, language: str = DEFAULT_LANGUAGE, names: Mapping[str, str] | None = None) -> str:
    """The decision as one sentence; ValueError for an unknown language.

    `names`: what to call colours, or players of a collecting game (`P2`). What is only proposed, or the operator's to
    decide, says so.
    """
    phrases = load_phrases(language)
    text = _template(phrases, decision).format_map(_fields(phrases, decision, names))
    text = text[:1].upper() + text[1:]
    if decision.certainty is Certainty.CERTAIN or decision.kind in PLAIN_KINDS:
        return text
    return str(phrases["certainty"][decision.certainty]).format(text=text)


def foul_text(foul: FoulName, language: str = DEFAULT_LANGUAGE) -> str:
    """The infringement in words, as part of a sentence. ValueError: no such language."""
    fouls = load_phrases(language)["fouls"]
    return str(fouls.get(foul, fouls["unnamed"]))


def objection_text(objection: Objection, language: str = DEFAULT_LANGUAGE) -> str:
    """Why the operator's word cannot be, as one sentence, to follow a colon. ValueError: no such language."""
    phrases, count = load_phrases(language), objection.count
    text = str(phrases["objections"][objection.why])
    return text.format(side=_player(phrases, objection.side, None), n=count, **_nouns(phrases, objection.coin, count))


def law_text(law: str, language: str = DEFAULT_LANGUAGE) -> str:
    """The clause by itself, as a page shows it beside a sentence. ValueError: no such language."""
    return str(load_phrases(language)["words"]["practice"]) if law == COMMON_PRACTICE else law


def load_phrases(language: str) -> dict[str, Any]:
    """What the laws say in a language; ValueError for an unknown one."""
    return phrases_of("referee.laws", language)


@cache
def phrases_of(package: str, language: str) -> dict[str, Any]:
    """A package's file of phrases of a language as it stands; ValueError for an unknown one."""
    if language not in languages():
        raise ValueError(f"no sentences in {language!r}: choose one of {', '.join(languages())}")
    text = (resources.files(package) / "phrases" / f"{language}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _template(phrases: dict[str, Any], decision: Decision) -> str:
    plain = phrases["reasons_without_turn"]
    without_turn = decision.kind is not DecisionKind.TURN and decision.reason in plain
    template = (plain if without_turn else phrases["reasons"])[decision.reason]
    return str(template if isinstance(template, str) else _form(phrases, template, _count(decision)))


def _fields(phrases: dict[str, Any], decision: Decision, names: Mapping[str, str] | None) -> dict[str, str]:
    params = decision.params
    fields = {name: _player(phrases, params.get(name), names) for name in ("side", "next", "winner")}
    fields |= _nouns(phrases, params.get("coin") or params.get("side"), _count(decision))
    fouls = phrases["fouls"]
    fields["foul"] = fouls.get(params.get("foul"), fouls["unnamed"])
    fields["what"] = phrases["what"].get(params.get("what"), "")
    fields["law"] = _law(phrases, decision.law)
    fields["turn"] = _turn(phrases, decision, fields["next"])
    return fields


def _nouns(phrases: dict[str, Any], noun: Param, count: int) -> dict[str, str]:
    """A count with its noun, in each case that the language needs."""
    chosen = {name: forms[noun if noun in forms else "any"] for name, forms in phrases["nouns"].items()}
    return {name: _form(phrases, forms, count).format(n=count) for name, forms in chosen.items()}


def _player(phrases: dict[str, Any], value: Param, names: Mapping[str, str] | None) -> str:
    """A side by its colour, a player of a collecting game (`P2`) by his number, or either by name."""
    who, words = str(value), phrases["words"]
    if names and who in names:
        return names[who]
    if who in set(Side):
        return str(words[who])
    number = who.removeprefix("P")
    return str(words["player"]).format(n=number) if number.isdigit() else str(words["nobody"])


def _law(phrases: dict[str, Any], law: str) -> str:
    """The clause, or custom where no book's clause is followed."""
    return str(phrases["words"]["custom"]) if law in ("", COMMON_PRACTICE) else law


def _count(decision: Decision) -> int:
    """The number that the sentence is about; no decision has two."""
    number = decision.params.get("points", decision.params.get("count"))
    return number if isinstance(number, int) else 1


def _form(phrases: dict[str, Any], forms: list[str], count: int) -> str:
    """The form for one or for many; languages differ in what zero is."""
    return str(forms[0 if abs(count) in phrases["singular"] else 1])


def _turn(phrases: dict[str, Any], decision: Decision, follower: str) -> str:
    turn = decision.params.get("turn")
    if turn is None:
        return ""
    known = decision.params.get("next") is not None
    return str(phrases["turn"][f"{turn}" if known else f"{turn}_unknown"]).format(next=follower)
