"""Decisions in words, made only when asked for; a language is one file of phrases."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from models.rulebook import FoulName
from referee.laws.decisions import Decision, DecisionKind, Param, Reason
from referee.laws.sides import Side


def languages() -> list[str]:
    """Languages accepted by `sentence`."""
    folder = resources.files("referee.laws") / "phrases"
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml"))


def sentence(decision: Decision, language: str = "en", names: Mapping[Side, str] | None = None) -> str:
    """The decision as one sentence, with players' names for colours if given; ValueError for an unknown language."""
    phrases = _phrases(language)
    fields = {name: _word(phrases, name, decision, names) for name in ("side", "next", "winner", "coins", "points")}
    fields["foul"] = phrases["fouls"].get(decision.params.get("foul"), phrases["fouls"]["unnamed"])
    fields["what"] = phrases["what"].get(decision.params.get("what"), "")
    fields["turn"] = _turn(phrases, decision, fields["next"])
    text: str = _template(phrases, decision).format_map(fields)
    return text[:1].upper() + text[1:]


def foul_text(foul: FoulName, language: str = "en") -> str:
    """The infringement in words, as part of a sentence. ValueError: no such language."""
    fouls = _phrases(language)["fouls"]
    return str(fouls.get(foul, fouls["unnamed"]))


@cache
def _phrases(language: str) -> dict[str, Any]:
    if language not in languages():
        raise ValueError(f"no sentences in {language!r}: choose one of {', '.join(languages())}")
    text = (resources.files("referee.laws") / "phrases" / f"{language}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _template(phrases: dict[str, Any], decision: Decision) -> str:
    plain = phrases["reasons_without_turn"]
    if decision.kind is not DecisionKind.TURN and decision.reason in plain:
        return str(plain[decision.reason])
    return str(phrases["reasons"][decision.reason])


def _word(phrases: dict[str, Any], name: str, decision: Decision, names: Mapping[Side, str] | None) -> str:
    params = decision.params
    if name == "coins":
        return _counted(phrases["coins"][params.get("coin") or params.get("side") or "any"], params.get("count"))
    if name == "points":
        number = params.get("points") if decision.reason is not Reason.EXTRA_POINTS else params.get("count")
        return _counted(phrases["points"]["forms"], number)
    value = params.get(name)
    if value not in set(Side):
        return str(phrases["words"]["nobody"])
    side = Side(value)
    return names[side] if names and side in names else str(phrases["words"][side])


def _counted(forms: list[str], number: Param) -> str:
    """The noun in the form for one or for many."""
    count = number if isinstance(number, int) else 1
    return forms[0 if count == 1 else 1].format(n=count)


def _turn(phrases: dict[str, Any], decision: Decision, follower: str) -> str:
    turn = decision.params.get("turn")
    if turn is None:
        return ""
    known = decision.params.get("next") is not None
    return str(phrases["turn"][f"{turn}" if known else f"{turn}_unknown"]).format(next=follower)
