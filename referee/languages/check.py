"""Checks the folder of a language: faults, and phrases that it leaves to English."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from referee.languages.folders import (
    ENGLISH,
    GLOSSARY_FILE,
    LANGUAGE_FILE,
    Part,
    glossary,
    load_language,
    own_phrases,
)
from referee.languages.plurals import CATEGORIES

Phrase = str | list[str] | dict[str, str]

MAY_BE_ENGLISH = {
    Part.LAWS: ("objections.", "layout."),
    Part.MATCH: ("refusals.",),
    Part.REPLAY: ("",),
    Part.PAGES: (
        "step.", "change.", "changed.", "who.", "tell.", "pair.", "restore.", "machine.", "replay.", "key.",
        "happening.", "evidence.", "limit.", "reason.", "seen.", "shows.", "matches.", "stats.", "again.", "setup.",
        "problem.", "gauge.", "unit.", "verdict.", "advice.", "why.", "mark.", "model.", "card.", "point.",
        "languages.", "club.", "hall.",
    ),
}  # fmt: skip
"""Prefixes of the keys that a machine translation may leave to English: the desk, replays, the set-up."""

ON_THE_BOARD = (
    "setup.first", "change.wait", "change.done", "change.refused", "change.unconfirmed", "change.decide",
    "change.correct", "replay.picture", "replay.board",
)  # fmt: skip
"""Keys with such a prefix that the scoreboard shows all the same."""


def may_be_english(part: Part, path: str) -> bool:
    """Tells whether a machine translation may leave the phrase out."""
    return path.startswith(MAY_BE_ENGLISH[part]) and path not in ON_THE_BOARD


def phrases_of(part: Part, code: str) -> dict[str, Phrase]:
    """Returns the phrases of the language's own file, by path (`reasons.cleared`)."""
    return dict(_leaves(own_phrases(part, code), part is Part.PAGES))


def missing(part: Part, code: str) -> list[str]:
    """Returns the paths that English has and the language lacks."""
    own = phrases_of(part, code)
    return [path for path in phrases_of(part, ENGLISH) if path not in own]


def faults(code: str) -> list[str]:
    """Returns every fault in a sentence each; empty for a language without faults."""
    return [f"{code}/{part}: {fault}" for part in Part for fault in _faults_of(part, code)] + [
        f"{code}/{GLOSSARY_FILE}: {fault}" for fault in _glossary_faults(code)
    ]


def unreadable(code: str) -> list[str]:
    """Returns the faults of files that cannot be read, in a sentence each."""
    return [f"{code}/{name}: {why}" for name, read in _readers(code).items() if (why := _why_not(read))]


def _readers(code: str) -> dict[str, Callable[[], object]]:
    parts = {str(part): partial(own_phrases, part, code) for part in Part}
    return {LANGUAGE_FILE: partial(load_language, code), GLOSSARY_FILE: partial(glossary, code), **parts}


def _why_not(read: Callable[[], object]) -> str:
    try:
        read()
    except KeyError as lacking:
        return f"{lacking.args[0]} is missing"
    except ValueError as wrong:
        return f"cannot be read: {wrong}"
    return ""


def _faults_of(part: Part, code: str) -> Iterator[str]:
    own, english = phrases_of(part, code), phrases_of(part, ENGLISH)
    machine = load_language(code).machine
    for path in missing(part, code):
        if not (machine and may_be_english(part, path)):
            yield f"{path} is missing"
    for path, phrase in own.items():
        if path in english:
            yield from _phrase_faults(path, phrase, english[path], part, code)
        elif not _is_case(path):
            yield f"{path} is not known; English has no such phrase"


def _phrase_faults(path: str, phrase: Phrase, english: Phrase, part: Part, code: str) -> Iterator[str]:
    if not all(form.strip() for form in forms(phrase)):
        yield f"{path} is empty"
    mine, theirs = fields(phrase), fields(english)
    if mine != theirs:
        yield f"{path} has the blanks {sorted(mine)}, English has {sorted(theirs)}"
    categories = [name for name in CATEGORIES if name in load_language(code).plurals] + ["other"]
    if isinstance(phrase, dict) and set(phrase) != set(categories):
        yield f"{path} has forms for {sorted(phrase)}, the language has {sorted(categories)}"
    if isinstance(phrase, list) and part is not Part.REPLAY and len(phrase) != len(categories):
        yield f"{path} has {len(phrase)} forms, the language has {len(categories)}"
    if isinstance(phrase, list) and part is Part.REPLAY and len(phrase) != len(english):
        yield f"{path} has {len(phrase)} columns, English has {len(english)}"


def _glossary_faults(code: str) -> Iterator[str]:
    """Yields the faults of the glossary: things without a word, words that no phrase uses, and phrases with avoided
    words.
    """
    terms, avoid = glossary(code)["terms"], glossary(code)["avoid"]
    asked = set(glossary(ENGLISH)["terms"])
    yield from (f"there is no word for {term}" for term in sorted(asked - set(terms)))
    yield from (f"{term} is not known; English has no such thing" for term in sorted(set(terms) - asked))
    text = {f"{part} {path}": form for part in Part for path, phrase in phrases_of(part, code).items()
            for form in forms(phrase)}  # fmt: skip
    for term, word in terms.items():
        if not any(word.casefold() in form.casefold() for form in text.values()):
            yield f"no phrase uses {word!r}, the word for {term}"
    for pattern, better in avoid.items():
        for where, form in text.items():
            if re.search(pattern, form):
                yield f"{where} says {re.search(pattern, form)[0]!r}: use {better!r}"  # type: ignore[index]


def forms(phrase: Phrase) -> list[str]:
    """Returns the phrase in each of its forms."""
    return [phrase] if isinstance(phrase, str) else list(phrase.values() if isinstance(phrase, dict) else phrase)


def fields(phrase: Phrase) -> set[str]:
    """Returns the placeholders of a phrase; cases of a noun count as one. ("1 question" needs none, "{n} questions"
    does.)
    """
    parsed = (string.Formatter().parse(form) for form in forms(phrase))
    return {name.removesuffix("_" + name.rpartition("_")[2]) if _is_noun(name) else name
            for form in parsed for _, name, _, _ in form if name}  # fmt: skip


def _is_noun(field: str) -> bool:
    return "_" in field and field.partition("_")[0] in ("coins", "points", "due")


def _is_case(path: str) -> bool:
    """Tells whether a path is a further case of a noun, such as `nouns.coins_acc.white`. Each language has its own
    cases.
    """
    parts = path.split(".")
    return parts[0] == "nouns" and "_" in parts[1]


def _leaves(table: dict[str, Any], flat: bool, path: str = "") -> Iterator[tuple[str, Phrase]]:
    """Yields paths and phrases. In a flat table a nested table holds plural forms."""
    for key, value in table.items():
        if isinstance(value, dict) and not flat:
            yield from _leaves(value, flat, f"{path}{key}.")
        else:
            yield path + key, value
