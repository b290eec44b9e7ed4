"""Reads rule books: a name or a file gives `Rules` or `CollectRules`, and every problem of a file is reported at once.

A name is a shipped book or the path of a house rule ending in `.toml`, with modifiers after plus signs: the book's own
(`ch_de+board_60`), and for each match `+target=29`, `+boards=4`, `+games=3`,
`+clock=15` and `+players=3`.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from models.collecting import CollectRules
from models.mending import mended
from models.reading import read
from models.rulebook import Rules

__all__ = [
    "DEFAULT_RULES",
    "Book",
    "CollectRules",
    "Rules",
    "RulesError",
    "book_of",
    "book_text",
    "house_names",
    "load_book",
    "load_rules",
    "parse_book",
    "parse_rules",
    "read_rules",
    "rule_names",
    "sheet_names",
    "stored_text",
]

DEFAULT_RULES = "icf"

Book = Rules | CollectRules

HOUSE = "house"
"""Folder of the house books."""

ALIASES = {"004-M": "masters"}
"""Other names of shipped books: the Masters part of the fourth sheet."""

RULES_MODES = {"race": Rules, "collect": CollectRules}
"""Values of `mode` at the top of a file."""

SOUND_BOOKS = {"race": "icf", "collect": "booklet_21"}
"""Shipped books whose values replace the faulty ones of another book, to find further faults."""

NUMBERS = {
    "target": ("match", "target_points"),
    "boards": ("match", "max_boards"),
    "games": ("match", "games"),
    "clock": ("match", "stroke_clock_s"),
    "challenges": ("match", "challenges"),
    "players": ("seating", "players"),
}
"""Modifiers with a number, which each match may set."""


class RulesError(ValueError):
    """A rule book cannot be used. The message lists every reason."""


def rule_names() -> list[str]:
    """Returns the names of the shipped books: those of the printed sheets, then the house books."""
    return [*sheet_names(), *house_names()]


def sheet_names() -> list[str]:
    """Returns the names of the books that follow a printed sheet."""
    return _names(_folder())


def house_names() -> list[str]:
    """Returns the names of the books of common house rules, to copy and change."""
    return _names(_folder() / HOUSE)


def _folder() -> Traversable:
    return resources.files("models") / "rulesets"


def _names(folder: Traversable) -> list[str]:
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml"))


def load_book(name: str = DEFAULT_RULES) -> Book:
    """Returns the rule book `name` with its modifiers applied. A house rule is read anew each time. Raises
    RulesError.
    """
    base, modifiers = _parted(name)
    return parse_book(book_text(base), name, modifiers) if base.endswith(".toml") else _shipped(name)


def book_of(name: str, text: str | None) -> Book:
    """Returns the rule book `name` from `text`, with its modifiers applied; without a text as `load_book`. Raises
    RulesError.
    """
    return load_book(name) if text is None else parse_book(text, name, _parted(name)[1])


def stored_text(name: str) -> str | None:
    """Returns the text that a match must store to be judged again by the same book: that of a house rule's file, None
    for a shipped book. Raises RulesError.
    """
    base = _parted(name)[0]
    return book_text(base) if base.endswith(".toml") else None


@cache
def _shipped(name: str) -> Book:
    base, modifiers = _parted(name)
    return parse_book(book_text(base), name, modifiers)


def book_text(base: str) -> str:
    """Returns the text of a shipped book, or of a house rule by its path. Raises RulesError."""
    if base.endswith(".toml"):
        return _file_text(Path(base))
    base = ALIASES.get(base, base)
    if base not in rule_names():
        known = ", ".join(rule_names())
        raise RulesError(f"unknown rule book {base!r}: choose one of {known}, or the path of a .toml file")
    folder = _folder() / HOUSE if base in house_names() else _folder()
    return (folder / f"{base}.toml").read_text(encoding="utf-8")


def load_rules(name: str = DEFAULT_RULES) -> Rules:
    """Returns the race game's book `name`. Raises RulesError, also for a collecting game's book."""
    return _race(load_book(name))


def read_rules(path: Path) -> Rules:
    """Returns the house rule of a file, named after the file. Raises RulesError."""
    return parse_rules(_file_text(path), path.stem)


def parse_rules(text: str, name: str, modifiers: tuple[str, ...] = ()) -> Rules:
    """Returns the race game's book of a TOML text. Raises RulesError."""
    return _race(parse_book(text, name, modifiers))


def parse_book(text: str, name: str, modifiers: tuple[str, ...] = ()) -> Book:
    """Returns the rule book of a TOML text, changed by its own `[modifiers.NAME]` tables. Raises RulesError."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as e:
        raise RulesError(f"rule book {name}: not TOML: {e}") from None
    known = data.pop("modifiers", {})
    if not isinstance(known, dict) or not all(isinstance(change, dict) for change in known.values()):
        raise RulesError(f"rule book {name}: modifiers must be tables")
    for modifier in modifiers:
        data = _modified(data, modifier, known, name)
    mode = data.pop("mode", None)
    if mode not in RULES_MODES:
        raise RulesError(f"rule book {name}: mode must be one of {', '.join(RULES_MODES)}, not {mode!r}")
    problems: list[str] = []
    book = read(RULES_MODES[mode], {**data, "name": name}, "", problems)
    if problems:
        # Faults of single values must not hide faults of the whole book.
        book = read(RULES_MODES[mode], mended({**data, "name": name}, problems, _sound(mode)), "", [])
    if isinstance(book, Book):
        problems += book.problems()
    if problems or not isinstance(book, Book):
        raise RulesError(f"rule book {name}: " + "; ".join(problems))
    return book


def _sound(mode: str) -> dict[str, Any]:
    return tomllib.loads(book_text(SOUND_BOOKS[mode]))


def _parted(name: str) -> tuple[str, tuple[str, ...]]:
    """Returns book and modifiers. A path may contain plus signs of its own."""
    path, toml, rest = name.partition(".toml")
    base, *modifiers = rest.split("+") if toml else name.split("+")
    return (path + toml + base if toml else base), tuple(modifiers)


def _file_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise RulesError(f"cannot read the rule book {path}: {e}") from None


def _race(book: Book) -> Rules:
    if isinstance(book, Rules):
        return book
    raise RulesError(f"{book.name} is a collecting game: choose a race game's book")


def _modified(data: dict[str, Any], modifier: str, known: dict[str, Any], name: str) -> dict[str, Any]:
    key, equals, value = modifier.partition("=")
    if equals and key in NUMBERS and value.isascii() and value.isdigit():
        section, field = NUMBERS[key]
        return _merged(data, {section: {field: int(value)}})
    if modifier in known:
        return _merged(data, known[modifier])
    choice = ", ".join([*sorted(known), *(f"{key}=N" for key in NUMBERS)])
    raise RulesError(f"rule book {name.partition('+')[0]}: unknown modifier {modifier!r}; it takes {choice}")


def _merged(base: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    both = {key: _merged(base[key], change[key]) for key in base.keys() & change.keys()
            if isinstance(base[key], dict) and isinstance(change[key], dict)}  # fmt: skip
    return {**base, **change, **both}
