"""Repairs the known faults of a rule book, so that further faults can be found in the same run."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

BookTable = dict[str, Any]


def mended(data: BookTable, problems: Iterable[str], sound: BookTable) -> BookTable:
    """Returns `data` without the faulty values: each is replaced by that of the sound book, or dropped if it has none.

    A problem begins with the dotted path of its value.
    """
    copy = deepcopy(data)
    for problem in problems:
        path = problem.partition(" ")[0].split(".")
        value = _at(sound, path)
        table = _at(copy, path[:-1])
        if not isinstance(table, dict):
            continue
        if value is None:
            table.pop(path[-1], None)
        else:
            table[path[-1]] = value
    return copy


def _at(table: Any, path: list[str]) -> Any:
    """Returns the value at a path; None without one."""
    for key in path:
        table = table.get(key) if isinstance(table, dict) else None
    return table
