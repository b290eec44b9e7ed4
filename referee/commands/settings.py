"""The settings file: permanent options of a machine; a table per command, a key per option.

A key is the option's long name without its dashes, or the name of an argument: `[run] source = "picamera"`. The command
line and the environment take precedence.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

VARIABLE = "CARROM_SETTINGS"
"""Environment variable that names the file without --settings, as in a service."""

SettingsTable = Mapping[str, Any]


class SettingsError(Exception):
    """A settings file cannot be used; the message says why and what to do, a line for each problem."""


def read_settings(path: Path) -> dict[str, SettingsTable]:
    """Returns the file's tables, not yet compared with the commands. Raises SettingsError."""
    try:
        with path.open("rb") as file:
            tables = tomllib.load(file)
    except OSError as e:
        why = (e.strerror or "not readable").lower()
        raise SettingsError(f"settings {path}: {why}; give another file with --settings, or unset {VARIABLE}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as e:
        raise SettingsError(f"settings {path}: not TOML: {e}; correct that line") from None
    if loose := [name for name, table in tables.items() if not isinstance(table, dict)]:
        raise SettingsError(f"settings {path}: {loose[0]} stands before any table; put it below one, such as [run]")
    return tables


def check_names(path: Path, names: Iterable[str], commands: Iterable[str]) -> None:
    """Raises SettingsError if a table is named for no command."""
    known = list(commands)
    problems = [f"settings {path}: there is no command {n}{_meant(n, known)}" for n in names if n not in known]
    if problems:
        raise SettingsError("\n".join(problems))


def defaults(path: Path, name: str, table: SettingsTable, command: click.Command) -> dict[str, Any]:
    """Returns a table as click's default map of its command. Raises SettingsError naming every problem of it.

    A group of commands, such as `bench`, has a table for each: `[bench.speed]`.
    """
    if isinstance(command, click.Group):
        return _defaults_of_each(path, name, table, command)
    params = {key_of(param): param for param in command.params}
    problems = list(_problems(f"settings {path}, [{name}]", table, params))
    if problems:
        raise SettingsError("\n".join(problems))
    return {str(params[key].name): value for key, value in table.items()}


def _defaults_of_each(path: Path, name: str, table: SettingsTable, group: click.Group) -> dict[str, Any]:
    """Returns the default maps of a group's commands."""
    if loose := [key for key, value in table.items() if not isinstance(value, dict)]:
        names = ", ".join(f"[{name}.{each}]" for each in group.commands)
        raise SettingsError(f"settings {path}, [{name}]: {loose[0]} stands in no table; put it below one of {names}")
    check_names(path, table, group.commands)
    return {key: defaults(path, f"{name}.{key}", value, group.commands[key]) for key, value in table.items()}


def whole(path: Path, commands: Mapping[str, Callable[[], click.Command]]) -> int:
    """Compares every table with its command, each loaded by its callable; returns the number of tables.

    Raises SettingsError.
    """
    tables = read_settings(path)
    check_names(path, tables, commands)
    for name, table in tables.items():
        defaults(path, name, table, commands[name]())
    return len(tables)


def key_of(param: click.Parameter) -> str:
    """Returns an option's name in a settings file: its longest name without leading dashes."""
    return max(param.opts, key=len).lstrip("-")


def _problems(where: str, table: SettingsTable, params: Mapping[str, click.Parameter]) -> Iterator[str]:
    for key, value in table.items():
        param = params.get(key)
        if param is None:
            yield f"{where}: there is no option {key}{_meant(key, params)}"
            continue
        wanted = _wanted(param)
        if not _fits(value, wanted):
            yield f"{where}: {key} is {value!r}, but must be {wanted}"
            continue
        try:
            param.type_cast_value(click.Context(click.Command(None)), value)
        except click.UsageError as e:
            yield f"{where}: {key}: {e.message}"


def _meant(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]}?" if near else "; take it out, or see the sample settings"


def _wanted(param: click.Parameter) -> str:
    """Returns the TOML type of an option's value, in words."""
    if param.nargs != 1 or param.multiple:
        return "an array"
    if isinstance(param, click.Option) and param.is_flag:
        return "true or false"
    if isinstance(param.type, click.types.IntParamType):
        return "a whole number"
    if isinstance(param.type, click.types.FloatParamType):
        return "a number"
    return "a text in quotes"


def _fits(value: object, wanted: str) -> bool:
    if isinstance(value, bool):
        return wanted == "true or false"
    kinds: dict[str, type | tuple[type, ...]] = {"an array": list, "a whole number": int, "a number": (int, float),
                                                 "a text in quotes": str}  # fmt: skip
    return wanted in kinds and isinstance(value, kinds[wanted])
