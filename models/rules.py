"""Reading rule books: TOML -> `Rules`, with every problem of a file told at once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args, get_origin, get_type_hints

from models.rulebook import Rules

__all__ = ["DEFAULT_RULES", "Rules", "RulesError", "load_rules", "parse_rules", "read_rules", "rule_names"]

DEFAULT_RULES = "icf"


class RulesError(ValueError):
    """A rule book cannot be used; the message lists every reason."""


def rule_names() -> list[str]:
    """Names accepted by `load_rules`."""
    folder = resources.files("models") / "rulesets"
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml"))


@cache
def load_rules(name: str = DEFAULT_RULES) -> Rules:
    """The rule book `name`, with modifiers after plus signs (`book+modifier`); raises RulesError."""
    base, *modifiers = name.split("+")
    if base not in rule_names():
        raise RulesError(f"unknown rule book {base!r}: choose one of {', '.join(rule_names())}")
    text = (resources.files("models") / "rulesets" / f"{base}.toml").read_text(encoding="utf-8")
    return parse_rules(text, name, tuple(modifiers))


def read_rules(path: Path) -> Rules:
    """A house rule from a file of one's own, named after the file; raises RulesError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise RulesError(f"cannot read the rule book {path}: {e}") from None
    return parse_rules(text, path.stem)


def parse_rules(text: str, name: str, modifiers: tuple[str, ...] = ()) -> Rules:
    """The rule book that a TOML text spells, changed by its own `[modifiers.NAME]` tables; raises RulesError."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:
        raise RulesError(f"rule book {name}: not TOML: {e}") from None
    known = data.pop("modifiers", {})
    for modifier in modifiers:
        if modifier not in known:
            choice = f"it takes {', '.join(sorted(known))}" if known else "it takes none"
            raise RulesError(f"rule book {name.partition('+')[0]}: unknown modifier {modifier!r}; {choice}")
        data = _merged(data, known[modifier])
    problems: list[str] = []
    rules = _read(Rules, {**data, "name": name}, "", problems)
    if isinstance(rules, Rules):
        problems += rules.problems()
    if problems or not isinstance(rules, Rules):
        raise RulesError(f"rule book {name}: " + "; ".join(problems))
    return rules


def _merged(base: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    both = {key: _merged(base[key], change[key]) for key in base.keys() & change.keys()
            if isinstance(base[key], dict) and isinstance(change[key], dict)}  # fmt: skip
    return {**base, **change, **both}


def _read(kind: Any, value: Any, where: str, problems: list[str]) -> Any:
    """`value` as `kind` (dataclass, mapping by enum, enum, int, bool, str); adds to `problems` what does not fit."""
    if is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(kind, value, where, problems)
    if get_origin(kind) is Mapping:
        return _mapping(kind, value, where, problems)
    if issubclass(kind, StrEnum):
        if isinstance(value, str) and value in set(kind):
            return kind(value)
        problems.append(f"{where} must be one of {', '.join(kind)}, not {value!r}")
    elif type(value) is not kind:
        problems.append(f"{where} must be {_NAMES[kind]}, not {value!r}")
    elif kind is int and value < 0:
        problems.append(f"{where} must not be negative")
    elif kind is str and not value:
        problems.append(f"{where} must not be empty")
    else:
        return value
    return None


_NAMES = {int: "a whole number", bool: "true or false", str: "a text"}


def _dataclass(kind: type, value: Any, where: str, problems: list[str]) -> Any:
    if not isinstance(value, dict):
        problems.append(f"{where} must be a table")
        return None
    hints, dot, before = get_type_hints(kind), f"{where}." if where else "", len(problems)
    known = {f.name: f.default for f in fields(kind)}
    problems += [f"{dot}{key} is unknown" for key in sorted(value.keys() - known.keys())]
    lacking = sorted(key for key, default in known.items() if key not in value and default is MISSING)
    problems += [f"{dot}{key} is missing" for key in lacking]
    read = {key: _read(hints[key], value[key], dot + key, problems) for key in value if key in known}
    return kind(**read) if len(problems) == before else None


def _mapping(kind: Any, value: Any, where: str, problems: list[str]) -> Any:
    if not isinstance(value, dict):
        problems.append(f"{where} must be a table")
        return None
    keys, values = get_args(kind)
    problems += [f"{where}.{key} is unknown" for key in sorted(value.keys() - set(keys))]
    read = {
        keys(key): _read(values, item, f"{where}.{key}", problems) for key, item in value.items() if key in set(keys)
    }
    return MappingProxyType(read)
