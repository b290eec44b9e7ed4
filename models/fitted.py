"""Parameters that were fitted on samples: frozen dataclasses of numbers, kept as JSON beside their code."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib.resources import files
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Parameters = TypeVar("Parameters")


def as_json(parameters: DataclassInstance) -> str:
    """Returns the parameters as JSON text that `of_json` reads, rounded to 6 decimals."""
    return json.dumps({name: round(value, 6) for name, value in asdict(parameters).items()}, indent=1) + "\n"


def of_json(kind: type[Parameters], text: str) -> Parameters:
    """Reads what `as_json` wrote; raises ValueError or TypeError if the text holds anything else."""
    return kind(**json.loads(text))


def shipped(kind: type[Parameters], package: str, name: str) -> Parameters:
    """Returns the parameters in a file of the package data."""
    return of_json(kind, files(package).joinpath(name).read_text(encoding="utf-8"))
