"""Reads plain values of a TOML file into typed dataclasses, and reports every problem of the file at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import MappingProxyType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

_NAMES = {int: "a whole number", bool: "true or false", str: "a text"}


def read(kind: Any, value: Any, where: str, problems: list[str]) -> Any:
    """Returns `value` as `kind` (dataclass, mapping by enum, enum, int, bool, str, or one of these or None).

    Adds values that do not fit to `problems` and returns None for them; `where` names the value there.
    """
    if get_origin(kind) in (UnionType, Union):
        kind = next(each for each in get_args(kind) if each is not type(None))
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


def _dataclass(kind: type, value: Any, where: str, problems: list[str]) -> Any:
    if not isinstance(value, dict):
        problems.append(f"{where} must be a table")
        return None
    hints, dot, before = _hints(kind), f"{where}." if where else "", len(problems)
    known = {f.name: f.default is MISSING and f.default_factory is MISSING for f in fields(kind)}
    problems += [f"{dot}{key} is unknown" for key in sorted(value.keys() - known.keys())]
    problems += [f"{dot}{key} is missing" for key, needed in sorted(known.items()) if needed and key not in value]
    found = {key: read(hints[key], value[key], dot + key, problems) for key in value if key in known}
    return kind(**found) if len(problems) == before else None


@cache
def _hints(kind: type) -> dict[str, Any]:
    """Returns the types of a dataclass's fields. Cached, because a book has many values of few types."""
    return get_type_hints(kind)


def _mapping(kind: Any, value: Any, where: str, problems: list[str]) -> Any:
    if not isinstance(value, dict):
        problems.append(f"{where} must be a table")
        return None
    keys, values = get_args(kind)
    known = set(keys)
    problems += [f"{where}.{key} is unknown" for key in sorted(value.keys() - known)]
    found = {keys(key): read(values, item, f"{where}.{key}", problems) for key, item in value.items() if key in known}
    return MappingProxyType(found)
