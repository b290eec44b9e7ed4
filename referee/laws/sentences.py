"""Decisions in words, made only when asked for; a language is one folder of `referee.languages`.

A phrase is a template, or a list of plural forms where the verb follows the count. Besides players and causes its
fields are the nouns that its file declares: a count with its noun in each case that the language needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from models.rulebook import FoulName
from referee.languages import Part, form, load_language, phrases
from referee.laws.decisions import Certainty, Decision, DecisionKind, Param
from referee.laws.objections import Objection
from referee.laws.sides import Side

DEFAULT_LANGUAGE = "en"

COMMON_PRACTICE = "common practice"
"""What a rule book cites where it is silent and no clause of another book is followed."""

PLAIN_KINDS = frozenset({DecisionKind.NOTE, DecisionKind.DEMAND, DecisionKind.OPERATOR})
"""Kinds whose sentences say themselves that people decide."""


def sentence(decision: Decision, language: str = DEFAULT_LANGUAGE, names: Mapping[str, str] | None = None) -> str:
    """The decision as one sentence; ValueError for an unknown language.

    `names`: what to call colours, or players of a collecting game (`P2`). What is only proposed, or the operator's to
    decide, says so.
    """
    words = load_phrases(language)
    text = _template(language, decision).format_map(_fields(language, decision, names))
    text = text[:1].upper() + text[1:]
    if decision.certainty is Certainty.CERTAIN or decision.kind in PLAIN_KINDS:
        return text
    return str(words["certainty"][decision.certainty]).format(text=text)


def foul_text(foul: FoulName, language: str = DEFAULT_LANGUAGE) -> str:
    """The infringement in words, as part of a sentence. ValueError: no such language."""
    fouls = load_phrases(language)["fouls"]
    return str(fouls.get(foul, fouls["unnamed"]))


def objection_text(objection: Objection, language: str = DEFAULT_LANGUAGE) -> str:
    """Why the operator's word cannot be, as one sentence, to follow a colon. ValueError: no such language."""
    phrase, count = load_phrases(language)["objections"][objection.why], objection.count
    text = str(phrase) if isinstance(phrase, str) else formed(language, phrase, count)
    return text.format(side=player_word(language, objection.side), n=count, **nouns(language, objection.coin, count))


def law_text(law: str, language: str = DEFAULT_LANGUAGE) -> str:
    """The clause by itself, as a page shows it beside a sentence. ValueError: no such language."""
    return str(load_phrases(language)["words"]["practice"]) if law == COMMON_PRACTICE else law


def load_phrases(language: str) -> dict[str, Any]:
    """What the laws say in a language; ValueError for an unknown one."""
    return phrases(Part.LAWS, language)


def nouns(language: str, noun: Param, count: int) -> dict[str, str]:
    """A count with its noun, in each case that the language needs."""
    forms_of = load_phrases(language)["nouns"]
    chosen = {name: forms[noun if noun in forms else "any"] for name, forms in forms_of.items()}
    return {name: formed(language, forms, count).format(n=count) for name, forms in chosen.items()}


def dues(language: str, count: int) -> dict[str, str]:
    """`due` and its other cases: so many coins, of no matter which colour."""
    return {name.replace("coins", "due"): text for name, text in nouns(language, None, count).items()
            if name.startswith("coins")}  # fmt: skip


def player_word(language: str, value: Param, names: Mapping[str, str] | None = None) -> str:
    """A side by its colour, a player of a collecting game (`P2`) by his number, or either by name."""
    who, words = str(value), load_phrases(language)["words"]
    if names and who in names:
        return names[who]
    if who in set(Side):
        return str(words[who])
    number = who.removeprefix("P")
    return str(words["player"]).format(n=number) if number.isdigit() else str(words["nobody"])


def _law(phrases: dict[str, Any], law: str) -> str:
    """The clause, or custom where no book's clause is followed."""
    return str(phrases["words"]["custom"]) if law in ("", COMMON_PRACTICE) else law


def count_of(decision: Decision) -> int:
    """The number that the sentence is about; no decision has two."""
    number = decision.params.get("points", decision.params.get("count"))
    return number if isinstance(number, int) else 1


def turn_words(language: str, decision: Decision, names: Mapping[str, str] | None = None) -> str:
    """Who plays next, as part of a sentence."""
    turn, follower = decision.params.get("turn"), decision.params.get("next")
    if turn is None:
        return ""
    key = f"{turn}" if follower is not None else f"{turn}_unknown"
    return str(load_phrases(language)["turn"][key]).format(next=player_word(language, follower, names))


def _template(language: str, decision: Decision) -> str:
    words = load_phrases(language)
    plain = words["reasons_without_turn"]
    without_turn = decision.kind is not DecisionKind.TURN and decision.reason in plain
    template = (plain if without_turn else words["reasons"])[decision.reason]
    return template if isinstance(template, str) else formed(language, template, count_of(decision))


def _fields(language: str, decision: Decision, names: Mapping[str, str] | None) -> dict[str, str]:
    params, words = decision.params, load_phrases(language)
    fields = {name: player_word(language, params.get(name), names) for name in ("side", "next", "winner")}
    fields |= nouns(language, params.get("coin") or params.get("side"), count_of(decision))
    fields |= dues(language, count_of(decision)) | {"n": str(count_of(decision))}
    fields["foul"] = words["fouls"].get(params.get("foul"), words["fouls"]["unnamed"])
    fields["what"] = words["what"].get(params.get("what"), "")
    fields["law"] = _law(words, decision.law)
    fields["turn"] = turn_words(language, decision, names)
    return fields


def formed(language: str, forms: list[str], count: int) -> str:
    """The form that the language uses for so many."""
    return form(load_language(language).plurals, forms, count)
