"""Decisions in words, made only when requested; a language is one folder of `referee.languages`.

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
"""Citation where the rule book is silent and no clause of another book is followed."""

PLAIN_KINDS = frozenset({DecisionKind.NOTE, DecisionKind.DEMAND, DecisionKind.OPERATOR})
"""Kinds whose sentences say themselves that people decide."""


def sentence(decision: Decision, language: str = DEFAULT_LANGUAGE, names: Mapping[str, str] | None = None) -> str:
    """Returns the decision as one sentence. Raises ValueError for an unknown language.

    `names`: names of colours, or of players of a collecting game (`P2`). Proposed decisions, and those left to the
    operator, say so.
    """
    words = load_phrases(language)
    text = _template(language, decision).format_map(_fields(language, decision, names))
    text = text[:1].upper() + text[1:]
    if decision.certainty is Certainty.CERTAIN or decision.kind in PLAIN_KINDS:
        return text
    return str(words["certainty"][decision.certainty]).format(text=text)


def foul_text(foul: FoulName, language: str = DEFAULT_LANGUAGE) -> str:
    """Returns the infringement in words, as part of a sentence. Raises ValueError for an unknown language."""
    fouls = load_phrases(language)["fouls"]
    return str(fouls.get(foul, fouls["unnamed"]))


def objection_text(objection: Objection, language: str = DEFAULT_LANGUAGE) -> str:
    """Returns why the operator's event is impossible, as a sentence after a colon. Raises ValueError for an unknown
    language.
    """
    phrase, count = load_phrases(language)["objections"][objection.why], objection.count
    text = str(phrase) if isinstance(phrase, str) else formed(language, phrase, count)
    return text.format(side=player_word(language, objection.side), n=count, **nouns(language, objection.coin, count))


def law_text(law: str, language: str = DEFAULT_LANGUAGE) -> str:
    """Returns the clause by itself, as a page shows it beside a sentence. Raises ValueError for an unknown language."""
    return str(load_phrases(language)["words"]["practice"]) if law == COMMON_PRACTICE else law


def load_phrases(language: str) -> dict[str, Any]:
    """Returns the laws' phrases in a language. Raises ValueError for an unknown one."""
    return phrases(Part.LAWS, language)


def nouns(language: str, noun: Param, count: int) -> dict[str, str]:
    """Returns a count with its noun, in each case that the language needs."""
    forms_of = load_phrases(language)["nouns"]
    chosen = {name: forms[noun if noun in forms else "any"] for name, forms in forms_of.items()}
    return {name: formed(language, forms, count).format(n=count) for name, forms in chosen.items()}


def dues(language: str, count: int) -> dict[str, str]:
    """Returns `due` and its other cases: a number of coins of either colour."""
    return {name.replace("coins", "due"): text for name, text in nouns(language, None, count).items()
            if name.startswith("coins")}  # fmt: skip


def player_word(language: str, value: Param, names: Mapping[str, str] | None = None) -> str:
    """Returns a side's colour, a player's number in a collecting game (`P2`), or either's name."""
    who, words = str(value), load_phrases(language)["words"]
    if names and who in names:
        return names[who]
    if who in set(Side):
        return str(words[who])
    number = who.removeprefix("P")
    return str(words["player"]).format(n=number) if number.isdigit() else str(words["nobody"])


def _law(phrases: dict[str, Any], law: str) -> str:
    """Returns the clause, or custom where no book's clause is followed."""
    return str(phrases["words"]["custom"]) if law in ("", COMMON_PRACTICE) else law


def count_of(decision: Decision) -> int:
    """Returns the number that the sentence is about; no decision has two."""
    number = decision.params.get("points", decision.params.get("count"))
    return number if isinstance(number, int) else 1


def turn_words(language: str, decision: Decision, names: Mapping[str, str] | None = None) -> str:
    """Returns who plays next, as part of a sentence."""
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
    """Returns the plural form that the language uses for a count."""
    return form(load_language(language).plurals, forms, count)
